"""Checks of a group at one moment, against its log, the rules and the columns in memory."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

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
from graphrag.index.arrays import Array, encoded
from graphrag.index.entries import Links
from graphrag.index.group import GroupIndex
from graphrag.index.load import load_group
from graphrag.index.scope import ScopeIndex
from graphrag.index.tables import read_aside, read_mentions, read_sources
from graphrag.ingest.ingestion import Ingestion
from graphrag.temporal.moment import utc_now

_RESTORE = "restore a backup, or log.replay() it into another store: the right value is not certain"
_AGAIN = "health.repair() writes it again from the log"
_ANEW = "health.repair() deletes it, and it is written anew"
_UNKNOWN = "remove it, or add it again through the library: the log does not know it"
_RELOAD = "health.repair() reads the group into memory again"
_ATTEMPTS = 5
_NEAR = 1e-4  # distance of two vectors that are the same


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
                yield snapshot.finding(record, "no event refers to it", _UNKNOWN)
            elif different := _different(logged, image(row)):
                what = f"differs from the log in {', '.join(different)}"
                yield snapshot.finding(record, what, _RESTORE)
    known = restorable(snapshot)
    for record in expected:
        if record.partition(":")[0] in TABLES:
            how, what = (_AGAIN if record in known else _RESTORE), "is gone, but no event erased it"
            yield snapshot.finding(record, what, how, repairable=record in known)


def restorable(snapshot: Snapshot) -> dict[str, Image]:
    """Return what the log tells of the records that are gone, if the log is whole."""
    if [event.seq for event in snapshot.events] != [*range(1, snapshot.last_seq + 1)]:
        return {}
    there = {f"{table}:{id_}" for table in TABLES for id_ in snapshot.rows[table]}
    return {
        record: image
        for record, image in replayed(snapshot.events).items()
        if record.partition(":")[0] in TABLES and record not in there and "erased" not in image
    }


def _numbers(snapshot: Snapshot) -> Iterator[Finding]:
    numbers = [event.seq for event in snapshot.events]
    record, how = f"event:{snapshot.group}", "restore a backup"
    for number in sorted(set(range(1, snapshot.last_seq + 1)) - set(numbers)):
        yield snapshot.finding(f"{record}:{number}", "is missing from the log", how)
    if numbers != sorted(set(numbers)):
        yield snapshot.finding(record, "numbers repeat or run back", how)


def _different(logged: Image, stored: Image) -> list[str]:
    return sorted(
        key
        for key in logged | stored
        # A field that came with a later schema has its default, which old events do not tell.
        if logged.get(key) != stored.get(key) and (key in logged or stored.get(key))
    )


async def check_groups(groups: Iterable[str], ingestion: Ingestion) -> CheckReport:
    """Check each group while no writer of this process changes it."""
    names, findings = tuple(groups), list[Finding]()
    records = events = 0
    for group in names:
        async with ingestion.writer.locks[group]:
            snapshot, wrong = await checked(group, ingestion)
        findings += wrong
        records += snapshot.count()
        events += len(snapshot.events)
    return CheckReport(names, records, events, tuple(findings))


async def checked(group: str, ingestion: Ingestion) -> tuple[Snapshot, list[Finding]]:
    """Return a group and what is wrong with it, by record; its lock is held by the caller."""
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
    catalog, store, group = ingestion.catalog, ingestion.store, snapshot.group
    damaged = [
        Finding(group, f"group_info:{group}", what, _ANEW, repairable=True)
        for what in (*await catalog.damage(group), *store.cache.damage(snapshot.rows))
    ]
    if damaged:
        return damaged  # what is in memory may be from there, and is read again by a repair
    held = await catalog.group(group)
    fresh = await load_group(store, group, ingestion.embedder.dimension)
    lazy = {table: [*scope.aside] for table, scope in held.scopes.items() if scope.aside}
    for index in (held, fresh):
        await read_aside(store, index, lazy)
        if held.episodes.mentions is not None:
            await read_mentions(store, index)
        if held.episodes.sources is not None:
            await read_sources(store, index)
    if held.seq != snapshot.last_seq:
        what = f"memory is at event {held.seq}, the log at {snapshot.last_seq}"
        return [snapshot.finding(f"event:{group}", what, _RELOAD, repairable=True)]
    return [
        snapshot.finding(record, what, _RELOAD, repairable=True)
        for record, what in memory_differences(held, fresh).items()
    ]


def memory_differences(held: GroupIndex, fresh: GroupIndex) -> dict[str, str]:
    """Return what differs between an index in use and one just read from the tables, by record."""
    parts: defaultdict[str, dict[str, None]] = defaultdict(dict)
    ours, theirs = _contents(held), _contents(fresh)
    for part, own in ours.items():
        if own != theirs[part]:
            parts[f"group_info:{held.group_id}"][part] = None
    different: dict[str, str] = {}
    for table, scope in held.scopes.items():
        if table == "community":  # made anew of the others
            continue
        rows = fresh.scopes[table].row_of
        for id_ in scope.row_of.keys() ^ rows.keys():
            here, gone = ("memory", "store") if id_ in scope.row_of else ("store", "memory")
            different[f"{table}:{id_}"] = f"is in the {here}, but not in the {gone}"
        both = [id_ for id_ in scope.row_of if id_ in rows]
        own_rows, stored_rows = [scope.row_of[id_] for id_ in both], [rows[id_] for id_ in both]
        stored_columns = _columns(fresh, fresh.scopes[table])
        for name, values in _columns(held, scope).items():
            if name in stored_columns:  # a search may have read one more meanwhile
                apart = values[own_rows] != stored_columns[name][stored_rows]
                for place in np.flatnonzero(apart):
                    parts[f"{table}:{both[place]}"][name] = None
        vectors = fresh.scopes[table].vectors.rows(stored_rows)
        far = np.abs(scope.vectors.rows(own_rows) - vectors).max(axis=1, initial=0) > _NEAR
        # A vector that is damaged in the store is a finding of its own.
        for place in np.flatnonzero(far & vectors.any(axis=1)):
            parts[f"{table}:{both[place]}"]["embedding"] = None
    told = {
        record: f"memory and store differ in {', '.join(each)}" for record, each in parts.items()
    }
    return different | told


def _contents(index: GroupIndex) -> dict[str, Mapping[Any, object]]:
    """Return what an index has beside its columns, in whatever order it arrived."""
    contents: dict[str, Mapping[Any, object]] = {
        "names": index.names.entries(),
        "merged entities": index.heirs.entries(),
        "summaries": index.summaries,
        "times of episodes": index.timeline.entries(),
        "sagas": index.sagas,
        "mentions": _pairs(index, index.episodes.mentions, index.entities),
        "sources": _pairs(index, index.episodes.sources, index.facts),
    }
    for table, scope in index.scopes.items():
        if table != "community":
            statistics = scope.postings.statistics(())
            contents[f"the number of words of {table}"] = {"all": statistics}
    return contents


def _columns(index: GroupIndex, scope: ScopeIndex) -> dict[str, Array]:
    """Return the columns of a table, texts and names instead of their numbers."""
    names: Mapping[str, Sequence[str]] = {
        **dict.fromkeys(("subject", "object"), index.entities.ids),
        "episode": index.episodes.ids,
        "relation": index.relations,
        "type": index.types,
    }
    columns = {
        name: np.array([names[name][value] for value in column.values.tolist()], object)
        if name in names
        else column.values
        for name, column in scope.columns.items()
    }
    for name, aside in scope.aside.items():
        if aside.is_sparse:
            values = map(aside.sparse.get, range(len(scope)))
            texts = [json.dumps(value, sort_keys=True, default=str) for value in values]
            columns[name] = np.array(texts, object)
        else:  # as text NaN is equal to NaN
            columns[name] = aside.values(len(scope)).astype(str)
    # Terms are numbered in order of arrival: the words of a row are compared by a sum of checksums.
    entries, owner = scope.postings.entries(), scope.postings.owner.values
    terms = np.array([crc32(encoded(term)) for term in scope.postings.numbers], np.uint64)
    sums = np.repeat(terms[entries.keys], np.diff(entries.starts)) * entries.counts
    columns["words"] = np.zeros(len(scope), np.uint64)
    np.add.at(columns["words"], owner[entries.rows], sums)
    columns["length in words"] = scope.postings.words_of(np.arange(len(scope)))
    return columns


def _pairs(index: GroupIndex, links: Links | None, others: ScopeIndex) -> dict[Any, bool]:
    pairs = set() if links is None else links.pairs()
    return {(index.episodes.ids[row], others.ids[end]): True for row, end in pairs}
