"""How much of a query a text answers, on one scale for all queries.

Fused scores order the candidates of one search and mean nothing outside it: the best of noise
scores as high as the best of many good answers. ``relevance`` does compare across queries: the mean
of the cosine (0 if negative) and of the share of the query's words that the text holds, each word
weighed by how rare it is.
"""

import numpy as np
import numpy.typing as npt

from graphrag.index.scope import Scope as Rows
from graphrag.search.fuse import Scores


def relevance(scope: Rows, query: str, cosines: Scores, words: Scores) -> npt.NDArray[np.float64]:
    """Return the relevance of each candidate, from 0 to 1, given its cosine and BM25 score."""
    meaning = np.clip(cosines.astype(np.float64), 0, 1)
    whole = scope.postings.whole(query)
    if whole == 0:
        return meaning
    share = np.clip(words.astype(np.float64) / whole, 0, 1)
    return (meaning + share) / 2
