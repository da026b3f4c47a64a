"""Which rows a read may see, as masks over the columns.

Without a moment, facts true now are shown. A question of "in 2019" shows those that held then; a
time merely mentioned, or words that look back ("used to"), add ended facts, with overlaps first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from graphrag.index.edges import Ends, MergedIds
from graphrag.index.group import BEGINNING, FOREVER, Adjacency, GroupIndex
from graphrag.index.retention import ViewCache
from graphrag.model.assertion import stored_by
from graphrag.names.key import name_key
from graphrag.search.rewind import Rewind
from graphrag.store.rows import unplain
from graphrag.temporal.interval import Viewpoint
from graphrag.temporal.moment import to_micros

if TYPE_CHECKING:
    from graphrag.search.query_time import When

Mask = npt.NDArray[np.bool_]
Micros = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class VisibleRows:
    """The rows of each scope that a read may return."""

    facts: Mask
    entities: Mask
    """Merged entities are not seen: the one that they were merged into is."""
    episodes: Mask
    communities: Mask
    """Those that were there: they are as last built, of the facts that held then."""
    heirs: MergedIds
    speaks: Ends | None
    """The row that each entity speaks through; None: nobody is merged."""
    ends: tuple[Ends, Ends]
    """The row of the subject and of the object of each fact, seen through the heirs."""
    names: Mapping[str, frozenset[str]]
    """Keys of the names of those entities that went by others then than now."""
    stated: Mask
    """Every fact that there was at all, whether it held or not."""
    valid: Micros
    invalid: Micros
    """Start and end of every fact, as they were known then."""
    retracted: Micros
    adjacency: Adjacency

    def facts_at(self, entities: npt.NDArray[np.intp]) -> npt.NDArray[np.intp] | None:
        """Return the facts at some entities, seen or not; None if a pass over all is quicker."""
        if self.speaks is not None:  # facts are stored with the merged as ends
            own = self.speaks[entities] == entities
            merged = np.flatnonzero(self.speaks != np.arange(len(self.speaks)))
            kin = merged[np.isin(self.speaks[merged], entities[own])]
            entities = np.concatenate((entities[own], kin))
        return self.adjacency.around(entities, len(self.facts))

    def degree(self, id_: str, index: GroupIndex) -> int:
        """Count the facts that were stated of an entity."""
        row = index.entities.row_of.get(id_, -1)
        subject, object_ = self.ends
        return int((self.stated & ((subject == row) | (object_ == row))).sum())

    def named(self, name: str, index: GroupIndex) -> list[str]:
        """Return the ids of the visible entities that bear this name or alias, oldest first."""
        key = name_key(name)
        known = sorted({*index.names.keyed(key), *self.names})
        return self.shown((id_ for id_ in known if self._bears(id_, key)), index) if known else []

    def people(self, word: str, index: GroupIndex) -> list[str]:
        """Return the ids of the visible persons whose first or family name is this word."""
        renamed = (id_ for id_ in self.names if id_ in index.names.names)
        people = (id_ for id_ in renamed if index.entity_type(id_) == "person")
        known = {*index.names.people(word), *people}
        ids = (id_ for id_ in sorted(known) if self._bears(id_, word, True))
        return self.shown(ids, index) if known else []

    def _bears(self, id_: str, key: str, part: bool = False) -> bool:
        keys = self.names.get(id_)
        ends = (words[:1] + words[-1:] for words in map(str.split, keys or ()))
        return keys is None or key in keys or (part and any(key in words for words in ends))

    def shown(self, ids: Iterable[str], index: GroupIndex) -> list[str]:
        """Return the visible entities that these speak through, each once; none that came since."""
        row_of, known = index.entities.row_of, len(self.entities)
        heirs = dict.fromkeys(map(self.heirs.of, ids))
        return [
            id_ for id_ in heirs if (row := row_of.get(id_, known)) < known and self.entities[row]
        ]


_VIEWS: Final = ViewCache[VisibleRows](most=4)
"""0.3 MB each at 100,000 facts."""


def visible(
    index: GroupIndex,
    viewpoint: Viewpoint,
    past: Rewind,
    *,
    now: datetime,
    when: "When | None" = None,
) -> VisibleRows:
    """Return the rows that exist, were known, and hold at the viewpoint; nobody may change them.

    Without a moment of world time the question decides. The last views are kept until a row
    changes, or a fact begins or ends.
    """
    asked = when if viewpoint.valid_at is None and not viewpoint.history else None
    if past or asked:
        return _visible(index, viewpoint, past, now=now, when=asked)
    at = _moment(viewpoint, now)
    kind = viewpoint.history, viewpoint.valid_at is None
    if (view := _VIEWS.find(index, kind, at)) is not None:
        return view
    seen = _visible(index, viewpoint, past, now=now)
    for mask in (seen.facts, seen.entities, seen.episodes, seen.communities, seen.stated):
        mask.flags.writeable = False
    if viewpoint.history:
        since, until = BEGINNING, FOREVER
    elif viewpoint.valid_at is not None:
        since, until = at, at + 1
    else:
        turns = (np.where(turn > at, turn, FOREVER) for turn in (seen.valid, seen.invalid))
        since, until = at, min(int(turn.min(initial=FOREVER)) for turn in turns)
    _VIEWS.keep(index, kind, since, until, seen)
    return seen


def _moment(viewpoint: Viewpoint, now: datetime) -> int:
    # What the same read gave at that moment: it, too, asked for what held just then.
    then = now if viewpoint.known_at is None else min(viewpoint.known_at, now)
    return to_micros(viewpoint.valid_at or then, FOREVER)


def _visible(
    index: GroupIndex,
    viewpoint: Viewpoint,
    past: Rewind,
    *,
    now: datetime,
    when: "When | None" = None,
) -> VisibleRows:
    valid, invalid, retracted, pending = (
        index.facts[name] for name in ("valid", "invalid", "retracted", "pending")
    )
    gone, taken = index.entities["removed"], index.episodes["removed"]
    facts, entities, episodes, communities = (
        scope.alive.values.copy()
        for scope in (index.facts, index.entities, index.episodes, index.communities)
    )
    if past:
        valid, invalid, retracted = valid.copy(), invalid.copy(), retracted.copy()
        pending, gone, taken = pending.copy(), gone.copy(), taken.copy()
        for scope, mask, table in (
            (index.facts, facts, "relates_to"),
            (index.entities, entities, "entity"),
            (index.episodes, episodes, "episode"),
            (index.communities, communities, "community"),
        ):
            if index.upto != past.upto:  # else they are not in it
                mask[past.rows_later(table, scope)] = False
            for id_, image in past.images(table):
                if (row := scope.row_of.get(id_)) is None:
                    continue
                if table == "relates_to":
                    past_now = valid[row] == invalid[row]
                    was_past = image["closed_as"] == "past" if "closed_as" in image else past_now
                    valid[row] = BEGINNING if past_now else valid[row]
                    for column, name, default in (
                        (valid, "valid_at", BEGINNING),
                        (invalid, "invalid_at", FOREVER),
                        (retracted, "retracted_at", FOREVER),
                    ):
                        if name in image:
                            column[row] = to_micros(unplain(name, image[name]), default)
                    valid[row] = invalid[row] if was_past else valid[row]
                    if "pending" in image:
                        pending[row] = bool(image["pending"])
                elif "removed_at" in image:  # of an entity or an episode
                    column = gone if table == "entity" else taken
                    column[row] = to_micros(unplain("removed_at", image["removed_at"]), FOREVER)
    heirs = past.heirs(index)
    speaks = heirs.rows(index.entities.row_of, len(index.entities)) if heirs else None
    if speaks is not None:
        entities &= speaks == np.arange(len(speaks))
    stated = facts.copy()
    facts &= ~pending
    if not viewpoint.history:
        entities &= gone == FOREVER
        episodes &= taken == FOREVER
        at = _moment(viewpoint, now)
        facts &= retracted == FOREVER
        facts &= answering(when, valid, invalid, at) if when else (valid <= at) & (at < invalid)
        if viewpoint.valid_at is not None:
            episodes &= index.episodes["valid"] <= at
    return VisibleRows(
        facts=facts,
        entities=entities,
        episodes=episodes,
        communities=communities,
        heirs=heirs,
        speaks=speaks,
        ends=index.ends(heirs),
        names=rewound_names(index, past),
        stated=stated,
        valid=valid,
        invalid=invalid,
        retracted=retracted,
        adjacency=index.adjacency,
    )


def rewound_names(index: GroupIndex, past: Rewind) -> dict[str, frozenset[str]]:
    """Return the keys of the names of every entity that went by others then than now."""
    found: dict[str, frozenset[str]] = {}
    for id_, image in past.images("entity"):
        if image.keys() & {"name", "aliases"}:
            called = index.names.names.get(id_, ("",))
            then = image["aliases"] or () if "aliases" in image else called
            found[id_] = frozenset(map(name_key, (image.get("name", stored_by(called)), *then)))
    return found


def overlapping(when: "When", valid: Micros, invalid: Micros) -> Mask:
    """Mark the lifetimes that share an instant with a period the question speaks of."""
    found = np.zeros(len(valid), dtype=np.bool_)
    for period in when.intervals:
        start, end = to_micros(period.start, BEGINNING), to_micros(period.end, FOREVER)
        # What was so at an unknown moment shares none.
        found |= (valid < end) & (start < invalid) & (valid < invalid)
    return found


def answering(when: "When", valid: Micros, invalid: Micros, at: int) -> Mask:
    """Mark the lifetimes that may answer a question asked at a moment."""
    if when.filters:
        return overlapping(when, valid, invalid)
    holds = (valid <= at) & (at < invalid)
    if when.past or when.asks:
        return holds | (valid <= at) | overlapping(when, valid, invalid)
    return holds | overlapping(when, valid, invalid) if when.said else holds
