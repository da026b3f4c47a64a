"""Write policy (``Rules(policy=...)``) and the invariants of every transaction.

A policy checks each record that a transaction creates, changes or erases. A refusal rejects the
whole transaction with ``PolicyError`` and is logged as a ``denied`` event. The policy is not asked
when a queued episode is marked as failed: it would otherwise be retried at every opening.

Invariants: the log is append-only; only ``erase`` deletes; no fact ends before it starts; the text
of an episode never changes; no link crosses groups.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.store.assertions import parts
from graphrag.store.changes import FORGET as FORGET
from graphrag.store.changes import ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.temporal.moment import to_micros

FAILED = "fail_episode"
"""Kind of the event that notes why an episode could not be read: no policy is asked."""
_KEPT = ("entity", "episode", "relates_to")
"""What people added; the other tables follow from these."""
_UNSAID = ("retracted_at", "removed_at", "merged_into")
"""Fields that take something back once they are set."""
_EVIDENCE = frozenset(
    {"sources", "provenance", "statements", "confidence", "summary", "attribute_times"}
)
"""Fields that say how well something is known, not what."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """The change of one record in a transaction that is about to be written."""

    kind: str
    """Kind of the operation, as logged: ``add_episode``, ``retract``, ``merge``, ..."""
    group: str
    actor: str
    table: str
    """Table: ``episode``, ``entity``, ``relates_to`` (a fact), ``mentions``, ..."""
    id: str
    before: Mapping[str, Any] | None
    """The changed fields with their stored values; None for a new record."""
    after: Mapping[str, Any] | None
    """The same fields with their new values; None for a record that is erased."""
    entity_types: frozenset[str] = frozenset()
    """Types of the entity, or of subject and object of the fact."""

    @property
    def record(self) -> str:
        """Return the record as ``table:id``."""
        return f"{self.table}:{self.id}"


class Policy(Protocol):
    """Protocol of write policies: decides which mutations may be written."""

    def refuse(self, mutation: Mutation) -> str | None:
        """Return the reason why the mutation is refused, or None to allow it."""


@dataclass(frozen=True, slots=True)
class AppendOnly:
    """Policy that allows additions and refuses to change or remove stored data.

    A later fact may still end an earlier one, and a repetition may add a source or a missing date.
    Retracting, editing, merging, removing and forgetting are refused.
    """

    def refuse(self, mutation: Mutation) -> str | None:
        """Refuse mutations that replace or remove data."""
        if mutation.table not in _KEPT or mutation.before is None:
            return None
        if mutation.after is None:
            return "the graph is append-only: nothing is erased"
        for column, value in mutation.after.items():
            if not _grows(column, mutation.before.get(column), value):
                return f"the graph is append-only: {column!r} stays as it is"
        return None


@dataclass(frozen=True, slots=True)
class ProtectedTypes:
    """Policy by which only the named actors may change or erase entities of some types.

    The same holds for the facts about them. Anyone may add facts that change no stored fact, and
    sources of a stored fact.
    """

    types: Collection[str]
    actors: Collection[str] = ()
    """Actors who may change them."""

    def refuse(self, mutation: Mutation) -> str | None:
        """Refuse changes to entities of these types and to facts about them."""
        protected = sorted(mutation.entity_types & set(self.types))
        if not protected or mutation.before is None or mutation.actor in self.actors:
            return None
        if mutation.after is not None and mutation.after.keys() <= _EVIDENCE | {"embedding"}:
            return None
        return f"what is known of a {protected[0]} is protected from {mutation.actor!r}"


def refused(changes: ChangeSet, index: GroupIndex, policy: Policy) -> str | None:
    """Return why a policy refuses a transaction, None if it allows all of it."""
    for mutation in _mutations(changes, index):
        if reason := policy.refuse(mutation):
            return f"{mutation.kind} of {mutation.record}: {reason}"
    return None


def _mutations(changes: ChangeSet, index: GroupIndex) -> Iterator[Mutation]:
    types = {row["id"].id: row["entity_type"] for row in changes.inserts.get("entity", ())}
    inserted = ((table, row) for table, rows in changes.inserts.items() for row in rows)
    records: list[tuple[str, str, Mapping[str, Any] | None, Mapping[str, Any] | None]] = [
        *((table, str(row["id"].id), None, row) for table, row in inserted),
        *((update.table, update.id, update.before, update.after) for update in changes.updates),
        *((table, str(row["id"].id), row, None) for table, row in changes.deletes),
    ]
    for table, id_, before, after in records:
        whole = after if before is None else before if after is None else None
        ends: Iterable[str] = (id_,) if table == "entity" else ()
        if table == "relates_to" and whole is not None:
            ends = whole["in"].id, whole["out"].id
        elif table == "relates_to" and id_ in index.facts.row_of:
            ends = index.ends_of(index.facts.row_of[id_])
        about = frozenset(
            types[end] if end in types else index.entity_type(end)
            for end in ends
            if end in types or end in index.entities.row_of
        )
        kind, actor = changes.kind, changes.actor
        yield Mutation(kind, changes.group_id, actor, table, id_, before, after, about)


_FREE = frozenset(
    "attribute_times closed_by_arbiter closed_by_hand embedding error observed pending status "
    "summary waits_as".split()
)
"""Fields that say nothing which could be taken back; a value stated again is as new as that."""
_CLOSING = frozenset("expired_at invalidated_by closed_as reason".split())


def _grows(column: str, before: Any, after: Any) -> bool:
    """Tell whether a field only gains: it was empty, a list grows, a lifetime is known better."""
    match column:
        case _ if column in _UNSAID:
            return after is None
        case _ if column in _FREE:
            return True
        case _ if column in _CLOSING:
            return after is not None
        case "names":
            return all(name in (after or ()) for name in before or ())
        case "statements" | "endings":
            return _still_said(parts(before or "[]"), parts(after or "[]"))
        case "confidence":
            return bool(after >= before)
        case "confirmed":
            return bool(after)
        case "untyped" | "as_given":
            return bool(before) == bool(after)
        case "valid_at" | "invalid_at":
            return before is None or (after is not None and after <= before)
        case "entity_type":
            return bool(before == "thing")
    if isinstance(before, list):
        return isinstance(after, list) and all(item in after for item in before)
    if isinstance(before, Mapping):
        return isinstance(after, Mapping) and before.items() <= after.items()
    return before in (None, "")


def _still_said(before: Iterable[Row], after: Iterable[Row]) -> bool:
    """Tell whether all that was said still is; a person may have stood for it since."""
    rest = {row.get("id"): row for row in after}
    return all(
        (now := rest.get(row.get("id"))) is not None
        and {**row, "pending": False, "manual": True} == {**now, "pending": False, "manual": True}
        for row in before
    )


_FIXED = frozenset({"id", "group_id", "created_at"})
_VERBATIM = _FIXED | {"content", "content_hash", "valid_at", "source"}


def broken(changes: ChangeSet, index: GroupIndex) -> str | None:
    """Return which invariant a transaction breaks and where, None if it breaks none."""
    return next(_breaches(changes, index), None)


def _breaches(changes: ChangeSet, index: GroupIndex) -> Iterator[str]:
    kind, group = changes.kind, changes.group_id
    for table, rows in changes.inserts.items():
        if table == "event":
            yield f"{kind} writes an event of its own: the log is written with each transaction"
        for row in rows:
            if row.get("group_id", group) != group:
                yield f"{kind} of {row['id']} belongs to group {row['group_id']!r}, not {group!r}"
            start, end = row.get("valid_at"), row.get("invalid_at")
            if table == "relates_to" and start and end and end < start:
                yield f"{kind} of {row['id']}: it would end before it starts"
    for update in changes.updates:
        yield from _of_update(kind, update, index)
    if changes.deletes and kind != FORGET:
        again = {str(row["id"]) for rows in changes.inserts.values() for row in rows}
        for table, row in changes.deletes:
            if table == "event" or (table in _KEPT and str(row["id"]) not in again):
                yield f"{kind} would erase {row['id']}: only forget erases what was added"


def _of_update(kind: str, update: Update, index: GroupIndex) -> Iterator[str]:
    record = f"{update.table}:{update.id}"
    if update.table == "event" and kind != FORGET:
        yield f"{kind} would rewrite {record}: the log only grows"
    fixed = _VERBATIM if update.table == "episode" else _FIXED
    if kind != FORGET and (touched := sorted(fixed & update.after.keys())):
        yield f"{kind} would change {touched[0]!r} of {record}: it stays as it was given"
    if update.table == "relates_to" and update.after.keys() & {"valid_at", "invalid_at"}:
        start, end = _lifetime(update.id, update.after, index)
        if start > end:
            yield f"{kind} of {record}: it would end before it starts"


def _lifetime(fact: str, after: Mapping[str, Any], index: GroupIndex) -> tuple[int, int]:
    """Return start and end as they are to be; what does not change is in memory."""
    start, end = BEGINNING, FOREVER
    if (row := index.facts.row_of.get(fact)) is not None:
        start, end = int(index.facts["valid"][row]), int(index.facts["invalid"][row])
    if start == end:  # it was so at some time before
        start = BEGINNING
    if "valid_at" in after:
        start = to_micros(after["valid_at"], BEGINNING)
    if "invalid_at" in after:
        end = to_micros(after["invalid_at"], FOREVER)
    return start, end
