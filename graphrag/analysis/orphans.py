"""Orphans: entities without facts or mentions, episodes without facts, empty sagas; their cleanup.

Cleanup deletes nothing. It sets ``removed_at`` on entities or episodes, with one event for each
kind, which ``revert`` undoes. A removed item returns when it is mentioned again. Facts stay, and so
do entities that a person entered directly.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

import numpy as np

from graphrag.display.cards import bullets, line_of
from graphrag.display.visible import Html
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.tables import source_episodes
from graphrag.model.values import Change, Entity, Episode, Event, Fact, Saga
from graphrag.search.rewind import NO_REWIND, Rewind, rewound_mentions
from graphrag.search.visibility import VisibleRows, visible
from graphrag.store.changes import ChangeSet
from graphrag.store.links import episode_links
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint

Kind = Literal["entities", "episodes"]  # what can be taken out of the reads
CLEANUP = "cleanup"
_TITLES = {
    "entities": "entities without facts or mentions",
    "episodes": "episodes without entities or facts",
    "sagas": "sagas without episodes",
    "aliases": "names that lead to an entity that is not there",
    "facts": "facts whose episodes are not there",
}
_SILENT: Mapping[Kind, str] = {
    "entities": "no valid fact is about it, and no episode mentions it",
    "episodes": "it mentions no entity and states no valid fact",
}
_SHIFTING = frozenset({"merge", "unmerge", "split", "revert", "remove_episode", "repair", "forget"})
"""Kinds of events that move what was stated before; none of them states anything new."""


@dataclass(frozen=True, slots=True, repr=False)
class Orphans:
    """Unconnected items of a group; ``health.cleanup()`` removes those that are safe to remove."""

    group: str
    entities: tuple[Entity, ...] = ()
    """Entities that no valid fact is about and no remaining episode mentions."""
    episodes: tuple[Episode, ...] = ()
    """Episodes that were read, but mention no entity and state no valid fact; still searched."""
    sagas: tuple[Saga, ...] = ()
    """Sagas without any remaining episode: no read returns them until an episode is added."""
    aliases: tuple[Entity, ...] = ()
    """Merged entities whose target no longer exists: their names find nothing."""
    facts: tuple[Fact, ...] = ()
    """Valid facts whose episode no longer exists. No write leaves such facts: run
    ``health.check()`` to see what is wrong with the store."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """The number of further items by kind, beyond the requested limit."""

    def __len__(self) -> int:
        return sum(len(getattr(self, kind)) for kind in _TITLES)

    def __repr__(self) -> str:
        more = self.left_out
        counts = (f"{len(getattr(self, kind)) + more.get(kind, 0)} {kind}" for kind in _TITLES)
        return f"Orphans({self.group!r}: {', '.join(counts)})"

    def __str__(self) -> str:
        parts = ("\n- ".join((f"{title}:", *lines)) for title, lines in self._shown())
        return "\n".join(parts) or "no orphans"

    def _repr_html_(self) -> str:
        parts = (bullets(title, lines) for title, lines in self._shown())
        return "".join(parts) or "<p>no orphans</p>"

    def _shown(self) -> Iterator[tuple[str, list[str]]]:
        for kind, title in _TITLES.items():
            lines = [line_of(value) for value in getattr(self, kind)]
            if more := self.left_out.get(kind):
                lines.append(f"and {more} more")
            if lines:
                yield title, lines


@dataclass(frozen=True, slots=True)
class Cleaned:
    """An entity or an episode of a cleanup, and the reason why it is removed or kept."""

    item: Entity | Episode
    why: str

    def __str__(self) -> str:
        return f"{line_of(self.item)}: {self.why}"


@dataclass(frozen=True, slots=True, repr=False)
class Cleanup:
    """Result of a cleanup: the removed and the kept items. A dry run only lists them."""

    group: str
    removed: tuple[Cleaned, ...] = ()
    kept: tuple[Cleaned, ...] = ()
    """Orphans that stay, each with the reason."""
    events: tuple[Event, ...] = ()
    """One event for each kind of removed item; empty for a dry run."""
    dry_run: bool = True

    def __repr__(self) -> str:
        done = "to remove" if self.dry_run else "removed"
        return f"Cleanup({self.group!r}: {len(self.removed)} {done}, {len(self.kept)} kept)"

    def __str__(self) -> str:
        done = "would remove" if self.dry_run else "removed"
        lines = [f"{done} {item}" for item in self.removed]
        lines += [f"keeps {item}" for item in self.kept]
        return "\n".join(lines) or "nothing to clean up"

    def _repr_html_(self) -> Html:
        return bullets("cleanup", str(self).splitlines())


async def find_orphans(
    index: GroupIndex, store: Store, seen: VisibleRows, ever: VisibleRows, past: Rewind, limit: int
) -> Orphans:
    """Return what leads nowhere, up to ``limit`` of each kind, those added first.

    ``seen`` is what is there at the view, at any moment of world time; ``ever`` what was stated of
    all times, with what was removed.
    """
    ids = await _orphan_ids(index, store, seen, ever, past)
    first = {kind: orphans[:limit] for kind, orphans in ids.items()}
    return Orphans(
        index.group_id,
        tuple(past.rewound(await store.get(Entity, first["entities"])).values()),
        tuple(past.rewound(await store.get(Episode, first["episodes"])).values()),
        tuple(past.rewound(await store.get(Saga, first["sagas"])).values()),
        tuple(past.rewound(await store.get(Entity, first["aliases"])).values()),
        tuple(past.facts(await store.get(Fact, first["facts"]), index).values()),
        {kind: len(orphans) - limit for kind, orphans in ids.items() if len(orphans) > limit},
    )


async def _orphan_ids(
    index: GroupIndex, store: Store, seen: VisibleRows, ever: VisibleRows, past: Rewind
) -> dict[str, list[str]]:
    links, sources, unread = await episode_links(store, index.group_id)
    for id_, image in past.images("relates_to"):
        if "sources" in image:
            sources[id_] = frozenset(source_episodes(image))
    for id_, image in past.images("episode"):
        if "status" in image:
            (unread.discard if image["status"] == "done" else unread.add)(id_)
    mentions = set(rewound_mentions(links, past).values())
    facts, entities, episodes = index.facts.ids, index.entities, index.episodes
    there = {episodes.ids[row] for row in np.flatnonzero(seen.episodes).tolist()}
    stands = ever.stated & (ever.retracted == FOREVER)
    standing = {facts[row] for row in np.flatnonzero(stands).tolist()}
    held = np.zeros(len(entities), dtype=np.bool_)
    for end in ever.ends:
        held[end[stands]] = True
    heirs = {seen.heirs.of(entity) for episode, entity in mentions if episode in there}
    held[[entities.row_of[id_] for id_ in heirs if id_ in entities.row_of]] = True
    telling = {episode for id_ in standing for episode in sources.get(id_, ())}
    telling |= {episode for episode, _ in mentions}
    sagas = set(np.unique(episodes["saga"][seen.episodes]).tolist())
    return {
        "entities": sorted(entities.ids[row] for row in np.flatnonzero(seen.entities & ~held)),
        "episodes": sorted(there - telling - unread),
        "sagas": [
            id_
            for name, id_ in index.sagas.items()
            if index.saga_code(name) not in sagas and past.knew("saga", id_)
        ],
        "aliases": [
            id_
            for id_ in entities.row_of
            if ever.heirs.of(id_) != id_
            and not seen.shown([id_], index)
            and past.knew("entity", id_)
        ],
        "facts": sorted(id_ for id_ in standing if sources.get(id_, frozenset()) - there),
    }


async def plan_cleanup(
    kind: Kind, index: GroupIndex, store: Store, *, now: datetime
) -> tuple[ChangeSet, Cleanup]:
    """Work out the transaction that takes out the orphans of one kind, and what it does."""
    seen = visible(index, Viewpoint(), NO_REWIND, now=now)
    ever = visible(index, Viewpoint(history=True), NO_REWIND, now=now)
    ids = (await _orphan_ids(index, store, seen, ever, NO_REWIND))[kind]
    changes = ChangeSet(index.group_id, CLEANUP)
    removed: list[Cleaned] = []
    kept: list[Cleaned] = []
    if kind == "episodes":
        for episode in (await store.get(Episode, ids)).values():
            changes.change(episode, replace(episode, removed_at=now))
            removed.append(Cleaned(episode, _SILENT[kind]))
        return changes, Cleanup(index.group_id, tuple(removed))
    events = await store.events(index.group_id) if ids else ()
    by_hand = manual_entities((event.kind, event.changes) for event in events)
    for entity in (await store.get(Entity, ids)).values():
        if entity.attributes:
            kept.append(Cleaned(entity, "it has attributes"))
        elif by_hand.intersection(index.heirs.family(entity.id)):
            kept.append(Cleaned(entity, "a person entered it directly"))
        else:
            changes.change(entity, replace(entity, removed_at=now))
            removed.append(Cleaned(entity, _SILENT[kind]))
    return changes, Cleanup(index.group_id, tuple(removed), tuple(kept))


def manual_entities(log: Iterable[tuple[str, Iterable[Change]]]) -> set[str]:
    """Return the ids of entities that somebody entered, by hand or from a table, beside any fact.

    ``log`` is the kind and the changes of each event.
    """
    entered: set[str] = set()
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
                entered.add(change.record.removeprefix("entity:"))
    return entered
