"""A question as the chat completions protocol carries it, and a reply that comes in pieces.

And the shape of an answer in words, for models whose server takes no JSON schema.
"""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag.errors import LLMError
from graphrag.llm.endpoint import RequestForm
from graphrag.model.values import JSON
from graphrag.protocols import Message

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.shared_params import ResponseFormatJSONSchema


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
    used = None
    async for chunk in chunks:
        used = chunk.usage or used
        for choice in chunk.choices[:1]:
            refusal += choice.delta.refusal or ""
            cut_off = cut_off or choice.finish_reason == "length"
            if piece := choice.delta.content or "":
                text += piece
                if "}" in piece:  # something in it is whole
                    yield Reply(text, cut_off=cut_off)
    if refusal:
        raise LLMError(f"model {model!r} refused: {refusal[:200]}")
    prompt, completion = (used.prompt_tokens, used.completion_tokens) if used else (None, None)
    yield Reply(text, prompt, completion, cut_off)


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
