"""Closeness in the graph: hops from the seeds, and what orders the equally near."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphrag.index.hops import hops
from graphrag.search.fuse import Scores
from graphrag.search.visible import Visible


def distances(seen: Visible, seeds: Sequence[int], depth: int) -> npt.NDArray[np.int8]:
    """Return the hops of every entity from the nearest seed, along visible facts only."""
    return hops(*seen.ends, len(seen.entities), seeds, depth=depth, alive=seen.facts)


def nearness(distance: npt.NDArray[np.int8], relevance: Scores) -> Scores:
    """Score what is ``distance`` hops away, 0 for what was not reached.

    A tenth of the relevance orders the equally near and, within three hops, never outweighs a hop.
    """
    scores = (1.0 + 0.1 * relevance) / (1.0 + np.maximum(distance, 0))
    return np.where(distance >= 0, scores, 0.0).astype(np.float32)


def ties_to(seen: Visible, seeds: list[int]) -> npt.NDArray[np.int64]:
    """Count, for every entity, the visible facts that link it to a seed."""
    subject, object_ = seen.ends
    is_seed = np.zeros(len(seen.entities), dtype=np.bool_)
    is_seed[seeds] = True
    others = (object_[seen.facts & is_seed[subject]], subject[seen.facts & is_seed[object_]])
    return np.bincount(np.concatenate(others), minlength=len(seen.entities))
