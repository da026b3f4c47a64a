"""Snapshot of a group, the state that its log implies, and the differences as findings."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphrag.model.values import Event
from graphrag.store.engine import Row
from graphrag.store.groups import read_entry
from graphrag.store.pages import group_rows, groups_in, groups_of
from graphrag.store.record import Record
from graphrag.store.rows import plain
from graphrag.store.store import Store


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect of a record, with the way to repair it."""

    group: str
    record: str
    """The record, as ``table:id``."""
    what: str
    """Description of the defect."""
    how: str
    """Description of the repair."""
    repairable: bool = False
    """Whether ``health.repair()`` repairs it."""

    def __str__(self) -> str:
        return f"{self.record} in group {self.group!r}: {self.what} ({self.how})"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Result of a check: the numbers of checked items, and the findings (none if sound)."""

    groups: tuple[str, ...]
    records: int
    events: int
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """Tell whether there are no findings."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class RepairReport:
    """Result of a repair: the repaired findings and the remaining ones."""

    repaired: tuple[Finding, ...]
    """Findings that the repair resolved."""
    left: tuple[Finding, ...]
    """Remaining findings, which need a decision of yours."""
    events: int
    """Number of transactions that the repair wrote."""

    @property
    def sound(self) -> bool:
        """Tell whether no finding remains."""
        return not self.left


TABLES = tuple(
    "episode passage entity relates_to mentions occurred_after saga community has_member".split()
)
_HUSHED = frozenset({"id", "embedding"})

Image = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The rows of one group by table and id, with its log."""

    group: str
    rows: Mapping[str, Mapping[str, Row]]
    events: tuple[Event, ...]
    last_seq: int
    elsewhere: Mapping[str, str]
    """Group by ``table:id`` of the records that edges of this group lead to outside of it."""
    info: Row | None = None
    """The row by which the group is listed."""

    def finding(self, record: str, what: str, how: str, *, repairable: bool = False) -> Finding:
        """Return a finding about a record of this group."""
        return Finding(self.group, record, what, how, repairable)

    def half_gone(self) -> Finding | None:
        """Return the finding of a group that is being forgotten; then nothing else matters."""
        if self.info is None or (since := self.info.get("forgotten_at")) is None:
            return None
        what = f"is being forgotten since {since.isoformat()}, and that did not come to its end"
        how = f"group({self.group!r}).erase.group(confirm={self.group!r}) again finishes it"
        return self.finding(f"group_info:{self.group}", what, how)

    def count(self) -> int:
        """Count the records."""
        return sum(map(len, self.rows.values()))


async def take(store: Store, group: str) -> Snapshot:
    """Read a group."""
    last_seq = await store.last_seq(group)
    rows = {table: await group_rows(store, table, group) for table in TABLES}
    events = tuple(await store.events(group))
    info = await read_entry(group, store)
    return Snapshot(group, rows, events, last_seq, await _outside(store, rows), info)


async def group_names(store: Store) -> list[str]:
    """Return every group that has an entry, an event or a record, sorted."""
    names = set(await store.groups())
    for table in ("event", *TABLES):
        names.update(await groups_in(store, table))
    return sorted(names)


def replayed(events: Iterable[Event], state: dict[str, Image] | None = None) -> dict[str, Image]:
    """Return what each record holds after these events, by ``table:id``; changes ``state``."""
    state = {} if state is None else state
    for event in events:
        # A record may be erased and written anew in one transaction, whatever the log lists first.
        for change in sorted(event.changes, key=lambda change: change.after is not None):
            if change.after is None:
                state.pop(change.record, None)
            elif change.before is None:
                state[change.record] = dict(change.after)
            else:
                state.setdefault(change.record, {}).update(change.after)
    return state


def image(row: Row) -> Image:
    """Return a row as the log would keep it."""
    shown = {key: item for key, item in row.items() if key not in _HUSHED}
    logged: Image = json.loads(json.dumps(shown, default=plain))
    return logged


async def _outside(store: Store, rows: Mapping[str, Mapping[str, Row]]) -> dict[str, str]:
    each = (row for members in rows.values() for row in members.values())
    ends = (end for row in each for end in (row.get("in"), row.get("out")))
    lost = {end for end in ends if isinstance(end, Record) and end.id not in rows[end.table]}
    return await groups_of(store, lost)
