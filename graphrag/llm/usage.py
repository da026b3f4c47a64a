"""What was spent on a model: in total, for each episode, and against a budget.

The episode is known from the context of the task, not from an argument: whoever asks on behalf of
an episode says so with ``accounted_to``, and every model in use then adds to that account.
"""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from graphrag.errors import BudgetExceededError, InputError

_ACCOUNT: ContextVar[str | None] = ContextVar("account", default=None)
SPENDING: "ContextVar[Spending | None]" = ContextVar("spending", default=None)
"""What counts what is asked inside of it, by whatever model."""
_ACCOUNTS = 10_000
"""Episodes whose usage is kept; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls and tokens."""

    calls: int = 0
    """Requests that the model answered, repairs included."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: int = 0
    """Questions answered from the cache, without a call."""
    repairs: int = 0
    """Calls made because the answer before had not the asked shape."""
    retries: int = 0
    """Requests repeated because the server was busy, failing or silent."""

    @property
    def tokens(self) -> int:
        """Count tokens of both directions."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum."""
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached + other.cached,
            self.repairs + other.repairs,
            self.retries + other.retries,
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent on one model object; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    """Of both directions. A question that may not fit any more is not asked."""

    def __post_init__(self) -> None:
        """Refuse limits below zero."""
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
        """Reserve what a call will probably use.

        Raises:
            BudgetExceededError: if that is more than is left; nothing was asked.
        """
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
            self._open.calls - estimate.calls,
            self._open.prompt_tokens - estimate.prompt_tokens,
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
