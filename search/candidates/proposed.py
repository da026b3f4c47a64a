"""Rows that a group proposes for a request, in the order in which they are worth reading."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graphrag.engine.proposals import Proposals, Wanted
from graphrag.engine.rows import TEXTS
from graphrag.names.key import name_key
from graphrag.protocols import Matrix
from graphrag.search.candidates.limits import LIMITS
from graphrag.search.near import LONGEST, WORD
from graphrag.search.request import Request
from graphrag.text.tokens import tokenize

TABLES = {
    "facts": "relates_to",
    "entities": "entity",
    "episodes": "episode",
    "communities": "community",
}
_WORDS_AT_ONCE = 200
"""Words of a query that are looked at for names."""


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
    more: bool
    """There may be others beyond them."""

    def ranked(self, met: Iterable[str] = (), graph: float = 0.0) -> list[str]:
        """Return the rows that are proposed, those first that promise most.

        Before them come the best of each method. Being among those ``met`` weighs ``graph``.
        """
        near = self.vector / max(next(iter(self.cosines.values()), 0.0), 1e-9)
        said = self.fulltext / max(max(self.words.values(), default=0.0), 1e-9)
        close = {*met}

        def promise(id_: str) -> tuple[float, str]:
            meant, found = self.cosines.get(id_, 0.0), self.words.get(id_, 0.0)
            return -(near * meant + said * found + graph * (id_ in close)), id_

        spoken = sorted(self.words, key=lambda id_: (-self.words[id_], id_))
        beside = sorted(close, key=lambda id_: (-self.cosines.get(id_, 0.0), id_))
        heads = (id_ for ids in (self.cosines, spoken, beside) for id_ in [*ids][: LIMITS.heads])
        every = {*self.cosines, *self.words, *close}
        return [*dict.fromkeys((*heads, *sorted(every, key=promise)))]


def wanted(request: Request, vector: Matrix, scopes: Iterable[str], wider: int = 1) -> Wanted:
    """Return what to ask of a group for a request, ``wider`` times as many rows as usual."""
    tables = [TABLES[scope] for scope in scopes]
    near = [*tables, "passage"] if "episode" in tables else tables
    seeds = max(LIMITS.walked, request.recipe.seeds)
    walked = {} if "entities" in request.scopes else {"entity": seeds}
    pool = request.recipe.pool_of("facts")
    terms = dict.fromkeys(tokenize(request.query))
    return Wanted(
        request.group,
        vector.tolist(),
        [*terms],
        {table: wider * (walked.get(table) or LIMITS.near_of(table, pool)) for table in near},
        [table for table in tables if table in TEXTS and terms and table not in walked],
        wider * LIMITS.words,
        sorted({*map(name_key, _names(request))} - {""}),
        request.centers,
        request.recipe.seeds if "facts" in scopes and request.recipe.walks else 0,
        LIMITS.walk,
    )


def _names(request: Request) -> Iterable[str]:
    """Yield what may name an entity: what was given, and every few words in a row."""
    yield from request.centers
    words = WORD.findall(request.query)[:_WORDS_AT_ONCE]
    for start in range(len(words)):
        for length in range(1, LONGEST + 1):
            yield " ".join(words[start : start + length])


def proposed_of(scope: str, found: Proposals, request: Request, wider: int = 1) -> Proposed:
    """Return what is proposed of one scope."""
    table, weights = TABLES[scope], getattr(request.recipe, scope)
    cosines, said = dict(found.near[table]), found.said.get(table, {})
    for id_, cosine in found.near["passage"].items() if scope == "episodes" else ():
        episode = id_.rpartition(":")[0]
        cosines[episode] = max(cosine, cosines.get(episode, -1.0))
    cosines = dict(sorted(cosines.items(), key=lambda one: -one[1]))
    # Entities are looked for in any case: a walk sets out from those that a question names.
    own = scope == "entities"
    meaning = weights.vector * (1 if own else request.recipe.vector)
    words = weights.fulltext * (1 if own else request.recipe.fulltext)
    least = wider * min(LIMITS.words, LIMITS.near_of(table, 0))
    more = max(len(cosines), len(said)) >= least
    return Proposed(meaning, words, cosines if meaning else {}, said if words else {}, more)
