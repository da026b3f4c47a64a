"""Base scores of episodes: meaning and words, times of the question, neighbours in a conversation.

A session is the saga of a message; without one, messages less than half an hour apart.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphrag.index.chunks import ChunkIndex
from graphrag.index.episodes import Episodes
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.search.fuse import Candidates, Mask, Scored, Scores, scores_at
from graphrag.search.question import Question
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import to_micros

_FADING = 0.15
"""Of n passages one vector each tells ``n ** -0.15`` as surely as that of a short text does."""
_HALFWAY = 0.5
"""The best cosine is taken to be at least so far from the worst towards 1."""
Parts = npt.NDArray[np.float64]
"""One number per candidate."""


def words(index: GroupIndex, query: str) -> Scores:
    """Return the BM25 of each episode; of a long one half of it is that of its best piece.

    The best piece alone would pass over a long text that says a little everywhere, the whole text
    alone one that says it all in one place.
    """
    pieces = index.episodes.postings
    best = pieces.scores(query)
    if len(pieces) == len(best):
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
        meaning: Scored,
        words: Scores,
        rows: Candidates,
        weights: tuple[float, float],
        pieces: ChunkIndex,
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


if TYPE_CHECKING:
    from graphrag.search.query_time import When

_FIRST, _LAST = 1000, 2099
"""Years that a text may name with four digits."""
_TELLING = 0.2
"""What more than this share of the visible episodes has tells nothing."""
_AROUND = 0.5
_YEAR_LONG = 200
"""Days above which a period is one of years."""


def of_time(when: "When", episodes: Episodes, seen: Mask) -> Parts | None:
    """Score the episodes that tell of a period of the question; None: it says nothing.

    1 for naming one of its years or being said in it, half for naming years before and after it:
    what began earlier and ended later went on meanwhile.
    """
    found = np.zeros(len(seen), dtype=np.float64)
    for period in when.intervals:
        years = _years(period)
        start, end = to_micros(period.start, BEGINNING), to_micros(period.end, FOREVER)
        masks = [(1.0, (start <= episodes["valid"]) & (episodes["valid"] < end))]
        if years:
            masks.append((1.0, _naming(years, episodes)))
            before = _naming(range(_FIRST, years.start), episodes)
            masks.append((_AROUND, before & _naming(range(years.stop, _LAST + 1), episodes)))
        for share, mask in masks:
            if (mask & seen).sum() <= _TELLING * seen.sum():
                np.maximum(found, share * mask, out=found)
    return found if found.any() else None


def _naming(years: range, episodes: Episodes) -> Mask:
    mask = np.zeros(len(episodes), dtype=np.bool_)
    for year in years:
        mask[episodes.postings.rows_with(str(year))] = True
    return mask


def _years(period: Interval) -> range:
    """Return the years of a period that is at least about a year long."""
    start = period.start or datetime(_FIRST, 1, 1, tzinfo=UTC)
    end = period.end or datetime(_LAST, 1, 1, tzinfo=UTC)
    if (end - start).days < _YEAR_LONG:
        return range(0)
    last = end.year if (end.month, end.day) > (1, 1) else end.year - 1
    return range(max(start.year, _FIRST), min(last, _LAST) + 1)


Rows = npt.NDArray[np.intp]
_PAUSE = 30 * 60 * 1_000_000
"""Microseconds: the pause after which visits to a web site are counted as two."""
_SHORT = 25
"""Words of a message, stop words not counted, up to which its surroundings count in full."""


@dataclass(frozen=True, slots=True)
class Sessions:
    """Messages in order; -1 stands for none."""

    previous: Rows
    """Row of the message before each row, in the same session."""
    following: Rows
    number: Rows
    """Number of each row's session."""
    count: int
    shortness: float
    """From 1 for chats down to 0 for long letters."""


def sessions_of(episodes: Episodes, seen: Mask, *, in_order: bool = True) -> Sessions | None:
    """Order the visible messages; None if there are no two of one session.

    Of one moment the one added first comes first. With ``in_order`` the rows are in that order,
    else they came as they were read: then the ids tell.
    """
    rows = np.flatnonzero(episodes["message"] & seen)
    if len(rows) < 2:
        return None
    if not in_order:
        rows = np.array(sorted(rows.tolist(), key=episodes.ids.__getitem__), dtype=np.intp)
    saga, valid = episodes["saga"][rows], episodes["valid"][rows]
    # Twice stable: rows come nearly in order, which this sort is quick with.
    order = np.argsort(valid, kind="stable")
    order = order[np.argsort(saga[order], kind="stable")]
    rows, saga, valid = rows[order], saga[order], valid[order]
    loose = (saga[1:] < 0) & (np.diff(valid) > _PAUSE)
    begins = np.concatenate(([True], (saga[1:] != saga[:-1]) | loose))
    if begins.all():
        return None
    previous, following, number = (np.full(len(seen), -1, dtype=np.intp) for _ in range(3))
    number[rows] = np.cumsum(begins) - 1
    inside = np.flatnonzero(~begins)
    previous[rows[inside]] = rows[inside - 1]
    following[rows[inside - 1]] = rows[inside]
    return Sessions(previous, following, number, int(begins.sum()), shortness(episodes, rows))


def shortness(episodes: Episodes, rows: Candidates) -> float:
    """Return 1 for short messages, less the longer they are on average."""
    words = float(episodes.postings.words_of(rows).mean())
    return min(1.0, _SHORT / max(words, 1.0))


def with_neighbours(rows: Candidates, sessions: Sessions) -> Candidates:
    """Add the messages before and after."""
    around = np.concatenate((rows, sessions.previous[rows], sessions.following[rows]))
    return np.unique(around[around >= 0])


def session_scores(question: Question, sessions: Sessions) -> npt.NDArray[np.float64]:
    """Return the words of each session as a share of the best session's."""
    scores = question.index.episodes.postings.grouped(
        question.text, sessions.number, sessions.count
    ).astype(np.float64)
    return scores / max(float(scores.max(initial=0.0)), 1e-9)
