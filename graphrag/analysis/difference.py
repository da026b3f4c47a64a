"""Differences between two moments, and the absence of facts.

On the system axis two states of the graph are compared, each rebuilt from the log: a fact that was
added and retracted in between is not reported. On the world axis the facts known to the view are
compared by their starts and ends.

"Not known" and "ended" are different answers. Absence ignores retracted facts as never true.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from graphrag.display.cards import entity_title, episode_title, fact_table, lifetime, triple
from graphrag.display.visible import Html, flatten
from graphrag.index.group import GroupIndex
from graphrag.model.values import Entity, Episode, Event, Fact
from graphrag.search.frames import table_of
from graphrag.search.rewind import Rewind, read_values
from graphrag.store.store import Store

Axis = Literal["system", "world"]
Kind = Literal[
    "learned", "closed", "reopened", "corrected", "retracted", "restored", "began", "ended"
]
_COLUMNS = (
    *("kind", "at", "why", "subject", "relation", "object", "valid_at", "invalid_at"),
    *("confidence", "text", "id"),
)


@dataclass(frozen=True, slots=True)
class ChangedFact:
    """A fact that differs between two moments, and the kind of change."""

    kind: Kind
    fact: Fact
    """The fact at the later moment."""
    at: datetime
    """System time of the last change; for ``began`` and ``ended`` the world time of that change."""
    before: Fact | None = None
    """The fact at the earlier moment; None if it was not known then."""

    def __str__(self) -> str:
        why = flatten(f": {self.why}") if self.why else ""
        return f"{self.kind:<9} {triple(self.fact)} ({lifetime(self.fact)}){why}"

    @property
    def why(self) -> str:
        """Return the reason of the change; empty if none was given."""
        return "" if self.kind == "learned" else self.fact.reason or ""


@dataclass(frozen=True, slots=True, repr=False)
class Changes:
    """Differences between two moments, in chronological order."""

    since: datetime
    until: datetime
    axis: Axis
    facts: tuple[ChangedFact, ...] = ()
    entities: tuple[Entity, ...] = ()
    """New entities."""
    episodes: tuple[Episode, ...] = ()
    """New episodes."""
    merged: tuple[Entity, ...] = ()
    """Entities that were merged into another one; see ``Entity.merged_into``."""
    removed: tuple[Episode, ...] = ()
    """Episodes that were removed."""

    def of(self, *kinds: Kind) -> list[Fact]:
        """Return the facts whose change is of one of the given kinds, such as ``learned``."""
        return [change.fact for change in self.facts if change.kind in kinds]

    def __iter__(self) -> Iterator[ChangedFact]:
        return iter(self.facts)

    def __len__(self) -> int:
        others = (self.entities, self.episodes, self.merged, self.removed)
        return len(self.facts) + sum(map(len, others))

    def __repr__(self) -> str:
        return (
            f"Changes({self.axis} time {self.since:%Y-%m-%d %H:%M} to {self.until:%Y-%m-%d %H:%M}: "
            f"{len(self.facts)} facts, {len(self.entities)} new entities, "
            f"{len(self.episodes)} new episodes)"
        )

    def __str__(self) -> str:
        lines = [str(changed) for changed in self.facts]
        lines += [f"entity    {entity_title(entity)}" for entity in self.entities]
        lines += [f"merged    {entity_title(entity)}" for entity in self.merged]
        lines += [f"episode   {episode_title(episode)}" for episode in self.episodes]
        lines += [f"removed   {episode_title(episode)}" for episode in self.removed]
        return "\n".join(lines) or "nothing changed"

    def to_dataframe(self) -> Any:
        """Return one row for each changed fact as a pandas data frame.

        Raises:
            MissingExtraError: if pandas is not installed.
        """
        rows = [
            {name: getattr(changed, name) for name in _COLUMNS[:3]}
            | {name: getattr(changed.fact, name) for name in _COLUMNS[3:]}
            for changed in self.facts
        ]
        return table_of(rows, _COLUMNS)

    def _repr_html_(self) -> Html:
        rows = (
            (changed.fact, "", (changed.kind, f"{changed.at:%Y-%m-%d %H:%M}", changed.why))
            for changed in self.facts
        )
        return fact_table(("change", "at", "why"), rows, now=self.until)


async def learned_between(
    index: GroupIndex, store: Store, events: Sequence[Event], since: datetime, until: datetime
) -> Changes:
    """Compare the group as known at two moments, given all events since the first."""
    between = [event for event in events if event.at <= until]
    at = {change.record: event.at for event in between for change in event.changes}
    early, late = Rewind.undoing(events), Rewind.undoing(events[len(between) :])
    facts = await read_values(store, Fact, _ids(at, "relates_to"))
    were = early.facts({id_: fact for id_, fact in facts.items() if _was(early, fact)}, index)
    are = late.facts(facts, index)
    changed = [
        ChangedFact(kind, fact, at[f"relates_to:{id_}"], were.get(id_))
        for id_, fact in are.items()
        if (kind := _kind(were.get(id_), fact)) is not None
    ]
    entities = (await read_values(store, Entity, _ids(at, "entity"))).values()
    episodes = (await read_values(store, Episode, _ids(at, "episode"))).values()
    entities_then = [(entity, early.rewind(entity), late.rewind(entity)) for entity in entities]
    episodes_then = [(episode, early.rewind(episode), late.rewind(episode)) for episode in episodes]
    return Changes(
        since,
        until,
        "system",
        tuple(sorted(changed, key=lambda change: (change.at, change.fact.id))),
        tuple(is_ for stored, _, is_ in entities_then if not _was(early, stored)),
        tuple(is_ for stored, _, is_ in episodes_then if not _was(early, stored)),
        tuple(is_ for _, was, is_ in entities_then if is_.merged_into and not was.merged_into),
        tuple(is_ for _, was, is_ in episodes_then if is_.removed_at and not was.removed_at),
    )


_TURNS: tuple[Kind, Kind] = ("began", "ended")


def happened_between(facts: Iterable[Fact], since: datetime, until: datetime) -> Changes:
    """Return what began and what ended in a stretch of world time."""
    changed = [
        ChangedFact(kind, fact, moment)
        for fact in facts
        if fact.closed_as != "past"
        for kind, moment in zip(_TURNS, (fact.valid_at, fact.invalid_at), strict=True)
        if moment is not None and since <= moment < until
    ]
    changed.sort(key=lambda change: (change.at, change.kind == "began", change.fact.id))
    return Changes(since, until, "world", tuple(changed))


def _ids(records: Iterable[str], table: str) -> list[str]:
    return sorted(record.partition(":")[2] for record in records if record.startswith(f"{table}:"))


def _was(past: Rewind, value: Fact | Entity | Episode) -> bool:
    table = {Fact: "relates_to", Entity: "entity", Episode: "episode"}[type(value)]
    return past.knew(table, value.id)


def _kind(before: Fact | None, after: Fact) -> Kind | None:
    shown = after.retracted_at is None and not after.pending
    if before is None or before.pending:
        return "learned" if shown else None
    if before.retracted_at is not None:
        return "restored" if shown else None
    if not shown:
        return "retracted"
    if before.invalid_at != after.invalid_at:
        later = before.invalid_at is not None and (
            after.invalid_at is None or after.invalid_at > before.invalid_at
        )
        return "reopened" if later else "closed"
    same = (before.valid_at, before.text, dict(before.attributes))
    return None if same == (after.valid_at, after.text, dict(after.attributes)) else "corrected"


@dataclass(frozen=True, slots=True)
class Absence:
    """Statement that no fact of a relation holds for an entity at the moment of a view."""

    entity: str
    relation: str
    since: datetime | None = None
    """When the last such fact ended; None if no fact with a known end is on record."""
    last: tuple[Fact, ...] = ()
    """The facts that ended at ``since``; if it is None, past facts whose time is unknown."""
    ended_by: tuple[Fact, ...] = ()
    """The facts that closed those in ``last``."""

    def __str__(self) -> str:
        if self.since is None:
            missing = f"not known: {self.entity} {self.relation.replace('_', ' ')}"
            once = "; ".join(f"{triple(fact)} {lifetime(fact)}" for fact in self.last)
            return flatten(f"{missing}; {once}" if once else missing)
        reasons = (
            f"{triple(fact)} ended{f' ({fact.reason})' if fact.reason else ''}"
            for fact in self.last
        )
        return f"not known since {self.since.date()}: {'; '.join(reasons)}"


def absence_of(
    entity: str, relation: str, facts: Sequence[Fact], closers: Mapping[str, Fact], at: datetime
) -> Absence | None:
    """Return what is missing at a moment, given the facts of all times; None if nothing is."""
    stated = [fact for fact in facts if fact.retracted_at is None and not fact.pending]
    past = tuple(fact for fact in stated if fact.closed_as == "past")
    begun = [
        fact
        for fact in stated
        if fact.closed_as != "past" and (fact.valid_at is None or fact.valid_at <= at)
    ]
    ends = [fact.invalid_at for fact in begun if fact.invalid_at is not None]
    if len(ends) < len(begun) or any(end > at for end in ends):
        return None
    if not ends:
        return Absence(entity, relation, None, past)
    since = max(ends)
    last = tuple(fact for fact in begun if fact.invalid_at == since)
    ids = dict.fromkeys(fact.invalidated_by or "" for fact in last)
    ended_by = tuple(closers[id_] for id_ in ids if id_ in closers)
    return Absence(entity, relation, since, last, ended_by)
