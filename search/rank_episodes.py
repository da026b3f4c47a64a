"""Ranking of episodes: content, then neighbours and times, then links from the best.

Only candidates are scored: the best rows by meaning and words, the messages around them, and what
their links lead to.
"""

import numpy as np

from graphrag.index.chunks import ChunkIndex
from graphrag.index.group import GroupIndex
from graphrag.search.episode_context import (
    BEST,
    EpisodeLinks,
    Parts,
    Sessions,
    bridges,
    sessions_of,
    shortness,
    time_scores,
    walk,
)
from graphrag.search.fuse import (
    Candidates,
    Fused,
    Method,
    Reasons,
    Scored,
    Scores,
    best_of,
    candidates,
    relevance,
    scores_at,
)
from graphrag.search.question import Question, episode_cosines
from graphrag.search.rank import fused

_FADING = 0.15
"""Of n passages one vector each tells ``n ** -0.15`` as surely as that of a short text does."""
_HALFWAY = 0.5
"""The best cosine is taken to be at least so far from the worst towards 1."""
_SEEDS = 30
_LOOSER = 1 / 3
"""Sharing an entity bridges so much less than a title does, as it links less."""


def rank_episodes(question: Question) -> list[Fused]:
    """Rank the visible episodes."""
    recipe, index, weights = question.recipe, question.index, question.recipe.episodes
    meaning = episode_cosines(index, question.vector)
    question.trace.step("episodes: vector")
    said = word_scores(index, question.text)
    question.trace.step("episodes: fulltext")
    methods = (
        Method("vector", meaning, recipe.vector * weights.vector),
        Method("fulltext", said, recipe.fulltext * weights.fulltext),
    )
    seen = question.seen.episodes
    if recipe.fusion == "rrf":
        limit = question.request.wanted
        return fused(question, "episodes", methods, seen, meaning, said, limit)
    rows = candidates(methods, seen, recipe.pool)
    question.trace.step("episodes: candidates", len(rows))
    ranking = _Ranking(question, meaning, said, rows)
    ranking.follow_links()
    return ranking.ranked()


class _Ranking:
    """Candidates and what each step adds to their scores."""

    def __init__(
        self, question: Question, meaning: Scored, words: Scores, rows: Candidates
    ) -> None:
        recipe, weights = question.recipe, question.recipe.episodes
        seen, episodes = question.walked.episodes, question.index.episodes
        self.question, self.meaning, self.words = question, meaning, words
        self._gains: dict[str, tuple[Candidates, Parts]] = {}
        self._sessions: Sessions | None = None
        self._session: Parts | None = None
        self._timely: Parts | None = None
        if max(weights.previous, weights.following, weights.answer, weights.session) > 0:
            self._sessions = sessions_of(episodes, seen, in_order=not question.index.is_part)
        if (sessions := self._sessions) is not None:
            around = np.concatenate((rows, sessions.previous[rows], sessions.following[rows]))
            rows = np.unique(around[around >= 0])
            if weights.session:  # the words of each session as a share of the best one's
                words_of = episodes.postings.grouped(question.text, sessions.number, sessions.count)
                best = max(float(words_of.max(initial=0.0)), 1e-9)
                self._session = words_of.astype(np.float64) / best
        if question.when.said and weights.time:
            self._timely = time_scores(question.when, episodes, seen)
        shares = recipe.vector * weights.vector, recipe.fulltext * weights.fulltext
        self._plain = Plain(meaning, words, rows, shares, episodes.postings)
        self.rows = rows[question.seen.episodes[rows]]
        question.trace.step("episodes: context", len(self.rows))

    def parts(self) -> dict[str, Parts]:
        weights, rows = self.question.recipe.episodes, self.rows
        near, said = self._plain.parts(rows)
        parts = {"vector": near, "fulltext": said}
        if (sessions := self._sessions) is not None:
            fade = sessions.shortness
            previous, following = sessions.previous[rows], sessions.following[rows]
            before, after = self._of(previous), self._of(following)
            parts["previous"] = weights.previous * fade * before
            parts["following"] = weights.following * after
            if weights.answer:
                # What the one loses the other gets.
                asks = self.question.index.episodes["asks"]
                lost = asks[rows] * (following >= 0) * (near + said)
                parts["answer"] = weights.answer * fade * (asks[previous] * before - lost)
            if self._session is not None:
                inside = (sessions.number[rows] >= 0).astype(np.float64)
                prior = inside * self._session[sessions.number[rows]]
                parts["session"] = weights.session * fade * prior
        if self._timely is not None:
            parts["time"] = weights.time * self._timely[rows]
        for name, (gaining, gains) in self._gains.items():
            parts[name] = np.zeros(len(rows))
            parts[name][np.searchsorted(rows, gaining)] = gains
        return parts

    def _of(self, others: Candidates) -> Parts:
        """Return the score of other rows; 0 for -1, which is none."""
        return np.asarray(np.where(others >= 0, self._plain(others), 0.0))

    def _best(self, count: int) -> tuple[Candidates, Parts]:
        total = _total(self.parts())
        best = np.argsort(-total, kind="stable")[:count]
        return self.rows[best], total[best]

    def _add(self, name: str, rows: Candidates, gains: Parts) -> None:
        """Add what a step gives to the rows that gain most, new candidates among them."""
        if len(rows) > (pool := self.question.recipe.pool):
            kept = np.sort(np.argpartition(-gains, pool)[:pool])
            rows, gains = rows[kept], gains[kept]
        seen = self.question.seen.episodes[rows]
        self._gains[name] = rows[seen], gains[seen]
        self.rows = np.union1d(self.rows, rows[seen])
        self.question.trace.step(f"episodes: {name}", len(self.rows))

    def follow_links(self) -> None:
        """Walk from the best candidates, then build bridges from the best of all."""
        question, recipe = self.question, self.question.recipe
        weights, episodes = recipe.episodes, question.index.episodes
        if not len(self.rows) or recipe.graph == 0:
            return
        links = EpisodeLinks(question, self.rows)
        # A long text speaks of so much that sharing an entity with it says little.
        short = shortness(episodes, self.rows)
        weight = recipe.graph * (weights.titles if links.titled else weights.mentions * short)
        if weight and links.links is not None and len(links.links):
            best, scores = self._best(_SEEDS)
            order = np.argsort(best)
            seeds, strength = best[order], scores[order] ** 2
            count = len(episodes.row_of)
            reached, visits = walk(links.links, count, seeds, strength, links.named, links.own)
            self._add("links", reached, weight * np.sqrt(visits))
        weight = recipe.graph * weights.bridge * (1.0 if links.titled else _LOOSER * short)
        if weight:
            reached, gains = bridges(*self._best(BEST), links.sharing, episodes, question)
            self._add("bridge", reached, weight * gains)

    def ranked(self) -> list[Fused]:
        parts = self.parts()
        near, said = scores_at(self.meaning, self.rows), self.words[self.rows]
        shown = parts | {"vector": near, "fulltext": said}
        scores = np.stack(list(shown.values())).astype(np.float64)
        reasons = Reasons(list(shown), scores, np.stack([parts[name] for name in shown]) > 0)
        share = relevance(self.question.index.episodes, self.question.text, near, said)
        return best_of(self.rows, _total(parts), share, reasons, self.question.request.wanted)


def _total(parts: dict[str, Parts]) -> Parts:
    return np.asarray(np.stack(list(parts.values())).sum(axis=0), dtype=np.float64)


def word_scores(index: GroupIndex, query: str) -> Scores:
    """Return the BM25 of each episode; for a split one, the mean of whole text and best piece.

    The best piece alone misses texts that say a little everywhere; the whole text alone misses
    those that say everything in one place.
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
