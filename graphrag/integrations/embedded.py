"""Vectors for a framework that searches by them, and the words that they were made of.

The graph is searched by words. So that a framework can ask with a vector, it embeds by the graph's
own embedder, and the words of the last vectors are remembered.
"""

from collections.abc import Sequence
from threading import Lock

import numpy as np

from graphrag.errors import InputError
from graphrag.integrations.access import Access

_RECENT = 10_000
"""Vectors whose words are remembered."""


class Embedded:
    """The embedder of a graph, with a memory of what it was asked last."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._words: dict[bytes, str] = {}
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text; the graph must be the blocking one."""
        rows = self._access.waited(self._embedded(list(texts)))
        with self._lock:
            self._words.update(zip(map(_digest, rows), texts, strict=True))
            for old in list(self._words)[:-_RECENT]:
                del self._words[old]
        return rows

    async def _embedded(self, texts: list[str]) -> list[list[float]]:
        embedder = self._access.graph.handle.session.embedder
        rows = await embedder.embed(texts, purpose="query")
        return [[float(number) for number in row] for row in rows]

    def words(self, vector: Sequence[float]) -> str:
        """Return what a vector was made of.

        Raises:
            InputError: if another embedder made it.
        """
        if (words := self._words.get(_digest(vector))) is None:
            raise InputError("another embedder made this vector: give the framework this embedder")
        return words


def _digest(vector: Sequence[float]) -> bytes:
    return np.asarray(vector, dtype=np.float32).tobytes()
