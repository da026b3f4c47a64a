"""What writing needs: the store, what is plugged in, and the rules of a graph."""

from dataclasses import dataclass

from graphrag.errors import InputError
from graphrag.index.catalog import Catalog
from graphrag.ingest.commit import Writer
from graphrag.ingest.trust import FULL_TRUST, Trust
from graphrag.ontology.ontology import ANYTHING, Ontology
from graphrag.ontology.relations import Relations
from graphrag.protocols import Arbiter, Embedder, Extractor, Tracer
from graphrag.store.store import Store

REVIEW_BELOW = 0.7
"""Rules give 0.8; a model's own figure below this has been a guess more often than not."""


def checked_threshold(value: float) -> float:
    """Return the threshold, or say that it is none."""
    if not 0 <= value <= 1:
        raise InputError(f"review_below is {value!r}: give a confidence from 0 to 1")
    return value


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Everything that the write path needs."""

    writer: Writer
    embedder: Embedder
    extractor: Extractor
    relations: Relations
    review_below: float = REVIEW_BELOW
    """Facts of less confidence wait for a person."""
    arbiter: Arbiter | None = None
    """Asked about what the rules leave open; None leaves it open."""
    ontology: Ontology = ANYTHING
    """What may be stored."""
    trust: Trust = FULL_TRUST
    """How far each source is believed."""
    tracer: Tracer | None = None
    """Told of every step."""

    @property
    def store(self) -> Store:
        """Return the store that is written to."""
        return self.writer.store

    @property
    def catalog(self) -> Catalog:
        """Return the groups in memory."""
        return self.writer.catalog
