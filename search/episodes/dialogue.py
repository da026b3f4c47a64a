"""Messages in their conversation: what was said before and after, and what all of it is about.

A message is found by its neighbours, because a question and its answer seldom share words. Its
session is the saga that it belongs to; messages without one are of one session while no pause
between two of them is longer than half an hour.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphrag.index.episodes import Episodes
from graphrag.search.fuse import Candidates, Mask
from graphrag.search.question import Question

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


def sessions_of(episodes: Episodes, seen: Mask, *, told: bool = True) -> Sessions | None:
    """Order the visible messages; None if there are no two of one session.

    Of one moment the one told first comes first. With ``told`` the rows are in that order, else
    they came as they were read: then the ids tell.
    """
    rows = np.flatnonzero(episodes["message"] & seen)
    if len(rows) < 2:
        return None
    if not told:
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
    words = float(episodes.pieces.words_of(rows).mean())
    return min(1.0, _SHORT / max(words, 1.0))


def with_neighbours(rows: Candidates, sessions: Sessions) -> Candidates:
    """Add the messages before and after."""
    around = np.concatenate((rows, sessions.previous[rows], sessions.following[rows]))
    return np.unique(around[around >= 0])


def session_scores(question: Question, sessions: Sessions) -> npt.NDArray[np.float64]:
    """Return the words of each session as a share of the best session's."""
    scores = question.index.episodes.pieces.grouped(
        question.text, sessions.number, sessions.count
    ).astype(np.float64)
    return scores / max(float(scores.max(initial=0.0)), 1e-9)
