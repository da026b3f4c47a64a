"""The entities that a query names, and closeness to them in the graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphrag.index.cosines import Cosines, top_within
from graphrag.index.group import GroupIndex
from graphrag.index.hops import Walk
from graphrag.search.visibility import Visible
from graphrag.text.tokens import tokenize

if TYPE_CHECKING:
    from graphrag.search.fuse import Candidates, Mask, Scores

WORD = re.compile(r"[^\s?!,;:()\"“”]+")
LONGEST = 7


def named_entities(query: str, index: GroupIndex, seen: Visible) -> list[int]:
    """Return the rows of the visible entities named in the query, longest names first.

    A lone first or family name counts if exactly one visible person bears it.
    """
    words = WORD.findall(query)
    found: dict[int, int] = {}
    start = 0
    while start < len(words):
        for length in range(min(LONGEST, len(words) - start), 0, -1):
            name = " ".join(words[start : start + length])
            rows = _rows(name, index, seen)
            if rows:
                found.update(dict.fromkeys(rows, length))
                start += length - 1
                break
        start += 1
    return sorted(found, key=lambda row: (-found[row], row))


def bearers(name: str, index: GroupIndex, seen: Visible) -> list[str]:
    """Return the ids of the visible entities with this name, alias or id, best connected first.

    A first or family name does, if nothing is called so.
    """
    if name in index.entities.row_of:
        return seen.shown([name], index)
    ids = seen.named(name, index) or seen.people(name.casefold(), index)
    return sorted(ids, key=lambda id_: -seen.degree(id_, index)) if len(ids) > 1 else ids


def _rows(name: str, index: GroupIndex, seen: Visible) -> list[int]:
    ids = seen.named(name, index)
    if not ids:
        people = seen.people(name.casefold().removesuffix("'s").removesuffix("’s"), index)
        ids = people if len(people) == 1 else []
    # Only stop words, "it" or "who", name nobody. Asked last: hardly any words are a name.
    return [index.entities.row_of[id_] for id_ in ids] if ids and tokenize(name) else []


Distances = npt.NDArray[np.int8]
"""Hops by row; -1: too far."""
_STEP = 0.1


def walk(seen: Visible, seeds: Sequence[int]) -> Walk:
    """Return a walk from the seeds along visible facts only."""
    count = len(seen.entities)
    return Walk(*seen.ends, count, seeds, alive=seen.facts, edges_at=seen.facts_at)


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


def ties_to(seen: Visible, seeds: list[int]) -> npt.NDArray[np.int64]:
    """Count, for every entity, the visible facts that link it to a seed."""
    subject, object_ = seen.ends
    is_seed = np.zeros(len(seen.entities), dtype=np.bool_)
    is_seed[seeds] = True
    facts = seen.facts_at(np.array(seeds, dtype=np.intp))
    if facts is None:
        facts = np.flatnonzero(is_seed.take(subject) | is_seed.take(object_))
    facts = np.unique(facts[seen.facts[facts]])
    one, other = subject[facts], object_[facts]
    others = other[is_seed[one]], one[is_seed[other]]
    return np.bincount(np.concatenate(others), minlength=len(seen.entities))
