"""The columns in memory against the tables: the same rows, the same values, the same words."""

from collections.abc import Iterator

import numpy as np

from graphrag.health.findings import Finding
from graphrag.health.holdings import Snapshot
from graphrag.index.group import GroupIndex
from graphrag.index.scope import Scope
from graphrag.index.tables import scopes_of
from graphrag.store.engine import Row

_RELOAD = "health.repair() reads the group into memory again"
_NEAR = 1e-4


def memory_findings(
    snapshot: Snapshot, held: GroupIndex, fresh: GroupIndex | None
) -> Iterator[Finding]:
    """Compare the index in use with the tables, and with one just read from them."""
    if held.seq != snapshot.last_seq:
        what = f"memory is at event {held.seq}, the log at {snapshot.last_seq}"
        yield _finding(snapshot, f"event:{snapshot.group}", what)
    for table, scope in _scopes(held).items():
        stored = snapshot.rows[table]
        for id_ in scope.row_of.keys() - stored.keys():
            yield _finding(snapshot, f"{table}:{id_}", "is in memory, but not in the store")
        expected = stored.keys() if fresh is None else _scopes(fresh)[table].row_of.keys()
        for id_ in expected - scope.row_of.keys():
            if _must_be_there(table, stored.get(id_, {}), snapshot):
                yield _finding(snapshot, f"{table}:{id_}", "is in the store, but not in memory")
    if fresh is not None:
        for table in _scopes(held):
            yield from _differences(snapshot, table, held, fresh)


def _scopes(index: GroupIndex) -> dict[str, Scope]:
    """Return the columns that are compared: communities are made anew of them."""
    return {table: rows for table, rows in scopes_of(index).items() if table != "community"}


def _must_be_there(table: str, row: Row, snapshot: Snapshot) -> bool:
    if row.get("removed_at") or row.get("merged_into"):
        return False
    # What leads nowhere is a finding of its own, and left out of the memory.
    if table == "relates_to" and row:
        return all(row[end].id in snapshot.rows["entity"] for end in ("in", "out"))
    return table != "passage" or not row or row["episode"] in snapshot.rows["episode"]


def _differences(
    snapshot: Snapshot, table: str, held: GroupIndex, fresh: GroupIndex
) -> Iterator[Finding]:
    ours, theirs = _scopes(held)[table], _scopes(fresh)[table]
    both = [id_ for id_ in theirs.ids if id_ in ours.row_of and id_ in theirs.row_of]
    if not both:
        return
    rows = np.array([ours.row_of[id_] for id_ in both])
    others = np.array([theirs.row_of[id_] for id_ in both])
    stored = theirs.vectors.rows(others)
    # A vector that is damaged in the store is a finding of its own.
    apart = np.abs(ours.vectors.rows(rows) - stored).max(1) > _NEAR
    wrong: dict[str, np.ndarray] = {"embedding": apart & stored.any(axis=1)}
    for name in ours.columns:
        wrong[name] = _decoded(held, name, ours[name][rows]) != _decoded(
            fresh, name, theirs[name][others]
        )
    for name, mask in wrong.items():
        for place in np.flatnonzero(mask):
            what = f"has another {name} in memory than in the store"
            yield _finding(snapshot, f"{table}:{both[place]}", what)
    if len(ours.row_of) == len(theirs.row_of) == len(both):
        found, expected = ours.postings.frequencies(), theirs.postings.frequencies()
        for term in found.keys() | expected.keys():
            if (rows_here := found.get(term, 0)) != (rows_there := expected.get(term, 0)):
                what = f"memory finds {term!r} in {rows_here} records, the store in {rows_there}"
                yield _finding(snapshot, table, what)


def _decoded(index: GroupIndex, name: str, values: np.ndarray) -> np.ndarray:
    """Return a column without the numbering of rows, which depends on the order of arrival."""
    names: list[str] | None = {
        "subject": index.entities.ids,
        "object": index.entities.ids,
        "episode": index.episodes.ids,
        "relation": index.relations,
        "type": index.types,
    }.get(name)
    return values if names is None else np.array([names[value] for value in values.tolist()])


def _finding(snapshot: Snapshot, record: str, what: str) -> Finding:
    return Finding(snapshot.group, record, what, _RELOAD, repairable=True)
