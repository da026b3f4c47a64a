"""What leads nowhere: entities that nothing speaks of, texts that state nothing, empty sagas."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from graphrag.display.cards import bullets, entity_line, episode_line, fact_line
from graphrag.display.visible import flatten
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.read_lazy import source_episodes
from graphrag.model.values import Entity, Episode, Fact, Saga
from graphrag.search.rewind import Past, mentions_then
from graphrag.search.visibility import Mask, Visible
from graphrag.store.links import Pair, episode_links
from graphrag.store.store import Store

Kind = Literal["entities", "episodes"]
"""What can be taken out of the reads."""
_TITLES = {
    "entities": "entities that nothing speaks of",
    "episodes": "episodes that tell of nothing",
    "sagas": "sagas without episodes",
    "aliases": "names that lead to an entity that is not there",
    "facts": "facts whose episodes are not there",
}


@dataclass(frozen=True, slots=True, repr=False)
class Orphans:
    """What leads nowhere in a group; ``health.cleanup()`` takes out what nobody can miss."""

    group: str
    entities: tuple[Entity, ...] = ()
    """No fact that stands is about them, and no episode that is there mentions them."""
    episodes: tuple[Episode, ...] = ()
    """They were read, mention no entity and state no fact that stands. They are still searched."""
    sagas: tuple[Saga, ...] = ()
    """No episode that is there belongs to them: no read shows them until one does."""
    aliases: tuple[Entity, ...] = ()
    """Merged entities whose heir is not there: nothing is found by their names."""
    facts: tuple[Fact, ...] = ()
    """They stand and rest on an episode that is not there. The write path leaves none: ``check()``
    says what happened to the store."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many more there are of each kind than were asked for."""

    def __len__(self) -> int:
        """Count those that are here."""
        return sum(len(getattr(self, kind)) for kind in _TITLES)

    def __bool__(self) -> bool:
        """Tell whether there is anything."""
        return len(self) > 0

    def __repr__(self) -> str:
        """Show the counts, of all that there are."""
        counts = (
            f"{len(getattr(self, kind)) + self.left_out.get(kind, 0)} {kind}" for kind in _TITLES
        )
        return f"Orphans({self.group!r}: {', '.join(counts)})"

    def __str__(self) -> str:
        """Write a line for each, under the kind."""
        parts = ("\n- ".join((f"{title}:", *lines)) for title, lines in self._shown())
        return "\n".join(parts) or "nothing leads nowhere"

    def _repr_html_(self) -> str:
        parts = (bullets(title, lines) for title, lines in self._shown())
        return "".join(parts) or "<p>nothing leads nowhere</p>"

    def _shown(self) -> Iterator[tuple[str, list[str]]]:
        for kind, title in _TITLES.items():
            lines = [line_of(value) for value in getattr(self, kind)]
            if more := self.left_out.get(kind):
                lines.append(f"and {more} more")
            if lines:
                yield title, lines


def line_of(value: Entity | Episode | Saga | Fact) -> str:
    """Return one value in a line."""
    match value:
        case Entity():
            return entity_line(value)
        case Episode():
            return episode_line(value)
        case Fact():
            return fact_line(value)
    return flatten(value.name)


async def _links(
    index: GroupIndex, store: Store, past: Past
) -> tuple[set[Pair], Mapping[str, frozenset[str]], set[str]]:
    """Return what ``episode_links`` tells, as it was known then; of mentions only the ends."""
    mentions, sources, waiting = await episode_links(store, index.group_id)
    for id_, image in past.images("relates_to"):
        if "sources" in image:
            sources[id_] = frozenset(source_episodes(image))
    for id_, image in past.images("episode"):
        if "status" in image:
            (waiting.discard if image["status"] == "done" else waiting.add)(id_)
    return set(mentions_then(mentions, past).values()), sources, waiting


async def look(
    index: GroupIndex, store: Store, seen: Visible, ever: Visible, past: Past
) -> dict[str, list[str]]:
    """Return the ids of what leads nowhere, by kind.

    Args:
        index: The group.
        store: Where its links are.
        seen: What is there at the view, at any moment of world time.
        ever: What was stated of all times, with what was removed.
        past: What has changed since the view.
    """
    mentions, sources, unread = await _links(index, store, past)
    stands = ever.stated & (ever.retracted == FOREVER)
    held = _ends_of(stands, ever) | _mentioned(mentions, index, seen)
    standing = {index.facts.ids[row] for row in np.flatnonzero(stands)}
    states = {
        episode for id_, episodes in sources.items() if id_ in standing for episode in episodes
    }
    mentioning = {episode for episode, _ in mentions}
    there = set(_ids(index.episodes.ids, seen.episodes))
    sagas = set(np.unique(index.episodes["saga"][seen.episodes]).tolist())
    return {
        "entities": _ids(index.entities.ids, seen.entities & ~held),
        "episodes": sorted(there - states - mentioning - unread),
        "sagas": [
            id_
            for name, id_ in index.sagas.items()
            if index.saga_code(name) not in sagas and past.knew("saga", id_)
        ],
        "aliases": [
            id_
            for id_ in index.entities.row_of
            if ever.heirs.of(id_) != id_
            and not seen.shown([id_], index)
            and past.knew("entity", id_)
        ],
        "facts": sorted(id_ for id_ in standing if sources.get(id_, frozenset()) - there),
    }


def _ends_of(facts: Mask, ever: Visible) -> Mask:
    held = np.zeros(len(ever.entities), dtype=np.bool_)
    for end in ever.ends:
        held[end[facts]] = True
    return held


def _mentioned(mentions: Iterable[Pair], index: GroupIndex, seen: Visible) -> Mask:
    """Return the entities that an episode which is there mentions."""
    rows, episode_rows = index.entities.row_of, index.episodes.row_of
    held = np.zeros(len(index.entities), dtype=np.bool_)
    for episode, entity in mentions:
        if episode in episode_rows and seen.episodes[episode_rows[episode]]:
            row = rows.get(seen.heirs.of(entity))
            if row is not None:
                held[row] = True
    return held


def _ids(ids: Sequence[str], mask: Mask) -> list[str]:
    return sorted(ids[row] for row in np.flatnonzero(mask).tolist())


async def find_orphans(
    index: GroupIndex, store: Store, seen: Visible, ever: Visible, past: Past, *, limit: int
) -> Orphans:
    """Return what leads nowhere, up to ``limit`` of each kind, those added first."""
    ids = await look(index, store, seen, ever, past)
    first = {kind: some[:limit] for kind, some in ids.items()}
    return Orphans(
        index.group_id,
        tuple(past.rewound(await store.get(Entity, first["entities"])).values()),
        tuple(past.rewound(await store.get(Episode, first["episodes"])).values()),
        tuple(past.rewound(await store.get(Saga, first["sagas"])).values()),
        tuple(past.rewound(await store.get(Entity, first["aliases"])).values()),
        tuple(past.facts(await store.get(Fact, first["facts"]), index).values()),
        {kind: len(some) - limit for kind, some in ids.items() if len(some) > limit},
    )
