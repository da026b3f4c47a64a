"""The entities that a query names, the visible facts as edges to walk along, and closeness."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphrag.index.cosines import Cosines, top_within
from graphrag.index.edges import EdgesAt, LevelWalk
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.tables import read_aside
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import Mask, VisibleRows
from graphrag.store.store import Store
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import from_micros
from graphrag.text.tokens import tokenize

if TYPE_CHECKING:
    from graphrag.search.fuse import Candidates, Scores
    from graphrag.search.query_time import Anchor, Said, When

WORD = re.compile(r"[^\s?!,;:()\"“”]+")
LONGEST = 7
_ENOUGH = 0.5
"""Share of an event's words, the rare ones weighing more, that a fact must have."""


def named_entities(query: str, index: GroupIndex, seen: VisibleRows) -> list[int]:
    """Return the rows of the visible entities named in the query, longest names first.

    A lone first or family name counts if exactly one visible person bears it.
    """
    words = WORD.findall(query)
    found: dict[int, int] = {}
    start = 0
    while start < len(words):
        for length in range(min(LONGEST, len(words) - start), 0, -1):
            name = " ".join(words[start : start + length])
            if rows := _rows(name, index, seen):
                found.update(dict.fromkeys(rows, length))
                start += length - 1
                break
        start += 1
    return sorted(found, key=lambda row: (-found[row], row))


def anchored(when: When, question: str, index: GroupIndex, ever: VisibleRows) -> When:
    """Return what a question says of time, with the times of its events.

    An event has the time of the fact that matches its words best: one that is not retracted, whose
    start is known, about an entity of the question if it names any. That is a guess, so it only
    orders and never filters. ``ever`` is what is visible of all times.
    """
    known = ever.facts & (ever.retracted == FOREVER) & (ever.valid != BEGINNING)
    if named := named_entities(question, index, ever):
        about = np.zeros(len(ever.entities), dtype=np.bool_)
        about[named] = True
        known &= np.logical_or(*map(about.take, ever.ends))
    times = [_time_of(anchor, index, ever, known) for anchor in when.anchors]
    said = (*when.said, *(time for time in times if time is not None))
    return replace(when, said=said, filters=False) if len(said) > len(when.said) else when


def _time_of(
    anchor: Anchor, index: GroupIndex, ever: VisibleRows, known: npt.NDArray[np.bool_]
) -> Said | None:
    from graphrag.search.query_time import Said

    whole = index.facts.postings.whole(anchor.words)
    if not whole or not known.any():
        return None
    scores = np.where(known, index.facts.postings.scores(anchor.words), 0.0)
    row = int(scores.argmax())
    if scores[row] < _ENOUGH * whole:
        return None  # nothing has these words: the row may be any, one without a start too
    start = from_micros(int(ever.valid[row]))
    end = None if ever.invalid[row] == FOREVER else from_micros(int(ever.invalid[row]))
    if anchor.bound == "in" and end is not None and end <= start:
        return None
    match anchor.bound:
        case "before":
            interval = Interval(end=start)
        case "until":
            interval = Interval(end=end or start)
        case "after" | "since":
            interval = Interval(start=start)
        case "in":
            interval = Interval(start, end)
    return Said(f"{anchor.bound} {anchor.words}", interval, anchor.bound)


def bearers(name: str, index: GroupIndex, seen: VisibleRows) -> list[str]:
    """Return the ids of the visible entities with this name, alias or id, best connected first.

    A first or family name does, if nothing is called so.
    """
    if name in index.entities.row_of:
        return seen.shown([name], index)
    ids = seen.named(name, index) or seen.people(name.casefold(), index)
    return sorted(ids, key=lambda id_: -seen.degree(id_, index)) if len(ids) > 1 else ids


def _rows(name: str, index: GroupIndex, seen: VisibleRows) -> list[int]:
    ids = seen.named(name, index)
    if not ids:
        people = seen.people(name.casefold().removesuffix("'s").removesuffix("’s"), index)
        ids = people if len(people) == 1 else []
    # Only stop words, "it" or "who", name nobody. Asked last: hardly any words are a name.
    return [index.entities.row_of[id_] for id_ in ids] if ids and tokenize(name) else []


Rows = npt.NDArray[np.intp]
Counts = npt.NDArray[np.int64]
Distances = npt.NDArray[np.int8]
"""Hops by row; -1: too far."""
_STEP = 0.1
_FEW = 2_000
"""Facts from which on a pass over all is quicker than putting them in order."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Facts that may be walked along, in either direction."""

    subject: npt.NDArray[np.int32]
    object: npt.NDArray[np.int32]
    usable: Mask
    nodes: int
    facts_at: EdgesAt | None = None
    """The facts at a few entities, usable or not, some twice; None if they are many."""

    @classmethod
    def of(
        cls, index: GroupIndex, seen: VisibleRows, *, relations: Sequence[str] | None = None
    ) -> Edges:
        """Return the visible facts between visible entities, of some relations if any are given."""
        subject, object_ = seen.ends
        usable = seen.facts & seen.entities.take(subject) & seen.entities.take(object_)
        if relations is not None:
            wanted = np.array([name in relations for name in index.relations], dtype=np.bool_)
            usable &= wanted.take(index.facts["relation"])
        return cls(subject, object_, usable, len(index.entities), seen.facts_at)

    def distances(self, starts: Sequence[int], depth: int) -> Distances:
        """Return the hops of every entity from the nearest start, -1 beyond ``depth``."""
        ends = self.subject, self.object
        walk = LevelWalk(*ends, self.nodes, starts, alive=self.usable, edges_at=self.facts_at)
        return walk.within(depth)

    def about(self, nodes: Mask) -> Rows:
        """Return the facts of which an end is among these, in the order of telling."""
        few = None if self.facts_at is None else self.facts_at(np.flatnonzero(nodes))
        if few is not None and len(few) < _FEW:
            few = np.unique(few)
            return few[self.usable[few]]
        return np.flatnonzero(self.usable & (nodes.take(self.subject) | nodes.take(self.object)))

    def within(self, nodes: Mask) -> Rows:
        """Return the facts of which both ends are among these, in the order of telling."""
        return np.flatnonzero(self.usable & nodes.take(self.subject) & nodes.take(self.object))

    def degrees(self) -> Counts:
        """Count the facts at every entity."""
        subject, object_ = self.subject[self.usable], self.object[self.usable]
        others = object_[object_ != subject]  # a fact about one entity alone counts once
        return np.bincount(np.concatenate((subject, others)), minlength=self.nodes)


async def confidences(index: GroupIndex, store: Store, past: Rewind) -> npt.NDArray[np.float64]:
    """Return how sure each fact was then; 1 if nothing is said of it."""
    await read_aside(store, index, {"relates_to": ["confidence"]})
    stored = index.facts.aside["confidence"].values(len(index.facts))
    sure = np.nan_to_num(stored, nan=1.0)
    for id_, image in past.images("relates_to"):
        if "confidence" in image and id_ in index.facts.row_of:
            sure[index.facts.row_of[id_]] = image["confidence"]
    return np.asarray(sure)


def walk(seen: VisibleRows, seeds: Sequence[int]) -> LevelWalk:
    """Return a walk from the seeds along visible facts only."""
    count = len(seen.entities)
    return LevelWalk(*seen.ends, count, seeds, alive=seen.facts, edges_at=seen.facts_at)


class Nearness:
    """Score rows by their hops, and the equally near by cosine and a bonus.

    ``(1 + 0.1 (cosine + bonus)) / (1 + hops)``: what orders the equally near does not outweigh a
    hop within three, so the best are looked for hop by hop, and what is far costs nothing.
    """

    def __init__(
        self,
        reached: Candidates,
        distance: Distances,
        distance_of: Callable[[Candidates], Distances],
        cosines: Cosines,
        bonus: Callable[[Candidates], npt.NDArray[np.floating]],
    ) -> None:
        """Take the rows that were reached, ascending, the hops of each, and those of any row."""
        self._reached = reached
        self._distance = distance
        self._distance_of = distance_of
        self._cosines = cosines
        self._bonus = bonus

    def at(self, rows: Candidates) -> Scores:
        """Return the scores of some rows, 0 for what was not reached."""
        return self._scores(rows, self._distance_of(rows), self._cosines.at(rows))

    def top(
        self, k: int, mask: Mask | None = None, floor: float | None = None
    ) -> tuple[Candidates, Scores]:
        """Return rows and scores of the nearest that are allowed."""
        rows, distance = self._reached, self._distance
        if mask is not None:
            allowed = mask[rows]
            rows, distance = rows[allowed], distance[allowed]
        if len(rows) > k:
            near = distance <= np.partition(distance, k - 1)[k - 1]
            rows, distance = rows[near], distance[near]
        rough = self._scores(rows, distance, self._cosines.rough_at(rows))
        slack = _STEP * self._cosines.slack
        places, scores = top_within(
            rough, slack, lambda places: self.at(rows[places]), k, floor=floor
        )
        return rows[places], scores

    def _scores(self, rows: Candidates, distance: Distances, cosines: Scores) -> Scores:
        relevance = cosines + self._bonus(rows)
        scores = (1 + _STEP * relevance) / (1.0 + np.maximum(distance, 0))
        return np.where(distance >= 0, scores, 0.0).astype(np.float32)
