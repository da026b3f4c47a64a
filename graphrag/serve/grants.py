"""Who calls and what they may do: bearer tokens, and the groups that each is bound to.

A token is a secret of whoever holds it. Here only its SHA-256 is kept, so none can be printed, and
all are compared, each in constant time, so that how long a refusal takes tells nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from typing import Final

from graphrag.errors import InputError, PolicyError
from graphrag.graph import GraphRAG

SCOPE_KEY = "graphrag.call"
"""Where an HTTP request carries its call."""
_SHORTEST = 16
"""Characters: 16 letters and digits at random are 95 bits, which nobody guesses over a network."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What the bearer of a token may do."""

    name: str
    """Whom the log names as the one who writes."""
    groups: tuple[str, ...] = ()
    """The groups that it may see, its own first; none for every group."""
    writes: bool = True
    """False if it may only read."""

    def group(self, asked: str | None, default: str) -> str:
        """Return the group that is meant: the one asked for, or without one the first of its own.

        Raises:
            PolicyError: if it is not one of its own; whether there is such a group is not said.
        """
        if asked is None:
            return self.groups[0] if self.groups else default
        if self.groups and asked not in self.groups:
            raise PolicyError(f"this token is not for the group {asked!r}")
        return asked


LOCAL: Final = Grant("local")
"""Whoever is on this machine, where no token is asked for."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a verb: what it works with."""

    graph: GraphRAG
    """Bound to the group that the caller may see."""
    grant: Grant = LOCAL
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server is told to stop."""
    last_seconds: float = 5
    """How long an episode may still be read then."""
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
        """Tell whether a token is asked for."""
        return bool(self._grants)

    def __repr__(self) -> str:
        """Show the names, never a secret."""
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
