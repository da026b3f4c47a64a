"""Personalised PageRank over episodes and shared names, near the best candidates only.

Walks start at good candidates and the query's names, and restart. A few steps suffice: farther
episodes get next to nothing, so only the neighbourhood is read.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphrag.index.entries import Rows
from graphrag.index.incidence import Incidence

Weights = npt.NDArray[np.float64]

_FOLLOWS = 0.85
"""Probability of following a link rather than starting anew."""
_STEPS = 5
_NAMED = 0.7
"""Share of the starts that are at names of the query, if it has any."""
_COMMON = 100
"""A name that more episodes share leads nowhere."""
_OWN = 4.0
"""A link of an episode to its own title counts as many links."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Episodes and how often the walker is at each, best 1."""

    rows: Rows
    visits: Weights


def walk(
    links: Incidence,
    episodes: int,
    seeds: Rows,
    strength: Weights,
    named: Rows,
    own: npt.NDArray[np.int32] | None = None,
) -> Walk:
    """Walk from some episodes and some names.

    Args:
        links: Episodes and names.
        episodes: How many episodes there are: a name is rare in relation to them.
        seeds: Rows of episodes to start from, each once.
        strength: How often the walker starts at each of them, relative to the others.
        named: Names that the query holds.
        own: The title of each episode of the group, if names are titles.
    """
    _, near = links.of_left(seeds)
    names = np.union1d(near, named)
    names = names[links.counts_right(names) <= _COMMON]
    found, _ = links.of_right(names)
    rows = np.union1d(seeds, found)
    ones, others = links.of_left(rows)
    if not len(ones):
        return Walk(seeds, np.zeros(len(seeds)))
    names, place = np.unique(np.concatenate((others, named)), return_inverse=True)
    left, right = np.searchsorted(rows, ones), place[: len(others)]
    common = links.counts_right(names)
    rare = np.log1p(episodes / np.maximum(common, 1)) / np.log1p(episodes)
    much = np.ones(len(ones)) if own is None else np.where(own[ones] == others, _OWN, 1.0)
    # The links that leave the neighbourhood take their share of the visits with them.
    out = much / np.bincount(left, much * rare[right], len(rows))[left] * rare[right]
    back = much / (common + np.bincount(right, much - 1.0, len(names)))[right]
    start = np.zeros(len(rows))
    start[np.searchsorted(rows, seeds)] = strength / max(float(strength.sum()), 1e-12)
    begin = np.zeros(len(names))
    if len(named):
        at = place[len(others) :]
        begin[at] = rare[at] ** 2
        begin *= _NAMED / float(begin.sum())
        start *= 1 - _NAMED
    visits, passed = start, begin
    for _ in range(_STEPS):
        visits, passed = (
            _FOLLOWS * np.bincount(left, passed[right] * back, len(rows)) + (1 - _FOLLOWS) * start,
            _FOLLOWS * np.bincount(right, visits[left] * out, len(names)) + (1 - _FOLLOWS) * begin,
        )
    return Walk(rows, visits / max(float(visits.max()), 1e-12))
