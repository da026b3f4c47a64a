"""Chat completions messages and replies, and schemas in words for servers without JSON schemas."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag.errors import LLMError
from graphrag.llm.endpoint import RequestForm
from graphrag.llm.salvage import LONGEST_ANSWER
from graphrag.model.values import JSON
from graphrag.protocols import Message

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.shared_params import ResponseFormatJSONSchema


_GROWN = 1.02
"""How much longer a reply must be to be read anew: some fifty times its length in all."""
_SHOWN = 200
_MOST_TOKENS = 2**40
"""From which on a count of a server is none."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is sent."""

    messages: tuple[Message, ...]
    name: str
    """Of the shape that the answer must have."""
    schema: Mapping[str, JSON]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    text: str
    prompt_tokens: int | None = None
    """None when the server does not count."""
    completion_tokens: int | None = None
    cut_off: bool = False
    """True if the model ran out of room."""


class BusyError(Exception):
    """The server may answer later: too many requests, a failure of its own, or silence."""

    def __init__(self, reason: str, *, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait
        """Seconds that the server asked for."""


def in_words(question: Question) -> tuple[Message, ...]:
    """Return the messages with the schema added to the first."""
    first, *rest = question.messages
    schema = json.dumps(question.schema, ensure_ascii=False)
    asked = f"{first.content}\n\nAnswer with one JSON object of this JSON schema:\n{schema}"
    return (Message(first.role, asked), *rest)


def reply_of(model: str, body: JSON) -> Reply:
    """Return what a server answered, in whatever shape it puts a completion.

    Raises:
        BusyError: if there is no message in it.
        LLMError: if the model refuses, or the server withholds its words.
    """
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
    """Return the words of a message: as they are, of its parts without thoughts, else as JSON."""
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
    client: "AsyncOpenAI", model: str, question: Question, form: RequestForm
) -> AsyncIterator[Reply]:
    """Give the reply as it grows, the last time with its tokens, where the server counts them.

    Raises:
        LLMError: if the model refuses.
    """
    from openai import Omit

    chunks = await client.chat.completions.create(
        model=model,
        messages=params(question, form),
        response_format=response_format(question) if form.schema else Omit(),
        temperature=Omit() if form.temperature is None else form.temperature,
        max_tokens=Omit() if form.max_tokens is None else form.max_tokens,
        stream=True,
        stream_options={"include_usage": True},
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


def params(question: Question, form: RequestForm) -> "list[ChatCompletionMessageParam]":
    """Return the messages, with the schema in words for a server that takes none."""
    return [
        _param(message) for message in (question.messages if form.schema else in_words(question))
    ]


def _param(message: Message) -> "ChatCompletionMessageParam":
    match message.role:
        case "system":
            return {"role": "system", "content": message.content}
        case "user":
            return {"role": "user", "content": message.content}
        case "assistant":
            return {"role": "assistant", "content": message.content}


def response_format(question: Question) -> "ResponseFormatJSONSchema":
    """Return the schema that the answer must have."""
    return {
        "type": "json_schema",
        "json_schema": {"name": question.name, "schema": dict(question.schema), "strict": True},
    }
