"""Links between episodes, by title or else by shared mentions, and the second hop.

The second hop re-reads the query beside each of the best episodes. It looks for an episode that
shares a name that the query lacks, is near to both, and has the query words that the first one
lacks ("where was the director of this film born"). Without the shared name it would find only more
of the same.
"""

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphrag.index.chunks import ChunkIndex
from graphrag.index.entries import Rows
from graphrag.index.episodes import Episodes
from graphrag.index.group import GroupIndex
from graphrag.index.incidence import Incidence
from graphrag.index.titles import Titles
from graphrag.model.values import CONCEPT
from graphrag.search.episodes.basic import Parts
from graphrag.search.fuse import Candidates
from graphrag.search.question import Question
from graphrag.text.tokens import tokenize

_MEASURES = ("costs", "has_value")
"""Relations with a number whose subject is what is measured, and nothing else."""
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
    rest = _Rest(episodes.postings, question.text, every)
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
        gains[place] = np.maximum(gains[place], share * (near + rest.scores(row, others)) / 2)
    found = np.isin(every, np.concatenate(list(ends.values())))
    return every[found], gains[found]


class _Rest:
    """The words of a question that one episode lacks, in others."""

    def __init__(self, pieces: ChunkIndex, query: str, rows: Candidates) -> None:
        self._rows = rows
        self._gains, self._begins = pieces.by_term(list(dict.fromkeys(tokenize(query))), rows)

    def scores(self, row: int, others: Candidates) -> Parts:
        """Return the BM25 of the missing words in the best piece of others, the best of them 1."""
        at = int(np.searchsorted(self._rows, row))
        own = self._gains[slice(*np.append(self._begins, len(self._gains))[at : at + 2])]
        missing = self._gains[:, ~own.any(axis=0)].sum(axis=1, dtype=np.float64)
        found = np.maximum.reduceat(missing, self._begins)[np.searchsorted(self._rows, others)]
        return np.asarray(found / max(float(found.max()), 1e-9))


_ENOUGH = 0.2
"""Share of the candidates that titles must link to others, for titles to be what is followed.

Names of files and numbers of messages link nothing, however many episodes have one.
"""
_COMMON = 100
"""An entity that more episodes speak of is no bridge."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The links of one group as one query follows them."""

    titled: bool
    """True: titles link the candidates."""
    links: Incidence | None
    """Episodes and what links them; None: nothing is known yet."""
    named: Rows
    """Names on those links that the query holds."""
    own: npt.NDArray[np.int32] | None
    """The title of each episode, if titles link them."""
    sharing: "Sharing"


def linked(question: Question, rows: Candidates) -> Linked:
    """Choose what links the candidates."""
    index, episodes = question.index, question.index.episodes
    episodes.titles.catch_up(episodes.postings)
    sharing = Sharing(question)
    if _share(episodes.titles, rows) >= _ENOUGH:
        named = np.array(sharing.titles, dtype=np.intp)
        return Linked(True, episodes.titles.links, named, episodes.titles.own, sharing)
    named = _spoken(index, question.named)
    return Linked(False, episodes.mentions, named, None, sharing)


def measuring(index: GroupIndex, rows: Candidates) -> npt.NDArray[np.bool_]:
    """Return which of some episodes give a number to one and the same thing: a square matrix.

    "I average 5.5 hours of sleep" and "up to 6 hours of sleep": both number Ann's sleep. What is
    nobody's is named for other reasons as well.
    """
    mentions = index.episodes.mentions
    if mentions is None:
        return np.zeros((len(rows),) * 2, dtype=np.bool_)
    episodes, entities = mentions.of_left(np.sort(rows))
    things, places, counts = np.unique(entities, return_inverse=True, return_counts=True)
    shared = np.flatnonzero(counts > 1)
    measured = np.zeros(len(things), dtype=np.bool_)
    measured[shared] = [_is_measured(index, row) for row in things[shared].tolist()]
    kept = measured[places]
    order = np.argsort(rows, kind="stable")
    table = np.zeros((len(rows), len(things)), dtype=np.float32)
    table[order[np.searchsorted(rows[order], episodes[kept])], places[kept]] = 1
    return np.asarray(table @ table.T > 0)


def _is_measured(index: GroupIndex, row: int) -> bool:
    thing = index.heirs.of(index.entities.ids[row])
    if "'s " not in index.entity_name(thing):
        return False  # who speaks of a shop does not always tell its prices
    facts = (fact for relation in _MEASURES for fact in index.rows_at(thing, relation))
    return any(index.ends_of(fact)[0] == thing for fact in facts)


def _share(titles: Titles, rows: Candidates) -> float:
    """Return the share of some rows that name another's title, or whose title another names."""
    if not len(rows):
        return 0.0
    own = titles.own[rows]
    ones, names = titles.links.of_left(rows)
    naming = ones[titles.own[ones] != names]
    called = rows[own >= 0][titles.links.counts_right(own[own >= 0]) > 1]
    return len(np.union1d(naming, called)) / len(rows)


class Sharing:
    """Which episodes share a name with one, other than those that the query holds."""

    def __init__(self, question: Question) -> None:
        self._index = question.index
        episodes = question.index.episodes
        self._titles = episodes.titles.links
        self.titles = episodes.titles.named(episodes.postings.numbered(question.text))
        """The titles that the query holds."""
        self._asked = set(_spoken(question.index, question.named).tolist())
        self._concept = question.index.type_code(CONCEPT)
        self._seen = question.seen.episodes

    def __call__(self, row: int) -> Candidates:
        """Return the rows that may be seen and share a title or an entity with a row."""
        found = [self._over(self._titles, row, self.titles)]
        mentions = self._index.episodes.mentions
        if mentions is not None:
            found.append(self._over(mentions, row, self._asked, self._index.entities["type"]))
        rows = np.unique(np.concatenate(found))
        return rows[self._seen[rows]]

    def _over(
        self,
        links: Incidence,
        row: int,
        but: Container[int],
        kinds: npt.NDArray[np.int32] | None = None,
    ) -> Rows:
        _, names = links.of_left([row])
        # A handful: as Python's numbers they are compared ten times as quickly.
        names = np.array([name for name in names.tolist() if name not in but], dtype=np.intp)
        if not len(names):
            return names
        if kinds is not None:
            names = names[kinds[names] != self._concept]
        names = names[links.counts_right(names) <= _COMMON]
        return links.of_right(names)[0]


def _spoken(index: GroupIndex, entities: Iterable[int]) -> Rows:
    """Return the rows of some entities and of all that speak through them."""
    ids = index.entities.ids
    family = (id_ for row in entities for id_ in index.heirs.family(ids[row]))
    rows = {index.entities.row_of[id_] for id_ in family if id_ in index.entities.row_of}
    return np.array(sorted(rows), dtype=np.intp)
