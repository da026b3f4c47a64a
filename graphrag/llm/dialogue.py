"""One question to a model, repeated until its answer has the required shape.

Wraps the send function with cache, budget, throttle, time limit, retries and repair. Of a list only
invalid or missing items are asked for again.
"""

import asyncio
import json
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from graphrag.errors import LLMError
from graphrag.llm.cache import AnswerCache
from graphrag.llm.chat import BusyError, Question, Reply
from graphrag.llm.endpoint import Throttle
from graphrag.llm.schema import (
    BadAnswerError,
    as_json,
    joined,
    lost_of,
    read_answer,
    strict_schema,
)
from graphrag.llm.usage import Meter, Usage
from graphrag.protocols import Answer, Message
from graphrag.text.split import count_tokens

_LOG = logging.getLogger("graphrag")
_SHOWN = 4000
"""Characters of a wrong answer that the model is shown again."""
_TAIL = 1500
"""Characters of the end of a cut answer that the model is shown, to go on from."""
_PROBLEMS = 12
_BACKOFF = 0.5
_LONGEST_BACKOFF = 30.0


Send = Callable[[Question], Awaitable[Reply]]
"""Ask once. Raises ``BusyError`` if asking again may help, ``LLMError`` if not."""
Pieces = Callable[[Question], AsyncIterator[Reply]]
"""The same, giving the reply again and again as it grows."""


@dataclass(slots=True)
class Dialogue:
    """How questions are put to one model, and everything spent on it."""

    model: str
    send: Send
    meter: Meter
    throttle: Throttle
    cache: AnswerCache | None = None
    timeout: float = 60.0
    retries: int = 4
    repairs: int = 2
    longest_wait: float = 120.0
    backoff: float = field(default=_BACKOFF)

    async def complete(self, messages: Sequence[Message], answer: type[Answer]) -> Answer:
        """Return the model's answer.

        Raises:
            LLMError: if the model could not be asked, or gave no valid answer.
            BudgetExceededError: if the budget does not allow the question.
        """
        question = Question(tuple(messages), answer.__name__, strict_schema(answer))
        key = ""
        if self.cache is not None:
            key = self.cache.key(self.model, question.messages, question.schema)
            if (kept := await self._kept(key, answer)) is not None:
                return kept
        given = await self._ask_until_whole(question, answer)
        if self.cache is not None and not lost_of(given):
            await self.cache.put(key, as_json(given))
        return given

    async def stream(
        self, messages: Sequence[Message], answer: type[Answer], pieces: Pieces
    ) -> AsyncIterator[Answer]:
        """Give the whole things of an answer as they come, the last time all of it.

        What goes wrong on the way costs another question, put by ``complete``.

        Raises:
            LLMError: if the model could not be asked, or gave no valid answer.
            BudgetExceededError: if the budget does not allow the question.
        """
        question = Question(tuple(messages), answer.__name__, strict_schema(answer))
        if self.cache is None:
            last, reply = "", Reply("")
            try:
                async for reply in self._metered(question, pieces):
                    if (part := _part(reply.text, answer)) is not None and as_json(part) != last:
                        last = as_json(part)
                        yield part
                whole = read_answer(reply.text, answer, cut_off=reply.cut_off)
                if not lost_of(whole):
                    yield whole
                    return
            except (BusyError, BadAnswerError) as error:
                _LOG.info("%s: %s; asked again, at once", self.model, error)
            self.meter.add(Usage(retries=1))
        yield await self.complete(messages, answer)

    async def _metered(self, question: Question, pieces: Pieces) -> AsyncIterator[Reply]:
        """Give what has come of a reply, and count it when it is whole."""
        expected = self._expected(question)
        reply = Reply("")
        async with self.throttle.turn():
            self.meter.begin(expected)
            try:
                async for reply in pieces(question):
                    yield reply
            finally:
                self.meter.end(expected)
                if reply.text:
                    self.meter.add(self._spent(expected, reply))

    def _expected(self, question: Question) -> Usage:
        tokens = sum(count_tokens(message.content) for message in question.messages)
        return Usage(calls=1, prompt_tokens=tokens)

    def _spent(self, expected: Usage, reply: Reply) -> Usage:
        prompt, completion = reply.prompt_tokens, reply.completion_tokens
        return Usage(
            calls=1,
            prompt_tokens=expected.prompt_tokens if prompt is None else prompt,
            completion_tokens=count_tokens(reply.text) if completion is None else completion,
        )

    async def _kept(self, key: str, answer: type[Answer]) -> Answer | None:
        assert self.cache is not None
        text = await self.cache.get(key)
        if text is None:
            return None
        try:
            kept = read_answer(text, answer)
        except BadAnswerError as error:
            _LOG.warning("the cached answer %s is damaged and asked again: %s", key[:12], error)
            return None
        self.meter.add(Usage(cached=1))
        return kept

    async def _ask_until_whole(self, question: Question, answer: type[Answer]) -> Answer:
        """Return an answer, with what could be had of the parts that were wrong or missing."""
        given = await self._ask_until_valid(question, answer, self.repairs)
        left = self.repairs
        while left and any(not lost.repeats for lost in lost_of(given)):
            left -= 1
            self.meter.add(Usage(repairs=1))
            try:
                more = await self._ask_until_valid(_the_rest(question, given), answer, 0)
            except LLMError as error:
                _LOG.info("%s gave only a part of %s: %s", self.model, question.name, error)
                continue
            given = joined(given, more)
        return given

    async def _ask_until_valid(
        self, question: Question, answer: type[Answer], repairs: int
    ) -> Answer:
        problem = ""
        for attempt in range(repairs + 1):
            reply = await self._ask_until_answered(question)
            if attempt:
                self.meter.add(Usage(repairs=1))
            try:
                return read_answer(reply.text, answer, cut_off=reply.cut_off)
            except BadAnswerError as error:
                problem = str(error)
            _LOG.info("%s gave no valid %s: %s", self.model, question.name, problem)
            question = Question(
                (
                    *question.messages,
                    Message("assistant", reply.text[:_SHOWN] or "(nothing)"),
                    Message(
                        "user",
                        f"This was not valid: {problem}. Answer the same again as one JSON object "
                        "of the asked shape, with nothing before or after it.",
                    ),
                ),
                question.name,
                question.schema,
            )
        raise LLMError(
            f"model {self.model!r} gave no valid answer ({question.name}) in {repairs + 1} attempts"
            f"; the last problem: {problem}. Nothing of it was used"
        )

    async def _ask_until_answered(self, question: Question) -> Reply:
        for attempt in range(self.retries + 1):
            try:
                return await self._ask(question)
            except BusyError as busy:
                wait = busy.wait
                if wait is not None and wait > self.longest_wait:
                    raise LLMError(
                        f"model {self.model!r}: {busy}, and asks to wait {wait:.0f} s, longer than "
                        f"{self.longest_wait:.0f} s: try again later"
                    ) from None
                if attempt == self.retries:
                    raise LLMError(
                        f"model {self.model!r} did not answer in {attempt + 1} attempts; the last "
                        f"problem: {busy}"
                    ) from None
                _LOG.info("%s: %s; asked again", self.model, busy)
            self.meter.add(Usage(retries=1))
            if wait is not None:
                self.throttle.pause(wait)  # holds for every question to this model
            else:
                limit = min(self.backoff * 2**attempt, _LONGEST_BACKOFF)
                await asyncio.sleep(random.uniform(limit / 2, limit))
        raise AssertionError("the loop returns or raises")

    async def _ask(self, question: Question) -> Reply:
        expected = self._expected(question)
        async with self.throttle.turn():
            self.meter.begin(expected)
            try:
                async with asyncio.timeout(self.timeout):
                    reply = await self.send(question)
            except TimeoutError:
                raise BusyError(f"no answer within {self.timeout:g} s") from None
            finally:
                self.meter.end(expected)
            self.meter.add(self._spent(expected, reply))
            return reply


def _part(text: str, answer: type[Answer]) -> Answer | None:
    """Return the whole things of an answer that goes on; None if there are none yet."""
    try:
        return read_answer(text, answer, cut_off=True)
    except BadAnswerError:
        return None


def _the_rest(question: Question, given: Answer) -> Question:
    """Return the question for what is wrong or missing in an answer, and nothing else."""
    lost = lost_of(given)
    wrong = [one for one in lost if not one.cut]
    shown, wanted = "", ""
    if wrong:
        shown = json.dumps([lost.value for lost in wrong], ensure_ascii=False)[:_SHOWN]
        problems = "; ".join(f"{lost.field}: {lost.problem}" for lost in wrong[:_PROBLEMS])
        wanted = f"These parts of the answer were not valid: {problems}. Give them again, corrected"
    if len(wrong) < len(lost):
        shown = f"{as_json(given)[-_TAIL:]}\n{shown}".strip()
        ends = "The answer was cut off: go on with what comes after the last whole part"
        wanted = f"{wanted}. {ends}".removeprefix(". ")
    asked = f"{wanted}, as one JSON object of the asked shape, without what was valid already."
    messages = (*question.messages, Message("assistant", shown), Message("user", asked))
    return Question(messages, question.name, question.schema)
