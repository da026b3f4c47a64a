"""Where a graph lives: a parsed URL with its credentials kept out of sight."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args
from urllib.parse import unquote, urlsplit, urlunsplit

from graphrag.errors import InputError, StoreURLError
from graphrag.schema import Profile

_SCHEMES = "mem://, surrealkv://PATH, ws://, wss://, http:// or https://"
_SYNC = re.compile(r"never|every|\d+(ms|s|m)")


@dataclass(frozen=True, slots=True)
class Target:
    """A place to open, validated before anything is touched."""

    url: str
    """Without user and password."""
    path: Path | None = None
    """Folder of an embedded store."""
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    namespace: str = "graphrag"
    database: str = "graphrag"
    profile: Profile | None = None
    """Where search is to run; None: as the store remembers."""
    native: bool = False
    """The store is to have search tables, wherever search runs."""

    @property
    def embedded(self) -> bool:
        """Tell whether the engine runs in this process, which is then the only writer."""
        return self.url.startswith(("mem://", "surrealkv://"))

    @property
    def new_profile(self) -> Profile:
        """Return where search runs in a store that is made now."""
        return self.profile or "process"

    @classmethod
    def parse(
        cls,
        url: str,
        *,
        user: str | None = None,
        password: str | None = None,
        namespace: str = "graphrag",
        database: str = "graphrag",
        profile: Profile | None = None,
        native: bool = False,
    ) -> "Target":
        """Parse a store URL; user and password given as arguments win over those in the URL.

        Raises:
            StoreURLError: for an unknown scheme, a path that is no store, or half a credential.
            InputError: for an unknown profile.
        """
        if profile not in (None, *get_args(Profile)):
            raise InputError(f"profile {profile!r}: choose process or engine")
        target = cls._of(url, user, password, namespace, database)
        return replace(target, profile=profile, native=native)

    @classmethod
    def _of(
        cls, url: str, user: str | None, password: str | None, namespace: str, database: str
    ) -> "Target":
        scheme, separator, rest = url.partition("://")
        if not separator:
            # What is no URL may still hold a password: nothing up to an @ is repeated.
            raise StoreURLError(f"{url.rpartition('@')[2]!r} is no store URL: use {_SCHEMES}")
        place = namespace, database
        if scheme in ("mem", "memory"):
            return cls("mem://", None, None, None, *place)
        if scheme == "surrealkv":
            path = _checked_path(url, rest)
            _, question, query = rest.partition("?")
            return cls(f"surrealkv://{path}{question}{query}", path, None, None, *place)
        if scheme in ("ws", "wss", "http", "https"):
            return _server(url, user, password, *place)
        raise StoreURLError(f"unknown scheme {scheme!r} in the store URL: use {_SCHEMES}")


def _server(
    url: str, user: str | None, password: str | None, namespace: str, database: str
) -> Target:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # Its words may repeat part of a password.
        raise StoreURLError(
            "the store URL cannot be read: write ws://HOST:PORT, and give a user and a password "
            "of their own"
        ) from None
    if not parts.hostname or port == 0:
        raise StoreURLError("the store URL names no host: write ws://HOST:PORT")
    user = user or (unquote(parts.username) if parts.username else None)
    password = password or (unquote(parts.password) if parts.password else None)
    bare = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    if (user is None) != (password is None):
        raise StoreURLError(f"{bare} got a user or a password, but not both")
    return Target(bare, None, user, password, namespace, database)


def _checked_path(url: str, rest: str) -> Path:
    text, _, query = rest.partition("?")
    if not text:
        raise StoreURLError(f"{url!r} names no folder: write surrealkv://PATH")
    for key, _, value in (pair.partition("=") for pair in query.split("&") if query):
        # The engine takes any other value silently as "every".
        if key != "sync" or not _SYNC.fullmatch(value):
            raise StoreURLError(f"unknown option {key!r} of {text}: use sync=every|never|1s")
    path = Path(text).expanduser().absolute()
    try:
        if path.is_file():
            raise StoreURLError(f"{path} is a file; a store is a folder")
        if path.is_dir() and not (path / "manifest").is_dir() and any(path.iterdir()):
            raise StoreURLError(
                f"{path} holds other files and no store; name an empty or a new folder"
            )
    except OSError as error:
        raise StoreURLError(f"{path} cannot be looked into: {error.strerror}") from None
    return path
