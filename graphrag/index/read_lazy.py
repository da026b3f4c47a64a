"""Loading of columns on first use: filter fields, mentions and sources, kept up to date."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from graphrag.index.group import GroupIndex
from graphrag.index.incidence import Mentions, Sources
from graphrag.index.lazy import MISSING, AsideColumn
from graphrag.index.scope import Scope
from graphrag.model.values import Change, Event
from graphrag.store.record import LINKED, Record, id_of
from graphrag.store.store import Store

_FEW = 500
"""Rows that are read by their ids: the index may hold a part of the group only."""
_NEVER = -62_167_219_200_000_000
"""Microseconds of the year 0, where no datetime of Python is."""


async def read_aside(
    store: Store, index: GroupIndex, wanted: Mapping[str, Collection[str]]
) -> None:
    """Have these columns, by table, as of the newest event that is in the index, or a later one."""
    scopes = {
        "relates_to": index.facts,
        "entity": index.entities,
        "episode": index.episodes,
        "community": index.communities,
    }
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
    store: Store, index: GroupIndex, table: str, scope: Scope, names: Sequence[str]
) -> None:
    # A commit during the read has a later number; taking it in once more changes nothing.
    columns = [AsideColumn(name, index.seq) for name in names]
    fields = (
        f"time::micros({one.name} ?? d'0000-01-01T00:00:00Z')" if one.moment else one.name
        for one in columns
    )
    few = len(scope.row_of) <= _FEW
    source = "$ids" if few else f"{table} WHERE group_id = $group"
    [found] = await store.query(
        f"SELECT VALUE [record::id(id), {', '.join(fields)}] FROM {source};",
        ids=[Record(table, id_) for id_ in scope.row_of] if few else [],
        group=index.group_id,
    )
    known = [values for values in found if values[0] in scope.row_of]
    rows = [scope.row_of[values[0]] for values in known]
    for place, column in enumerate(columns, start=1):
        values = [each[place] for each in known]
        if column.moment:
            values = [MISSING if value == _NEVER else value for value in values]
        if column.name in LINKED:
            values = [*map(id_of, values)]
        column.fill(rows, values)
        scope.aside[column.name] = column


def _catch_up(column: AsideColumn, table: str, scope: Scope, events: Sequence[Event]) -> None:
    """Take in what events changed that are not in the column yet."""
    for event in events:
        if event.seq <= column.seq:
            continue
        for change in event.changes:
            kind, _, id_ = change.record.partition(":")
            if kind == table and change.after and column.name in change.after:
                if id_ in scope.row_of:
                    column.put(scope.row_of[id_], change.after[column.name])
        column.seq = event.seq


Pair = tuple[int, int]


async def read_mentions(store: Store, index: GroupIndex) -> None:
    """Have the mentions of a group as of the newest event in its index."""
    mentions = index.episodes.mentions
    if mentions is None:
        mentions = Mentions(index.seq)
        some = index.is_part
        [ids] = await store.query(
            "SELECT VALUE [record::id(in), record::id(out)] FROM "
            f"{'$episodes->mentions' if some else 'mentions WHERE group_id = $group'};",
            episodes=[Record("episode", id_) for id_ in index.episodes.row_of] if some else [],
            group=index.group_id,
        )
        pairs = (_rows(index, episode, entity) for episode, entity in ids)
        mentions.enter(pair for pair in pairs if pair is not None)
        index.episodes.mentions = mentions
    elif mentions.seq < index.seq:
        seq = index.seq
        events = await store.events(index.group_id, after=mentions.seq)
        changes = [
            change
            for event in events
            for change in event.changes
            if change.record.startswith("mentions:")
        ]
        if any(change.after is None for change in changes):
            index.episodes.mentions = None  # a pair was taken back: rare, so all is read anew
            await read_mentions(store, index)
            return
        pairs = (_ends(index, change) for change in changes)
        mentions.enter(pair for pair in pairs if pair is not None)
        mentions.seq = seq


def _ends(index: GroupIndex, change: Change) -> Pair | None:
    image = change.after or {}
    episode, entity = (str(image[end]).partition(":")[2] for end in ("in", "out"))
    return _rows(index, episode, entity)


def _rows(index: GroupIndex, episode: str, entity: str) -> Pair | None:
    """Return the rows of a pair; None if one of them is not in the index."""
    row, other = index.episodes.row_of.get(episode), index.entities.row_of.get(entity)
    return None if row is None or other is None else (row, other)


async def read_sources(store: Store, index: GroupIndex) -> Sources:
    """Return the sources of a group's facts as of the newest event in its index."""
    sources = index.episodes.sources
    if sources is None:
        # A commit during the read has a later number; taking it in once more changes nothing.
        sources = Sources(index.seq)
        some = index.is_part
        [rows] = await store.query(
            "SELECT VALUE [record::id(id), sources.episode] FROM "
            f"{'$ids' if some else 'relates_to WHERE group_id = $group'};",
            ids=[Record("relates_to", id_) for id_ in index.facts.row_of] if some else [],
            group=index.group_id,
        )
        ids = ((id_, [episode.id for episode in episodes]) for id_, episodes in rows)
        sources.enter(_pairs(index, ids))
        index.episodes.sources = sources
    elif sources.seq < index.seq:
        seq = index.seq
        changes = [
            (change.record.partition(":")[2], change)
            for event in await store.events(index.group_id, after=sources.seq)
            for change in event.changes
            if change.record.startswith("relates_to:") and "sources" in (change.after or {})
        ]
        for _, change in changes:
            if not source_episodes(change.before) <= source_episodes(change.after):
                index.episodes.sources = None  # one was taken back: rare, so all is read anew
                return await read_sources(store, index)
        sources.enter(
            _pairs(index, ((id_, source_episodes(change.after)) for id_, change in changes))
        )
        sources.seq = seq
    return sources


def source_episodes(image: Mapping[str, Any] | None) -> set[str]:
    """Return the ids of the episodes that the image of a fact in the log names as its sources."""
    return {span["episode"] for span in (image or {}).get("sources") or ()}


def _pairs(
    index: GroupIndex, rows: Iterable[tuple[str, Iterable[str]]]
) -> Iterable[tuple[int, int]]:
    facts, episodes = index.facts.row_of, index.episodes.row_of
    for id_, sources in rows:
        if id_ in facts:
            yield from ((episodes[one], facts[id_]) for one in sources if one in episodes)
