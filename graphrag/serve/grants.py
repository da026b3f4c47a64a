"""Access control of a server: bearer tokens, and limits of size, rate and concurrency.

Only the SHA-256 of a token is stored, so that no token can be printed. All tokens are compared in
constant time, so that the time of a refusal reveals nothing.
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

SCOPE_KEY = "graphrag.call"  # key of the call in the scope of an HTTP request
_SHORTEST = 16  # letters and digits at random are 95 bits, which nobody guesses over a network


@dataclass(frozen=True, slots=True)
class Grant:
    """Rights of the bearer of a token."""

    name: str
    """Name of the actor in the log."""
    groups: tuple[str, ...] = ()
    """Groups the token may access, its default first; empty: every group."""
    writes: bool = True
    """Whether it may write."""

    def group(self, asked: str | None, default: str) -> str:
        """Return the requested group, or the first group of the token.

        Other groups are refused with ``PolicyError``, whether or not they exist.
        """
        if asked is None:
            return self.groups[0] if self.groups else default
        if self.groups and asked not in self.groups:
            raise PolicyError(f"this token is not for the group {asked!r}")
        return asked


LOCAL: Final = Grant("local")
"""The caller of a server without tokens: any program on this machine."""


@dataclass(frozen=True, slots=True)
class Call:
    """Context of one call of a verb."""

    graph: GraphRAG
    """The graph of the group that the caller may access."""
    grant: Grant = LOCAL
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server begins to stop."""
    last_seconds: float = 5
    """Seconds that an extraction in progress may take then."""
    gone: Callable[[], Awaitable[object]] | None = None
    """Waits until the client disconnects; None if this is unknown."""


class Tokens:
    """The tokens that a server accepts, each with its grant; without any, none is required."""

    __slots__ = ("_grants",)

    def __init__(self, grants: Mapping[str, Grant] | Iterable[tuple[str, Grant]] = ()) -> None:
        """Register secrets with their grants.

        Raises:
            InputError: if a secret is too short or has characters that a header may not have, or
                two grants have the same name or secret. Errors never show a secret.
        """
        pairs = list(grants.items() if isinstance(grants, Mapping) else grants)
        names = [grant.name for _, grant in pairs]
        if len({secret for secret, _ in pairs}) < len(pairs):
            raise InputError("two grants have one token: give each its own")
        for secret, grant in pairs:
            plain = secret.isascii() and secret.isprintable() and " " not in secret
            if len(secret) < _SHORTEST or not plain:
                raise InputError(
                    f"the token of {grant.name!r} is no secret: give at least {_SHORTEST} letters, "
                    "digits and signs without spaces"
                )
            if not grant.name.strip() or names.count(grant.name) > 1:
                raise InputError(f"{grant.name!r} names no token, or two: give each its own name")
        self._grants = tuple((_digest(secret.encode()), grant) for secret, grant in pairs)

    def __bool__(self) -> bool:
        return bool(self._grants)

    def __repr__(self) -> str:
        return f"Tokens({', '.join(grant.name for _, grant in self._grants)})"

    def grant(self, authorization: bytes | None) -> Grant | None:
        """Return the grant of an ``Authorization`` header; None if there is none."""
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
    """Limits of a server, for all clients together unless stated otherwise."""

    body_bytes: int = 1 << 20
    """Maximum bytes of a request. An episode has at most 1,000,000 characters."""
    body_seconds: float = 30
    """Seconds to receive the body of a request."""
    head_seconds: float = 10
    """Seconds to receive the head of a request; then the connection is closed."""
    per_second: float = 100
    """Sustained requests per second for each token; not applied without tokens."""
    burst: int = 200
    """Requests that one token may send at once above that rate."""
    concurrent: int = 256
    """Maximum number of concurrent requests."""
    reads: int = 2
    """Maximum number of concurrent reads; others wait. On one processor more reads are no faster
    and delay writes. Raise it if an embedder is called over a network."""
    read_seconds: float = 30
    """Seconds that a read may wait for its turn, and then run; afterwards it is cancelled."""
    streams: int = 64
    """Maximum number of open event streams."""
    last_seconds: float = 5
    """Seconds after SIGTERM for an extraction in progress; then it is queued for the next start."""
    grace_seconds: float = 20
    """Seconds after SIGTERM for requests in progress; then connections are closed."""

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
