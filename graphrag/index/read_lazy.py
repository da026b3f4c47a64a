"""Loading of columns on first use: filter fields, mentions and sources, kept up to date."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from graphrag.index.group import GroupIndex
from graphrag.index.incidence import Links, Mentions, Sources
from graphrag.index.lazy import MISSING, AsideColumn
from graphrag.index.scope import Scope
from graphrag.model.values import Event
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
        f"time::micros({column.name} ?? d'0000-01-01T00:00:00Z')" if column.moment else column.name
        for column in columns
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


Ids = tuple[str, str]
"""Of an episode, and of what it mentions or states."""
PairsOf = Callable[[str, Mapping[str, Any]], set[Ids]]
"""The pairs that the image of a record in the log has, given its id."""


async def read_mentions(store: Store, index: GroupIndex) -> Mentions:
    """Return the entities that each episode mentions, as of the newest event in the index."""
    episodes, entities = index.episodes, index.entities
    mentions = episodes.mentions
    if mentions is None or not await _caught_up(
        mentions, store, index, "mentions", entities, _mentioned
    ):
        # A commit during the read has a later number; taking it in once more changes nothing.
        mentions, part = Mentions(index.seq), index.is_part
        [ids] = await store.query(
            "SELECT VALUE [record::id(in), record::id(out)] FROM "
            f"{'$episodes->mentions' if part else 'mentions WHERE group_id = $group'};",
            episodes=[Record("episode", id_) for id_ in episodes.row_of] if part else [],
            group=index.group_id,
        )
        mentions.enter(_rows(ids, index, entities))
        episodes.mentions = mentions
    return mentions


async def read_sources(store: Store, index: GroupIndex) -> Sources:
    """Return the facts that each episode states, as of the newest event in the index."""
    episodes, facts = index.episodes, index.facts
    sources = episodes.sources
    if sources is None or not await _caught_up(sources, store, index, "relates_to", facts, _stated):
        sources, part = Sources(index.seq), index.is_part
        [rows] = await store.query(
            "SELECT VALUE [record::id(id), sources.episode] FROM "
            f"{'$ids' if part else 'relates_to WHERE group_id = $group'};",
            ids=[Record("relates_to", id_) for id_ in facts.row_of] if part else [],
            group=index.group_id,
        )
        ids = ((episode.id, fact) for fact, stated_by in rows for episode in stated_by)
        sources.enter(_rows(ids, index, facts))
        episodes.sources = sources
    return sources


async def _caught_up(
    links: Links, store: Store, index: GroupIndex, table: str, others: Scope, pairs_of: PairsOf
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


def _rows(
    ids: Iterable[Sequence[str]], index: GroupIndex, others: Scope
) -> Iterator[tuple[int, int]]:
    """Yield the rows of pairs, as far as both are in the index."""
    episodes, rows = index.episodes.row_of, others.row_of
    for episode, other in ids:
        if episode in episodes and other in rows:
            yield episodes[episode], rows[other]
