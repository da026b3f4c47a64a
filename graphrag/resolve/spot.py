"""What an extractor is shown of the graph: whom a text names, and what holds of them.

The whole text is looked up, not every entity. A dozen facts and a dozen words for each entity,
whatever the size of the graph: the index knows the facts added last at each relation, and only
those that are shown are read.
"""

import re
from collections.abc import Iterable, Sequence

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.model.values import Episode, Fact
from graphrag.names.key import name_key
from graphrag.protocols import ExtractionContext, Extractor, Known, KnownFact
from graphrag.store.store import Store

_SEPARATORS = re.compile(r"[,;:!?()\[\]{}<>\"“”„»«|]+")
_LONGEST = 6
"""Words of the longest name that is looked for."""
_READ = 20_000
"""Characters of each text."""
_LIMIT = 30

_FACTS = 12
_ENTITIES = 12
"""Entities of the text of which facts are shown."""
_RELATIONS, _EACH = 12, 3
"""Facts that are looked at for each entity: of so many relations, so many each."""
_NAMES = 16
"""Relations in use that are named."""
_ABOUT = 12
"""Words that are said about each entity."""


def spot(texts: Iterable[str], index: GroupIndex, *, limit: int = _LIMIT) -> tuple[Known, ...]:
    """Return the entities named in the texts, first named first."""
    named: dict[str, None] = {}
    for text in texts:
        words = [word.strip(".…") for word in name_key(_SEPARATORS.sub(" ", text[:_READ])).split()]
        for at in range(len(words)):
            for stop in range(min(at + _LONGEST, len(words)), at, -1):
                if ids := index.names.keyed(" ".join(words[at:stop])):  # hardly any words are one
                    named |= dict.fromkeys(index.heirs.each(ids))
            if index.names.people(words[at]):
                named |= dict.fromkeys(sorted(index.people_called(words[at])))
            if len(named) >= limit:
                break
    return tuple(
        Known(id_, index.entity_name(id_), index.entity_type(id_)) for id_ in list(named)[:limit]
    )


def looks_at_graph(extractor: Extractor) -> bool:
    """Tell whether an extractor wants to know what the graph says."""
    return bool(getattr(extractor, "looks_at_graph", True))


async def context_of(
    episode: Episode,
    previous: Sequence[Episode],
    extractor: Extractor,
    index: GroupIndex,
    store: Store,
    *,
    at: int,
) -> ExtractionContext:
    """Return what an extractor may look at; ``at`` is the reference time in microseconds."""
    if not looks_at_graph(extractor):
        return ExtractionContext(episode, tuple(previous))
    texts = (episode.content, *(other.content for other in reversed(previous)))
    known = spot(texts, index)
    own = (episode.content, episode.author or "", episode.name)
    named = [known.id for known in spot(own, index, limit=_ENTITIES)]
    ids = list(_latest(named, index, at))
    stored = index.heirs.follow(await store.get(Fact, ids), index.entity_name)
    facts = [_shown(fact, index) for fact in stored.values()]
    return ExtractionContext(
        episode,
        tuple(previous),
        tuple(_known(entity.id, index) for entity in known),
        tuple(facts),
        tuple(_in_use(named, facts, index)),
    )


def _latest(named: Sequence[str], index: GroupIndex, at: int) -> Iterable[str]:
    """Yield facts that hold at a moment or later: of each entity the latest before a second."""
    lines: list[list[str]] = []
    for entity in named:
        latest = index.latest_facts(entity, relations=_RELATIONS, each=_EACH)
        rows = [row for found in latest.values() for row in found if _holds(row, index, at)]
        lines.append([index.facts.ids[row] for row in rows])
    chosen: dict[str, None] = {}
    for place in range(max(map(len, lines), default=0)):
        for line in lines:
            if place < len(line) and len(chosen) < _FACTS:
                chosen[line[place]] = None
    return chosen


def _holds(row: int, index: GroupIndex, at: int) -> bool:
    facts = index.facts
    stands = not facts["pending"][row] and facts["retracted"][row] == FOREVER
    return bool(stands and facts["invalid"][row] > at)


def _shown(fact: Fact, index: GroupIndex) -> KnownFact:
    return KnownFact(
        fact.id,
        _known(fact.subject_id, index),
        fact.relation,
        _known(fact.object_id, index),
        fact.valid_at,
        fact.observed,
        fact.invalid_at,
    )


def _known(id_: str, index: GroupIndex) -> Known:
    name = index.entity_name(id_)
    about = " ".join(index.summary(id_).removeprefix(name).lstrip(" :").split()[:_ABOUT])
    return Known(id_, name, index.entity_type(id_), index.names.names[id_][1:], about)


def _in_use(named: Iterable[str], facts: Iterable[KnownFact], index: GroupIndex) -> list[str]:
    """Return the relations of these entities, then those of the graph, as far as there is room."""
    near = [fact.relation for fact in facts]
    for entity in named:
        near += index.latest_facts(entity, relations=_RELATIONS, each=1)
    return list(dict.fromkeys((*near, *index.relations[:_NAMES])))[:_NAMES]
