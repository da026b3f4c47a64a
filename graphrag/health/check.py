"""Checks of a group at one moment, against its log, the rules and the columns in memory.

Columns and tables must have the same rows, the same values and the same words.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from graphrag.errors import StoreError
from graphrag.health.rules import meaning_findings, record_findings
from graphrag.health.snapshot import (
    TABLES,
    CheckReport,
    Finding,
    Image,
    Snapshot,
    image,
    replayed,
    take,
)
from graphrag.index.chunks import ChunkIndex
from graphrag.index.entries import ROW_BITS
from graphrag.index.group import GroupIndex
from graphrag.index.incidence import Links
from graphrag.index.load import load_group
from graphrag.index.read_lazy import read_aside, read_mentions, read_sources
from graphrag.index.scope import Array, Scope
from graphrag.index.tables import scopes_of
from graphrag.ingest.ingestion import Ingestion
from graphrag.store.engine import Row
from graphrag.temporal.moment import utc_now

_RESTORE = "restore a backup, or log.replay() it into another store: what is right is not certain"
_AGAIN = "health.repair() writes it again as the log tells"
_ANEW = "health.repair() deletes it, and it is written anew"
_UNKNOWN = "remove it, or add it again through the library: the log does not know it"


def log_findings(snapshot: Snapshot) -> Iterator[Finding]:
    """Compare numbers and images."""
    yield from _numbers(snapshot)
    if snapshot.info is None and snapshot.events:
        record = f"group_info:{snapshot.group}"
        what = "is missing: groups() does not list the group, and others may read its rows"
        yield snapshot.finding(record, what, _AGAIN, repairable=True)
    expected = replayed(snapshot.events)
    for table in TABLES:
        for id_, row in snapshot.rows[table].items():
            record = f"{table}:{id_}"
            logged = expected.pop(record, None)
            if logged is None:
                yield snapshot.finding(record, "no event tells of it", _UNKNOWN)
                continue
            different = _different(logged, image(row))
            if different:
                what = f"differs from the log in {', '.join(different)}"
                yield snapshot.finding(record, what, _RESTORE)
    known = {*restorable(snapshot)}
    for record in expected:
        if record.partition(":")[0] in TABLES:
            how, what = (_AGAIN if record in known else _RESTORE), "is gone, but no event erased it"
            yield snapshot.finding(record, what, how, repairable=record in known)


def restorable(snapshot: Snapshot) -> dict[str, Image]:
    """Return what the log tells of the records that are gone, if the log is whole."""
    whole = [event.seq for event in snapshot.events] == [*range(1, snapshot.last_seq + 1)]
    if not whole:
        return {}
    there = {f"{table}:{id_}" for table in TABLES for id_ in snapshot.rows[table]}
    return {
        record: image
        for record, image in replayed(snapshot.events).items()
        if record.partition(":")[0] in TABLES and record not in there and "erased" not in image
    }


def _numbers(snapshot: Snapshot) -> Iterator[Finding]:
    numbers = [event.seq for event in snapshot.events]
    missing = sorted(set(range(1, snapshot.last_seq + 1)) - set(numbers))
    for number in missing:
        record = f"event:{snapshot.group}:{number}"
        yield snapshot.finding(record, "is missing from the log", "restore a backup")
    if numbers != sorted(set(numbers)):
        record = f"event:{snapshot.group}"
        yield snapshot.finding(record, "numbers repeat or run back", "restore a backup")


def _different(logged: Image, found: Image) -> list[str]:
    return sorted(
        key
        for key in logged.keys() | found.keys()
        if logged.get(key) != found.get(key)
        # A field that came with a later schema has its default, which old events do not tell.
        and not (key not in logged and not found.get(key))
    )


_ATTEMPTS = 5


async def check_groups(groups: Iterable[str], ingestion: Ingestion) -> CheckReport:
    """Check each group while no writer of this process changes it."""
    findings: list[Finding] = []
    records = events = 0
    names = tuple(groups)
    for group in names:
        async with ingestion.writer.locks[group]:
            snapshot, found = await checked(group, ingestion)
        findings += found
        records += snapshot.count()
        events += len(snapshot.events)
    return CheckReport(names, records, events, tuple(findings))


async def checked(group: str, ingestion: Ingestion) -> tuple[Snapshot, list[Finding]]:
    """Return a group and what is wrong with it, by record; its lock is held by the caller.

    Raises:
        StoreError: if other processes wrote to it all the while.
    """
    for _ in range(_ATTEMPTS):
        snapshot = await take(ingestion.store, group)
        if (half_gone := snapshot.half_gone()) is not None:
            return snapshot, [half_gone]
        findings = [
            *log_findings(snapshot),
            *record_findings(snapshot, ingestion.embedder.dimension),
            *meaning_findings(
                snapshot, ingestion.relations, ingestion.ontology.identifiers, utc_now()
            ),
            *await _memory(snapshot, ingestion),
        ]
        if await ingestion.store.last_seq(group) == snapshot.last_seq:
            return snapshot, sorted(findings, key=lambda finding: (finding.record, finding.what))
    raise StoreError(f"group {group!r} is written to all the time: check it when it is not")


async def _memory(snapshot: Snapshot, ingestion: Ingestion) -> list[Finding]:
    """Compare what was read of the tables before with what they say now, lazy parts included."""
    catalog, store, group = ingestion.catalog, ingestion.store, snapshot.group
    damaged = [
        Finding(group, f"group_info:{group}", what, _ANEW, repairable=True)
        for what in (*await catalog.damage(group), *store.held.damage(snapshot.rows))
    ]
    if damaged:
        return damaged  # what is in memory may be from there, and is read again by a repair
    held = await catalog.group(group)
    fresh = await load_group(store, group, ingestion.embedder.dimension)
    lazy = {table: [*scope.aside] for table, scope in scopes_of(held).items() if scope.aside}
    for index in (held, fresh):
        await read_aside(store, index, lazy)
        if held.episodes.mentions is not None:
            await read_mentions(store, index)
        if held.episodes.sources is not None:
            await read_sources(store, index)
    return [*memory_findings(snapshot, held, fresh)]


_RELOAD = "health.repair() reads the group into memory again"
_NEAR = 1e-4


def memory_findings(snapshot: Snapshot, held: GroupIndex, fresh: GroupIndex) -> Iterator[Finding]:
    """Compare the index in use with the tables, and with one just read from them."""
    if held.seq != snapshot.last_seq:
        what = f"memory is at event {held.seq}, the log at {snapshot.last_seq}"
        yield _finding(snapshot, f"event:{snapshot.group}", what)
    for table, scope in _scopes(held).items():
        stored = snapshot.rows[table]
        for id_ in scope.row_of.keys() - stored.keys():
            yield _finding(snapshot, f"{table}:{id_}", "is in memory, but not in the store")
        for id_ in _scopes(fresh)[table].row_of.keys() - scope.row_of.keys():
            if _must_be_there(table, stored.get(id_, {}), snapshot):
                yield _finding(snapshot, f"{table}:{id_}", "is in the store, but not in memory")
    for table in _scopes(held):
        yield from _differences(snapshot, table, held, fresh)
    for part, ours, theirs in _entries(held, fresh):
        different = [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]
        if different:
            what = f"memory has {len(different)} {part} that are not as in the store"
            yield _finding(snapshot, f"group_info:{snapshot.group}", what)


def _entries(
    held: GroupIndex, fresh: GroupIndex
) -> Iterator[tuple[str, Mapping[Any, object], Mapping[Any, object]]]:
    """Yield what is looked up by keys in both."""
    yield "names", held.names.entries(), fresh.names.entries()
    yield "merged entities", held.heirs.entries(), fresh.heirs.entries()
    yield "summaries", held.summaries, fresh.summaries
    yield "times of episodes", held.timeline.entries(), fresh.timeline.entries()
    yield "sagas", held.sagas, fresh.sagas
    for table, ours in scopes_of(held).items():
        theirs = scopes_of(fresh)[table]
        for name in ours.aside.keys() & theirs.aside.keys():
            yield f"values of {name}", _lazy(ours, name), _lazy(theirs, name)
    for kind in ("mentions", "sources"):
        yield kind, _links(held, kind), _links(fresh, kind)


def _lazy(scope: Scope, name: str) -> Mapping[str, object]:
    column = scope.aside[name]
    if column.is_sparse:
        sparse = {id_: column.sparse.get(row) for id_, row in scope.row_of.items()}
        return {id_: value for id_, value in sparse.items() if value is not None}
    values = column.values(len(scope.ids)).tolist()
    return {id_: str(values[row]) for id_, row in scope.row_of.items()}  # NaN is equal to NaN


def _links(index: GroupIndex, kind: str) -> Mapping[tuple[str, str], bool]:
    links: Links | None = getattr(index.episodes, kind)
    others = index.entities if kind == "mentions" else index.facts
    pairs = set() if links is None else links.pairs()
    return {(index.episodes.ids[row], others.ids[other]): True for row, other in pairs}


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
        if not np.array_equal(_words(ours, theirs), _words(theirs, theirs)):
            yield _finding(snapshot, table, "memory has other words than the store")
        counted = ours.postings.words_of(rows), theirs.postings.words_of(others)
        if ours.postings.statistics(()) != theirs.postings.statistics(()) or (
            not np.array_equal(*counted)
        ):
            yield _finding(snapshot, table, "memory counts other words than the store")
        here, there = ours.postings.frequencies(), theirs.postings.frequencies()
        for term in here.keys() | there.keys():
            if (rows_here := here.get(term, 0)) != (rows_there := there.get(term, 0)):
                what = f"memory finds {term!r} in {rows_here} records, the store in {rows_there}"
                yield _finding(snapshot, table, what)


def _words(scope: Scope, fresh: Scope) -> Array:
    """Return term, row and count of every word, by the numbers that ``fresh`` gives to them."""
    entries = scope.postings.entries()
    rows = entries.rows
    terms = np.array([fresh.postings.numbers.get(term, -1) for term in scope.postings.numbers])
    place = np.array([fresh.row_of.get(id_, -1) for id_ in scope.ids], dtype=np.int64)
    if isinstance(scope.postings, ChunkIndex):  # of a text with several pieces all together
        rows = scope.postings.owner.values[rows]
    of_entry = np.repeat(terms[entries.keys], np.diff(entries.starts))
    keys = of_entry << ROW_BITS | place[rows]
    several, at = np.unique(keys, return_inverse=True)
    return np.stack((several, np.bincount(at, entries.counts, len(several)).astype(np.int64)))


def _decoded(index: GroupIndex, name: str, values: np.ndarray) -> np.ndarray:
    """Return a column without the numbering of rows, which depends on the order of arrival."""
    names: Sequence[str] | None = {
        "subject": index.entities.ids,
        "object": index.entities.ids,
        "episode": index.episodes.ids,
        "relation": index.relations,
        "type": index.types,
    }.get(name)
    return values if names is None else np.array([names[value] for value in values.tolist()])


def _finding(snapshot: Snapshot, record: str, what: str) -> Finding:
    return snapshot.finding(record, what, _RELOAD, repairable=True)
