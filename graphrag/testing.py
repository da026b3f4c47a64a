"""Test doubles for embedder, language model and extractor: deterministic, offline, fast."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from pydantic import ValidationError

from graphrag.errors import ExtractionError, InvalidAnswerError
from graphrag.model.extraction import Extraction
from graphrag.model.values import JSON
from graphrag.protocols import Answer, ExtractionContext, Matrix, Message

_WORD = re.compile(r"\w+")


class HashEmbedder:
    """Embedder that sums one pseudo-random vector per word and normalises the result.

    Texts with common words have similar vectors; equal texts have equal vectors on every machine.
    """

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = dimension
        self.name = f"hash-{dimension}"
        self._words: dict[str, Matrix] = {}

    def __repr__(self) -> str:
        return f"HashEmbedder({self.dimension})"

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        """Return one unit vector per text."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _WORD.findall(text.casefold()) or [text]:
                row += self._word(word)
            row /= np.linalg.norm(row) or 1.0
        return rows

    def _word(self, word: str) -> Matrix:
        if word not in self._words:
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
            vector = np.random.default_rng(seed).standard_normal(self.dimension)
            self._words[word] = vector.astype(np.float32)
        return self._words[word]


class ScriptedLLM:
    """Language model that returns prepared JSON answers in order."""

    def __init__(self, *answers: JSON) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[Message, ...]] = []

    async def complete(self, messages: Sequence[Message], *, answer: type[Answer]) -> Answer:
        """Return the next prepared answer.

        Raises:
            ExtractionError: if none is left, or it does not have the requested type.
        """
        self.asked.append(tuple(messages))
        if not self.answers:
            raise ExtractionError(f"no answer scripted for question {len(self.asked)}")
        try:
            return answer.model_validate(self.answers.pop(0))
        except ValidationError as error:
            problem = f"the scripted answer is no {answer.__name__}: {error}"
            raise InvalidAnswerError(problem) from None


class ScriptedExtractor:
    """Extractor that returns prepared extractions by episode content."""

    def __init__(self, script: Mapping[str, Extraction]) -> None:
        self.script = dict(script)
        self.calls: list[ExtractionContext] = []

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return the extraction prepared for this content.

        Raises:
            ExtractionError: if there is none for this content.
        """
        self.calls.append(context)
        try:
            return self.script[context.episode.content]
        except KeyError:
            raise ExtractionError(
                f"no extraction scripted for {context.episode.content[:60]!r}"
            ) from None
