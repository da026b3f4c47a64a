"""Settings of a command, tokens of a server, and the note of where a store is served.

Arguments count more than the environment, and that more than the files of project and user. A
project file may come with somebody else's folder, so it names a store in a folder, what to open in
it and how long to wait: nothing to which a password or a key would be sent.
"""

import json
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag.errors import InputError
from graphrag.settings import VARIABLES, Settings

if TYPE_CHECKING:
    from graphrag.serve.grants import Grant, Tokens

PROJECT_FILE = "surreal-graphrag.toml"
_PLACE = re.compile(r"line \d+, column \d+")
_FOLDERS = ("surrealkv://", "mem://")
_OF_PROJECT = frozenset({"store", "group", "namespace", "database", "wait"})
_OF_USER = _OF_PROJECT | {"user", "password", "embedder", "llm_model", "llm_base_url"}
_OF_USER |= {"llm_api_key", "store_token", "token"}
_SECRET = frozenset({"password", "llm_api_key", "store_token", "token"})
_SCHEME = "surrealkv://"
_SERVED = "served.json"  # file in the folder of a store, with the address at which it is served
_GRANT_KEYS = {"token", "groups", "writes"}


@dataclass(frozen=True, slots=True)
class Configured:
    """Settings, and who said so."""

    settings: Settings
    wait: float
    origins: Mapping[str, str]  # where each setting is from that is not a default
    files: tuple[Path, ...]

    def changed(self, origin: str, settings: Mapping[str, Any]) -> "Configured":
        """Return this with other settings, which are from ``origin``."""
        origins = {**self.origins, **dict.fromkeys(settings, origin)}
        return replace(self, settings=replace(self.settings, **settings), origins=origins)


def configured(given: Mapping[str, Any]) -> Configured:
    """Return what holds; an argument counts more than the environment, and that more than files."""
    arguments = {name: value for name, value in given.items() if value is not None}
    where = ((_project_file(Path.cwd()), _OF_PROJECT), (user_file(), _OF_USER))
    files = {file: _read(file, keys) for file, keys in where if file}
    origins: dict[str, str] = {}
    for file, rows in reversed(files.items()):
        origins |= dict.fromkeys(rows, str(file))
    origins |= {name: f"${of}" for name, of in VARIABLES.items() if os.environ.get(of)}
    origins |= dict.fromkeys(arguments, "the command line")
    waits = [rows.pop("wait") for rows in (arguments, *files.values()) if "wait" in rows]
    settings = replace(Settings.from_env(files=[*files.values()]), **arguments)
    return Configured(settings, float(next(iter(waits), 0)), origins, tuple(files))


def user_file() -> Path | None:
    """Return the file of this user, None if there is none."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    file = home / "surreal-graphrag" / "config.toml"
    return file if file.is_file() else None


def _project_file(folder: Path) -> Path | None:
    """Return the file of a project: here or in the nearest folder above, if it is one's own."""
    for place in (folder, *folder.parents):
        file = place / PROJECT_FILE
        if file.is_file():
            own = sys.platform == "win32" or file.stat().st_uid == os.getuid()
            return file if own else None
    return None


def _read(file: Path, allowed: frozenset[str]) -> dict[str, Any]:
    rows = read_toml(file, "docs/operations.md")
    for name, value in rows.items():
        if name not in allowed:
            raise InputError(
                f"{file}: {name!r} cannot be set here: use {', '.join(sorted(allowed))}"
            )
        number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        if not (number if name == "wait" else isinstance(value, str) and value.strip()):
            what = "a number of seconds" if name == "wait" else "text in quotes"
            raise InputError(f"{file}: {name} needs {what}")
    if _SECRET & rows.keys():
        check_private(file)
    if "store" in rows and "user" not in allowed:
        rows["store"] = _inside(file, rows["store"])
    return rows


def read_toml(file: Path, page: str) -> dict[str, Any]:
    """Return what a file says; no error shows its words, which may be secret."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None
    except ValueError as error:
        place = _PLACE.search(str(error))
        at = f" at {place[0]}" if place else ""
        raise InputError(f"{file} is no TOML{at}: see {page}") from None


def check_private(file: Path) -> None:
    """Refuse a file with a secret that others may read."""
    if sys.platform != "win32" and file.stat().st_mode & 0o077:
        raise InputError(f"others may read {file}, which has a secret: chmod 600 {file}")


def _inside(file: Path, store: str) -> str:
    """Return the store of a project; a folder counts from where the file is."""
    if not store.startswith(_FOLDERS):
        raise InputError(
            f"{file}: the store of a project is a folder ({_SCHEME}./graph-store); a server, to "
            "which passwords go, is named by $SURREAL_GRAPHRAG_STORE or the file of the user"
        )
    bare, mark, query = store.removeprefix(_SCHEME).partition("?")
    if not store.startswith(_SCHEME) or Path(bare).is_absolute():
        return store
    return f"{_SCHEME}{file.parent / bare}{mark}{query}"


def read_tokens(file: Path | None, settings: Settings, group: str) -> "Tokens":
    """Return the tokens of a file and of the environment; no error says one of them."""
    from graphrag.serve.grants import Grant, Tokens

    grants = []
    if file is not None:
        rows = read_toml(file, "docs/serve.md")
        check_private(file)
        grants += [_granted(name, row) for name, row in rows.items()]
    if settings.token is not None:
        grants.append((settings.token, Grant("environment", (group,))))
    return Tokens(grants)


def _granted(name: str, row: object) -> tuple[str, "Grant"]:
    from graphrag.serve.grants import Grant

    if not isinstance(row, dict) or not row.keys() <= _GRANT_KEYS:
        raise InputError(f"[{name}] takes token, groups and writes")
    token, groups, writes = row.get("token"), row.get("groups"), row.get("writes", True)
    if not isinstance(token, str) or not isinstance(writes, bool):
        raise InputError(f"[{name}] needs a token in quotes; writes is true or false")
    if not isinstance(groups, list) or not groups or not all(isinstance(g, str) for g in groups):
        raise InputError(f'[{name}] needs its groups: groups = ["work"], or ["*"] for every group')
    return token, Grant(name, () if "*" in groups else tuple(groups), writes)


@contextmanager
def noted(folder: Path | None, url: str) -> Iterator[None]:
    """Note where a store is served for as long as it is; a store that is no folder has no place."""
    if folder is None:
        yield
        return
    file = folder / _SERVED
    file.write_text(json.dumps({"url": url, "process": os.getpid()}), encoding="utf-8")
    file.chmod(0o600)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def address_of(folder: Path | None) -> str | None:
    """Return where a store is served, None if it is not, or whoever served it is gone."""
    try:
        note = json.loads((folder / _SERVED).read_text(encoding="utf-8")) if folder else None
        if note is None:
            return None
        os.kill(int(note["process"]), 0)
        return str(note["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
