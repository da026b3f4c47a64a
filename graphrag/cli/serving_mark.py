"""Where a store is served, noted in its folder: who finds it locked is told how to reach it."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = "served.json"


@contextmanager
def noted(folder: Path | None, url: str) -> Iterator[None]:
    """Note where a store is served for as long as it is; a store that is no folder has no place."""
    if folder is None:
        yield
        return
    file = folder / _NAME
    file.write_text(json.dumps({"url": url, "process": os.getpid()}), encoding="utf-8")
    file.chmod(0o600)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def address_of(folder: Path | None) -> str | None:
    """Return where a store is served, None if it is not, or whoever served it is gone."""
    try:
        found = json.loads((folder / _NAME).read_text(encoding="utf-8")) if folder else None
        if found is None:
            return None
        os.kill(int(found["process"]), 0)
        return str(found["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
