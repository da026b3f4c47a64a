"""Which entities of a group may be one: a list for a person, likeliest first; nothing is merged."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graphrag.identifiers import unique
from graphrag.index.group import GroupIndex
from graphrag.models import CONCEPT, Entity
from graphrag.names import name_key
from graphrag.naming.likeness import ALIKE, likeness, told_apart
from graphrag.resolve import UNTYPED
from graphrag.store.store import Store

_COMPARED = 50
"""Look-alikes by name that are compared for each entity."""
_CLOSE = 0.85
"""Cosine of two names at which they may mean one thing."""
_CHUNK = 512
_MOST_VECTORS = 20_000
"""Entities up to which every pair of vectors is compared: a minute's work beyond."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class MergeCandidate:
    """Two entities that may be one."""

    entity: Entity
    """The better known of the two: the one to keep."""
    other: Entity
    score: float
    """From 0 to 1."""
    why: str
    """``identifier``, ``name`` or ``meaning``: what is alike."""


async def merge_candidates(index: GroupIndex, store: Store, *, limit: int) -> list[MergeCandidate]:
    """Compare the entities of a group by identifier, name and meaning."""
    found: dict[Pair, tuple[float, str]] = {}
    for pairs in (_by_identifier(index), _by_name(index), _by_meaning(index)):
        for pair, score, why in pairs:
            if pair not in found or score > found[pair][0]:
                found[pair] = (score, why)
    best = sorted(found.items(), key=lambda one: (-one[1][0], one[0]))[:limit]
    entities = await store.get(Entity, {id_ for pair, _ in best for id_ in pair})
    degree = _degrees(index)
    candidates = []
    for (one, other), (score, why) in best:
        if degree[index.entities.row_of[other]] > degree[index.entities.row_of[one]]:
            one, other = other, one
        candidates.append(MergeCandidate(entities[one], entities[other], round(score, 3), why))
    return candidates


def _by_identifier(index: GroupIndex) -> Iterator[tuple[Pair, float, str]]:
    names = index.names
    for id_ in _compared(index):
        for pair in unique(names.identifiers_of(id_), names.types[id_], {}):
            for other in names.identified(*pair):
                yield from _pair(index, id_, other, 1.0, "identifier")


def _by_name(index: GroupIndex) -> Iterator[tuple[Pair, float, str]]:
    names = index.names
    for id_ in _compared(index):
        for key in map(name_key, names.names[id_]):
            alike = dict.fromkeys((*names.keyed(key), *names.like(key)[:_COMPARED]))
            for other in alike:
                if other != id_:
                    score = max(likeness(key, name_key(name)) for name in names.names[other])
                    if score >= ALIKE:
                        yield from _pair(index, id_, other, score, "name")


def _by_meaning(index: GroupIndex) -> Iterator[tuple[Pair, float, str]]:
    ids = list(_compared(index))[:_MOST_VECTORS]
    vectors = index.entities.vectors.rows(np.array([index.entities.row_of[id_] for id_ in ids]))
    for first in range(0, len(ids), _CHUNK):
        cosines = vectors[first : first + _CHUNK] @ vectors[first:].T
        for place, later in np.argwhere(cosines >= _CLOSE).tolist():
            if place < later:
                one, other = ids[first + place], ids[first + later]
                keys = [name_key(index.entity_name(id_)) for id_ in (one, other)]
                if not told_apart(*keys):
                    yield from _pair(index, one, other, float(cosines[place, later]), "meaning")


def _pair(
    index: GroupIndex, one: str, other: str, score: float, why: str
) -> Iterator[tuple[Pair, float, str]]:
    one, other = index.heirs.of(one), index.heirs.of(other)
    kinds = {index.entity_type(one), index.entity_type(other)}
    if one != other and (len(kinds) == 1 or UNTYPED in kinds):
        yield (min(one, other), max(one, other)), min(score, 1.0), why


def _compared(index: GroupIndex) -> Iterator[str]:
    for id_ in index.entities.row_of:
        if id_ not in index.heirs and index.entity_type(id_) != CONCEPT:
            yield id_


def _degrees(index: GroupIndex) -> np.ndarray:
    return np.bincount(np.concatenate(index.ends()), minlength=len(index.entities))
