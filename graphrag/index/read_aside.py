"""Read the columns that filters ask for, and bring those read before up to date."""

from collections.abc import Collection, Mapping, Sequence

from graphrag.index.aside import MISSING, AsideColumn
from graphrag.index.group import GroupIndex
from graphrag.index.scope import Scope
from graphrag.models import Event
from graphrag.store.record import Record
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
