"""Pairs of entities that may be duplicates, most likely first, for a person to decide.

Nothing is merged. Candidates come from similar names and similar vectors. Up to 3,000 vectors all
pairs are compared. Above that, each vector joins the cells of its nearest pivots and is compared
within them: at cosine 0.9 or more, 99.8 % of pairs are found among 50,000 clustered vectors. The
work grows with n^1.5; 100,000 vectors of 384 numbers take about 15 s on one core. It yields to the
event loop.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import anyio.to_thread
import numpy as np
import numpy.typing as npt

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.model.values import PLAIN, Entity
from graphrag.names.identifiers import unique
from graphrag.names.key import name_key
from graphrag.names.likeness import ALIKE, likeness
from graphrag.protocols import Matrix, in_turns
from graphrag.resolve import Declared, may_be_one, stored_evidence
from graphrag.resolve.doubt import CLOSE, in_full, means_alike, sharing_attributes
from graphrag.store.links import distinctions
from graphrag.store.store import Store

_WHOLE = 3_000
"""Rows up to which all are compared with all."""
_NEAREST = 3
"""Cells of each row."""
_MOST = 8
"""Close rows that are noted of one row in one cell: of more, the closest."""
_CHUNK = 512

Rows = npt.NDArray[np.intp]


def close_pairs(vectors: Matrix, least: float) -> dict[tuple[int, int], float]:
    """Return the pairs of rows with at least this cosine, the smaller row first."""
    pairs: dict[tuple[int, int], float] = {}
    for cell in _cells(vectors, np.arange(len(vectors))):
        for left, right, cosine in _compared(vectors, cell, least):
            pairs[min(left, right), max(left, right)] = cosine
    return pairs


def _cells(vectors: Matrix, rows: Rows) -> Iterator[Rows]:
    if len(rows) <= _WHOLE:
        yield rows
        return
    count = int(np.sqrt(len(rows)))
    pivots = vectors[np.random.default_rng(0).choice(rows, count, replace=False)]
    nearest = np.concatenate(
        [
            np.argpartition(-(vectors[chunk] @ pivots.T), _NEAREST, axis=1)[:, :_NEAREST]
            for chunk in np.array_split(rows, len(rows) // _CHUNK + 1)
        ]
    )
    for pivot in range(count):
        cell = rows[(nearest == pivot).any(axis=1)]
        if 2 * len(cell) < len(rows):
            yield from _cells(vectors, cell)
        else:  # all much the same: no pivot parts them
            yield from np.array_split(cell, len(cell) // _WHOLE + 1)


def _compared(vectors: Matrix, rows: Rows, least: float) -> Iterator[tuple[int, int, float]]:
    cell = vectors[rows]
    for first in range(0, len(rows), _CHUNK):
        cosines = cell[first : first + _CHUNK] @ cell.T
        cosines[np.arange(len(cosines)), np.arange(first, first + len(cosines))] = -1.0
        for number in np.flatnonzero((cosines >= least).any(axis=1)).tolist():
            near = np.flatnonzero(cosines[number] >= least)
            best = near[np.argsort(-cosines[number, near], kind="stable")[:_MOST]]
            for other in best.tolist():
                yield int(rows[first + number]), int(rows[other]), float(cosines[number, other])


_COMPARED = 50
"""Look-alikes by name that are compared for each entity."""

Pair = tuple[str, str]
Found = tuple[Pair, float, str]


@dataclass(frozen=True, slots=True)
class MergeCandidate:
    """Two entities that may be duplicates of each other."""

    entity: Entity
    """The entity with more facts, which a merge should keep."""
    other: Entity
    score: float
    """Similarity from 0 to 1."""
    why: str
    """The reason: an equal ``identifier``, or a similar ``name``, ``meaning`` or ``attributes``."""


async def merge_candidates(
    index: GroupIndex, store: Store, *, limit: int, identifiers: Declared
) -> list[MergeCandidate]:
    """Compare the entities of a group by identifier, name and meaning.

    Left out are pairs whose attributes exclude each other, and those that are known to be two.
    """
    pairs = await likely_pairs(index, identifiers, await _known_to_differ(index, store))
    return await _shown(pairs, index, store, limit)


async def likely_pairs(
    index: GroupIndex, identifiers: Declared, two: Collection[Pair] = ()
) -> dict[Pair, tuple[float, str]]:
    """Return the pairs that may be one, with a score and what is alike, but for those known as two.

    An equal identifier is worth a look even so: whoever said that they are two may not have known.
    """
    proposed: dict[Pair, tuple[float, str]] = {}
    ids = [id_ for id_ in index.entities.row_of if _stands(id_, index)]
    async for id_ in in_turns(ids):
        if id_ in index.names.names:
            _note(proposed, _by_identifier(id_, index, identifiers))
            _note(proposed, _by_name(id_, index))
            _note(proposed, _by_attributes(id_, index))
    _note(proposed, await _by_meaning(ids, index))
    fitting = {}
    async for pair, (score, why) in in_turns(proposed.items()):
        if why != "identifier":
            score = stored_evidence(pair, index, identifiers).score(score)
        if score >= ALIKE and (why == "identifier" or pair not in two):
            fitting[pair] = (score, why)
    return fitting


def _note(proposed: dict[Pair, tuple[float, str]], pairs: Iterable[Found]) -> None:
    for pair, score, why in pairs:
        if pair not in proposed or score > proposed[pair][0]:
            proposed[pair] = (score, why)


async def _shown(
    pairs: dict[Pair, tuple[float, str]], index: GroupIndex, store: Store, limit: int
) -> list[MergeCandidate]:
    best = sorted(pairs.items(), key=lambda entity: (-entity[1][0], entity[0]))[:limit]
    entities = await store.get(Entity, {id_ for pair, _ in best for id_ in pair})
    degree = np.bincount(np.concatenate(index.ends()), minlength=len(index.entities))
    candidates = []
    for (entity, other), (score, why) in best:
        if entity not in entities or other not in entities:
            continue  # erased meanwhile
        if degree[index.entities.row_of[other]] > degree[index.entities.row_of[entity]]:
            entity, other = other, entity
        candidates.append(MergeCandidate(entities[entity], entities[other], round(score, 3), why))
    return candidates


def _by_identifier(id_: str, index: GroupIndex, identifiers: Declared) -> Iterator[Found]:
    names = index.names
    for pair in unique(names.identifiers_of(id_), names.type_of(id_), identifiers):
        for other in names.identified(*pair):
            yield from _pair(index, id_, other, 1.0, "identifier")


def _by_name(id_: str, index: GroupIndex) -> Iterator[Found]:
    names = index.names
    for key in map(name_key, names.names[id_]):
        near = names.like(key)
        for other in names.keyed(key):
            # "Sarnbridge Dairy" may be misread as a person; "Mercury" is many things.
            if " " in key and other > id_ and not may_be_one(id_, other, index):
                yield from _pair(index, id_, other, ALIKE, "name", any_type=True)
        for other in dict.fromkeys((*names.keyed(key), *near[:_COMPARED])):
            # Each pair is met from both sides, and worked out from one.
            if other > id_ and may_be_one(id_, other, index):
                score = max(likeness(key, name_key(name)) for name in names.names[other])
                if score >= ALIKE:
                    yield from _pair(index, id_, other, score, "name")
        longer = in_full(key, index, lambda other: may_be_one(id_, other, index))
        if len(longer) == 1:
            yield from _pair(index, id_, longer[0], ALIKE, "name")


def _by_attributes(id_: str, index: GroupIndex) -> Iterator[Found]:
    names = index.names
    for other in sharing_attributes(names.identifiers_of(id_), index):
        if other > id_ and may_be_one(id_, other, index):
            pairs = product(names.names[id_], names.names[other])
            score = max(likeness(name_key(name), name_key(like)) for name, like in pairs)
            yield from _pair(index, id_, other, score, "attributes")


async def _by_meaning(ids: list[str], index: GroupIndex) -> list[Found]:
    rows = [index.entities.row_of[id_] for id_ in ids]
    vectors = index.entities.vectors.rows(np.array(rows, dtype=np.intp))
    pairs = await anyio.to_thread.run_sync(close_pairs, vectors, CLOSE)
    return [
        proposal
        for (left, right), cosine in pairs.items()
        if means_alike(ids[left], ids[right], index)
        for proposal in _pair(index, ids[left], ids[right], cosine, "meaning")
    ]


def _pair(
    index: GroupIndex, entity: str, other: str, score: float, why: str, *, any_type: bool = False
) -> Iterator[Found]:
    entity, other = index.heirs.of(entity), index.heirs.of(other)
    if entity != other and (any_type or may_be_one(entity, other, index)):
        yield (min(entity, other), max(entity, other)), min(score, 1.0), why


async def _known_to_differ(index: GroupIndex, store: Store) -> set[Pair]:
    """Return the pairs that a person, a split or an arbiter found to be two."""
    heir = index.heirs.of
    pairs = ((heir(id_), heir(other)) for id_, other in await distinctions(store, index.group_id))
    return {(min(pair), max(pair)) for pair in pairs}


def _stands(id_: str, index: GroupIndex) -> bool:
    removed = index.entities["removed"][index.entities.row_of[id_]] != FOREVER
    return not removed and id_ not in index.heirs and index.entity_type(id_) not in PLAIN
