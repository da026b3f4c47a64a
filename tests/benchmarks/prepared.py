"""Queries with their vectors, and the embedder that hands them out: no model is measured."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from graphrag.protocols import Matrix

NAME = "synthetic"
DIMENSION = 384


@dataclass(frozen=True, slots=True)
class Query:
    """A question with its vector."""

    text: str
    vector: Matrix


class Prepared:
    """Return the vectors of known texts."""

    name = NAME
    dimension = DIMENSION

    def __init__(self, queries: Iterable[Query]) -> None:
        self._vectors = {query.text: query.vector for query in queries}

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        """Look the texts up."""
        return np.stack([self._vectors[text] for text in texts])
