"""Replay of a group from its log into another store: same rows, same events, same past.

The log holds everything but vectors. A vector is copied if the text is unchanged and both stores
have the same embedder; otherwise it is computed again. A replay thus also changes the embedder, or
restores a past state.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from graphrag.errors import InputError, StoreError, UnknownGroupError
from graphrag.health.rules import embedding_fault
from graphrag.health.snapshot import Image, group_names, replayed
from graphrag.index.texts import EMBEDDED, words
from graphrag.ingest.ingestion import Ingestion
from graphrag.store.engine import Row
from graphrag.store.groups import claim_group, count_anew, discard_group, write_entry
from graphrag.store.pages import PagedTable, rows_of, write_page
from graphrag.store.rows import event_of, row_of, vector_bytes
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now

_PAGE = 500
"""Rows of one transaction, and events read at once."""
_LINKS = ("relates_to", "mentions", "occurred_after", "has_member")
"""Tables of links, which are written after what they join."""
_EVENT = PagedTable("event", links=False)
_INFO = "group_info"
"""The table of the entries of groups: one is closed until all the rest is there."""


@dataclass(slots=True)
class Replayed:
    """What ``log.replay`` rebuilt in another store: groups, and counts."""

    groups: tuple[str, ...]
    events: int = 0
    records: int = 0
    embedded: int = 0
    """Number of vectors that were computed again rather than copied."""


async def replay_groups(
    source: Ingestion, target: Ingestion, group: str | None, until: datetime | None
) -> Replayed:
    """Replay a group, or all of them, into a store that has none of them."""
    there = await group_names(source.store)
    if group is not None and group not in there:
        raise UnknownGroupError(group)
    names = there if group is None else [group]
    if taken := sorted({*names} & {*await group_names(target.store)}):
        raise InputError(
            f"{target.store.target.url} has a group {taken[0]!r} already: replay into an empty "
            f"store, or group({taken[0]!r}).erase.group(confirm={taken[0]!r}) there first"
        )
    done = Replayed(tuple(names))
    for name in names:
        await claim_group(target.store, name, utc_now())
        try:
            await _replay(name, source, target, until, done)
        except BaseException:
            await discard_group(target.store, name)
            raise
        finally:
            await target.catalog.drop(name)
    if target.store.searchable:
        from graphrag.engine.indexes import build

        await build(target.store, rows=True)
    return done


async def _replay(
    group: str, source: Ingestion, target: Ingestion, until: datetime | None, done: Replayed
) -> None:
    await source.store.refuse_forgotten(group)
    state: dict[str, Image] = {}
    done.events += await _events(group, source.store, target.store, until, state)
    rows: dict[str, dict[str, Row]] = defaultdict(dict)
    for record, image in state.items():
        if "erased" not in image:
            table, _, id_ = record.partition(":")
            rows[table][id_] = row_of(record, image)
    state.clear()
    nodes = [table for table in rows if table not in (*_LINKS, _INFO)]
    for table in (*nodes, *_LINKS):
        every = iter(rows[table].values())
        while page := list(islice(every, _PAGE)):
            if table in EMBEDDED:
                done.embedded += await _embed(table, page, rows["episode"], source, target)
            await write_page(target.store, PagedTable(table, table in _LINKS), page)
            done.records += len(page)
    for entry in rows[_INFO].values():
        await write_entry(target.store, entry)
    if rows[_INFO]:
        await count_anew(group, target.store)
    else:  # no event speaks of it by then
        await discard_group(target.store, group)
    done.records += len(rows[_INFO])


async def _events(
    group: str, source: Store, target: Store, until: datetime | None, state: dict[str, Image]
) -> int:
    """Copy the log up to a moment, note in ``state`` what it makes, and return its length."""
    last = 0
    while True:
        page = await source.event_rows(group, after=last, limit=_PAGE)
        kept = [row for row in page if until is None or row["at"] <= until]
        for number, row in enumerate(kept, last + 1):
            if row["seq"] != number:
                raise StoreError(
                    f"the log of group {group!r} lacks event {number}, so a replay would not be "
                    "the graph: health.check() names all that is missing"
                )
        if kept:
            replayed(map(event_of, kept), state)
            await write_page(target, _EVENT, kept)
        last += len(kept)
        if not page or len(kept) < len(page):
            return last


async def _embed(
    table: str, page: list[Row], episodes: Mapping[str, Row], source: Ingestion, target: Ingestion
) -> int:
    """Give rows their vectors, and return how many were embedded again."""
    known: Mapping[str, Row] = {}
    name, dimension = target.embedder.name, target.embedder.dimension
    if (source.embedder.name, source.embedder.dimension) == (name, dimension):
        stored = await rows_of(source.store, (row["id"] for row in page))
        sound = (it for it in stored if embedding_fault(it.get("embedding"), dimension) is None)
        known = {row["id"].id: row for row in sound}
    wanted = []
    for row in page:
        same = known.get(row["id"].id)
        if same is not None and words(table, same, episodes) == words(table, row, episodes):
            row["embedding"] = same["embedding"]
        else:
            wanted.append(row)
    if wanted:
        texts = [words(table, row, episodes) for row in wanted]
        vectors = await target.embedder.embed(texts, purpose="document")
        for row, vector in zip(wanted, vectors, strict=True):
            row["embedding"] = vector_bytes(vector)
    return len(wanted)
