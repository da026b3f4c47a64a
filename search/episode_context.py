"""What stands around episodes: times of the question, sessions, links, and the second hop.

A session is the saga of a message; without one, messages less than half an hour apart. PageRank
follows links: titles, or else shared mentions. The second hop looks for an episode that shares with
one of the best a name that the query lacks, is near to both, and has the words of the query that
the first one lacks ("where was the director of this film born").
"""

from collections.abc import Callable, Container
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from graphrag.index.chunks import Titles
from graphrag.index.entries import Links, Rows
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.index.texts import Episodes
from graphrag.model.values import CONCEPT
from graphrag.search.fuse import Candidates, Mask, Scores
from graphrag.search.query_time import When
from graphrag.search.question import Question
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import to_micros
from graphrag.text.tokens import tokenize

Parts = npt.NDArray[np.float64]
"""One number per candidate."""
_FIRST, _LAST = 1000, 2099
"""Years that a text may name with four digits."""
_TELLING = 0.2
"""What more than this share of the visible episodes has tells nothing."""
_AROUND = 0.5
_YEAR_LONG = 200
"""Days above which a period is one of years."""


def time_scores(when: When, episodes: Episodes, seen: Mask) -> Parts | None:
    """Score the episodes that tell of a period of the question; None: it says nothing.

    1 for naming one of its years or being said in it, half for naming years before and after it:
    what began earlier and ended later went on meanwhile.
    """
    scores = np.zeros(len(seen), dtype=np.float64)
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
                np.maximum(scores, share * mask, out=scores)
    return scores if scores.any() else None


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


_FOLLOWS = 0.85
"""Probability of following a link rather than starting anew."""
_STEPS = 5
_NAMED = 0.7
"""Share of the starts that are at names of the query, if it has any."""
_COMMON = 100
"""A name that more episodes share leads nowhere, and is no bridge."""
_OWN = 4.0
"""A link of an episode to its own title counts as many links."""


def walk(
    links: Links,
    episodes: int,
    seeds: Rows,
    strength: Parts,
    named: Rows,
    own: npt.NDArray[np.int32] | None = None,
) -> tuple[Rows, Parts]:
    """Walk from some episodes, by their relative strength, and from the names of the query.

    Returns the episodes reached, and how often the walker is at each, best 1. A name is rare in
    relation to the number of ``episodes``; ``own`` is the title of each, if names are titles.
    """
    _, near = links.of_left(seeds)
    names = np.union1d(near, named)
    names = names[links.counts_right(names) <= _COMMON]
    reached, _ = links.of_right(names)
    rows = np.union1d(seeds, reached)
    ends, others = links.of_left(rows)
    if not len(ends):
        return seeds, np.zeros(len(seeds))
    names, place = np.unique(np.concatenate((others, named)), return_inverse=True)
    left, right = np.searchsorted(rows, ends), place[: len(others)]
    common = links.counts_right(names)
    rare = np.log1p(episodes / np.maximum(common, 1)) / np.log1p(episodes)
    much = np.ones(len(ends)) if own is None else np.where(own[ends] == others, _OWN, 1.0)
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
    return rows, visits / max(float(visits.max()), 1e-12)


BEST = 3
"""Episodes that are read beside the query."""


def bridges(
    best: Candidates,
    scores: Parts,
    sharing: Callable[[int], Candidates],
    episodes: Episodes,
    question: Question,
) -> tuple[Candidates, Parts]:
    """Return the episodes at the other end of a bridge, and how well each fits, best 1.

    Half of that is how near one is to the question and the episode that leads to it, read as one;
    the other half how much it has of the words that are missing there. ``sharing`` gives the rows
    that share a name with one of the ``best``, which come best first.
    """
    ends = {row: others[others != row] for row in best.tolist() if len(others := sharing(row))}
    if not any(map(len, ends.values())):
        return np.empty(0, dtype=np.intp), np.empty(0)
    every = np.unique(np.concatenate((best, *ends.values())))
    terms = list(dict.fromkeys(tokenize(question.text)))
    by_term, begins = episodes.postings.by_term(terms, every)
    gains = np.zeros(len(every))
    for row, score in zip(best.tolist(), scores.tolist(), strict=True):
        others = ends.get(row, best[:0])
        if not len(others):
            continue
        both = question.vector + episodes.vectors.rows([row])[0]
        both = both / max(float(np.linalg.norm(both)), 1e-9)
        near = np.clip(episodes.vectors.rows(others) @ both, 0.0, None)
        share = score / max(float(scores[0]), 1e-9)
        place = np.searchsorted(every, others)
        rest = _missing(int(np.searchsorted(every, row)), place, by_term, begins)
        gains[place] = np.maximum(gains[place], share * (near + rest) / 2)
    is_end = np.isin(every, np.concatenate(list(ends.values())))
    return every[is_end], gains[is_end]


def _missing(row: int, others: Candidates, gains: Scores, begins: Candidates) -> Parts:
    """Return the BM25 of the words that a row lacks in the best piece of others, the best 1."""
    own = gains[slice(*np.append(begins, len(gains))[row : row + 2])]
    missing = gains[:, ~own.any(axis=0)].sum(axis=1, dtype=np.float64)
    scores = np.maximum.reduceat(missing, begins)[others]
    return np.asarray(scores / max(float(scores.max()), 1e-9))


_ENOUGH = 0.2
"""Share of the candidates that titles must link: those of files and messages link nothing."""


class EpisodeLinks:
    """The links between episodes as one query follows them: titles, or else shared mentions."""

    def __init__(self, question: Question, rows: Candidates) -> None:
        index, episodes = question.index, question.index.episodes
        titles = episodes.titles
        titles.catch_up(episodes.postings)
        self._index = index
        self._concept = index.type_code(CONCEPT)
        self._seen = question.seen.episodes
        self._titles = titles.named(episodes.postings.numbered(question.text))
        """The titles that the query holds."""
        ids, row_of = index.entities.ids, index.entities.row_of
        family = {id_ for row in question.named for id_ in index.heirs.family(ids[row])}
        self._asked = frozenset(row_of[id_] for id_ in family if id_ in row_of)
        self.titled = len(rows) > 0 and _share(titles, rows) >= _ENOUGH
        self.links = titles.links if self.titled else episodes.mentions
        """Episodes and what links them; None: nothing is known yet."""
        named = self._titles if self.titled else sorted(self._asked)
        self.named = np.array(named, dtype=np.intp)
        """Names on those links that the query holds."""
        self.own = titles.own if self.titled else None
        """The title of each episode, if titles link them."""

    def sharing(self, row: int) -> Candidates:
        """Return the rows that share with a row what the query does not hold, and may be seen."""
        episodes = self._index.episodes
        ends = [self._over(episodes.titles.links, row, self._titles)]
        if episodes.mentions is not None:
            ends.append(self._over(episodes.mentions, row, self._asked, mentions=True))
        rows = np.unique(np.concatenate(ends))
        return rows[self._seen[rows]]

    def _over(self, links: Links, row: int, but: Container[int], *, mentions: bool = False) -> Rows:
        _, every = links.of_left([row])
        # A handful: as Python's numbers they are compared ten times as quickly.
        names = np.array([name for name in every.tolist() if name not in but], dtype=np.intp)
        if mentions:
            names = names[self._index.entities["type"][names] != self._concept]
        if not len(names):
            return names
        return links.of_right(names[links.counts_right(names) <= _COMMON])[0]


def _share(titles: Titles, rows: Candidates) -> float:
    """Return the share of some rows that name another's title, or whose title another names."""
    own = titles.own[rows]
    ends, names = titles.links.of_left(rows)
    naming = ends[titles.own[ends] != names]
    called = rows[own >= 0][titles.links.counts_right(own[own >= 0]) > 1]
    return len(np.union1d(naming, called)) / len(rows)
