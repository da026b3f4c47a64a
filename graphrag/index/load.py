"""Read a group from the store into columns, and keep it fresh."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag.display.lists import Group
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.tables import (
    COLUMNS,
    NEVER,
    Page,
    Rows,
    ahead,
    by_group,
    by_ids,
    pages,
    readable,
    scopes_of,
    tied,
)
from graphrag.index.texts import community_text
from graphrag.index.vectors import from_bytes
from graphrag.model.assertion import latest_first
from graphrag.model.values import Entity, Episode, Fact
from graphrag.store.assertions import name_values
from graphrag.store.changes import FORGET, REPAIR
from graphrag.store.groups import read_size
from graphrag.store.record import Record
from graphrag.store.store import Store

_WORDS = frozenset({"subject", "name", "object", "text"})
"""Columns of a fact that it is found by."""
_LARGE = 2_000
"""Rows from which it matters how they are read."""
_EVENTS = 500
_CHANGES = 2_000
"""Read at a time, about: an event has one, or the thousand rows of a batch."""


async def load_group(store: Store, group: str, dimension: int) -> GroupIndex:
    """Read every row of a group; about 30 µs a fact."""
    index = GroupIndex(group, dimension)
    # The event number first: a commit of another process during the load is then seen as news.
    index.seq = await store.last_seq(group)
    index.sagas = await read_sagas(store, group)
    if own := await read_size(group, store.query):
        index.facts.vectors.reserve(own.facts)
        index.entities.vectors.reserve(own.entities)
    # Looking at the sizes of all groups takes longer than reading a small one.
    if _size(own) < _LARGE or 2 * _size(own) < sum(map(_size, await store.group_sizes())):
        await asyncio.to_thread(_enter, index, await by_group(store, group))
        return index
    async for table, rows in ahead(pages(store, group)):
        # In a thread: the event loop stays free, and the next page is asked for at once.
        await asyncio.to_thread(_fill, index, table, rows)
    await asyncio.to_thread(_prepare, index)
    return index


def _enter(index: GroupIndex, found: Iterable[Page]) -> None:
    for table, rows in found:
        _fill(index, table, rows)
    _prepare(index)


def _prepare(index: GroupIndex) -> None:
    """Make what the first search would wait for: sorted words, codes of the vectors, titles."""
    for scope in scopes_of(index).values():
        scope.postings.settle()
        scope.vectors.prepare()
    index.episodes.titles.catch_up(index.episodes.postings)


def _size(group: Group | None) -> int:
    return 0 if group is None else group.facts + group.entities + group.episodes


async def read_rows(store: Store, wanted: Mapping[str, Collection[str]]) -> dict[str, Rows]:
    """Read some rows by table and id, those that exist, in one round trip."""
    tables = [table for table in COLUMNS if wanted.get(table)]
    if not tables:
        return {}
    found = await store.query(
        "".join(f"SELECT VALUE {COLUMNS[table]} FROM ${table};" for table in tables),
        **{table: [Record(table, id_) for id_ in wanted[table]] for table in tables},
    )
    return dict(zip(tables, found, strict=True))


def assembled(group: str, dimension: int, rows: Mapping[str, Rows]) -> GroupIndex:
    """Return an index of some rows of a group, in the order of a loaded one: by id."""
    index = GroupIndex(group, dimension)
    enter_rows(index, rows)
    return index


def enter_rows(index: GroupIndex, rows: Mapping[str, Rows]) -> None:
    """Append rows by table, in the order of their ids; what they point to is there or with them."""
    for table in COLUMNS:
        _fill(index, table, sorted(rows.get(table, ()), key=itemgetter(0)))


async def refresh_group(store: Store, index: GroupIndex) -> bool:
    """Take in what others committed to the group since the index was last in step.

    False if something was forgotten or repaired meanwhile: then the group is to be read anew.
    """
    seq = index.seq
    touched: dict[str, set[str]] = defaultdict(set)
    gone: set[tuple[str, str]] = set()
    reworded: set[str] = set()
    """Facts that are found by other words now."""
    limit = 2
    while events := await store.events(index.group_id, after=seq, limit=limit):
        seq = events[-1].seq
        if any(event.kind in (FORGET, REPAIR) for event in events):
            return False
        for change in chain.from_iterable(event.changes for event in events):
            table, _, id_ = change.record.partition(":")
            if change.after is None and table in COLUMNS:
                touched[table].discard(id_)
                gone.add((table, id_))
            else:
                touched[table].add(id_)
                if table == "relates_to" and change.after and not _WORDS.isdisjoint(change.after):
                    reworded.add(id_)
        if len(events) < limit:
            break
        changes = sum(len(event.changes) for event in events)
        limit = min(_EVENTS, max(1, limit * _CHANGES // max(changes, 1)))
    for table, id_ in gone:
        _forget(index, table, id_)
    for id_ in touched["community"]:  # read anew: nothing points at its row
        _forget(index, "community", id_)
    for table in COLUMNS:
        row_of = scopes_of(index)[table].row_of
        known = {id_ for id_ in touched[table] if id_ in row_of}
        async for _, rows in ahead(by_ids(store, table, sorted(touched[table] - known))):
            _fill(index, table, rows)
        touched[table] &= known
    for entity in (await store.get(Entity, touched["entity"])).values():
        index.change_entity(entity)
    for episode in (await store.get(Episode, touched["episode"])).values():
        index.change_episode(episode)
    for fact in (await store.get(Fact, touched["relates_to"])).values():
        index.change_fact(fact)
    await _reword(store, index, reworded & touched["relates_to"])
    if touched["saga"]:
        index.sagas = await read_sagas(store, index.group_id)
    index.seq = seq
    return True


async def _reword(store: Store, index: GroupIndex, facts: set[str]) -> None:
    """Take over the words and vectors of facts that were changed by hand."""
    async for _, rows in by_ids(store, "relates_to", sorted(facts)):
        vectors = from_bytes([row[1] for row in rows], index.facts.vectors.dimension)
        for row, vector in zip(rows, vectors, strict=True):
            index.facts.replace(row[0], vector=vector, text=_words(row))


def _words(row: list[Any]) -> str:
    return f"{row[5]} {row[4].replace('_', ' ')} {row[6]}. {row[7]}"


async def read_sagas(store: Store, group: str) -> dict[str, str]:
    """Return the ids of the sagas of a group by name."""
    sql = "SELECT VALUE [name, record::id(id)] FROM saga WHERE group_id = $group;"
    [rows] = await store.query(sql, group=group)
    return dict(rows)


def _forget(index: GroupIndex, table: str, id_: str) -> None:
    scope = scopes_of(index)[table]
    if id_ in scope.row_of:
        scope.remove(id_)
    if table == "entity":
        index.summarize(id_, "")


def _fill(index: GroupIndex, table: str, rows: Rows) -> None:
    rows = tied(index, table, rows)
    if not rows:
        return
    vectors, blank = readable(index, table, rows)
    ids = [row[0] for row in rows]
    if table == "entity":
        texts = [" ".join((row[3], *row[4])) for row in rows]
        types = [index.type_code(row[2]) for row in rows]
        removed = _moments([row[8] for row in rows], FOREVER)
        endings = [row[9] for row in rows]
        index.entities.extend(
            ids, vectors, texts, {"type": types, "removed": removed, "endings": endings}
        )
        for id_, _, kind, name, aliases, summary, attributes, merged_into, _, _, said in rows:
            called = latest_first(name, aliases, name_values(said or ()))
            index.register_entity(id_, kind, called, attributes, merged_into and merged_into.id)
            index.summarize(id_, summary)
    elif table == "relates_to":
        row_of = index.entities.row_of
        index.facts.extend(
            ids,
            vectors,
            [_words(row) for row in rows],
            {
                "subject": [row_of[row[2]] for row in rows],
                "object": [row_of[row[3]] for row in rows],
                "relation": [index.relation_code(row[4]) for row in rows],
                "valid": _moments([row[8] for row in rows], BEGINNING),
                "invalid": _moments([row[9] for row in rows], FOREVER),
                "retracted": _moments([row[10] for row in rows], FOREVER),
                "pending": [row[11] for row in rows],
                "observed": [row[12] for row in rows],
            },
        )
    elif table == "episode":
        times = np.array([row[4] for row in rows], dtype=np.int64)
        removed = _moments([row[5] for row in rows], FOREVER)
        sagas = np.array([index.saga_code(row[6]) for row in rows], dtype=np.int32)
        said = [(row[7], row[2], row[8]) for row in rows]
        index.episodes.enter(
            ids, vectors, said, {"valid": times, "removed": removed, "saga": sagas}
        )
        for id_, _, _, content_hash, valid_at, gone, _, _, _, key in rows:
            index.timeline.enter(id_, content_hash, valid_at, key, stands=gone == NEVER)
    elif table == "passage":
        index.add_passages(ids, [row[2] for row in rows], vectors)
    elif table == "community":
        texts = [community_text(name, summary) for _, _, name, summary in rows]
        index.communities.extend(ids, vectors, texts, {})
    scope = scopes_of(index)[table]
    for id_ in blank:
        scope.vectors.blank(scope.row_of[id_])


def _moments(micros: list[int], missing: int) -> npt.NDArray[np.int64]:
    values = np.array(micros, dtype=np.int64)
    values[values == NEVER] = missing
    return values
