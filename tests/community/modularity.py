"""Quality of a partition, by igraph."""

import igraph
import numpy as np

from graphrag.community.detect import NOWHERE


def modularity(subjects, objects, labels, *, weights=None):
    """Return Newman's modularity of a partition; a node that is nowhere is alone."""
    if not len(subjects):
        return 0.0
    alone = labels == NOWHERE
    full = labels.copy()
    full[alone] = labels.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    graph = igraph.Graph(n=len(labels), edges=np.column_stack((subjects, objects)).tolist())
    return graph.modularity(full.tolist(), weights=None if weights is None else weights.tolist())
