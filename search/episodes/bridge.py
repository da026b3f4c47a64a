"""The second hop: what answers a question together with one of the best episodes.

"Where was the director of this film born?" is answered by two pages, and only the film's is like
the question. So the query is read once more beside each of the best episodes: what shares with that
episode a name that the query does not hold, is near to both, and has the words of the query that
the episode lacks ("born"), is the likely other half. Without the shared name this would only find
more of the same.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from graphrag.index.chunks import Pieces
from graphrag.index.episodes import Episodes
from graphrag.search.episodes.basic import Parts
from graphrag.search.fuse import Candidates
from graphrag.search.question import Question
from graphrag.text.tokens import tokenize

BEST = 3
"""Episodes that are read beside the query."""


def bridged(
    best: Candidates,
    scores: Parts,
    sharing: Callable[[int], Candidates],
    episodes: Episodes,
    question: Question,
) -> tuple[Candidates, npt.NDArray[np.float64]]:
    """Return the episodes at the other end of a bridge, and how well each fits, best 1.

    Half of that is how near one is to the question and the episode that leads to it, read as one;
    the other half how much it has of the words that are missing there.

    Args:
        best: Rows of the best episodes, best first.
        scores: Their scores.
        sharing: Gives the rows that share a name with one that is not in the query.
        episodes: All of them.
        question: What is asked.
    """
    ends = {row: others[others != row] for row in best.tolist() if len(others := sharing(row))}
    if not any(map(len, ends.values())):
        return np.empty(0, dtype=np.intp), np.empty(0)
    every = np.unique(np.concatenate((best, *ends.values())))
    rest = _Rest(episodes.pieces, question.text, every)
    gains = np.zeros(len(every))
    for row, score in zip(best.tolist(), scores.tolist(), strict=True):
        others = ends.get(row, best[:0])
        if not len(others):
            continue
        both = question.vector + episodes.vectors.values[row]
        both = both / max(float(np.linalg.norm(both)), 1e-9)
        near = np.clip(episodes.vectors.rows(others) @ both, 0.0, None)
        share = score / max(float(scores[0]), 1e-9)
        place = np.searchsorted(every, others)
        gains[place] = np.maximum(gains[place], share * (near + rest.told(row, others)) / 2)
    found = np.isin(every, np.concatenate(list(ends.values())))
    return every[found], gains[found]


class _Rest:
    """The words of a question that one episode lacks, in others."""

    def __init__(self, pieces: Pieces, query: str, rows: Candidates) -> None:
        self._rows = rows
        self._gains, self._begins = pieces.by_term(list(dict.fromkeys(tokenize(query))), rows)

    def told(self, row: int, others: Candidates) -> Parts:
        """Return the BM25 of the missing words in the best piece of others, the best of them 1."""
        at = int(np.searchsorted(self._rows, row))
        own = self._gains[slice(*np.append(self._begins, len(self._gains))[at : at + 2])]
        missing = self._gains[:, ~own.any(axis=0)].sum(axis=1, dtype=np.float64)
        found = np.maximum.reduceat(missing, self._begins)[np.searchsorted(self._rows, others)]
        return np.asarray(found / max(float(found.max()), 1e-9))
