"""One question to a model, repeated until its answer has the required shape.

Cache, budget, throttle, time limit, retries and repair are around each request. Of a list only
invalid or missing items are asked for again.
"""

import asyncio
import json
import logging
import random
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from graphrag.errors import InvalidAnswerError, LLMError
from graphrag.llm.chat import BusyError, LLMQuestion, Reply
from graphrag.llm.schema import (
    AnswerModel,
    BadAnswerError,
    joined,
    lost_of,
    read_answer,
    strict_schema,
)
from graphrag.llm.spending import AnswerCache, Budget, Meter, Throttle
from graphrag.model.extraction import Usage
from graphrag.protocols import Answer, Message
from graphrag.text.split import count_tokens

_LOG = logging.getLogger("graphrag")
_SHOWN = 4000  # characters of a wrong answer that the model is shown again
_TAIL = 1500  # characters of the end of a cut answer that the model is shown, to go on from
_PROBLEMS = 12
_LONGEST_BACKOFF = 30.0
_LEAST_READ = 256  # tokens: what counts fewer counts something else
_LONGEST_TOKEN = 6  # characters on average: English has 4, Russian 3.5, Chinese 1.5
Pieces = Callable[[LLMQuestion], AsyncIterator[Reply]]
"""Gives the reply to one question again and again as it grows; raises as ``Dialogue._send``."""


class Dialogue(ABC):
    """A model that is asked until its answer is valid, and everything spent on it."""

    _repairs = 2
    _longest_wait = 120.0
    _backoff = 0.5

    def __init__(
        self,
        model: str,
        *,
        timeout: float,
        concurrency: int,
        per_minute: int | None,
        retries: int,
        cache: str | Path | None,
        budget: Budget | None,
    ) -> None:
        self.model = model
        self._timeout = timeout
        self._retries = retries
        self._meter = Meter(budget or Budget())
        self._throttle = Throttle(concurrency=concurrency, per_window=per_minute)
        self._cache = None if cache is None else AnswerCache(cache)

    @abstractmethod
    async def _send(self, question: LLMQuestion) -> Reply:
        """Ask once; ``BusyError`` if asking again may help."""

    @property
    def usage(self) -> Usage:
        """Return what was spent through this object."""
        return self._meter.total

    def usage_of(self, episode_id: str) -> Usage:
        """Return what was spent on one of the last 10,000 episodes."""
        return self._meter.of(episode_id)

    async def complete(self, messages: Sequence[Message], *, answer: type[Answer]) -> Answer:
        """Return a validated answer.

        Raises:
            LLMError: if the model could not be asked, or gave no valid answer in three attempts.
            BudgetExceededError: if the budget does not allow the question.
        """
        question = LLMQuestion(tuple(messages), answer.__name__, strict_schema(answer))
        key = ""
        if self._cache is not None:
            key = self._cache.key(self.model, question.messages, question.schema)
            if (kept := await self._kept(self._cache, key, answer)) is not None:
                return kept
        given = await self._ask_until_whole(question, answer)
        if self._cache is not None and not lost_of(given):
            await self._cache.put(key, given.model_dump_json())
        return given

    async def _stream(
        self, messages: Sequence[Message], answer: type[Answer], pieces: Pieces
    ) -> AsyncIterator[Answer]:
        """Yield the complete items as they arrive; after an error ``complete`` asks again."""
        question = LLMQuestion(tuple(messages), answer.__name__, strict_schema(answer))
        if self._cache is None:
            last, reply = "", Reply("")
            try:
                async for reply in self._metered(question, pieces):
                    try:
                        part = read_answer(reply.text, answer, cut_off=True)
                    except BadAnswerError:
                        continue  # nothing in it is whole yet
                    if (words := part.model_dump_json()) != last:
                        last = words
                        yield part
                whole = read_answer(reply.text, answer, cut_off=reply.cut_off)
                if not lost_of(whole):
                    yield whole
                    return
            except (BusyError, BadAnswerError) as error:
                _LOG.info("%s: %s; asked again, at once", self.model, error)
            self._meter.add(Usage(retries=1))
        yield await self.complete(messages, answer=answer)

    async def _metered(self, question: LLMQuestion, pieces: Pieces) -> AsyncIterator[Reply]:
        expected = self._expected(question)
        reply = Reply("")
        async with self._throttle.turn():
            self._meter.begin(expected)
            try:
                async for reply in pieces(question):
                    yield reply
            finally:
                self._meter.end(expected)
                if reply.text:
                    self._meter.add(self._spent(expected, reply))

    def _expected(self, question: LLMQuestion) -> Usage:
        tokens = sum(count_tokens(message.content) for message in question.messages)
        return Usage(calls=1, prompt_tokens=tokens)

    def _spent(self, expected: Usage, reply: Reply) -> Usage:
        prompt, completion = reply.prompt_tokens, reply.completion_tokens
        return Usage(
            calls=1,
            prompt_tokens=expected.prompt_tokens if prompt is None else prompt,
            completion_tokens=count_tokens(reply.text) if completion is None else completion,
        )

    async def _kept(self, cache: AnswerCache, key: str, answer: type[Answer]) -> Answer | None:
        text = await cache.get(key)
        if text is None:
            return None
        try:
            kept = read_answer(text, answer)
        except BadAnswerError as error:
            _LOG.warning("the cached answer %s is damaged and asked again: %s", key[:12], error)
            return None
        self._meter.add(Usage(cached=1))
        return kept

    async def _ask_until_whole(self, question: LLMQuestion, answer: type[Answer]) -> Answer:
        given = await self._ask_until_valid(question, answer, self._repairs)
        left = self._repairs
        while left and any(not lost.repeats for lost in lost_of(given)):
            left -= 1
            self._meter.add(Usage(repairs=1))
            try:
                more = await self._ask_until_valid(_the_rest(question, given), answer, 0)
            except LLMError as error:
                _LOG.info("%s gave only a part of %s: %s", self.model, question.name, error)
                continue
            given = joined(given, more)
        return given

    async def _ask_until_valid(
        self, question: LLMQuestion, answer: type[Answer], repairs: int
    ) -> Answer:
        problem = ""
        for attempt in range(repairs + 1):
            reply = await self._ask_until_answered(question)
            if attempt:
                self._meter.add(Usage(repairs=1))
            try:
                given = read_answer(reply.text, answer, cut_off=reply.cut_off)
                self._check_whole(question, reply, given)
                return given
            except BadAnswerError as error:
                problem = str(error)
            _LOG.info("%s gave no valid %s: %s", self.model, question.name, problem)
            question = question.followed_by(
                reply.text[:_SHOWN] or "(nothing)",
                f"This was not valid: {problem}. Answer the same again as one JSON object of the "
                "asked shape, with nothing before or after it.",
            )
            if attempt + 1 == repairs:  # what fails twice alike may be a loop of the model
                question = replace(question, loose=True)
        raise InvalidAnswerError(
            f"model {self.model!r} gave no valid answer ({question.name}) in {repairs + 1} attempts"
            f"; the last problem: {problem}. Nothing of it was used"
        )

    def _check_whole(self, question: LLMQuestion, reply: Reply, given: Answer) -> None:
        """Notice a server that cuts long prompts in silence: it counts far fewer tokens."""
        read = reply.prompt_tokens
        least = sum(len(message.content) for message in question.messages) // _LONGEST_TOKEN
        if read is None or not _LEAST_READ <= read < least:
            return
        cut = (
            f"model {self.model!r}: its server read {read:,} of at least {least:,} tokens sent"
            ": give it a larger context, by OLLAMA_CONTEXT_LENGTH or llama-server -c"
        )
        if isinstance(given, AnswerModel) and given.items:
            if not any(getattr(given, name) for name in given.items):
                raise LLMError(f"{cut}. It answered nothing")
        _LOG.warning("%s", cut)

    async def _ask_until_answered(self, question: LLMQuestion) -> Reply:
        for attempt in range(self._retries + 1):
            try:
                return await self._ask(question)
            except BusyError as busy:
                wait = busy.wait
                if wait is not None and wait > self._longest_wait:
                    raise LLMError(
                        f"model {self.model!r}: {busy}, and asks to wait {wait:.0f} s, longer than "
                        f"{self._longest_wait:.0f} s: try again later"
                    ) from None
                if attempt == self._retries:
                    raise LLMError(
                        f"model {self.model!r} did not answer in {attempt + 1} attempts; the last "
                        f"problem: {busy}"
                    ) from None
                _LOG.info("%s: %s; asked again", self.model, busy)
                question = replace(question, loose=question.loose or busy.loose)
            self._meter.add(Usage(retries=1))
            if wait is not None:
                self._throttle.pause(wait)  # holds for every question to this model
            else:
                limit = min(self._backoff * 2**attempt, _LONGEST_BACKOFF)
                await asyncio.sleep(random.uniform(limit / 2, limit))
        raise AssertionError("the loop returns or raises")

    async def _ask(self, question: LLMQuestion) -> Reply:
        expected = self._expected(question)
        async with self._throttle.turn():
            self._meter.begin(expected)
            try:
                async with asyncio.timeout(self._timeout):
                    reply = await self._send(question)
            except TimeoutError:
                raise BusyError(f"no answer within {self._timeout:g} s") from None
            finally:
                self._meter.end(expected)
            self._meter.add(self._spent(expected, reply))
            return reply


def _the_rest(question: LLMQuestion, given: Answer) -> LLMQuestion:
    lost = lost_of(given)
    wrong = [part for part in lost if not part.cut]
    shown, wanted = "", ""
    if wrong:
        shown = json.dumps([lost.value for lost in wrong], ensure_ascii=False)[:_SHOWN]
        problems = "; ".join(f"{lost.field}: {lost.problem}" for lost in wrong[:_PROBLEMS])
        wanted = f"These parts of the answer were not valid: {problems}. Give them again, corrected"
    if len(wrong) < len(lost):
        shown = f"{given.model_dump_json()[-_TAIL:]}\n{shown}".strip()
        ends = "The answer was cut off: go on with what comes after the last whole part"
        wanted = f"{wanted}. {ends}".removeprefix(". ")
    asked = f"{wanted}, as one JSON object of the asked shape, without what was valid already."
    return question.followed_by(shown, asked)
