"""The columns of a group as they were: what was not known at a moment has no say in a ranking.

Masks hide the rows that came later, but their words would still count: a word is rarer in a smaller
group, and a fact that was reworded is found by its new words. So what ranks a search of the past
are columns of its own, without the later rows and with the words and vectors of then. Vectors and
words, nine tenths of a group, are in the memory of the group itself; of those that were others then
the rows around them are copied. The last such columns of each group are kept.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from graphrag.index.derived import Slot
from graphrag.index.group import GroupIndex
from graphrag.index.incidence import Mentions
from graphrag.index.scope import Scope
from graphrag.index.tables import scopes_of
from graphrag.index.texts import entity_text, fact_text
from graphrag.model.attributes import names_of
from graphrag.model.values import Entity, Fact
from graphrag.protocols import Embedder
from graphrag.search.visibility import NOTHING_UNDONE, Past
from graphrag.store import links
from graphrag.store.links import Pair
from graphrag.store.log import events_since
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint

_FACT_WORDS = frozenset({"text", "subject", "object", "name"})
_ENTITY_WORDS = frozenset({"name", "aliases", "names"})
_LAST: Final = Slot[tuple[int, GroupIndex]]()
"""The copy of each group that was made last, with the number of the newest event that it has."""


async def index_then(
    index: GroupIndex, past: Past, store: Store, embedder: Embedder, *, mentions: bool
) -> GroupIndex:
    """Return a group as it was before what is undone; itself if nothing is.

    With ``mentions`` it has those of then, which following links asks for.
    """
    if not past.before:
        return index
    upto, then = _LAST.get(index) or (-1, index)
    if upto != past.upto:
        then = _shared(index)
        then.heirs = copy.deepcopy(index.heirs.before(past.before))
        _remove(then, past)
        await _reword(then, past, store, embedder)
        _LAST.set(index, (past.upto, then))
    if mentions and then.episodes.mentions is None:
        then.episodes.mentions = await _mentions(then, index, past, store)
    return then


def _shared(index: GroupIndex) -> GroupIndex:
    """Return a group whose rows may be changed apart from those of this one."""
    then = copy.copy(index)
    then.facts, then.entities = index.facts.share(), index.entities.share()
    then.episodes, then.passages = index.episodes.share(), index.passages.share()
    then.communities = index.communities.share()
    return then


def _remove(then: GroupIndex, past: Past) -> None:
    """Take out what was not there."""
    for table, rows in scopes_of(then).items():
        if rows is then.passages:  # they go with their episodes, below
            continue
        for id_ in _later(past, table):
            if id_ in rows.row_of:
                rows.remove(id_)
    episodes, passages = then.episodes, then.passages
    passages.alive[:] = episodes.alive.values[passages["episode"]]
    episodes.titles = episodes.titles.of_rows(episodes.alive.values)


async def _reword(then: GroupIndex, past: Past, store: Store, embedder: Embedder) -> None:
    """Let facts and entities be found by their words and types of then."""
    reworded = _changed(past, "relates_to", _FACT_WORDS, then.facts)
    facts = past.rewound(await store.get(Fact, reworded))
    if facts:
        texts = [fact_text(fact) for fact in facts.values()]
        vectors = await embedder.embed(texts, purpose="document")
        for id_, text, vector in zip(facts, texts, vectors, strict=True):
            then.facts.replace(id_, vector=vector, text=text)
    renamed = _changed(past, "entity", _ENTITY_WORDS | {"entity_type"}, then.entities)
    entities = past.rewound(await store.get(Entity, renamed))
    if entities:
        then.names = then.names.copy()
    for entity in entities.values():
        type_ = then.type_code(entity.entity_type)
        then.entities.replace(entity.id, text=entity_text(entity), type=type_)
        then.names.enter(entity.id, entity.entity_type, names_of(entity), entity.attributes)


async def _mentions(then: GroupIndex, index: GroupIndex, past: Past, store: Store) -> Mentions:
    """Return which episode spoke of which entity: as now, but for what changed since."""
    # Here, not above: opening a graph does not need it.
    from graphrag.index.read_lazy import read_mentions

    rows, others = then.episodes.row_of, then.entities.row_of

    def pairs(ids: Iterable[Pair]) -> list[tuple[int, int]]:
        return [
            (rows[episode], others[entity])
            for episode, entity in ids
            if episode in rows and entity in others
        ]

    if then.is_part:
        found, now = Mentions(then.seq), await links.mentions(store, then.group_id, rows)
    else:
        await read_mentions(store, index)
        assert index.episodes.mentions is not None
        later = await links.mentioned_by(store, _later(past, "mentions"))
        alive = then.episodes.alive.values, then.entities.alive.values
        found, now = index.episodes.mentions.among(*alive, pairs(later)), {}
    found.enter(pairs(mentions_then(now, past).values()))
    return found


def mentions_then(now: Mapping[str, Pair], past: Past) -> dict[str, Pair]:
    """Return those of some mentions, by id, that were there then, and any taken back since."""
    later = {*_later(past, "mentions")}
    then = {id_: pair for id_, pair in now.items() if id_ not in later}
    for id_, image in past.images("mentions"):
        if {"in", "out"} <= image.keys():
            episode, entity = (str(image[end]).partition(":")[2] for end in ("in", "out"))
            then[id_] = (episode, entity)
    return then


def _later(past: Past, table: str) -> Iterator[str]:
    """Yield what was not there yet."""
    for record, image in past.before.items():
        kind, _, id_ = record.partition(":")
        if kind == table and image is None:
            yield id_


def _changed(past: Past, table: str, columns: frozenset[str], rows: Scope) -> list[str]:
    """Return the rows of which some of these columns were different."""
    images = past.images(table)
    return [id_ for id_, image in images if id_ in rows.row_of and columns & image.keys()]


async def undone(store: Store, group: str, viewpoint: Viewpoint) -> Past:
    """Return what must be undone to see the group as it was known at the viewpoint."""
    if viewpoint.known_at is None:
        return NOTHING_UNDONE
    return Past.undoing(await events_since(store, group, viewpoint.known_at))
