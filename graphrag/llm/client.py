"""Ask any OpenAI-compatible server: OpenAI, Ollama, vLLM, llama.cpp, LM Studio, OpenRouter.

The SDK only carries messages: retries, limits and the clock are ours (`dialogue`), so that they
hold for all questions to one model together. Servers that refuse a JSON schema get it in words.
"""

import json
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from graphrag.errors import InputError, LLMError, MissingExtraError
from graphrag.llm.chat import (
    BusyError,
    LLMQuestion,
    Reply,
    RequestForm,
    checked_url,
    is_busy,
    names_schema,
    reply_of,
    request,
    retry_after,
    streamed,
)
from graphrag.llm.dialogue import Dialogue
from graphrag.llm.spending import Budget
from graphrag.protocols import Answer, Message
from graphrag.settings import Settings, shown_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from openai import APIStatusError, AsyncOpenAI

    from graphrag.model.values import JSON

_OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none"  # local servers want some key; without one the SDK would take the environment's
_NO_JSON = "failed_generation"
_LOCAL = ("localhost", "127.0.0.1", "::1", "host.docker.internal")
_PATIENCE, _LOCAL_PATIENCE = 60.0, 300.0  # seconds; a model of this machine may be loaded first
_LARGEST = 16_000_000
"""Bytes of one reply: the longest answer that is read, as long again in thoughts, all escaped."""


class OpenAILLM(Dialogue):
    """A model behind the chat completions protocol; one object holds one budget and one rate.

    Its connections belong to one event loop. The graph that it is given to closes them with itself;
    otherwise close them: ``async with OpenAILLM("gpt-5-mini") as llm:``.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float | None = None,
        concurrency: int = 8,
        per_minute: int | None = None,
        retries: int = 4,
        cache: str | Path | None = None,
        budget: Budget | None = None,
        temperature: float | None = 0.0,
        max_tokens: int | None = None,
        extra: "Mapping[str, JSON] | None" = None,
    ) -> None:
        """Describe the model; nothing is connected yet.

        Args:
            model: Its name at the server.
            base_url: ``http://localhost:11434/v1`` and the like; default: OpenAI's.
            api_key: Never shown; ``OpenAILLM.from_settings`` takes it from the environment.
            timeout: Seconds for one answer; default: 60, and 300 for a server of this machine.
            concurrency: Questions under way at a time.
            per_minute: Questions that may start in a minute; None is no limit.
            retries: Further attempts when the server is busy, fails or is silent.
            cache: A folder in which answers are kept; None asks everything anew.
            budget: The most that may be spent through this object.
            temperature: None leaves it to the server, as does a server that refuses any.
            max_tokens: Of one answer; default: the server's limit. A small model that begins to
                repeat itself goes on until there: give it 1,000.
            extra: Settings of the server that are sent with each question, such as
                ``{"reasoning_effort": "low"}`` or ``{"top_k": 20}``.

        Raises:
            MissingExtraError: if the extra ``openai`` is not installed.
            InputError: if the URL is none, or a limit is impossible.
        """
        self.base_url = checked_url(base_url or _OPENAI)
        local = urlsplit(self.base_url).hostname in _LOCAL
        super().__init__(
            model,
            timeout=(_LOCAL_PATIENCE if local else _PATIENCE) if timeout is None else timeout,
            concurrency=concurrency,
            per_minute=per_minute,
            retries=retries,
            cache=cache,
            budget=budget,
        )
        self._api_key = api_key
        self._form = RequestForm(temperature, max_tokens=max_tokens, extra=extra)
        """How the next request is sent: without what the server has refused so far."""
        self._suspected = False
        """True after a refusal that did not name the schema, and passed without it."""
        self._client: AsyncOpenAI | None = None
        self._asking: Counter[AsyncOpenAI] = Counter()
        """Questions under way by the client that asks."""
        _sdk()

    @classmethod
    def from_settings(
        cls, settings: Settings, *, cache: str | Path | None = None, budget: Budget | None = None
    ) -> "OpenAILLM":
        """Return the model that the settings name.

        Raises:
            InputError: if they name none.
        """
        if settings.llm_model is None:
            raise InputError("the settings name no model: set SURREAL_GRAPHRAG_LLM")
        return cls(
            settings.llm_model,
            base_url=settings.llm_base_url,
            api_key=settings.llm_api_key,
            cache=cache,
            budget=budget,
        )

    def __repr__(self) -> str:
        return f"OpenAILLM({self.model!r}, base_url={shown_url(self.base_url)!r})"

    async def __aenter__(self) -> "OpenAILLM":
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections: immediately, or when the last request in progress ends.

        Closing twice is fine; a later request opens new connections.
        """
        client, self._client = self._client, None
        if client is not None and not self._asking[client]:
            del self._asking[client]
            await client.close()

    def stream(
        self, messages: "Sequence[Message]", *, answer: type[Answer]
    ) -> "AsyncIterator[Answer]":
        """Give the whole things of an answer as they come, the last time all of it.

        Raises:
            LLMError: if the server could not be asked, or gave no valid answer.
            BudgetExceededError: if the budget does not allow the question.
        """
        return self._stream(messages, answer, self._pieces)

    async def _send(self, question: LLMQuestion) -> Reply:
        import openai

        form, refused = self._form, ""
        while True:
            try:
                async with self._connected() as client:
                    reply = await self._answered(client, question, form)
            except openai.APIStatusError as error:
                said = _said(error)
                spared = None if _NO_JSON in said else form.without(error.status_code, said)
                if spared is None or (question.loose and spared == replace(form, schema=False)):
                    self._refuse(error)
                form, refused = spared, said
            except openai.APITimeoutError:
                raise BusyError("no answer in time") from None
            except openai.APIConnectionError as error:
                cause = error.__cause__ or error
                raise BusyError(self._redacted(f"{shown_url(self.base_url)}: {cause}")) from None
            except (openai.APIError, ValueError, RecursionError) as error:
                raise BusyError(self._redacted(f"no reply of the protocol: {error}")) from None
            else:
                if refused:
                    self._learn(form, refused)
                return reply

    def _learn(self, form: RequestForm, refused: str) -> None:
        """Send the next requests in a form that worked; others may have learned more meanwhile.

        A schema is left out for good if the refusal named it, or a second one followed: the first
        may have been about its text.
        """
        if form.schema or names_schema(refused) or self._suspected:
            self._form = self._form.common(form)
        else:
            self._suspected = True
            self._form = self._form.common(replace(form, schema=True))

    async def _pieces(self, question: LLMQuestion) -> "AsyncIterator[Reply]":
        import openai

        try:
            async with self._connected() as client:
                async for reply in streamed(client, self.model, question, self._form):
                    yield reply
        except (openai.APIError, ValueError, RecursionError) as error:
            raise BusyError(self._redacted(f"no stream: {error}")) from None

    @asynccontextmanager
    async def _connected(self) -> "AsyncIterator[AsyncOpenAI]":
        """Give the client, which is not closed while somebody asks."""
        if self._client is None:
            self._client = _sdk()(
                base_url=self.base_url,
                api_key=self._api_key or _NO_KEY,
                max_retries=0,
                timeout=self._timeout,
            )
        client = self._client
        self._asking[client] += 1
        try:
            yield client
        finally:
            self._asking[client] -= 1
            if client is not self._client and not self._asking[client]:
                del self._asking[client]
                await client.close()

    async def _answered(
        self, client: "AsyncOpenAI", question: LLMQuestion, form: RequestForm
    ) -> Reply:
        create = client.chat.completions.with_raw_response.create
        raw = await create(**request(self.model, question, form))
        if (size := len(raw.content)) > _LARGEST:
            raise LLMError(
                f"{shown_url(self.base_url)} sent {size:,} bytes as one answer of {self.model!r}: "
                f"at most {_LARGEST:,} are read. Set max_tokens"
            )
        return reply_of(self.model, json.loads(raw.content))

    def _refuse(self, error: "APIStatusError") -> NoReturn:
        status = error.status_code
        said = self._redacted(_said(error))[:300]
        if status == 400 and _NO_JSON in _said(error):
            raise BusyError(f"the server made no JSON: {said}", loose=True) from None
        if is_busy(status, error.code):
            raise BusyError(
                f"HTTP {status}: {said}", wait=retry_after(error.response.headers)
            ) from None
        advice = {
            401: ": check the API key",
            403: ": check what the API key may do",
            404: ": check the base URL and the name of the model",
        }.get(status, "")
        raise LLMError(
            f"{shown_url(self.base_url)} refused model {self.model!r} with HTTP {status}{advice}. "
            f"It said: {said}"
        ) from None

    def _redacted(self, text: str) -> str:
        return text.replace(self._api_key, "***") if self._api_key else text


def _said(error: "APIStatusError") -> str:
    message = str(error.message)
    return message if " - " in message else f"{message} - {error.response.text}"


def _sdk() -> "type[AsyncOpenAI]":
    try:
        from openai import AsyncOpenAI
    except ImportError as error:
        raise MissingExtraError("OpenAILLM", "openai") from error
    return AsyncOpenAI
