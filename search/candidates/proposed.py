"""Candidate order by meaning, words and distance, before any row is read.

It approximates the final ranking, so that few rows are read. Words use the FULLTEXT index with the
group's own counts: SurrealDB's scores are 0 for words in most rows, scan the whole table's lengths,
and are not per group. Rare words are looked up alone, common ones in pairs.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from graphrag.engine.lookup import with_words, words_of
from graphrag.engine.scopes import mark
from graphrag.engine.vector_pages import nearest
from graphrag.errors import StoreIndexError
from graphrag.index.entries import K1, B, Statistics
from graphrag.index.texts import PIECE
from graphrag.protocols import Matrix
from graphrag.search.candidates.limits import Limits
from graphrag.search.candidates.part import Part
from graphrag.search.request import Request
from graphrag.store.store import Store
from graphrag.text.tokens import tokenize

_COMMON = 3
"""Words that many rows have, of which pairs are looked up: the rarest of them."""
TABLES = {
    "facts": "relates_to",
    "entities": "entity",
    "episodes": "episode",
    "communities": "community",
}


@dataclass(frozen=True, slots=True)
class Proposed:
    """Rows of one scope by id, each with what a method gives it."""

    vector: float
    """Weight of meaning."""
    fulltext: float
    """Weight of words."""
    cosines: Mapping[str, float]
    """The nearest first."""
    words: Mapping[str, float]

    def best(
        self, ids: Iterable[str], hops: Mapping[str, int] | None = None, graph: float = 0.0
    ) -> list[str]:
        """Return some rows, those first that promise most.

        Args:
            ids: The rows.
            hops: How far some of them are from what the question names.
            graph: Weight of being near.
        """
        near = self.vector / max(next(iter(self.cosines.values()), 0.0), 1e-9)
        said = self.fulltext / max(max(self.words.values(), default=0.0), 1e-9)
        far = hops or {}

        def promise(id_: str) -> tuple[float, str]:
            close = graph / (1 + far[id_]) if id_ in far else 0.0
            meant, found = self.cosines.get(id_, 0.0), self.words.get(id_, 0.0)
            return -(near * meant + said * found + close), id_

        return sorted(ids, key=promise)

    def ranked(
        self, limits: Limits, hops: Mapping[str, int] | None = None, graph: float = 0.0
    ) -> list[str]:
        """Return the rows that are proposed, those first that promise most.

        Before them come the best of each method: what the others have is measured by these.
        """
        near = [*self.cosines][: limits.widest]
        said = sorted(self.words, key=lambda id_: (-self.words[id_], id_))
        far = hops or {}
        close = sorted(far, key=lambda id_: (far[id_], -self.cosines.get(id_, 0.0), id_))
        heads = (id_ for ids in (near, said, close) for id_ in ids[: limits.heads])
        few = {*near[: limits.near_of(len(self.cosines))], *self.words, *(hops or ())}
        return [*dict.fromkeys((*heads, *self.best(few, hops, graph), *near))]


async def propose(
    part: Part, request: Request, vector: Matrix, scopes: Iterable[str], limits: Limits
) -> dict[str, Proposed]:
    """Return what is proposed of each scope."""
    asked = [*scopes]
    found = await asyncio.gather(
        *(_of(scope, part, request, vector, limits) for scope in asked), return_exceptions=True
    )
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return {
        scope: one
        for scope, one in zip(asked, found, strict=True)
        if not isinstance(one, BaseException)
    }


async def _of(scope: str, part: Part, request: Request, vector: Matrix, limits: Limits) -> Proposed:
    recipe, table, group = request.recipe, TABLES[scope], part.group
    weights = getattr(recipe, scope)
    # Entities are looked for in any case: a walk sets out from those that a question names.
    by_meaning = weights.vector if scope == "entities" else recipe.vector * weights.vector
    by_words = weights.fulltext if scope == "entities" else recipe.fulltext * weights.fulltext
    cosines: dict[str, float] = {}
    if by_meaning:
        near = await nearest(part.store, group, table, vector)
        cosines = dict(zip(near.ids, near.scores.tolist(), strict=True))
    if by_meaning and scope == "episodes":
        passages = await nearest(part.store, group, "passage", vector)
        if passages.ids:
            part.spread = float(passages.scores.std())
        for id_, score in zip(passages.ids, passages.scores.tolist(), strict=True):
            episode = id_.rpartition(":")[0]
            cosines[episode] = max(score, cosines.get(episode, -1.0))
        cosines = dict(sorted(cosines.items(), key=lambda one: -one[1]))
    words: dict[str, float] = {}
    if by_words:
        terms, of = tokenize(request.query), part.counts.texts[table]
        # Of the others there are fewer, or their texts are long.
        few = [*cosines][: limits.near_of(len(cosines))] if scope == "facts" else []
        words = await matching(part.store, group, table, terms, of, few, limits.words)
    return Proposed(by_meaning, by_words, cosines, words)


async def matching(
    store: Store,
    group: str,
    table: str,
    terms: Sequence[str],
    of: Statistics,
    near: Iterable[str],
    most: int,
) -> dict[str, float]:
    """Return rows of a table that share words with a query, each with its score.

    Args:
        store: Where they are.
        group: Theirs.
        table: The table.
        terms: The words of the query.
        of: Counts of the group's words.
        near: Rows whose words count too, whatever the index finds.
        most: Rows to look at.

    Raises:
        StoreIndexError: if the table has no index.
    """
    known = Counter(term for term in terms if of.frequencies.get(term, 0) > 0)
    rare, common, rows = list[str](), list[str](), 0
    for term in sorted(known, key=lambda term: (of.frequencies[term], term)):
        rows += of.frequencies[term]
        (rare if rows <= most else common).append(term)
    found: dict[str, str] = {}
    if rare:
        [some] = await with_words(store, group, table, [rare], every=False, limit=2 * most)
        found.update(some)
    asked = [*combinations(common[:_COMMON], 2)]
    for some in await with_words(store, group, table, asked, limit=most // max(1, len(asked))):
        found.update(some)
    for term in common:
        if len(found) < most // 4:
            [some] = await with_words(store, group, table, [[term]], limit=most)
            found.update(some)
    if known and not found:
        raise StoreIndexError(
            f"the word index of {table!r} finds nothing of what is counted: it is being built, or "
            "run 'surreal-graphrag index build', or health.build_indexes()"
        )
    if known:
        found.update(await words_of(store, group, table, [id_ for id_ in near if id_ not in found]))
    before = mark(group)
    weights = {
        before + term: times * math.log1p((of.texts - n + 0.5) / (n + 0.5))
        for term, times in known.items()
        if (n := of.frequencies[term])
    }
    average = of.terms / max(1, of.texts)
    return {
        id_: max(_score(piece.split(), weights, average) for piece in stored.split(PIECE))
        for id_, stored in found.items()
    }


def _score(words: Sequence[str], weights: dict[str, float], average: float) -> float:
    norm = K1 * (1 - B + B * len(words) / average)
    score = 0.0
    for term, weight in weights.items():
        if count := words.count(term):
            score += weight * count * (K1 + 1) / (count + norm)
    return score
