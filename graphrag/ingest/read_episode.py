"""What episodes state: read by an extractor, fitted to the ontology, ruled on by an arbiter.

Extractors and arbiters are anybody's code: failures name them and the episode, and what they return
is checked. Episodes that are read ahead are embedded together: a model embeds 100 texts in the time
of a dozen single ones.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from graphrag.errors import (
    BudgetExceededError,
    EmbeddingError,
    ExtractionError,
    GraphRAGError,
    LLMError,
)
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.index.texts import entity_text, fact_text
from graphrag.ingest.checked import checked_extraction, checked_ruling
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.open_points import find_open_points
from graphrag.ingest.plan import EpisodeRows
from graphrag.ingest.statements import Named, mentions_of, state, with_values
from graphrag.local.embedder import CachedEmbedder
from graphrag.model.checks import printable
from graphrag.model.extraction import Extraction, Mention
from graphrag.model.values import Episode
from graphrag.ontology.conform import Violation, straightened
from graphrag.ontology.ontology import known_types
from graphrag.protocols import (
    Arbiter,
    Case,
    ExtractionContext,
    Extractor,
    Matrix,
    Ruling,
    call,
    traced,
)
from graphrag.resolve.mentions import resolve
from graphrag.resolve.spot import context_of, looks_at_graph, with_named_mentions
from graphrag.temporal.moment import to_micros, utc_now

_LOG = logging.getLogger("graphrag")
_CONTEXT_EPISODES = 4
_SHOWN = 60
Given = TypeVar("Given", Extraction, Ruling)


async def read(
    ingestion: Ingestion, episode: Episode, pending: Iterable[Episode] = ()
) -> Extraction:
    """Extract an episode; ``pending`` are earlier episodes that are not stored yet."""
    extractor, at = ingestion.extractor, to_micros(episode.valid_at, BEGINNING)
    index = await ingestion.catalog.group(episode.group_id)
    previous = await _previous(ingestion, episode, pending, index)
    vector = await _meaning(ingestion, episode, index) if looks_at_graph(extractor) else None
    context = await context_of(
        episode, previous, extractor, index, ingestion.store, at=at, vector=vector
    )
    trusted = ingestion.trust.of(episode.source_description) >= 0
    with traced(ingestion.tracer, "extract", group=episode.group_id) as note:
        extraction = await extract(extractor, replace(context, trusted=trusted))
        note({"claims": len(extraction.claims), "dropped": len(extraction.dropped)})
    return extraction


async def _meaning(ingestion: Ingestion, episode: Episode, index: GroupIndex) -> Matrix | None:
    """Return the vector of an episode, which a cache keeps until it is written."""
    if not len(index.facts):
        return None
    text = EpisodeRows(episode).texts()[episode.id]
    try:
        vectors: Matrix = await ingestion.embedder.embed([text], purpose="document")
    except EmbeddingError as error:  # writing says it, of this episode
        _LOG.info("the facts shown for episode %s are chosen by words: %s", episode.id, error)
        return None
    meaning: Matrix = vectors[0]
    return meaning


async def _previous(
    ingestion: Ingestion, episode: Episode, pending: Iterable[Episode], index: GroupIndex
) -> tuple[Episode, ...]:
    own = episode.id if episode.id in index.episodes.row_of else None
    at = to_micros(episode.valid_at, BEGINNING)
    ids = index.timeline.latest_before(at, _CONTEXT_EPISODES, own)
    stored = (await ingestion.store.get(Episode, ids)).values()
    before = {other.id: other for other in stored if other.removed_at is None}
    for other in pending:
        if other.group_id == episode.group_id and other.valid_at <= episode.valid_at:
            before[other.id] = other
    ordered = sorted(before.values(), key=lambda other: (other.valid_at, other.id))
    return tuple(ordered[-_CONTEXT_EPISODES:])


async def fitted(
    ingestion: Ingestion, episode: Episode, extraction: Extraction
) -> tuple[Extraction, tuple[Violation, ...]]:
    """Return what of an extraction trust and ontology let in, and what does not fit the ontology.

    Facts that can be stated from both ends are turned to one direction.
    """
    if ingestion.trust.of(episode.source_description) < 0:
        extraction = _limited(extraction, episode.source_description)
    index = await ingestion.catalog.group(episode.group_id)
    types = known_types(index.entities_named, index.entity_type)
    checked, violations = ingestion.ontology.check(extraction, types)
    for violation in violations:
        _LOG.warning("ontology of group %r: %s", episode.group_id, violation)
    return with_values(straightened(checked, ingestion.relations)), violations


def _limited(extraction: Extraction, source: str) -> Extraction:
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

    plainly = extraction.with_mentions(plain)
    return replace(plainly, dropped=(*extraction.dropped, *notes))


async def ruled(
    ingestion: Ingestion, episode: Episode, extraction: Extraction
) -> tuple[Extraction, Ruling]:
    """Return what the extractor decided, and what an arbiter, if any, decides of the rest.

    A model that gives no decision costs nothing that was read: its points stay open, as reported.
    """
    mentions = list(mentions_of(extraction))
    known = Ruling(
        {mention: mention.entity_id for mention in mentions if mention.entity_id is not None},
        {mention: mention.distinct_from for mention in mentions if mention.distinct_from},
    )
    if ingestion.arbiter is None:
        return extraction, known
    index = await ingestion.catalog.group(episode.group_id)
    case = await find_open_points(ingestion, episode, extraction, index, known)
    if not case.doubts and not case.conflicts:
        return extraction, known
    with traced(ingestion.tracer, "judge", group=episode.group_id) as note:
        note({"doubts": len(case.doubts), "conflicts": len(case.conflicts), "arbiter": True})
        try:
            rest = await decide(ingestion.arbiter, case)
        except BudgetExceededError:
            raise
        except LLMError as error:
            _LOG.warning("the arbiter decided nothing of episode %s: %s", episode.id, error)
            points = len(case.doubts) + len(case.conflicts)
            lost = f"a decision on the open points ({points}): the arbiter gave none"
            return replace(extraction, dropped=(*extraction.dropped, lost)), known
    entity_of, distinct = {**rest.entity_of, **known.entity_of}, {**rest.distinct, **known.distinct}
    return extraction, Ruling(entity_of, distinct, rest.exclusive)


async def extract(extractor: Extractor, context: ExtractionContext) -> Extraction:
    """Return what an episode states, every span inside its content."""
    episode, ask = context.episode, partial(extractor.extract, context)

    def check(extraction: Extraction) -> Extraction:
        return with_named_mentions(checked_extraction(extraction, episode))

    return await _asked("extractor", extractor, episode, Extraction, ask, check)


async def decide(arbiter: Arbiter, case: Case) -> Ruling:
    """Return what an arbiter decides about open points."""
    ask, check = partial(arbiter.decide, case), partial(checked_ruling, case=case)
    return await _asked("arbiter", arbiter, case.episode, Ruling, ask, check)


async def _asked(
    role: str,
    part: Extractor | Arbiter,
    episode: Episode,
    expected: type[Given],
    ask: Callable[[], Awaitable[Given]],
    check: Callable[[Given], Given],
) -> Given:
    """Return what anybody's code returns, checked; whatever fails in it is an ExtractionError."""
    try:
        given = await call(ask)
        if not isinstance(given, expected):
            raise TypeError(f"it gave {type(given).__name__}; expected {expected.__name__}")
        return await asyncio.to_thread(check, given)
    except GraphRAGError:
        raise
    except Exception as error:
        label, name = episode.name or episode.content[:_SHOWN], type(part).__name__
        raise ExtractionError(
            f"the {role} {name} failed on episode {label!r}: {printable(str(error))}"
        ) from error


async def prepare_texts(extractor: Extractor, episodes: Sequence[Episode]) -> None:
    """Let an extractor that has ``prepare_texts`` begin on several texts together."""
    texts = [episode.content for episode in episodes if episode.source != "json"]
    prepare = getattr(extractor, "prepare_texts", None)
    if prepare is not None and len(texts) > 1:
        try:
            await prepare(texts)
        except GraphRAGError as error:  # reading says it, of the episode that it concerns
            _LOG.info("%d texts were not prepared together: %s", len(texts), error)


async def embed_ahead(ingestion: Ingestion, read: Sequence[tuple[Episode, Extraction]]) -> None:
    """Put the vectors of these episodes, and most of those of what they state, into the cache.

    The names of entities are guessed: what resolves otherwise is embedded when it is planned.
    """
    if not isinstance(ingestion.embedder, CachedEmbedder) or len(read) < 2:
        return
    texts: dict[str, None] = {}
    names: dict[str, str] = {}
    for episode, extraction in read:
        index = await ingestion.catalog.group(episode.group_id)
        texts |= dict.fromkeys(EpisodeRows(episode).texts().values())
        texts |= dict.fromkeys(_stated(episode, extraction, index, names))
    try:
        await ingestion.embedder.embed(list(texts), purpose="document")
    except EmbeddingError as error:
        _LOG.info("%d episodes are embedded one by one: %s", len(read), error)


def _stated(
    episode: Episode, extraction: Extraction, index: GroupIndex, names: dict[str, str]
) -> Iterator[str]:
    """Yield the texts of the new entities and of the facts; ``names`` are those of the window."""
    resolution = resolve(mentions_of(extraction), index, created_at=utc_now())
    for entity in resolution.created.values():
        if names.setdefault(entity.key, entity.name) == entity.name:
            yield entity_text(entity)

    def named(id_: str, said: str) -> Named:
        _, name, _ = resolution.named(index, id_, said)
        created = resolution.created.get(id_)
        return id_, names[created.key] if created else name, ""

    facts = state(extraction.claims, episode, resolution.entity_of, named, now=utc_now())
    yield from (fact_text(fact) for fact in facts if fact.object_id)
