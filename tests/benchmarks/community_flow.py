"""``communities``, through time: groups that merge, split, come and go as is known, and the cost.

Blocks of entities with facts of a year each, most of them inside a block. What was found is
compared with the blocks entity by entity in each slice, by normalised mutual information.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from graphrag.community.detect import Labels
from graphrag.community.draft import Ties
from graphrag.community.evolution import States, evolve, sliced, slices
from graphrag.community.flow import CommunityEvent
from graphrag.community.tracking import events
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import to_micros
from tests.benchmarks.report import Section

_SLICES = 12
_BLOCK = 60
_INSIDE = 0.85
"""Share of the facts that stay inside a block."""
_EACH = 20
"""Facts to an entity in all."""
_WAYS = ((None, 1.0), (None, 0.5), (0.02, 1.0), (0.01, 0.5))
"""Resolution, and coupling."""
_START = datetime(2012, 1, 1, tzinfo=UTC)


def sections(sizes: Sequence[int]) -> Iterator[Section]:
    """Yield how well and how quickly communities are found in twelve years of changing blocks."""
    notes = ("events that were found of those that were made, by kind; and all that were found",)
    rows = [_measured(facts, *how) for facts in sizes for how in _WAYS]
    yield Section(f"through time, {_SLICES} slices", rows, notes)


def _measured(facts: int, resolution: float | None, coupling: float) -> dict[str, float | str]:
    import igraph

    ties, valid, invalid, blocks, made = _changing(facts)
    parts = slices("year", _START, datetime(2012 + _SLICES, 1, 1, tzinfo=UTC))
    began, started = time.process_time(), time.perf_counter()
    cut = sliced(ties, valid, invalid, parts)
    states = evolve(cut, np.arange(blocks.shape[1]), resolution=resolution, coupling=coupling)
    took, waited = time.process_time() - began, time.perf_counter() - started
    truth = blocks[states.slices, states.entities]
    every = igraph.compare_communities(states.labels.tolist(), truth.tolist(), method="nmi")
    each = []
    for number in range(_SLICES):
        here = states.slices == number
        labels, known = (column[here].tolist() for column in (states.labels, truth))
        each.append(igraph.compare_communities(labels, known, method="nmi"))
    found = {(one.kind, one.at.year) for one in _happened(states, parts)}
    return {
        "facts": facts,
        "entities": blocks.shape[1],
        "resolution": resolution or "modularity",
        "coupling": coupling,
        "nodes": len(states.labels),
        "NMI, all": every,
        "NMI, worst slice": min(each),
        **{
            kind: f"{sum(one[0] == kind for one in made & found)} of {times}"
            for kind, times in sorted(Counter(kind for kind, _ in made).items())
        },
        "all": len(found),
        "CPU s": took,
        "seconds": waited,
    }


def _happened(states: States, parts: Sequence[Interval]) -> Iterator[CommunityEvent]:
    members = []
    for number in range(len(parts)):
        here = states.slices == number
        homes: dict[str, set[str]] = {}
        for label, row in zip(states.labels[here], states.entities[here], strict=True):
            homes.setdefault(str(label), set()).add(str(row))
        members.append({id_: frozenset(some) for id_, some in homes.items()})
    return events(members, [part.start or _START for part in parts], share=0.5, change=0.25)


def _changing(
    facts: int, seed: int = 5
) -> tuple[Ties, Labels, Labels, Labels, set[tuple[str, int]]]:
    """Make facts between blocks of which some merge, split, come or go."""
    random = np.random.default_rng(seed)
    entities = max(8 * _BLOCK, facts // _EACH)
    first = random.permutation(entities) % (entities // _BLOCK)
    blocks = np.tile(first, (_SLICES, 1))
    count = int(first.max()) + 1
    changed = random.permutation(count)
    made: set[tuple[str, int]] = set()
    for turn, (one, other, third, fourth, fifth) in zip(
        range(2, _SLICES, 2), changed[: count // 5 * 5].reshape(-1, 5), strict=False
    ):
        year = 2012 + turn
        blocks[turn:][blocks[turn:] == other] = one
        made.add(("merged", year))
        halves = (blocks[turn:] == third) & (np.arange(entities) % 2 == 0)
        blocks[turn:][halves] = count + turn
        made.add(("split", year))
        blocks[turn:][blocks[turn:] == fourth] = -1
        made.add(("died", year))
        blocks[:turn][blocks[:turn] == fifth] = -1
        made.add(("born", year))
    pairs = []
    for number in range(_SLICES):
        some = facts // _SLICES
        there = np.flatnonzero(blocks[number] >= 0)
        order = there[np.argsort(blocks[number][there], kind="stable")]
        labels = blocks[number][order]
        left = np.searchsorted(labels, labels, "left")
        right = np.searchsorted(labels, labels, "right")
        at = random.integers(0, len(order), some)
        near = left[at] + (random.random(some) * (right - left)[at]).astype(np.int64)
        far = random.integers(0, len(order), some)
        pairs.append((order[at], order[np.where(random.random(some) < _INSIDE, near, far)]))
    subjects, objects = (np.concatenate(column) for column in zip(*pairs, strict=True))
    begun = np.repeat(np.arange(_SLICES), facts // _SLICES)
    turns = [_START.replace(year=2012 + number) for number in range(_SLICES + 1)]
    moments = np.array([to_micros(one, 0) for one in turns])
    valid, invalid = moments[begun], moments[begun + 1]
    kept = np.flatnonzero(subjects != objects)
    weights = np.ones(len(kept))
    return Ties(kept, subjects[kept], objects[kept], weights), valid, invalid, blocks, made
