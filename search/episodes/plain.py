"""What meaning and words alone say of every episode."""

import numpy as np
import numpy.typing as npt

from graphrag.index.cosines import Cosines
from graphrag.index.group import GroupIndex
from graphrag.index.pieces import Pieces
from graphrag.protocols import Matrix
from graphrag.search.fuse import Candidates, Scores, scores_at

_LENGTH_PENALTY = 0.5
_FADING = 0.15
"""Of n passages one vector each tells ``n ** -0.15`` as surely as that of a short text does."""
_HALFWAY = 0.5
"""The best cosine is taken to be at least so far from the worst towards 1."""
Parts = npt.NDArray[np.float64]
"""One number per candidate."""


def cosines(index: GroupIndex, query: Matrix) -> Scores | Cosines:
    """Return the cosine of each episode, or of its best passage.

    A long episode has more passages and so more tries; the expected gain of a maximum over n tries,
    ``0.5 sigma sqrt(2 ln n)``, is taken off again.
    """
    if not len(index.passages):
        return index.episodes.vectors.compare(query)
    # How much all of the cosines differ is in every score, so they are all worked out.
    scores = index.episodes.vectors.scores(query).copy()
    pieces = index.passages.vectors.scores(query)
    owner = index.passages["episode"]
    np.maximum.at(scores, owner, pieces)
    count = np.bincount(owner, minlength=len(scores))
    penalty = np.sqrt(2 * np.log(np.maximum(count, 1)))
    spread = index.passages.spread  # of the whole group, if these are a part of it
    spread = float(pieces.std()) if spread is None else spread
    scores -= (_LENGTH_PENALTY * spread * penalty).astype(np.float32)
    return scores


def words(index: GroupIndex, query: str) -> Scores:
    """Return the BM25 of each episode; of a long one half of it is that of its best piece.

    The best piece alone would pass over a long text that says a little everywhere, the whole text
    alone one that says it all in one place.
    """
    pieces = index.episodes.pieces
    best = pieces.scores(query)
    if pieces.count == len(best):
        return best
    entire = pieces.entire(query)
    scale = float(best.max(initial=0.0)) / max(float(entire.max(initial=0.0)), 1e-9)
    return np.asarray((best + entire * np.float32(scale)) / 2, dtype=np.float32)


class Plain:
    """Words and meaning as one score, from 0 to the sum of their weights.

    Words count as a share of the best; cosines, of which the worst is far from 0, as a place
    between the worst and the best candidate. If even the best is nearer to the worst than to a
    perfect match, they are nearly alike, and what little parts them counts less. The longer a text,
    the less its vectors tell and the more its words do, so a part of the weight of meaning goes
    over to words.
    """

    def __init__(
        self,
        meaning: Scores | Cosines,
        words: Scores,
        rows: Candidates,
        weights: tuple[float, float],
        pieces: Pieces,
    ) -> None:
        self._meaning = meaning
        self._words = words
        self._weights = weights
        self._pieces = pieces
        near = scores_at(meaning, rows)
        self._worst = float(near.min(initial=0.0 if not len(rows) else np.inf))
        best = float(near.max(initial=-np.inf))
        self._range = max(best - self._worst, _HALFWAY * (1 - self._worst), 1e-9)
        self._most = max(float(words[rows].max(initial=0.0)), 1e-9)

    def parts(self, rows: Candidates) -> tuple[Parts, Parts]:
        """Return what meaning and what words give some rows."""
        vector, fulltext = (np.full(len(rows), weight) for weight in self._weights)
        if all(self._weights):
            fading = vector * (1 - self._pieces.pieces_of(rows) ** -_FADING)
            vector, fulltext = vector - fading, fulltext + fading
        cosines = scores_at(self._meaning, rows).astype(np.float64)
        near = np.clip((cosines - self._worst) / self._range, 0, 1)
        said = np.clip(self._words[rows].astype(np.float64) / self._most, 0, 1)
        return np.asarray(vector * near), np.asarray(fulltext * said)

    def __call__(self, rows: Candidates) -> Parts:
        """Return the score of some rows."""
        near, said = self.parts(rows)
        return near + said
