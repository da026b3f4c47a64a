"""Who may ask a server and how much: bearer tokens, limits of sizes, rates and concurrency.

A token is a secret of whoever holds it. Here only its SHA-256 is kept, so none can be printed, and
all are compared, each in constant time, so that how long a refusal takes tells nothing.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from typing import Final

from graphrag.errors import InputError, PolicyError
from graphrag.graph import GraphRAG

SCOPE_KEY = "graphrag.call"
"""Key of the call in the scope of an HTTP request."""
_SHORTEST = 16
"""Characters: 16 letters and digits at random are 95 bits, which nobody guesses over a network."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Rights of the bearer of a token."""

    name: str
    """Name of the actor in the log."""
    groups: tuple[str, ...] = ()
    """The groups that it may see, its own first; none for every group."""
    writes: bool = True
    """False if it may only read."""

    def group(self, asked: str | None, default: str) -> str:
        """Return the group asked for, or else the first of its own.

        Others are refused with ``PolicyError``, which does not say whether they exist.
        """
        if asked is None:
            return self.groups[0] if self.groups else default
        if self.groups and asked not in self.groups:
            raise PolicyError(f"this token is not for the group {asked!r}")
        return asked


LOCAL: Final = Grant("local")
"""The caller where no token is required: anybody on this machine."""


@dataclass(frozen=True, slots=True)
class Call:
    """Context of one call of a verb."""

    graph: GraphRAG
    """Bound to the group that the caller may see."""
    grant: Grant = LOCAL
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server is told to stop."""
    last_seconds: float = 5
    """Seconds for an episode that is being read at that time."""
    gone: Callable[[], Awaitable[object]] | None = None
    """Waits until the client has gone; None where nobody can tell."""


class Tokens:
    """The tokens that a server accepts, each with what its bearer may do; none asks for none."""

    __slots__ = ("_grants",)

    def __init__(self, grants: Mapping[str, Grant] | Iterable[tuple[str, Grant]] = ()) -> None:
        """Take secrets with what they grant.

        Raises:
            InputError: if a secret is too short or has other characters than a header may have, or
                two grants have one name or one secret. No error says a secret.
        """
        pairs = list(grants.items() if isinstance(grants, Mapping) else grants)
        names = [grant.name for _, grant in pairs]
        if len({secret for secret, _ in pairs}) < len(pairs):
            raise InputError("two grants have one token: give each its own")
        for secret, grant in pairs:
            if len(secret) < _SHORTEST or not (secret.isascii() and secret.isprintable()):
                raise InputError(
                    f"the token of {grant.name!r} is no secret: give at least {_SHORTEST} letters, "
                    "digits and signs without spaces"
                )
            if " " in secret:
                raise InputError(f"the token of {grant.name!r} has a space in it")
            if not grant.name.strip() or names.count(grant.name) > 1:
                raise InputError(f"{grant.name!r} names no token, or two: give each its own name")
        self._grants = tuple((_digest(secret.encode()), grant) for secret, grant in pairs)

    def __bool__(self) -> bool:
        return bool(self._grants)

    def __repr__(self) -> str:
        return f"Tokens({', '.join(grant.name for _, grant in self._grants)})"

    def grant(self, authorization: bytes | None) -> Grant | None:
        """Return what an ``Authorization`` header grants, None for nothing."""
        if not self._grants:
            return LOCAL
        scheme, _, secret = (authorization or b"").partition(b" ")
        given, granted = _digest(secret.strip()), None
        for digest, grant in self._grants:
            if compare_digest(digest, given):
                granted = grant
        return granted if scheme.lower() == b"bearer" else None


def _digest(secret: bytes) -> bytes:
    return sha256(secret).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """The bounds of a server; each is of all clients together unless it says otherwise."""

    body_bytes: int = 1 << 20
    """Of one request. An episode is at most 1,000,000 characters, usually far less."""
    body_seconds: float = 30
    """For a client to send one, after its head."""
    head_seconds: float = 10
    """For a client to send the head of a request; then its connection is closed."""
    per_second: float = 100
    """Requests of one token, in the long run; without tokens nobody's are counted."""
    burst: int = 200
    """Requests of one token at once, before the rate counts."""
    concurrent: int = 256
    """Requests that are handled at a time."""
    reads: int = 2
    """Reads that are handled at a time; others wait. On one processor more are no faster, and a
    write would wait for a slice of each of them at every one of its steps. More are right where an
    embedder is asked over a network."""
    read_seconds: float = 30
    """For a read to run, and before that to wait for its turn; then it is cancelled."""
    streams: int = 64
    """Open streams of events."""
    last_seconds: float = 5
    """After SIGTERM, for an episode that is being read: then it is queued for the next start."""
    grace_seconds: float = 20
    """After SIGTERM, for what is being answered; at the end of it connections are cut."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise InputError(f"{name} {getattr(self, name)!r}: give more than 0")


@dataclass(slots=True)
class Bucket:
    """A rate: so many at once, and so many a second in the long run (token bucket)."""

    per_second: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    _left: float = field(init=False)
    _at: float = field(init=False)

    def __post_init__(self) -> None:
        self._left, self._at = self.burst, self.clock()

    def take(self) -> float:
        """Take a permit and return 0, or return the seconds until there is one."""
        now = self.clock()
        self._left = min(self.burst, self._left + (now - self._at) * self.per_second)
        self._at = now
        if self._left < 1:
            return (1 - self._left) / self.per_second
        self._left -= 1
        return 0.0
