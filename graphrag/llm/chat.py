"""A question as the chat completions protocol carries it, and a reply that comes in pieces."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from graphrag.errors import LLMError
from graphrag.llm.dialogue import Question, Reply, in_words
from graphrag.llm.endpoint import RequestForm
from graphrag.protocols import Message

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.shared_params import ResponseFormatJSONSchema


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
