"""Read a group from the store into columns, and keep it fresh."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag.display.lists import Group
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.tables import COLUMNS, PAGE, Rows, by_group, pages, readable, tied
from graphrag.index.texts import NEVER, WORD_COLUMNS, row_of_value, row_words
from graphrag.model.assertion import latest_first
from graphrag.model.values import Entity, Episode, Fact
from graphrag.protocols import Matrix
from graphrag.store.assertions import name_values
from graphrag.store.changes import FORGET, REPAIR
from graphrag.store.groups import read_size, read_sizes
from graphrag.store.record import Record, id_of
from graphrag.store.rows import TABLES
from graphrag.store.store import Store
from graphrag.text.tokens import tokenize

_REWORDED = {table: frozenset(WORD_COLUMNS[table]) for table in ("relates_to", "entity")}
"""Columns of the words of rows, in tables where they may change."""
_LARGE = 2_000  # rows from which it matters how they are read
_EVENTS = 500
_CHANGES = 2_000  # read at a time, about: an event has one, or the thousand rows of a batch


async def load_group(store: Store, group: str, dimension: int) -> GroupIndex:
    """Read every row of a group; about 30 µs a fact."""
    index = GroupIndex(group, dimension)
    # The event number first: a commit of another process during the load is then seen as news.
    index.seq = await store.last_seq(group)
    index.sagas = await read_sagas(store, group)
    if own := await read_size(group, store):
        index.facts.vectors.reserve(own.facts)
        index.entities.vectors.reserve(own.entities)
    # Looking at the sizes of all groups takes longer than reading a small one.
    if _size(own) < _LARGE or 2 * _size(own) < sum(map(_size, await read_sizes(store))):
        for table, rows in await by_group(store, group):
            await asyncio.to_thread(_fill, index, table, rows)
    else:
        for table in COLUMNS:
            async for rows in pages(store, group, table):
                # In a thread: the event loop stays free, and the next page is asked for at once.
                await asyncio.to_thread(_fill, index, table, rows)
    await asyncio.to_thread(_prepare, index)
    return index


def _prepare(index: GroupIndex) -> None:
    """Make what the first search would wait for: sorted words, codes of the vectors, titles."""
    for scope in index.scopes.values():
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
    answers = await store.query(
        "".join(f"SELECT VALUE {COLUMNS[table]} FROM ${table};" for table in tables),
        **{table: [Record(table, id_) for id_ in wanted[table]] for table in tables},
    )
    return dict(zip(tables, answers, strict=True))


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
    """Facts and entities that are found by other words now."""
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
                if not _REWORDED.get(table, frozenset()).isdisjoint(change.after or ()):
                    reworded.add(id_)
        if len(events) < limit:
            break
        changes = sum(len(event.changes) for event in events)
        limit = min(_EVENTS, max(1, limit * _CHANGES // max(changes, 1)))
    for table, id_ in gone:
        _forget(index, table, id_)
    for id_ in touched["community"]:  # read anew: nothing points at its row
        _forget(index, "community", id_)
    ids = [(table, id_) for table in COLUMNS for id_ in sorted(touched[table])]
    for first in range(0, len(ids), PAGE):
        wanted: dict[str, list[str]] = defaultdict(list)
        for table, id_ in ids[first : first + PAGE]:
            wanted[table].append(id_)
        for table, rows in (await read_rows(store, wanted)).items():
            row_of = index.scopes[table].row_of
            known = [row for row in rows if row[0] in row_of]
            _fill(index, table, [row for row in rows if row[0] not in row_of])
            _change(index, table, tied(index, table, known), reworded)
    if touched["saga"]:
        index.sagas = await read_sagas(store, index.group_id)
    index.seq = seq
    return True


async def read_sagas(store: Store, group: str) -> dict[str, str]:
    """Return the ids of the sagas of a group by name."""
    sql = "SELECT VALUE [name, record::id(id)] FROM saga WHERE group_id = $group;"
    return dict((await store.query(sql, group=group))[0])


def _forget(index: GroupIndex, table: str, id_: str) -> None:
    index.scopes[table].leave([id_])
    if table == "entity":
        index.summarize(id_, "")


def enter_values(
    index: GroupIndex, values: Iterable[Entity | Fact | Episode], vectors: Mapping[str, Matrix]
) -> None:
    """Append what was just written, each with its vector; what it points to is there."""
    for kind, members in groupby(values, type):
        rows = [*map(row_of_value, members)]
        _append(index, TABLES[kind], rows, np.stack([vectors[row[0]] for row in rows]))


def change_values(index: GroupIndex, values: Iterable[Entity | Fact]) -> None:
    """Take over what is new of what was just written.

    A fact leads where it led: of a merged entity it names the heir, and its row the entity itself.
    """
    for kind, members in groupby(values, type):
        rows = [*map(row_of_value, members)]
        _change(index, TABLES[kind], rows, (), kept=("subject", "object", "relation"))


def enter_passages(
    index: GroupIndex, episode: str, ids: Iterable[str], vectors: Mapping[str, Matrix]
) -> None:
    """Append the passages of an episode that is there."""
    if named := [*ids]:
        rows = [[id_, None, episode] for id_ in named]
        _append(index, "passage", rows, np.stack([vectors[id_] for id_ in named]))


def _fill(index: GroupIndex, table: str, rows: Rows) -> None:
    if rows := tied(index, table, rows):
        vectors, blank = readable(index, table, rows)
        _append(index, table, rows, vectors)
        index.scopes[table].blank(blank)


def _append(index: GroupIndex, table: str, rows: Rows, vectors: Matrix) -> None:
    ids, columns = [row[0] for row in rows], _columns(index, table, rows)
    if table == "episode":
        texts = [(row[7], row[2], row[8]) for row in rows]
        index.episodes.enter(ids, vectors, texts, columns)
        for row in rows:
            index.timeline.enter(row[0], row[3], row[4], row[9], stands=row[5] == NEVER)
    else:
        index.scopes[table].extend(ids, vectors, [row_words(table, row) for row in rows], columns)
    if table == "entity":
        _register(index, rows)


def _change(
    index: GroupIndex, table: str, rows: Rows, reworded: Container[str], kept: Collection[str] = ()
) -> None:
    """Take over what is new of rows that are there; ``reworded`` have other words and vectors."""
    scope, columns = index.scopes[table], _columns(index, table, rows)
    anew = [row for row in rows if row[0] in reworded]
    vectors, blank = readable(index, table, anew) if anew else (np.empty((0, 0)), list[str]())
    vector_of = {row[0]: vector for row, vector in zip(anew, vectors, strict=True)}
    for place, row in enumerate(rows):
        values = {name: column[place] for name, column in columns.items() if name not in kept}
        vector = vector_of.get(row[0])
        text = row_words(table, row)
        known = vector is None and (table != "entity" or _has_words(index, row, text))
        scope.replace(row[0], vector, None if known else text, **values)
        if table == "episode":
            index.timeline.stand(row[0], row[3], row[4], row[9], stands=row[5] == NEVER)
    scope.blank(blank)
    if table == "entity":
        _register(index, rows)


def _has_words(index: GroupIndex, row: list[Any], text: str) -> bool:
    """Tell whether an entity is found by these words already."""
    if index.names.names[row[0]] != _names(row):
        return False
    # The dated name that comes first may be none of the aliases: then its words do not count.
    rows = np.array([index.entities.row_of[row[0]]])
    return len(tokenize(text)) == int(index.entities.postings.words_of(rows)[0])


def _names(row: list[Any]) -> tuple[str, ...]:
    return latest_first(row[3], row[4], name_values(row[10] or ()))


def _register(index: GroupIndex, rows: Rows) -> None:
    for row in rows:
        index.register_entity(row[0], row[2], _names(row), row[6], id_of(row[7]))
        index.summarize(row[0], row[5])


def _columns(index: GroupIndex, table: str, rows: Rows) -> Mapping[str, Any]:
    """Return the columns of rows, those of a fact's ends among them, which never change."""
    match table:
        case "entity":
            return {
                "type": [index.type_code(row[2]) for row in rows],
                "removed": _moments([row[8] for row in rows], FOREVER),
                "endings": [row[9] for row in rows],
            }
        case "relates_to":
            row_of = index.entities.row_of
            return {
                "subject": [row_of[row[2]] for row in rows],
                "object": [row_of[row[3]] for row in rows],
                "relation": [index.relation_code(row[4]) for row in rows],
                "valid": _moments([row[8] for row in rows], BEGINNING),
                "invalid": _moments([row[9] for row in rows], FOREVER),
                "retracted": _moments([row[10] for row in rows], FOREVER),
                "pending": [row[11] for row in rows],
                "observed": [row[12] for row in rows],
            }
        case "episode":
            return {
                "valid": np.array([row[4] for row in rows], dtype=np.int64),
                "removed": _moments([row[5] for row in rows], FOREVER),
                "saga": [index.saga_code(row[6]) for row in rows],
            }
        case "passage":
            return {"episode": [index.episodes.row_of[row[2]] for row in rows]}
    return {}


def _moments(micros: list[int], missing: int) -> npt.NDArray[np.int64]:
    values = np.array(micros, dtype=np.int64)
    values[values == NEVER] = missing
    return values
