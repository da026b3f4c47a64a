"""Take out of the reads what nothing speaks of, one event for each kind, which ``revert`` undoes.

Nothing is deleted: an entity or an episode gets ``removed_at``, as with its last episode, and comes
back when it is spoken of again. What a person entered for its own sake stays, and so do facts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.analysis.orphans import Kind, line_of, look
from graphrag.display.cards import bullets
from graphrag.display.visible import Html
from graphrag.index.group import GroupIndex
from graphrag.model.values import Change, Entity, Episode, Event
from graphrag.search.rewind import NOTHING_UNDONE
from graphrag.search.visibility import visible
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint

_SHIFTING = frozenset({"merge", "unmerge", "split", "revert", "remove_episode", "repair", "forget"})
"""Kinds of events that move what was stated before; none of them states anything new."""


def manual_entities(log: Iterable[tuple[str, Iterable[Change]]]) -> set[str]:
    """Return the ids of entities that somebody entered, by hand or from a table, beside any fact.

    ``log`` is the kind and the changes of each event.
    """
    found: set[str] = set()
    for kind, changes in log:
        changes = list(changes)
        records = {change.record.partition(":")[0] for change in changes}
        if kind in _SHIFTING or records & {"episode", "mentions"}:
            continue
        related = {
            str((change.after or {}).get(end))
            for change in changes
            if change.record.startswith("relates_to:")
            for end in ("in", "out")
        }
        for change in changes:
            new = change.before is None or "attributes" in (change.after or {})
            if change.record.startswith("entity:") and new and change.record not in related:
                found.add(change.record.removeprefix("entity:"))
    return found


CLEANUP = "cleanup"
_SILENT: Mapping[Kind, str] = {
    "entities": "no fact that stands is about it, and no episode mentions it",
    "episodes": "it mentions no entity and states no fact that stands",
}


@dataclass(frozen=True, slots=True)
class Cleaned:
    """An entity or an episode, and why it goes or stays."""

    item: Entity | Episode
    why: str

    def __str__(self) -> str:
        """Return it in a line."""
        return f"{line_of(self.item)}: {self.why}"


@dataclass(frozen=True, slots=True, repr=False)
class Cleanup:
    """What a cleanup took out, or would take out."""

    group: str
    removed: tuple[Cleaned, ...] = ()
    kept: tuple[Cleaned, ...] = ()
    """Nothing speaks of them either, but they are left."""
    events: tuple[Event, ...] = ()
    """One for each kind of which something was removed; none of a dry run."""
    dry_run: bool = True

    def __repr__(self) -> str:
        """Show the counts."""
        done = "to remove" if self.dry_run else "removed"
        return f"Cleanup({self.group!r}: {len(self.removed)} {done}, {len(self.kept)} kept)"

    def __str__(self) -> str:
        """Write a line for each."""
        done = "would remove" if self.dry_run else "removed"
        lines = [f"{done} {item}" for item in self.removed]
        lines += [f"keeps {item}" for item in self.kept]
        return "\n".join(lines) or "nothing to clean up"

    def _repr_html_(self) -> Html:
        return bullets("cleanup", str(self).splitlines())


async def plan_cleanup(
    kind: Kind, index: GroupIndex, store: Store, *, now: datetime
) -> tuple[ChangeSet, Cleanup]:
    """Work out the transaction that takes out the orphans of one kind, and what it does."""
    seen = visible(index, Viewpoint(), NOTHING_UNDONE, now=now)
    ever = visible(index, Viewpoint(history=True), NOTHING_UNDONE, now=now)
    orphans = await look(index, store, seen, ever, NOTHING_UNDONE)
    changes = ChangeSet(index.group_id, CLEANUP)
    removed: list[Cleaned] = []
    kept: list[Cleaned] = []
    if kind == "episodes":
        for episode in (await store.get(Episode, orphans["episodes"])).values():
            changes.change(episode, replace(episode, removed_at=now))
            removed.append(Cleaned(episode, _SILENT[kind]))
        return changes, Cleanup(index.group_id, tuple(removed))
    events = await store.events(index.group_id) if orphans["entities"] else ()
    by_hand = manual_entities((event.kind, event.changes) for event in events)
    for entity in (await store.get(Entity, orphans["entities"])).values():
        if entity.attributes:
            kept.append(Cleaned(entity, "it has attributes"))
        elif by_hand.intersection(index.heirs.family(entity.id)):
            kept.append(Cleaned(entity, "somebody entered it for its own sake"))
        else:
            changes.change(entity, replace(entity, removed_at=now))
            removed.append(Cleaned(entity, _SILENT[kind]))
    return changes, Cleanup(index.group_id, tuple(removed), tuple(kept))
