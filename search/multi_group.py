"""Search over several groups as if they were one.

Scores do not compare across groups. Each group proposes candidates by the joint word counts; with
their surroundings they form one small index that is ranked. Namesakes of two groups stay two.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from graphrag.engine.lookup import Reading, read_part
from graphrag.errors import QueryError
from graphrag.index.bm25 import Statistics
from graphrag.index.edges import edges_reached
from graphrag.index.entries import Links
from graphrag.index.group import GroupIndex
from graphrag.index.load import assembled, read_rows
from graphrag.index.scope import AsideColumn
from graphrag.index.tables import Rows, read_mentions
from graphrag.protocols import Embedder, Matrix
from graphrag.search.candidates import LIMITS
from graphrag.search.gather import reranked
from graphrag.search.masks import prepare
from graphrag.search.near import bearers
from graphrag.search.pipeline import candidate_ids
from graphrag.search.question import Question, ask, walked_rows
from graphrag.search.recipe import TABLES
from graphrag.search.request import Request
from graphrag.search.results import Trace
from graphrag.search.rewind import Rewind, mention_rows, rewound_index
from graphrag.search.within import Reach, Within, reach
from graphrag.store.links import Pair
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint
from graphrag.text.tokens import tokenize

ByTable = Mapping[str, dict[str, list[Any]]]
"""Rows by table and id."""


@dataclass(frozen=True, slots=True)
class GroupPart:
    """One of the groups."""

    index: GroupIndex
    past: Rewind


@dataclass(frozen=True, slots=True)
class Asked:
    """What is searched for."""

    request: Request
    vector: Matrix
    viewpoint: Viewpoint
    now: datetime

    def of(self, part: GroupPart) -> Question:
        """Return the question to one group, or to the joint index."""
        index, past, view = part.index, part.past, self.viewpoint
        return ask(self.request, index, self.vector, view, past, now=self.now, partial=True)


async def join(
    parts: Sequence[GroupPart], asked: Asked, store: Store, embedder: Embedder
) -> tuple[Request, GroupIndex, Rewind]:
    """Return one index of what a search of several groups must look at, and what to undo in it.

    The request comes back with the part of each group that is in reach.
    """
    request, dimension = asked.request, len(asked.vector)
    near = request.asks_near_episodes
    then: list[GroupPart] = []
    for part in parts:
        if near and not part.past:
            await read_mentions(store, part.index)
        linked = near or bool(request.sagas)
        index = await rewound_index(part.index, part.past, store, embedder, mentions=linked)
        if request.where is not None:
            await prepare(request.where, index, store)
        then.append(GroupPart(index, part.past))
    if isinstance(request.within, Within):
        request = replace(request, within=_reached(request.within, then, asked))
        asked = replace(asked, request=request)
    terms = tokenize(request.query)
    counts = {
        table: _together(part.index.scopes[table].postings.statistics(terms) for part in then)
        for table in TABLES.values()
    }
    wanted: dict[str, set[str]] = {table: set() for table in (*counts, "passage")}
    for part in then:
        for table, ids in _candidates(part, asked, counts).items():
            wanted[table] |= ids
        wanted["episode"] |= _of_sagas(request.sagas, part)
        _complete(wanted, part.index)
    past = Rewind.joint([part.past for part in parts])
    rows = await _read(store, wanted, {})
    joint = _assembled(request, rows, counts, dimension, then)
    wanted, mentions = await _around(store, asked.of(GroupPart(joint, past)))
    for part in then:
        _complete(wanted, part.index)
    rows = await _read(store, wanted, rows)
    return request, _assembled(request, rows, counts, dimension, then, mentions), past


def _reached(within: Within, parts: Iterable[GroupPart], asked: Asked) -> Reach:
    near, strange, request = Reach(), set(within.names), asked.request
    for part in parts:
        *_, seen = walked_rows(
            request, part.index, asked.viewpoint, part.past, Trace(), now=asked.now, partial=True
        )
        strange -= {name for name in strange if bearers(name, part.index, seen)}
        near |= reach(seen, part.index)
    if strange:
        raise QueryError(
            f"within {min(strange)!r}: no entity has this name or id in groups {request.group}"
        )
    return near


async def _around(store: Store, question: Question) -> tuple[dict[str, set[str]], list[Pair]]:
    """Return what is to be read around the candidates of several groups, and what mentions what."""
    rows, mentions = await reranked(store, question), list[Pair]()
    if question.searches("episodes"):
        episodes = {"episode": question.index.episodes.ids}
        fresh, mentions = await read_part(store, Reading(episodes, question.now, {}, LIMITS.linked))
        for table in ("entity", "episode", "passage"):
            rows[table] = rows.get(table, set()) | {str(row[0]) for row in fresh[table]}
    return rows, mentions


async def _read(store: Store, wanted: Mapping[str, set[str]], known: ByTable) -> ByTable:
    """Return the known rows with those that are wanted and not among them."""
    missing = {table: ids - known.get(table, {}).keys() for table, ids in wanted.items()}
    rows = {table: dict(by_id) for table, by_id in known.items()}
    for table, fresh in (await read_rows(store, missing)).items():
        rows.setdefault(table, {}).update((row[0], row) for row in fresh)
    return rows


def _candidates(
    part: GroupPart, asked: Asked, counts: Mapping[str, Statistics]
) -> dict[str, set[str]]:
    """Return the ids that one group proposes, before anything reranks or leaves out any."""
    index, request = part.index, asked.request
    with _assuming(index, counts):
        question = asked.of(part)
        proposed = {TABLES[scope]: {*ids} for scope, ids in candidate_ids(question).items()}
    if request.recipe.walks:
        walked = question.walked
        near, far = edges_reached(question.distance, *walked.ends, walked.facts, walked.facts_at)
        near = near[np.argsort(far, kind="stable")][: LIMITS.walk]
        proposed.setdefault("relates_to", set()).update(index.facts.ids[row] for row in near)
        seeds = (index.entities.ids[row] for row in question.seeds)
        proposed.setdefault("entity", set()).update(seeds)
    return proposed


def _of_sagas(sagas: frozenset[str], part: GroupPart) -> set[str]:
    """Return the episodes of the sagas that the filter names, now or in the past."""
    index = part.index
    codes = [index.saga_code(name) for name in sagas if name in index.sagas]
    rows = np.flatnonzero(np.isin(index.episodes["saga"], codes))
    then = {id_ for id_, image in part.past.images("episode") if image.get("saga") in sagas}
    return {index.episodes.ids[row] for row in rows} | (then & index.episodes.row_of.keys())


def _complete(wanted: dict[str, set[str]], index: GroupIndex) -> None:
    """Add what rows cannot be without: the ends of facts, all that speak through an entity."""
    row_of, ids = index.facts.row_of, index.entities.ids
    rows = [row_of[id_] for id_ in wanted.get("relates_to", ()) if id_ in row_of]
    ends = {ids[row] for side in ("subject", "object") for row in index.facts[side][rows].tolist()}
    known = {id_ for id_ in wanted.get("entity", ()) if id_ in index.entities.row_of}
    kin = {member for id_ in ends | known for member in index.heirs.family(id_)}
    wanted.setdefault("entity", set()).update(ends | kin)


def _assembled(
    request: Request,
    rows: ByTable,
    counts: Mapping[str, Statistics],
    dimension: int,
    parts: Iterable[GroupPart],
    mentions: Iterable[tuple[str, str]] = (),
) -> GroupIndex:
    lists: dict[str, Rows] = {table: [*by_id.values()] for table, by_id in rows.items()}
    joint = assembled(request.group, dimension, lists)
    for table, statistics in counts.items():
        joint.scopes[table].postings.assumed = statistics
    joint.episodes.mentions, joint.episodes.sources = Links(joint.seq), Links(joint.seq)
    joint.episodes.mentions.enter(mention_rows(mentions, joint))
    for part in parts:
        _mark(joint, part.index)
        if request.sagas:
            _link(joint, part.index)
    return joint


def _link(joint: GroupIndex, index: GroupIndex) -> None:
    """Take over what the episodes tell of, which a filter by saga looks at."""
    ours, theirs = joint.episodes, index.episodes
    rows = [theirs.row_of[id_] for id_ in ours.row_of if id_ in theirs.row_of]
    for mine, links, known, scope in (
        (ours.mentions, theirs.mentions, joint.entities, index.entities),
        (ours.sources, theirs.sources, joint.facts, index.facts),
    ):
        assert mine is not None and links is not None
        pairs = zip(*links.of_left(rows), strict=True)
        mine.enter(
            (ours.row_of[theirs.ids[episode]], known.row_of[scope.ids[right]])
            for episode, right in pairs
            if scope.ids[right] in known.row_of
        )


def _mark(joint: GroupIndex, index: GroupIndex) -> None:
    """Take over the columns that filters read, and which group each row is of."""
    for table in TABLES.values():
        rows, source = joint.scopes[table], index.scopes[table]
        there = source.row_of
        mine = {row: there[id_] for id_, row in rows.row_of.items() if id_ in there}
        group = rows.aside.setdefault("group_id", AsideColumn("group_id", joint.seq))
        group.fill([*mine], [index.group_id] * len(mine))
        for name, column in source.aside.items():
            taken = rows.aside.setdefault(name, AsideColumn(name, joint.seq))
            taken.take([*mine], column, [*mine.values()])
    joint.sagas.update(index.sagas)


@contextmanager
def _assuming(index: GroupIndex, counts: Mapping[str, Statistics]) -> Iterator[None]:
    """Let a group score words as part of a larger whole; nothing may be awaited inside."""
    with ExitStack() as stack:
        for table, statistics in counts.items():
            postings = index.scopes[table].postings
            stack.callback(setattr, postings, "assumed", postings.assumed)
            postings.assumed = statistics
        yield


def _together(parts: Iterable[Statistics]) -> Statistics:
    texts, terms, frequencies = 0, 0, Counter[str]()
    for statistics in parts:
        texts, terms = texts + statistics.texts, terms + statistics.terms
        frequencies.update(statistics.frequencies)
    return Statistics(texts, terms, frequencies)
