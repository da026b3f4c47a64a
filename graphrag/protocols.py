"""What can be plugged in: one method each, passed in as objects, no registry and no base class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from graphrag.extraction import Extraction
from graphrag.models import Episode

Matrix = npt.NDArray[np.float32]
Answer = TypeVar("Answer", bound=BaseModel)


class Embedder(Protocol):
    """Turn texts into unit vectors."""

    @property
    def name(self) -> str:
        """Identify the model; a store refuses to mix vectors of two names."""

    @property
    def dimension(self) -> int:
        """Length of one vector."""

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        """Return one row of length ``dimension`` and norm 1 per text, in order."""


@dataclass(frozen=True, slots=True)
class ExtractionContext:
    """What an extractor may look at."""

    episode: Episode
    """The one to read; relative dates in it count from its ``valid_at``."""
    previous: tuple[Episode, ...] = ()
    """Up to four episodes before it in its group, oldest first: context, never extracted again."""


class Extractor(Protocol):
    """Read the mentions and claims of one episode."""

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return what ``context.episode`` states; offsets count in its content."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a language model."""

    role: Literal["system", "user", "assistant"]
    content: str


class LLM(Protocol):
    """Answer messages with a value of a given shape; nothing in this version takes one yet."""

    async def complete(self, messages: Sequence[Message], *, answer: type[Answer]) -> Answer:
        """Return a validated ``answer`` or raise ``ExtractionError``."""


class Reranker(Protocol):
    """Score texts against a query, higher is better; nothing in this version takes one yet."""

    async def rank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one score per text, in order."""
