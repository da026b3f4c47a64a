"""What writing needs: the store, what is plugged in, the rules of a graph, and trust in sources.

A less trusted source neither ends nor replaces what a more trusted one said, in any order; its fact
is kept as contested until a person confirms it. Trust is a number per source name:
``source_description`` of an episode, ``source`` of a table or fact.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite

from graphrag.errors import InputError
from graphrag.index.catalog import Catalog
from graphrag.index.group import BEGINNING
from graphrag.ingest.commit import Writer
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import Episode
from graphrag.ontology.ontology import ANYTHING, Ontology
from graphrag.ontology.relations import Relations
from graphrag.protocols import Arbiter, Embedder, Extractor, Tracer
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros

REVIEW_BELOW = 0.7
"""JudgingRules give 0.8; a model's own figure below this has been a guess more often than not."""

_SHOWN = 60
"""Characters of a text in an error."""


def checked_threshold(value: float) -> float:
    """Return the threshold, or say that it is none."""
    if not 0 <= value <= 1:
        raise InputError(f"review_below is {value!r}: give a confidence from 0 to 1")
    return value


@dataclass(frozen=True, slots=True)
class Trust:
    """The trust of each source; one that is not named has 0, and so does what names none."""

    by_source: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            InputError: naming the source whose trust is none.
        """
        for source, trust in self.by_source.items():
            number = isinstance(trust, int | float) and not isinstance(trust, bool)
            if not isinstance(source, str) or not number or not isfinite(trust):
                raise InputError(
                    f"trust of source {source!r} is {trust!r}: give a number by the name of the "
                    "source, above 0 for one that outweighs the others, below 0 for one that may "
                    "not change what they said"
                )

    def __bool__(self) -> bool:
        """Tell whether any source has another trust than the others."""
        return bool(self.by_source)

    def of(self, source: str) -> float:
        """Return the trust of a source."""
        return float(self.by_source.get(source, 0.0))


FULL_TRUST = Trust()
"""All sources count the same."""


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


async def known(ingestion: Ingestion, episode: Episode) -> Episode | None:
    """Return the stored episode that this one tells again, if any.

    That is the one with its key; else one of the same content, reference time and group, if not
    both have a key, and not both a saga of their own; by its author, if it has one.

    Raises:
        InputError: if the one with its key says something else.
    """
    index = await ingestion.catalog.group(episode.group_id)
    if episode.key is not None and (id_ := index.timeline.keyed(episode.key)) is not None:
        stored = (await ingestion.store.get(Episode, [id_]))[id_]
        if stored.content_hash != episode.content_hash:
            raise InputError(
                f"key {episode.key!r} is that of episode {id_}, which says "
                f"{stored.content[:_SHOWN]!r}, not {episode.content[:_SHOWN]!r}: give another "
                "key, or remove_episode() that one first"
            )
        return stored
    ids = index.timeline.known(episode.content_hash, to_micros(episode.valid_at, BEGINNING))
    alike = [
        stored
        for stored in (await ingestion.store.get(Episode, ids)).values()
        if episode.author in (None, stored.author)
        and (episode.key is None or stored.key is None)
        and (episode.saga is None or stored.saga in (None, episode.saga))
    ]
    return min(alike, key=lambda stored: (stored.saga != episode.saga, stored.id), default=None)


def limited(extraction: Extraction, source: str) -> Extraction:
    """Return what a distrusted source says without what would change entities of others.

    It gives nobody another name, type or attribute; what that leaves out is among the dropped.
    """
    notes: dict[str, None] = {}

    def plain(mention: Mention) -> Mention:
        given = [*mention.aliases, *(name.name for name in mention.names)]
        given += (f"{key}: {item}" for key, item in mention.attributes.items())
        for addition in given:
            notes[f"{addition!r} of {mention.name!r}: source {source!r} has a trust below 0"] = None
        return replace(mention, aliases=(), attributes={}, names=()) if given else mention

    def modest(claim: Claim) -> Claim:
        object_ = None if claim.object is None else plain(claim.object)
        return replace(claim, subject=plain(claim.subject), object=object_)

    mentions, claims = map(plain, extraction.mentions), map(modest, extraction.claims)
    kept = replace(extraction, mentions=tuple(mentions), claims=tuple(claims))
    return replace(kept, dropped=(*extraction.dropped, *notes))
