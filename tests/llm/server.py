"""A server on this machine that speaks the chat completions protocol and says what it is told."""

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Reply:
    """One HTTP answer; ``text`` is what the model says."""

    text: str = ""
    status: int = 200
    headers: dict = field(default_factory=dict)
    body: str | None = None
    """The whole body, for what is no completion."""
    delay: float = 0.0
    finish_reason: str = "stop"
    usage: bool = True
    refusal: str | None = None

    def encoded(self, model):
        if self.body is not None:
            return self.body.encode()
        if self.status >= 400:
            return json.dumps({"error": {"message": self.text, "code": None}}).encode()
        completion = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [
                {
                    "index": 0,
                    "finish_reason": self.finish_reason,
                    "message": {
                        "role": "assistant",
                        "content": self.text,
                        "refusal": self.refusal,
                    },
                }
            ],
        }
        if self.usage:
            completion["usage"] = {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "total_tokens": 120,
            }
        return json.dumps(completion).encode()

    def events(self, model):
        """Return the completion as server-sent events, seven characters each."""
        head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": model}
        pieces = [self.text[at : at + 7] for at in range(0, len(self.text), 7)]
        choices = [
            {"index": 0, "finish_reason": None, "delta": {"role": "assistant", "content": piece}}
            for piece in pieces
        ]
        if self.refusal is not None:
            delta = {"role": "assistant", "content": None, "refusal": self.refusal}
            choices.append({"index": 0, "finish_reason": None, "delta": delta})
        choices.append({"index": 0, "finish_reason": self.finish_reason, "delta": {}})
        chunks = [{**head, "choices": [choice], "usage": None} for choice in choices]
        if self.usage:
            used = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
            chunks.append({**head, "choices": [], "usage": used})
        lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
        return "".join([*lines, "data: [DONE]\n\n"]).encode()


class ModelServer:
    """Replies in order, or as ``answer(request)`` says; requests are kept."""

    def __init__(self):
        self.replies = []
        self.answer = None
        self.requests = []
        self.keys = []
        self.at = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                request = json.loads(self.rfile.read(length))
                server.serve(self, request)

            def log_message(self, *arguments):
                return

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def serve(self, handler, request):
        with self._lock:
            self.requests.append(request)
            self.keys.append(handler.headers.get("Authorization"))
            self.at.append(time.monotonic())
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            if self.answer is not None:
                reply = self.answer(request)
            else:
                reply = self.replies.pop(0) if self.replies else Reply("no reply left", status=418)
        try:
            time.sleep(reply.delay)
            streams = request.get("stream") and reply.body is None and reply.status < 400
            body = reply.events(request["model"]) if streams else reply.encoded(request["model"])
            handler.send_response(reply.status)
            for name, value in reply.headers.items():
                handler.send_header(name, value)
            kind = "text/event-stream" if streams else "application/json"
            handler.send_header("Content-Type", kind)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True  # the client has stopped waiting
        finally:
            with self._lock:
                self._at_once -= 1

    def close(self):
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
