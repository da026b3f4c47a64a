"""Where a graph lives: a URL with its credentials out of sight; and why it cannot be opened."""

import errno
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args
from urllib.parse import unquote, urlsplit, urlunsplit

from graphrag.errors import (
    InputError,
    StoreAuthError,
    StoreCorruptError,
    StoreDiskError,
    StoreError,
    StoreLockedError,
    StoreUnreachableError,
    StoreURLError,
    StoreVersionError,
)
from graphrag.schema import Profile

_SCHEMES = "mem://, surrealkv://PATH, ws://, wss://, http:// or https://"
LOCKED = "already locked"
"""What the engine says of a store that is open."""
_LEAST = (3, 1)
"""The oldest version of a server that knows every statement of this library."""
_LEVELS = {"AC": "record", "DB": "database", "NS": "namespace"}
"""Whose a token is, by what it names."""
DENIED = "not enough permissions"
"""What a server says of a right that a user has not."""
_FULL = "the disk is full", "make room there and try again; what was acknowledged is kept"
_READ_ONLY = (
    "it cannot be written to",
    "the engine writes even to read; make it writable, or copy the folder to where it is",
)
_BROKEN = "the disk fails", "look after the disk, and restore a backup if 'health check' says so"
_ADVICE = {
    **dict.fromkeys(("ENOSPC", "EDQUOT", "EFBIG"), _FULL),
    **dict.fromkeys(("EROFS", "EACCES", "EPERM"), _READ_ONLY),
    "EIO": _BROKEN,
}
"""What is wrong, and what to do, by the name of the system's error."""
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
    token: str | None = field(default=None, repr=False)
    """Of somebody who signed in elsewhere; instead of user and password."""
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

    @classmethod
    def parse(
        cls,
        url: str,
        *,
        user: str | None = None,
        password: str | None = None,
        token: str | None = None,
        namespace: str = "graphrag",
        database: str = "graphrag",
        profile: Profile | None = None,
        native: bool = False,
    ) -> "Target":
        """Parse a store URL; user and password given as arguments win over those in the URL.

        A token is for servers, and instead of both.
        """
        if profile not in (None, *get_args(Profile)):
            raise InputError(f"profile {profile!r}: choose process or engine")
        scheme, separator, rest = url.partition("://")
        if not separator:
            # What is no URL may still hold a password: nothing up to an @ is repeated.
            raise StoreURLError(f"{url.rpartition('@')[2]!r} is no store URL: use {_SCHEMES}")
        if scheme in ("mem", "memory"):
            target = cls("mem://")
        elif scheme == "surrealkv":
            path = _checked_path(url, rest)
            _, question, query = rest.partition("?")
            target = cls(f"surrealkv://{path}{question}{query}", path)
        elif scheme in ("ws", "wss", "http", "https"):
            target = _server(url, user, password)
        else:
            raise StoreURLError(f"unknown scheme {scheme!r} in the store URL: use {_SCHEMES}")
        if token is not None and target.user is not None:
            raise StoreURLError(f"{target.url} got a token and a user: give one of them")
        given = replace(target, profile=profile, native=native, token=token)
        return replace(given, namespace=namespace, database=database)


def _server(url: str, user: str | None, password: str | None) -> Target:
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
    return Target(bare, None, user, password)


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


def disk_fault(text: str | None) -> str | None:
    """Return what a disk lacks and what to do, if an error names it; its number is the system's."""
    match = re.search(r"os error (\d+)", text or "")
    number = int(match[1]) if match else 0
    advice = _ADVICE.get(errno.errorcode.get(number, ""))
    return advice and f"{advice[0]} ({os.strerror(number)}): {advice[1]}"


def folder_error(target: Target, error: OSError) -> StoreError:
    """Return the error for a folder that cannot be made or written to."""
    place = error.filename or target.path or target.url
    if (fault := disk_fault(f"os error {error.errno}")) is not None:
        return StoreDiskError(f"cannot open {target.url} at {place}: {fault}")
    return StoreURLError(f"cannot open {target.url}: {error.strerror} ({place})")


def denial(target: Target, text: str) -> str:
    """Return what a user may not do, and who may."""
    return (
        f"{target.url} does not let everything be done in {target.namespace}/{target.database} by "
        f"{text}; the role VIEWER of the database, the namespace or root may read, EDITOR and "
        "OWNER may write: sign in with one of them"
    )


def opening_error(target: Target, text: str, *, unreachable: bool) -> StoreError:
    """Return the error for what the engine or the server says of opening."""
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return StoreUnreachableError(
            f"{target.url} has a certificate that is not trusted "
            f"({text.rpartition('failed: ')[2]}): name the file of its authority in $SSL_CERT_FILE"
        )
    if unreachable:
        return StoreUnreachableError(f"no SurrealDB server answers at {target.url}: is it running?")
    if not target.embedded:
        if DENIED in text.lower() and (target.user or target.token):
            return StoreAuthError(denial(target, text))
        who = "the token" if target.token else f"user {target.user!r}"
        return StoreAuthError(
            f"{target.url} refused {who} for {target.namespace}/{target.database}: "
            f"check user, password and rights ({text})"
        )
    if LOCKED in text:
        return StoreLockedError(
            f"{target.path} is open in another process (or twice in this one): "
            "close it there, or run a SurrealDB server and use ws://"
        )
    if (fault := disk_fault(text)) is not None:
        return StoreDiskError(f"cannot open the store at {target.path}: {fault}")
    there = (target.path or Path()).joinpath("manifest").is_dir()
    if "IO error" in text and "os error" in text and not (there and "(os error 2)" in text):
        reason = text.rpartition("IO error: ")[2]
        return StoreURLError(f"cannot open a store at {target.path}: {reason}")
    return damaged(target, text)


def damaged(target: Target, text: str) -> StoreCorruptError:
    """Return the error for files that are not what the engine wrote."""
    return StoreCorruptError(
        f"the store at {target.path} is damaged: {text.rpartition('datastore: ')[2]}; "
        "restore a copy, or start a new store and add the sources again"
    )


def check_version(version: str, target: Target) -> None:
    """Refuse a server before 3.1: no ``encoding::json::decode``, no absent record at the start."""
    number = re.search(r"(\d+)\.(\d+)", version)
    if number and tuple(map(int, number.groups())) < _LEAST:
        raise StoreVersionError(
            f"{target.url} runs {version}, and this library needs SurrealDB "
            f"{'.'.join(map(str, _LEAST))} or newer: upgrade the server; nothing was written"
        )


def user_of(token: Mapping[str, Any] | None) -> str:
    """Return in words whose token it is."""
    if not token:
        return "a user who is not signed in"
    level = next((of for key, of in _LEVELS.items() if token.get(key)), "root")
    return f"{level} user {token.get('ID', '(by token)')!r}"
