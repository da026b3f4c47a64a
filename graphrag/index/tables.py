"""What of each table is read into columns, at once or on first use, tolerant of damaged rows.

Moments travel as integer microseconds and vectors as bytes: decoding a datetime costs ten times an
integer. A row without a vector is found by words alone, a dangling link is left out; both are
logged, and ``health`` finds and repairs them.
"""

import logging
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from graphrag.index.entries import Links
from graphrag.index.group import GroupIndex
from graphrag.index.scope import AsideColumn, ScopeIndex
from graphrag.index.texts import NEVER
from graphrag.index.vectors import from_bytes, norms_of
from graphrag.model.values import Event
from graphrag.protocols import Matrix
from graphrag.store.pages import paged
from graphrag.store.record import LINKED, Record, id_of
from graphrag.store.store import Store

_LOG = logging.getLogger("graphrag")


def _micros(column: str) -> str:
    return f"time::micros({column} ?? d'0000-01-01T00:00:00Z')"


_START = "(IF closed_as = 'past' { invalid_at } ELSE { valid_at })"
"""What merely was holds at no moment: it begins where it is over."""
Rows = list[list[Any]]
Page = tuple[str, Rows]
"""A table and some of its rows."""

PAGE = 2_000
_FEW = 500  # rows that are read by their ids: the index may hold a part of the group only
COLUMNS = {
    "entity": (
        "[record::id(id), embedding, entity_type, name, aliases ?? [], summary, attributes ?? {}, "
        f"merged_into, {_micros('removed_at')}, endings != NONE, names]"
    ),
    "relates_to": (
        "[record::id(id), embedding, record::id(in), record::id(out), name, subject, object, text, "
        f"{_micros(_START)}, {_micros('invalid_at')}, {_micros('retracted_at')}, "
        "pending ?? false, observed ?? false]"
    ),
    "episode": (
        "[record::id(id), embedding, content, content_hash, time::micros(valid_at), "
        f"{_micros('removed_at')}, saga, name, source, key]"
    ),
    "passage": "[record::id(id), embedding, record::id(episode)]",
    "community": "[record::id(id), embedding, name, summary]",
}


async def by_group(store: Store, group: str) -> list[Page]:
    """Read the rows of a group through the index of groups, in one round trip."""
    sql = "".join(
        f"SELECT VALUE {columns} FROM {table} WHERE group_id = $group;"
        for table, columns in COLUMNS.items()
    )
    return list(zip(COLUMNS, await store.query(sql, group=group), strict=True))


def pages(store: Store, group: str, table: str) -> AsyncIterator[Rows]:
    """Read a whole table in the order of its ids, half the cost of reading it by group."""

    async def ask(last: list[Any] | None) -> Rows:
        # A range: ``WHERE id > $after`` reads the table from its beginning each time.
        source = f"type::record('{table}', $after>..) WHERE group_id = $group"
        sql = f"SELECT VALUE {COLUMNS[table]} FROM {source} LIMIT {PAGE};"
        [rows] = await store.query(sql, after="" if last is None else last[0], group=group)
        return list(rows)

    return paged(ask, PAGE)


def tied(index: GroupIndex, table: str, rows: Rows) -> Rows:
    """Return the rows without those that lead to a record that is not there."""
    if table == "relates_to":
        known = index.entities.row_of
        left = [row for row in rows if row[2] in known and row[3] in known]
    elif table == "passage":
        left = [row for row in rows if row[2] in index.episodes.row_of]
    else:
        return rows
    if len(left) < len(rows):
        _LOG.warning(
            "group %r: %d rows of %s have no target and are left out; health.check() lists them",
            index.group_id,
            len(rows) - len(left),
            table,
        )
    return left


def readable(index: GroupIndex, table: str, rows: Rows) -> tuple[Matrix, list[str]]:
    """Decode the vectors of rows, and return the ids of rows that have no usable one besides."""
    dimension = index.entities.vectors.dimension
    size, missing = 4 * dimension, bytes(4 * dimension)
    blobs = (row[1] for row in rows)
    sound = [blob if isinstance(blob, bytes) and len(blob) == size else missing for blob in blobs]
    vectors = from_bytes(sound, dimension)
    with np.errstate(over="ignore", invalid="ignore"):
        norms = norms_of(vectors)
    bad = np.flatnonzero(~(np.isfinite(norms) & (norms > 0)))
    if len(bad):
        vectors = vectors.copy()
        vectors[bad] = 1
        _LOG.warning(
            "group %r: %d rows of %s have no usable vector and are found by their words alone; "
            "health.repair() embeds them anew",
            index.group_id,
            len(bad),
            table,
        )
    return vectors, [rows[place][0] for place in bad.tolist()]


async def read_aside(
    store: Store, index: GroupIndex, wanted: Mapping[str, Collection[str]]
) -> None:
    """Have these columns, by table, as of the newest event that is in the index, or a later one."""
    scopes = index.scopes
    for table, names in wanted.items():
        if missing := sorted(set(names) - scopes[table].aside.keys()):
            await _read(store, index, table, scopes[table], missing)
    while True:
        columns = [(table, name) for table, names in wanted.items() for name in names]
        seqs = [scopes[table].aside[name].seq for table, name in columns]
        if min(seqs, default=index.seq) >= index.seq:
            return
        events = await store.events(index.group_id, after=min(seqs))
        for table, name in columns:
            _catch_up(scopes[table].aside[name], table, scopes[table], events)


async def _read(
    store: Store, index: GroupIndex, table: str, scope: ScopeIndex, names: Iterable[str]
) -> None:
    # A commit during the read has a later number; taking it in once more changes nothing.
    columns = [AsideColumn(name, index.seq) for name in names]
    fields = (_micros(column.name) if column.moment else column.name for column in columns)
    few = len(scope.row_of) <= _FEW
    source = "$ids" if few else f"{table} WHERE group_id = $group"
    [stored] = await store.query(
        f"SELECT VALUE [record::id(id), {', '.join(fields)}] FROM {source};",
        ids=[Record(table, id_) for id_ in scope.row_of] if few else [],
        group=index.group_id,
    )
    known = [values for values in stored if values[0] in scope.row_of]
    rows = [scope.row_of[values[0]] for values in known]
    for place, column in enumerate(columns, start=1):
        values = [each[place] for each in known]
        if column.moment:
            values = [None if value == NEVER else value for value in values]
        if column.name in LINKED:
            values = [*map(id_of, values)]
        column.fill(rows, values)
        scope.aside[column.name] = column


def _catch_up(column: AsideColumn, table: str, scope: ScopeIndex, events: Iterable[Event]) -> None:
    """Take in what events changed that are not in the column yet."""
    for event in events:
        if event.seq <= column.seq:
            continue
        for change in event.changes:
            kind, _, id_ = change.record.partition(":")
            if kind == table and change.after and column.name in change.after:
                if id_ in scope.row_of:
                    column.fill([scope.row_of[id_]], [change.after[column.name]])
        column.seq = event.seq


Ids = tuple[str, str]
"""Of an episode, and of what it mentions or states."""
PairsOf = Callable[[str, Mapping[str, Any]], set[Ids]]
"""The pairs that the image of a record in the log has, given its id."""


async def read_mentions(store: Store, index: GroupIndex) -> Links:
    """Return the entities that each episode mentions, as of the newest event in the index."""
    episodes, entities, links = index.episodes, index.entities, index.episodes.mentions
    if links is None or not await _caught_up(links, store, index, "mentions", entities, _mentioned):
        source = "$rows->mentions" if index.is_part else "mentions WHERE group_id = $group"
        what = "[record::id(in), record::id(out)]"
        links, pairs = await _read_links(store, index, what, source, "episode", episodes)
        links.enter(_rows(pairs, index, entities))
        episodes.mentions = links
    return links


async def read_sources(store: Store, index: GroupIndex) -> Links:
    """Return the facts that each episode states, as of the newest event in the index."""
    episodes, facts, links = index.episodes, index.facts, index.episodes.sources
    if links is None or not await _caught_up(links, store, index, "relates_to", facts, _stated):
        source = "$rows" if index.is_part else "relates_to WHERE group_id = $group"
        what = "[record::id(id), sources.episode]"
        links, rows = await _read_links(store, index, what, source, "relates_to", facts)
        pairs = ((episode.id, fact) for fact, stated_by in rows for episode in stated_by)
        links.enter(_rows(pairs, index, facts))
        episodes.sources = links
    return links


async def _read_links(
    store: Store, index: GroupIndex, what: str, source: str, table: str, scope: ScopeIndex
) -> tuple[Links, list[Any]]:
    """Return empty links as of the newest event in the index, and what is to be entered."""
    links = Links(index.seq)  # before the query, as in ``_read``
    rows = [Record(table, id_) for id_ in scope.row_of] if index.is_part else []
    sql = f"SELECT VALUE {what} FROM {source};"
    [stored] = await store.query(sql, rows=rows, group=index.group_id)
    return links, stored


async def _caught_up(
    links: Links, store: Store, index: GroupIndex, table: str, others: ScopeIndex, pairs_of: PairsOf
) -> bool:
    """Take in what was committed since; False if a pair was taken back, which is rare."""
    if links.seq >= index.seq:
        return True
    seq, added = index.seq, set[Ids]()
    for event in await store.events(index.group_id, after=links.seq):
        for change in event.changes:
            kind, _, id_ = change.record.partition(":")
            if kind == table:
                after = pairs_of(id_, change.after or {})
                if not pairs_of(id_, change.before or {}) <= after:
                    return False
                added |= after
    links.enter(_rows(added, index, others))
    links.seq = seq
    return True


def _mentioned(_: str, image: Mapping[str, Any]) -> set[Ids]:
    if not {"in", "out"} <= image.keys():
        return set()
    episode, entity = (str(image[end]).partition(":")[2] for end in ("in", "out"))
    return {(episode, entity)}


def _stated(fact: str, image: Mapping[str, Any]) -> set[Ids]:
    return {(episode, fact) for episode in source_episodes(image)}


def source_episodes(image: Mapping[str, Any] | None) -> set[str]:
    """Return the ids of the episodes that the image of a fact in the log names as its sources."""
    return {span["episode"] for span in (image or {}).get("sources") or ()}


def _rows(ids: Iterable[Ids], index: GroupIndex, others: ScopeIndex) -> Iterator[tuple[int, int]]:
    """Yield the rows of pairs, as far as both are in the index."""
    episodes, rows = index.episodes.row_of, others.row_of
    for episode, goal in ids:
        if episode in episodes and goal in rows:
            yield episodes[episode], rows[goal]
