"""Calls and tokens of language models, and their price."""

from dataclasses import astuple, dataclass
from operator import add, sub

_MILLION = 1_000_000


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
        return Usage(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: "Usage") -> "Usage":
        return Usage(*map(sub, astuple(self), astuple(other)))


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens, in any currency."""

    prompt: float
    completion: float

    def of(self, usage: Usage | None) -> float:
        """Return the cost of what was used."""
        if usage is None:
            return 0.0
        spent = usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion
        return spent / _MILLION
