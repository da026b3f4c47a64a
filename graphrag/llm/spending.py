"""Spending on a model: usage in total and by episode, and what limits it: budget, throttle, cache.

The episode is known from the context of the task, not from an argument: whoever asks on behalf of
an episode says so with ``accounted_to``, and every model in use then adds to that account. A
throttle belongs to one model object and holds across tasks and graphs.
"""

import asyncio
import hashlib
import json
import logging
import os
import tempfile
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from graphrag.errors import BudgetExceededError, InputError, LLMError
from graphrag.model.extraction import Usage
from graphrag.model.values import JSON
from graphrag.protocols import Message

_LOG = logging.getLogger("graphrag")
_ACCOUNT: ContextVar[str | None] = ContextVar("account", default=None)
SPENDING: "ContextVar[Spending | None]" = ContextVar("spending", default=None)
"""What counts what is asked inside of it, by whatever model."""
_ACCOUNTS = 10_000  # episodes whose usage is kept; the oldest go first


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent on one model object; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    """Of both directions. A question that may not fit any more is not asked."""

    def __post_init__(self) -> None:
        if min(self.calls or 0, self.tokens or 0) < 0:
            raise InputError(f"{self!r} cannot be kept: limits are 0 or more")


@dataclass(slots=True)
class Spending:
    """What is spent while it is in ``SPENDING``, by all models together."""

    usage: Usage = field(default_factory=Usage)
    outer: "Spending | None" = None

    def add(self, used: Usage) -> None:
        """Count here, and wherever this is inside of."""
        self.usage += used
        if self.outer is not None:
            self.outer.add(used)


class Meter:
    """Count what one model object spends, and stop before the budget is exceeded."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.total = Usage()
        self._open = Usage()
        """Asked and not answered yet, by estimate."""
        self._accounts: OrderedDict[str, Usage] = OrderedDict()

    def begin(self, estimate: Usage) -> None:
        """Reserve the estimate of a call, or raise ``BudgetExceededError``; nothing was asked."""
        would = self.total + self._open + estimate
        for what, limit, count, spent in (
            ("calls", self.budget.calls, would.calls, self.total.calls),
            ("tokens", self.budget.tokens, would.tokens, self.total.tokens),
        ):
            if limit is not None and count > limit:
                raise BudgetExceededError(
                    f"the budget of {limit} {what} does not allow another question: {spent} are "
                    "spent. Pass a larger Budget, or a new model object"
                )
        self._open += estimate

    def end(self, estimate: Usage) -> None:
        """Give back what was reserved."""
        self._open = Usage(
            self._open.calls - estimate.calls, self._open.prompt_tokens - estimate.prompt_tokens
        )

    def add(self, used: Usage) -> None:
        """Count in the total and in the account of the episode that is being worked on."""
        self.total += used
        if (spent := SPENDING.get()) is not None:
            spent.add(used)
        if (account := _ACCOUNT.get()) is not None:
            self._accounts[account] = self._accounts.pop(account, Usage()) + used
            while len(self._accounts) > _ACCOUNTS:
                self._accounts.popitem(last=False)

    def of(self, account: str) -> Usage:
        """Return what was spent on one episode."""
        return self._accounts.get(account, Usage())


@contextmanager
def accounted_to(account: str) -> Iterator[None]:
    """Count what is asked inside as spent on this episode id."""
    token = _ACCOUNT.set(account)
    try:
        yield
    finally:
        _ACCOUNT.reset(token)


class Throttle:
    """A limit on concurrent questions, a limit on their rate, and a common pause."""

    def __init__(
        self, *, concurrency: int = 8, per_window: int | None = None, window: float = 60.0
    ) -> None:
        if concurrency < 1 or (per_window is not None and per_window < 1):
            raise InputError("at least one question must be allowed at a time and in a minute")
        self._slots = asyncio.Semaphore(concurrency)
        self._per_window = per_window
        self._window = window
        self._started: deque[float] = deque()
        self._resume_at = 0.0

    def pause(self, seconds: float) -> None:
        """Let nobody start for so long."""
        self._resume_at = max(self._resume_at, time.monotonic() + seconds)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn and hold it."""
        async with self._slots:
            while (wait := self._wait(time.monotonic())) > 0:
                await asyncio.sleep(wait)
            self._started.append(time.monotonic())
            yield

    def _wait(self, now: float) -> float:
        while self._started and self._started[0] <= now - self._window:
            self._started.popleft()
        wait = self._resume_at - now
        if self._per_window is not None and len(self._started) >= self._per_window:
            wait = max(wait, self._started[-self._per_window] + self._window - now)
        return wait


class AnswerCache:
    """Valid answers in a folder, one file for each question, by the hash of all that is asked.

    A file is written beside its place and moved there in one step, so that threads and processes
    may share a folder and a crash leaves no half answer. What cannot be read counts as not there.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def __repr__(self) -> str:
        return f"AnswerCache({str(self.folder)!r})"

    def key(self, model: str, messages: Sequence[Message], schema: Mapping[str, JSON]) -> str:
        """Return the name of a question."""
        question = [model, [[message.role, message.content] for message in messages], schema]
        written = json.dumps(question, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(written.encode()).hexdigest()

    async def get(self, key: str) -> str | None:
        """Return the answer kept for a question, as JSON text."""
        return await asyncio.to_thread(self._read, key)

    async def put(self, key: str, answer: str) -> None:
        """Keep an answer."""
        try:
            await asyncio.to_thread(self._write, key, answer)
        except OSError as error:
            raise LLMError(
                f"an answer cannot be kept in {self.folder}: {error}. Name a folder that can be "
                "written to, or none"
            ) from error

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _read(self, key: str) -> str | None:
        path = self._path(key)
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            _LOG.warning("the cached answer %s cannot be read and is asked again: %s", path, error)
            return None

    def _write(self, key: str, answer: str) -> None:
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".draft")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(answer)
            Path(draft).replace(path)
        except OSError:
            Path(draft).unlink(missing_ok=True)
            raise
