"""An embedder that keeps its vectors in a file, so that a text is embedded once for all runs."""

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from graphrag.protocols import Embedder, Matrix

_AT_ONCE = 500


class Kept:
    """Look texts up in ``FOLDER/NAME.sqlite`` and ask another embedder for the others.

    For models that embed queries and documents alike: the key is the text alone.
    """

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._embedder = embedder
        self._file = sqlite3.connect(folder / "minilm.sqlite", timeout=60)
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS vectors (sha1 blob PRIMARY KEY, vector blob)"
        )

    @property
    def name(self) -> str:
        """Return the wrapped embedder's name."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """Return the wrapped embedder's dimension."""
        return self._embedder.dimension

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        """Return unit vectors; texts count as equal if they differ in outer white space only."""
        keys = [hashlib.sha1(text.strip().encode()).digest() for text in texts]
        found = self._kept(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            fresh = await self._embedder.embed(list(missing.values()), purpose=purpose)
            found.update(zip(missing, fresh, strict=True))
            rows = [(key, found[key].astype("<f4").tobytes()) for key in missing]
            with self._file:
                self._file.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
        return np.stack([found[key] for key in keys])

    def _kept(self, keys: Sequence[bytes]) -> dict[bytes, Matrix]:
        found: dict[bytes, Matrix] = {}
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            sql = f"SELECT sha1, vector FROM vectors WHERE sha1 IN ({marks})"
            for key, vector in self._file.execute(sql, some):
                found[key] = np.frombuffer(vector, dtype="<f4")
        return found
