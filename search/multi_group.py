"""Search over several groups as if they were one.

Scores do not compare across groups. Each group proposes candidates by the joint word counts; with
their surroundings they form one small index that is ranked. Namesakes of two groups stay two.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from graphrag.index.entries import Statistics
from graphrag.index.group import GroupIndex
from graphrag.index.hops import edges_reached
from graphrag.index.incidence import Mentions, Sources
from graphrag.index.lazy import AsideColumn
from graphrag.index.load import assembled, read_rows
from graphrag.index.read_lazy import read_mentions
from graphrag.index.tables import Rows
from graphrag.protocols import Embedder
from graphrag.search.candidates.around import Ranking, around
from graphrag.search.candidates.limits import LIMITS
from graphrag.search.filters.masks import prepare
from graphrag.search.limits import limited
from graphrag.search.multi_request import TABLE_OF, TABLES, Asked, Part, reached, rows_of, seen_of
from graphrag.search.pipeline import rank
from graphrag.search.question import Question, ask
from graphrag.search.request import MOST, Request
from graphrag.search.rewind import Past, index_then
from graphrag.search.within import Within
from graphrag.store.store import Store
from graphrag.text.tokens import tokenize

ByTable = Mapping[str, dict[str, list[Any]]]
"""Rows by table and id."""


async def join(
    parts: Sequence[Part], asked: Asked, store: Store, embedder: Embedder
) -> tuple[Request, GroupIndex, Past]:
    """Return one index of what a search of several groups must look at, and what to undo in it.

    The request comes back with the part of each group that is in reach.
    """
    request, dimension = asked.request, len(asked.vector)
    near = request.asks_near_episodes
    then: list[Part] = []
    for part in parts:
        by_saga = bool(request.sagas)
        if near and not part.past:
            await read_mentions(store, part.index)
        index = await index_then(part.index, part.past, store, embedder, mentions=by_saga or near)
        if request.where is not None:
            await prepare(request.where, index, store)
        then.append(Part(index, part.past))
    if isinstance(request.within, Within):
        request = replace(request, within=reached(request.within, then, asked))
        asked = replace(asked, request=request)
    terms = tokenize(request.query)
    counts = {
        table: _together(part.rows()[table].postings.statistics(terms) for part in then)
        for table in TABLES
    }
    wanted: dict[str, set[str]] = {table: set() for table in (*TABLES, "passage")}
    for part in then:
        for table, ids in _candidates(part, asked, counts).items():
            wanted[table] |= ids
        wanted["episode"] |= _of_sagas(request.sagas, part)
        _complete(wanted, part.index)
    past = Past.joint([part.past for part in parts])
    rows = await _read(store, wanted, {})
    joint = _assembled(request, rows, counts, dimension, then)
    more = await around(store, _question(joint, past, asked), _ranking(past, asked))
    for part in then:
        _complete(more.wanted, part.index)
    rows = await _read(store, more.wanted, rows)
    return request, _assembled(request, rows, counts, dimension, then, more.mentions), past


async def _read(store: Store, wanted: Mapping[str, set[str]], known: ByTable) -> ByTable:
    """Return the known rows with those that are wanted and not among them."""
    missing = {table: ids - known.get(table, {}).keys() for table, ids in wanted.items()}
    rows = {table: dict(some) for table, some in known.items()}
    for table, found in (await read_rows(store, missing)).items():
        rows.setdefault(table, {}).update((row[0], row) for row in found)
    return rows


def _candidates(part: Part, asked: Asked, counts: Mapping[str, Statistics]) -> dict[str, set[str]]:
    """Return the ids that one group proposes."""
    known = tuple(one for one in asked.request.centers if _knows(part.index, one))
    with _assuming(part.index, counts):
        ranked = rank(
            replace(_plain(asked.request), centers=known),
            part.index,
            asked.vector,
            asked.viewpoint,
            part.past,
            now=asked.now,
        )
    found = {TABLE_OF[scope]: set(ranked.ids(scope)) for scope in asked.request.scopes}
    question = ranked.question
    if asked.request.recipe.walks:
        walked = question.walked
        near, far = edges_reached(question.distance, *walked.ends, walked.facts, walked.facts_at)
        near = near[np.argsort(far, kind="stable")][: LIMITS.walk]
        found.setdefault("relates_to", set()).update(part.index.facts.ids[row] for row in near)
        seeds = (part.index.entities.ids[row] for row in question.seeds)
        found.setdefault("entity", set()).update(seeds)
    return found


def _of_sagas(sagas: Collection[str], part: Part) -> set[str]:
    """Return the episodes of the sagas that the filter names, now or in the past."""
    index = part.index
    codes = [index.saga_code(name) for name in sagas if name in index.sagas]
    rows = np.flatnonzero(np.isin(index.episodes["saga"], codes))
    then = {id_ for id_, image in part.past.images("episode") if image.get("saga") in sagas}
    return {index.episodes.ids[row] for row in rows} | (then & index.episodes.row_of.keys())


def _knows(index: GroupIndex, name: str) -> bool:
    return name in index.entities.row_of or bool(index.entities_named(name))


def _complete(wanted: dict[str, set[str]], index: GroupIndex) -> None:
    """Add what rows cannot be without: the ends of facts, all that speak through an entity."""
    row_of, ids = index.facts.row_of, index.entities.ids
    rows = [row_of[id_] for id_ in wanted.get("relates_to", ()) if id_ in row_of]
    ends = {ids[row] for side in ("subject", "object") for row in index.facts[side][rows].tolist()}
    known = {id_ for id_ in wanted.get("entity", ()) if id_ in index.entities.row_of}
    kin = {one for id_ in ends | known for one in index.heirs.family(id_)}
    wanted.setdefault("entity", set()).update(ends | kin)


def _assembled(
    request: Request,
    rows: ByTable,
    counts: Mapping[str, Statistics],
    dimension: int,
    parts: Iterable[Part],
    mentions: Iterable[tuple[str, str]] = (),
) -> GroupIndex:
    found: dict[str, Rows] = {table: [*some.values()] for table, some in rows.items()}
    joint = assembled(request.group, dimension, found)
    for table, statistics in counts.items():
        rows_of(joint)[table].postings.assume(statistics)
    episodes, entities = joint.episodes, joint.entities
    episodes.mentions = Mentions(joint.seq)
    episodes.mentions.enter(
        (episodes.row_of[episode], entities.row_of[entity])
        for episode, entity in mentions
        if episode in episodes.row_of and entity in entities.row_of
    )
    episodes.sources = Sources(joint.seq)
    for part in parts:
        _mark(joint, part.index)
        if request.where is not None and request.where.names("saga"):
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
            (ours.row_of[theirs.ids[episode]], known.row_of[scope.ids[other]])
            for episode, other in pairs
            if scope.ids[other] in known.row_of
        )


def _mark(joint: GroupIndex, index: GroupIndex) -> None:
    """Take over the columns that filters read, and which group each row is of."""
    for table, rows in rows_of(joint).items():
        source = rows_of(index)[table]
        mine = [
            (row, source.row_of[id_]) for id_, row in rows.row_of.items() if id_ in source.row_of
        ]
        group = rows.aside.setdefault("group_id", AsideColumn("group_id", joint.seq))
        for row, _ in mine:
            group.put(row, index.group_id)
        for name, column in source.aside.items():
            taken = rows.aside.setdefault(name, AsideColumn(name, joint.seq))
            for row, there in mine:
                taken.copy(row, column, there)
    joint.sagas.update(index.sagas)


def _question(joint: GroupIndex, past: Past, asked: Asked) -> Question:
    seen, when, at = seen_of(joint, past, asked)
    if asked.request.within is not None:
        seen = limited(asked.request.within, joint, seen)
    return ask(asked.request, joint, asked.vector, seen, when, now=at)


def _ranking(past: Past, asked: Asked) -> Ranking:
    async def ids(question: Question) -> dict[str, list[str]]:
        ranked = rank(
            _plain(asked.request),
            question.index,
            asked.vector,
            asked.viewpoint,
            past,
            now=asked.now,
        )
        return {scope: ranked.ids(scope) for scope in asked.request.scopes}

    return ids


def _plain(request: Request) -> Request:
    """Return the request for all candidates, before anything reranks or leaves out any."""
    recipe = replace(request.recipe, rerank=(), min_score=0)
    return replace(request, limit=MOST, recipe=recipe)


@contextmanager
def _assuming(index: GroupIndex, counts: Mapping[str, Statistics]) -> Iterator[None]:
    """Let a group score words as part of a larger whole; nothing may be awaited inside."""
    with ExitStack() as stack:
        for table, statistics in counts.items():
            postings = rows_of(index)[table].postings
            stack.callback(postings.assume, postings.assumed)
            postings.assume(statistics)
        yield


def _together(parts: Iterable[Statistics]) -> Statistics:
    known = list(parts)
    terms = {term for statistics in known for term in statistics.frequencies}
    return Statistics(
        sum(statistics.texts for statistics in known),
        sum(statistics.terms for statistics in known),
        {term: sum(statistics.frequencies.get(term, 0) for statistics in known) for term in terms},
    )
