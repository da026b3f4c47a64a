"""Ranking of episodes: content, then neighbours and times, then links from the best.

Only candidates are scored: the best rows by meaning and words, the messages around them, and what
their links lead to.
"""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from graphrag.search.episodes.basic import (
    Parts,
    Plain,
    Sessions,
    of_time,
    session_scores,
    sessions_of,
    shortness,
    with_neighbours,
    words,
)
from graphrag.search.episodes.links import BEST, bridged, linked, measuring
from graphrag.search.episodes.pagerank import walk
from graphrag.search.fuse import (
    Candidates,
    Fused,
    Method,
    Reasons,
    Scored,
    Scores,
    candidates,
    fuse,
    relevance,
    scores_at,
)
from graphrag.search.question import Question, episode_cosines, is_of_oneself

_SEEDS = 30
"""Episodes that the walk starts from."""
_MEASURED = 0.5
"""How much of the earlier one's score the later one has at least that numbers the same thing."""
_LIFTED, _LIKE, _ALIKE, _NEARLY, _LEAST = 60, 0.55, 0.8, 0.85, 1e-6
"""How many of the best are compared; from which cosine on two are of one thing, and from which on
they say nearly the same; and how much of the earlier one's score the later one then has at least.
Between both cosines it must have the more the less they are alike, all of it at the first. In
cosines from 0.5 to 0.65 for the first and 0.75 to 0.85 for the second R@10 of BEAM changes by 0.3
at most, and that of LoCoMo not at all."""
_LOOSER = 1 / 3
"""Sharing an entity bridges so much less than a title does, as it links less."""


def rank_episodes(question: Question) -> list[Fused[int]]:
    """Rank the visible episodes."""
    recipe, index, weights = question.recipe, question.index, question.recipe.episodes
    meaning = question.episode_cosines or episode_cosines(index, question.vector)
    question.trace.step("episodes: vector")
    said = words(index, question.text)
    question.trace.step("episodes: fulltext")
    methods = (
        Method("vector", meaning, recipe.vector * weights.vector),
        Method("fulltext", said, recipe.fulltext * weights.fulltext),
    )
    rows = candidates(methods, question.seen.episodes, recipe.pool)
    question.trace.step("episodes: candidates", len(rows))
    if recipe.fusion == "rrf":
        ranked = fuse(
            methods,
            rows,
            fusion="rrf",
            k=recipe.rrf_k,
            limit=question.request.wanted,
            relevance=relevance(
                index.episodes, question.text, scores_at(meaning, rows), said[rows]
            ),
        )
        question.trace.step("episodes: fuse rrf", len(ranked))
        return ranked
    table = _Table(question, meaning, said, rows)
    table.follow_links()
    table.lift_newer()
    return table.ranked()


@dataclass(slots=True)
class _Table:
    """Candidates and what each step adds to their scores."""

    question: Question
    meaning: Scored
    words: Scores
    rows: Candidates
    parts: dict[str, Parts] = field(default_factory=dict)
    _plain: Plain = field(init=False)
    _sessions: Sessions | None = field(default=None, init=False)
    _session: Parts | None = field(default=None, init=False)
    _timely: Parts | None = field(default=None, init=False)
    _of_oneself: bool = field(init=False)

    def __post_init__(self) -> None:
        """Score the first candidates in their context."""
        question, recipe = self.question, self.question.recipe
        weights = recipe.episodes
        seen, episodes = question.walked.episodes, question.index.episodes
        if _surrounded(question):
            self._sessions = sessions_of(episodes, seen, in_order=not question.index.is_part)
        if self._sessions is not None:
            self.rows = with_neighbours(self.rows, self._sessions)
            if weights.session:
                self._session = session_scores(question, self._sessions)
        self._of_oneself = is_of_oneself(question.text)
        if question.when.said and weights.time:
            self._timely = of_time(question.when, episodes, seen)
        shares = recipe.vector * weights.vector, recipe.fulltext * weights.fulltext
        self._plain = Plain(self.meaning, self.words, self.rows, shares, episodes.postings)
        self.rows = self.rows[question.seen.episodes[self.rows]]
        self._score(self.rows)
        question.trace.step("episodes: context", len(self.rows))

    @property
    def total(self) -> Parts:
        """Return the score of each candidate so far."""
        return np.asarray(np.stack(list(self.parts.values())).sum(axis=0), dtype=np.float64)

    def _score(self, rows: Candidates) -> None:
        weights = self.question.recipe.episodes
        near, said = self._plain.parts(rows)
        self.parts["vector"], self.parts["fulltext"] = near, said
        if (sessions := self._sessions) is not None:
            fade = sessions.shortness
            previous, following = sessions.previous[rows], sessions.following[rows]
            before, after = self._of(previous), self._of(following)
            self.parts["previous"] = weights.previous * fade * before
            self.parts["following"] = weights.following * after
            if weights.answer:
                # What the one loses the other gets.
                asks = self.question.index.episodes["asks"]
                lost = asks[rows] * (following >= 0) * (near + said)
                self.parts["answer"] = weights.answer * fade * (asks[previous] * before - lost)
            if self._session is not None:
                inside = (sessions.number[rows] >= 0).astype(np.float64)
                prior = inside * self._session[sessions.number[rows]]
                self.parts["session"] = weights.session * fade * prior
        if weights.own and self._of_oneself:
            self.parts["own"] = weights.own * self.question.index.episodes["own"][rows]
        if self._timely is not None:
            self.parts["time"] = weights.time * self._timely[rows]

    def _of(self, others: Candidates) -> Parts:
        """Return the score of other rows; 0 for -1, which is none."""
        return np.asarray(np.where(others >= 0, self._plain(others), 0.0))

    def _extend(self, rows: Candidates) -> None:
        """Take in more candidates."""
        rows = rows[self.question.seen.episodes[rows]]
        every = np.union1d(self.rows, rows)
        if len(every) == len(self.rows):
            return
        place = np.searchsorted(every, self.rows)
        later = {name: part for name, part in self.parts.items() if name in ("links", "bridge")}
        self.rows = every
        self._score(every)
        for name, part in later.items():
            self.parts[name] = np.zeros(len(every))
            self.parts[name][place] = part

    def _add(self, name: str, rows: Candidates, gains: Parts) -> None:
        """Add what a step gives to some rows, new ones among them."""
        self._extend(rows)
        part = np.zeros(len(self.rows))
        kept = self.question.seen.episodes[rows]
        part[np.searchsorted(self.rows, rows[kept])] = gains[kept]
        self.parts[name] = part

    def follow_links(self) -> None:
        """Walk from the best candidates, then build bridges from the best of all."""
        question, recipe = self.question, self.question.recipe
        weights, index = recipe.episodes, question.index
        if not len(self.rows) or recipe.graph == 0:
            return
        links = linked(question, self.rows)
        # A long text speaks of so much that sharing an entity with it says little.
        short = shortness(index.episodes, self.rows)
        weight = recipe.graph * (weights.titles if links.titled else weights.mentions * short)
        if weight and links.links is not None and len(links.links):
            total = self.total
            best = np.argsort(-total, kind="stable")[:_SEEDS]
            self._scale(total)
            found = walk(
                links.links,
                len(index.episodes.row_of),
                np.sort(self.rows[best]),
                total[best][np.argsort(self.rows[best])] ** 2,
                links.named,
                links.own,
            )
            self._add("links", *_best(found.rows, weight * np.sqrt(found.visits), recipe.pool))
            question.trace.step("episodes: links", len(self.rows))
        weight = recipe.graph * weights.bridge * (1.0 if links.titled else _LOOSER * short)
        if weight:
            total = self.total
            best = np.argsort(-total, kind="stable")[:BEST]
            rows, gains = bridged(
                self.rows[best], total[best], links.sharing, index.episodes, question
            )
            self._add("bridge", *_best(rows, weight * gains, recipe.pool))
            question.trace.step("episodes: bridge", len(self.rows))

    def lift_newer(self) -> None:
        """Put a message that tells new numbers right above the earlier ones that it is like.

        "My rent is 900 now" after "I pay 850 of rent": both answer "what is my rent?" equally well.
        """
        question, episodes = self.question, self.question.index.episodes
        weight = question.recipe.episodes.newer
        if not weight or question.when.said:
            return
        total = self.total
        best = np.argsort(-total, kind="stable")[:_LIFTED]
        best = best[episodes["figures"][self.rows[best]]]
        if len(best) < len(("one", "other")):
            return
        vectors, score = episodes.vectors.rows(self.rows[best]), total[best]
        times = episodes["valid"][self.rows[best]]
        later = times[:, np.newaxis] > times
        alike = np.einsum("ik,jk->ij", vectors, vectors)
        # The less they are alike, the nearer their scores must be.
        share = np.interp(alike, (_LIKE, _ALIKE), (1.0, _NEARLY))
        pairs = later & (alike >= _LIKE) & (score[:, np.newaxis] >= share * score)
        same = measuring(question.index, self.rows[best])
        pairs |= later & same & (score[:, np.newaxis] >= _MEASURED * score)
        # Of several that are above the same one, the newest comes first.
        order = _LEAST * (1 + np.argsort(np.argsort(times, kind="stable"), kind="stable"))
        above = np.where(pairs, score, -np.inf).max(axis=1) + order
        part = np.zeros(len(self.rows))
        part[best] = weight * np.maximum(above - score, 0.0)
        self.parts["newer"] = part
        question.trace.step("episodes: newer", int(np.count_nonzero(part)))

    def _scale(self, total: Parts) -> None:
        """Make the best score 1, so that what links give is a share of it."""
        best = max(float(total.max()), 1e-9)
        for name in self.parts:
            self.parts[name] = self.parts[name] / best

    def ranked(self) -> list[Fused[int]]:
        """Return the candidates, best first."""
        total = self.total
        wanted = self.question.request.wanted
        order = np.argsort(-total, kind="stable")[:wanted]
        near, said = scores_at(self.meaning, self.rows), self.words[self.rows]
        shown = self.parts | {"vector": near, "fulltext": said}
        reasons = Reasons(
            list(shown),
            np.stack(list(shown.values())).astype(np.float64),
            np.stack([self.parts[name] for name in shown]) > 0,
        )
        share = relevance(self.question.index.episodes, self.question.text, near, said)
        return [
            Fused(row, score, partial(reasons.of, at), answers)
            for row, score, at, answers in zip(
                self.rows[order].tolist(),
                total[order].tolist(),
                order.tolist(),
                share[order].tolist(),
                strict=True,
            )
        ]


def _surrounded(question: Question) -> bool:
    weights = question.recipe.episodes
    return max(weights.previous, weights.following, weights.answer, weights.session) > 0


def _best(rows: Candidates, gains: Parts, pool: int) -> tuple[Candidates, Parts]:
    """Keep the rows that gain most, ascending."""
    if len(rows) <= pool:
        return rows, gains
    kept = np.sort(np.argpartition(-gains, pool)[:pool])
    return rows[kept], gains[kept]
