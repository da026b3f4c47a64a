"""How much of what answers is found: recall, discounted gain, and how sure the means are."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

DEPTHS = (2, 5, 10)
_DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class Score:
    """What one ranking is worth, in percent."""

    recall: tuple[float, ...]
    """At each of ``DEPTHS``: the share of what answers that is among the first so many."""
    ndcg: float
    """Normalised discounted cumulative gain of the first ten."""


def score(ranking: Sequence[str], gold: Collection[str]) -> Score:
    """Judge one ranking."""
    hits = np.array([id_ in gold for id_ in ranking[:10]] + [False] * (10 - len(ranking[:10])))
    gains = 1 / np.log2(np.arange(2, 12))
    best = float(gains[: min(10, len(gold))].sum())
    recall = tuple(100 * float(hits[:depth].sum()) / len(gold) for depth in DEPTHS)
    return Score(recall, 100 * float(gains[hits].sum()) / best)


def mean(scores: Sequence[Score], depth: int) -> float:
    """Return the mean recall at a depth."""
    return float(np.mean([one.recall[DEPTHS.index(depth)] for one in scores]))


def interval(scores: Sequence[Score], depth: int) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean recall, the same one in each run."""
    values = np.array([one.recall[DEPTHS.index(depth)] for one in scores])
    draws = np.random.default_rng(1).integers(len(values), size=(_DRAWS, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)
