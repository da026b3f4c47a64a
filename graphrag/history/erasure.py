"""What goes with an entity: its facts, the texts that name it, and what is known only from those.

Everything of the group is read at once, without its vectors: whatever is erased must be looked for
in every row and in every event anyway.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from graphrag.analysis.cleanup import manual_entities
from graphrag.health.holdings import TABLES
from graphrag.history.redact import Names
from graphrag.index.group import GroupIndex
from graphrag.index.texts import PIECE
from graphrag.model.values import Change, Event
from graphrag.names.key import name_key
from graphrag.protocols import in_turns
from graphrag.store.engine import Row
from graphrag.store.pages import group_rows
from graphrag.store.store import Store

_EVENTS = 20
"""Events read at once: one may have the images of 500 facts."""
Texts = Literal["erase", "keep"]
"""What becomes of the episodes that name what is forgotten."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was erased."""

    group: str
    records: Mapping[str, int]
    """Erased rows by table; of a whole group also its ``event`` rows."""
    event: Event | None = None
    """What the log keeps: that something was forgotten, and when. None for a whole group, and for
    what was only counted.
    """


@dataclass(frozen=True, slots=True)
class Group:
    """Every row of a group by table and id, without vectors, and its log."""

    rows: Mapping[str, Mapping[str, Row]]
    log: tuple[Row, ...]
    """Event rows, oldest first."""
    changes: tuple[tuple[Mapping[str, Any], ...], ...]
    """What each of them changed."""

    @classmethod
    async def read(cls, group: str, store: Store) -> "Group":
        """Read a group."""
        rows = {table: await group_rows(store, table, group, vectors=False) for table in TABLES}
        log: list[Row] = []
        changes: list[tuple[Mapping[str, Any], ...]] = []
        while page := await store.event_rows(group, after=len(log), limit=_EVENTS):
            log += page
            changes += [tuple(json.loads(row["changes"])) async for row in in_turns(page)]
        return cls(rows, tuple(log), tuple(changes))

    def events(self) -> Iterator[tuple[str, Iterator[Change]]]:
        """Yield the kind and the changes of each event."""
        for event, changes in zip(self.log, self.changes, strict=True):
            yield event["kind"], (Change(**change) for change in changes)


@dataclass(frozen=True, slots=True)
class Doomed:
    """What is to be erased, by table and id."""

    group: Group
    ids: Mapping[str, set[str]]
    names: Names

    def rows(self, table: str) -> list[Row]:
        """Return the rows of a table that go."""
        return [self.group.rows[table][id_] for id_ in sorted(self.ids[table])]

    def kept(self, table: str) -> dict[str, Row]:
        """Return the rows of a table that stay."""
        gone = self.ids[table]
        return {id_: row for id_, row in self.group.rows[table].items() if id_ not in gone}

    def kept_words(self) -> str:
        """Return what the episodes that stay say, one after the other."""
        return PIECE.join(row["content"] for row in self.kept("episode").values())


async def doomed_with(entity: str, group: Group, index: GroupIndex, texts: Texts) -> Doomed:
    """Return what goes with an entity, given by id."""
    rows, family = group.rows, set(index.heirs.family(entity))
    names = _names(family, group, index)
    at_family = {
        id_ for id_, row in rows["relates_to"].items() if {row["in"].id, row["out"].id} & family
    }
    episodes: set[str] = set()
    if texts == "erase":
        linked = {row["in"].id for row in rows["mentions"].values() if row["out"].id in family}
        # What a person corrected keeps the sources of what was misread: they say something else.
        facts_at = (rows["relates_to"][id_] for id_ in at_family)
        stated = chain.from_iterable(_sources(row) for row in facts_at if row["origin"] != "manual")
        episode_rows = in_turns(rows["episode"].items())
        naming = {id_ async for id_, row in episode_rows if names.named_in(row)}
        episodes = (linked | naming | {*stated}) & rows["episode"].keys()
    facts = at_family | {
        id_
        for id_, row in rows["relates_to"].items()
        if (sources := _sources(row)) and sources <= episodes
    }
    ids = {
        "relates_to": facts,
        "episode": episodes,
        "entity": family | _unheard_of(family, facts, episodes, group, index),
        "passage": {id_ for id_, row in rows["passage"].items() if row["episode"] in episodes},
        "community": set(rows["community"]),  # communities.build() makes them anew
        "saga": _emptied(rows, episodes),
    }
    for table in rows.keys() - ids.keys():
        ids[table] = {
            id_
            for id_, row in rows[table].items()
            if any(end.id in ids.get(end.table, ()) for end in (row["in"], row["out"]))
        }
    return Doomed(group, ids, names)


def _names(family: set[str], group: Group, index: GroupIndex) -> Names:
    """Return the names of a family, today's and those in the log, that nobody else bears."""
    others = {
        id_: names for id_, names in index.names.names.items() if id_ not in family and any(names)
    }
    borne = {name_key(name) for names in others.values() for name in names}
    own = {name for id_ in family for name in index.names.names[id_]}
    for change in chain.from_iterable(group.changes):
        table, _, id_ = change["record"].partition(":")
        if table == "entity" and id_ in family:
            for image in (change["before"] or {}, change["after"] or {}):
                own |= {image.get("name") or "", *(image.get("aliases") or ())}
    mine = tuple(sorted((name for name in own if name and name_key(name) not in borne), key=len))
    kinds = {index.entity_type(id_) for id_ in family}
    alike = [
        name for id_, names in others.items() if index.entity_type(id_) in kinds for name in names
    ]
    finder = Names(mine)
    return Names(mine, tuple(sorted(name for name in alike if finder.names_it(name))))


def _unheard_of(
    family: set[str], facts: set[str], episodes: set[str], group: Group, index: GroupIndex
) -> set[str]:
    """Return the entities that nothing speaks of any more once facts and episodes are gone."""
    rows = group.rows
    touched = {
        row["out"].id for row in rows["mentions"].values() if row["in"].id in episodes
    } | set(_ends(rows["relates_to"][id_] for id_ in facts))
    held = {row["out"].id for row in rows["mentions"].values() if row["in"].id not in episodes}
    held |= set(_ends(row for id_, row in rows["relates_to"].items() if id_ not in facts))
    held |= manual_entities(group.events())
    heirs = {index.heirs.of(id_) for id_ in touched - family}
    families = [set(index.heirs.family(heir)) for heir in heirs]
    return {id_ for members in families if not members & held for id_ in members} - family


def _emptied(rows: Mapping[str, Mapping[str, Row]], episodes: set[str]) -> set[str]:
    """Return the sagas of which every episode goes."""
    left = {row.get("saga") for id_, row in rows["episode"].items() if id_ not in episodes}
    gone = {rows["episode"][id_].get("saga") for id_ in episodes}
    return {id_ for id_, row in rows["saga"].items() if row["name"] in gone - left}


def _ends(facts: Iterable[Row]) -> Iterable[str]:
    return (row[end].id for row in facts for end in ("in", "out"))


def _sources(row: Row) -> set[str]:
    return {span["episode"] for span in row.get("sources", ())}
