"""Chat completions: messages with fenced texts, what a request says besides, and replies.

Source text is data: it stands between marks that it cannot contain. Servers that know no JSON
schemas are given them in words.
"""

import hashlib
import json
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from graphrag.errors import InputError, LLMError
from graphrag.llm.salvage import LONGEST_ANSWER
from graphrag.model.values import JSON
from graphrag.protocols import Message
from graphrag.settings import shown_url

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_INVALID = (400, 422)
_FORMAT = re.compile(r"response_format|json_schema|json schema|structured output", re.IGNORECASE)
_BUSY = frozenset({408, 409, 425, 429})
_NO_MONEY = "insufficient_quota"
_TOO_LONG = re.compile(r"context.{0,10}length|maximum context|too many tokens", re.IGNORECASE)
_NEWER = "max_completion_tokens"
_LOOSE = 0.5  # temperature
_FENCE = 8
_GROWN = 1.02  # how much longer a reply must be to be read anew: some fifty times its length in all
_SHOWN = 200
_MOST_TOKENS = 2**40  # from which on a count of a server is none


@dataclass(frozen=True, slots=True)
class LLMQuestion:
    """What is sent."""

    messages: tuple[Message, ...]
    name: str  # of the shape that the answer must have
    schema: Mapping[str, JSON]
    loose: bool = False
    """Asks in words, at a temperature that leaves a loop, whatever the server can do."""

    def followed_by(self, answer: str, words: str) -> "LLMQuestion":
        """Return the question that goes on with these words after an answer."""
        more = Message("assistant", answer), Message("user", words)
        return replace(self, messages=(*self.messages, *more))


@dataclass(frozen=True, slots=True)
class RequestForm:
    """What a request says beside its messages."""

    temperature: float | None  # None leaves it out
    schema: bool = True  # False puts the shape of the answer in words
    max_tokens: int | None = None  # of the answer; None leaves it out
    limit: str = "max_tokens"  # what the server calls that
    extra: Mapping[str, JSON] | None = None  # settings of the server

    def without(self, status: int, said: str) -> "RequestForm | None":
        """Return the form without what the server refuses; None if it is nothing we can spare.

        Some refuse a schema without naming it, so that is left out at last.
        """
        if status not in _INVALID or _TOO_LONG.search(said):
            return None
        if self.max_tokens is not None and self.limit == "max_tokens" and _NEWER in said:
            return replace(self, limit=_NEWER)
        if self.temperature is not None and "temperature" in said:
            return replace(self, temperature=None)
        return replace(self, schema=False) if self.schema else None

    def common(self, other: "RequestForm") -> "RequestForm":
        """Return the form without what either leaves out."""
        temperature = None if other.temperature is None else self.temperature
        limit = self.limit if other.limit == "max_tokens" else other.limit
        return replace(
            self, temperature=temperature, schema=self.schema and other.schema, limit=limit
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    text: str
    prompt_tokens: int | None = None  # None when the server does not count
    completion_tokens: int | None = None
    cut_off: bool = False  # True if the model ran out of room


class BusyError(Exception):
    """The server may answer later: too many requests, a failure of its own, or silence."""

    def __init__(self, reason: str, *, wait: float | None = None, loose: bool = False) -> None:
        super().__init__(reason)
        self.wait = wait
        """Seconds that the server asked for."""
        self.loose = loose
        """True if the same request would fail again."""


def is_busy(status: int, code: object = None) -> bool:
    """Tell whether to ask again after an HTTP status; ``code`` is what OpenAI says besides."""
    return (status in _BUSY or status >= 500) and code != _NO_MONEY


def names_schema(said: str) -> bool:
    """Tell whether a refusal is about the schema of the answer."""
    return _FORMAT.search(said) is not None


def in_words(question: LLMQuestion) -> tuple[Message, ...]:
    """Return the messages with the schema added to the first."""
    first, *rest = question.messages
    schema = json.dumps(question.schema, ensure_ascii=False)
    asked = f"{first.content}\n\nAnswer with one JSON object of this JSON schema:\n{schema}"
    return (Message(first.role, asked), *rest)


def reply_of(model: str, body: JSON) -> Reply:
    """Return the reply of a server, in whatever shape it puts a completion."""
    completion = body if isinstance(body, dict) else {}
    choices = completion.get("choices")
    if isinstance(choices, dict):
        choices = [choices] if "message" in choices else list(choices.values())
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        said = f": {str(completion['error'])[:_SHOWN]}" if completion.get("error") else ""
        raise BusyError(f"the reply had no choices{said}")
    message, finish = choice.get("message"), choice.get("finish_reason")
    if not isinstance(message, dict):
        raise BusyError("the reply had no message")
    if refusal := _text(message.get("refusal")):
        raise LLMError(f"model {model!r} refused: {refusal[:_SHOWN]}")
    calls = message.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and calls else None
    function = call.get("function") if isinstance(call, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    given = (message.get("content"), arguments, message.get("reasoning_content"))
    text = next(filter(str.strip, map(_text, given)), "")
    if finish == "content_filter" and not text:
        raise LLMError(
            f"model {model!r} gave no answer: the content filter of its server stopped it"
        )
    counts = completion.get("usage")
    usage = counts if isinstance(counts, dict) else {}
    prompt, answer = (_count(usage.get(f"{side}_tokens")) for side in ("prompt", "completion"))
    return Reply(text, prompt, answer, cut_off=finish == "length")


def _text(content: JSON) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list) and any(
        isinstance(part, dict) and "type" in part for part in content
    ):
        parts = [part for part in content if isinstance(part, dict)]
        return "".join(text for part in parts if isinstance(text := part.get("text"), str))
    return json.dumps(content)


def _count(tokens: JSON) -> int | None:
    return tokens if type(tokens) is int and 0 <= tokens < _MOST_TOKENS else None


async def streamed(
    client: "AsyncOpenAI", model: str, question: LLMQuestion, form: RequestForm
) -> AsyncIterator[Reply]:
    """Yield the reply as it grows, the last time with its tokens if the server counts them."""
    chunks = await client.chat.completions.create(
        **request(model, question, form), stream=True, stream_options={"include_usage": True}
    )
    text, cut_off, refusal = "", False, ""
    used, seen = None, 0
    async for chunk in chunks:
        used = getattr(chunk, "usage", None) or used
        choices = getattr(chunk, "choices", None)
        for choice in choices[:1] if isinstance(choices, list) else ():
            delta = getattr(choice, "delta", None)
            refusal += _text(getattr(delta, "refusal", None))
            cut_off = cut_off or getattr(choice, "finish_reason", None) == "length"
            if piece := _text(getattr(delta, "content", None)):
                text += piece
                if "}" in piece and len(text) > seen * _GROWN:  # something in it is whole
                    seen = len(text)
                    yield Reply(text, cut_off=cut_off)
        if len(text) > LONGEST_ANSWER:
            break
    if refusal:
        raise LLMError(f"model {model!r} refused: {refusal[:200]}")
    prompt = _count(getattr(used, "prompt_tokens", None))
    yield Reply(text, prompt, _count(getattr(used, "completion_tokens", None)), cut_off)


def request(model: str, question: LLMQuestion, form: RequestForm) -> dict[str, Any]:
    """Return the arguments of a request, with the schema in words for a server that takes none."""
    schema = form.schema and not question.loose
    messages = question.messages if schema else in_words(question)
    sent: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
    }
    if schema:
        shape = {"name": question.name, "schema": dict(question.schema), "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": shape}
    if form.temperature is not None:
        sent["temperature"] = max(form.temperature, _LOOSE) if question.loose else form.temperature
    if form.max_tokens is not None:
        sent[form.limit] = form.max_tokens
    if form.extra:
        sent["extra_body"] = dict(form.extra)
    return sent


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, given as seconds or as a date."""
    from email.utils import parsedate_to_datetime  # rarely needed, and it brings sockets

    given = headers.get("retry-after", "")
    with suppress(ValueError):
        return max(0.0, float(given))
    with suppress(ValueError):
        wait = parsedate_to_datetime(given).astimezone(UTC) - datetime.now(UTC)
        return max(0.0, wait.total_seconds())
    return None


def checked_url(url: str) -> str:
    """Return the URL, or say that it is none."""
    try:
        scheme = urlsplit(url).scheme
    except ValueError:  # such as half an IPv6 address
        scheme = ""
    if scheme not in ("http", "https"):
        raise InputError(f"{shown_url(url)!r} is no http(s) URL: write http://HOST:PORT/v1")
    return url


def fence_of(texts: Iterable[str]) -> str:
    """Return the mark for a set of texts, one that none of them contains.

    It is a hash of all that is fenced, so a text would have to contain a hash of itself to close
    its own fence; and the same question gets the same mark, so that its answer can be kept.
    """
    texts = tuple(texts)
    digest = hashlib.sha256("\x00".join(texts).encode(errors="surrogatepass")).hexdigest()
    while any(digest[:_FENCE] in text for text in texts):
        digest = hashlib.sha256(digest.encode()).hexdigest()
    return digest[:_FENCE]


def fenced(label: str, text: str, fence: str) -> str:
    """Return a text between two marks that name what it is."""
    return f"<<{label} {fence}>>\n{text}\n<<end {label} {fence}>>"
