"""Candidates of a search, selected by SurrealDB instead of reading the group.

One request proposes rows by the indexes of vectors and words and a walk along facts; another reads
the best with what stands around them, and they form a small index for ``rank``. Visibility is
checked on rows: if too few are visible, more are asked for.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from graphrag.engine.lookup import called, facts_at
from graphrag.engine.proposals import Frequencies, ProposalRequest, Proposals, propose
from graphrag.index.group import GroupIndex
from graphrag.index.texts import WORD_COLUMNS
from graphrag.names.key import name_key
from graphrag.protocols import Embedder, Matrix
from graphrag.search.candidates import LIMITS, Part, bound, kin_of, reworded, surround, want_sagas
from graphrag.search.masks import prepare
from graphrag.search.near import LONGEST, WORD
from graphrag.search.pipeline import candidate_ids
from graphrag.search.question import Question, ask
from graphrag.search.recipe import TABLES
from graphrag.search.request import Request
from graphrag.search.rerankers import EpisodeMentions, Recency
from graphrag.search.rewind import Rewind, rewound_index
from graphrag.store import links
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint
from graphrag.text.tokens import tokenize

_WORDS_AT_ONCE = 200
"""Words of a query that are looked at for names."""
_WIDER = 4
_DRIFT = 8
"""A group that grew or shrank by more than such a part has its words counted anew."""


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
        fulltext = self.fulltext / max(max(self.words.values(), default=0.0), 1e-9)
        close = {*met}

        def promise(id_: str) -> tuple[float, str]:
            meaning, words = self.cosines.get(id_, 0.0), self.words.get(id_, 0.0)
            return -(near * meaning + fulltext * words + graph * (id_ in close)), id_

        spoken = sorted(self.words, key=lambda id_: (-self.words[id_], id_))
        beside = sorted(close, key=lambda id_: (-self.cosines.get(id_, 0.0), id_))
        heads = (id_ for ids in (self.cosines, spoken, beside) for id_ in [*ids][: LIMITS.heads])
        every = {*self.cosines, *self.words, *close}
        return [*dict.fromkeys((*heads, *sorted(every, key=promise)))]


async def gather(
    store: Store,
    embedder: Embedder,
    request: Request,
    vector: Matrix,
    viewpoint: Viewpoint,
    past: Rewind,
    *,
    now: datetime,
    frequencies: Frequencies,
) -> GroupIndex:
    """Return an index of what a search must look at."""
    known = frequencies.get((request.group, ""))
    width = 2 if (known or 0) >= LIMITS.huge else 1
    asked = wanted(request, vector, _scopes(request), width)
    proposals = await propose(store, asked, frequencies)
    if proposals is None:
        return GroupIndex(request.group, len(vector))
    facts = proposals.rows["relates_to"]
    is_huge = width == 1 and facts >= LIMITS.huge
    if is_huge or abs(facts - (known or facts)) * _DRIFT > facts:
        frequencies.clear()  # a word counted long ago, or up to a smaller bound, may be common now
    frequencies[request.group, ""] = facts
    if is_huge:
        width = 2
        asked = wanted(request, vector, _scopes(request), width)
        proposals = await propose(store, asked, frequencies) or proposals
    passages = [*proposals.near.get("passage", {}).values()]
    part = Part(
        store,
        request.group,
        len(vector),
        proposals.statistics,
        proposals.seq,
        proposals.sagas,
        kin_of(proposals.merged, past),
        viewpoint.valid_at or now,
        bool(past),
        float(np.std(passages)) if passages else None,
    )
    for table, ids in reworded(past).items():
        part.want(table, ids)
    part.want("entity", proposals.named)
    part.want("entity", await called(store, part.group, request.centers, LIMITS.words))
    if request.sagas:
        await want_sagas(part, request, past)

    async def question() -> Question:
        """Return what the rankings would ask of the rows chosen so far."""
        await part.read()
        index = part.index()
        if past:
            mentions = bool(request.sagas or part.mentions)
            index = await rewound_index(index, past, store, embedder, mentions=mentions)
        if request.where is not None:
            if request.sagas and not past:
                index.episodes.mentions = None  # so far only those around the candidates
            await prepare(request.where, index, store)
        return ask(request, index, vector, viewpoint, past, now=now, partial=True)

    if await surround(part, request):
        chosen = await question()
    else:
        chosen = await _chosen(part, request, vector, proposals, width, frequencies, question)
    for table, rows in (await reranked(store, chosen)).items():
        part.want(table, rows)
    await part.read()
    return part.index()


async def _chosen(
    part: Part,
    request: Request,
    vector: Matrix,
    proposals: Proposals,
    width: int,
    frequencies: Frequencies,
    question: Callable[[], Awaitable[Question]],
) -> Question:
    """Read the first of each order, and more of those of which too few are visible.

    ``width`` is how many times as many rows as usual were proposed.
    """
    recipe, pool, within = request.recipe, request.recipe.pool, bound(request.where)
    linked = "episodes" in request.scopes and recipe.fusion == "scores"
    proposed, orders = _proposed(proposals, request, width)
    counts = dict.fromkeys(proposed, max(60, 2 * pool))
    facts = LIMITS.facts * (3 if proposals.rows["relates_to"] >= LIMITS.huge else 2) // 2
    counts |= {"episodes": max(60, pool), "facts": max(facts, 2 * request.limit)}
    enough = dict.fromkeys(proposed, max(request.limit, pool // 2))
    if "entities" not in request.scopes:  # they are only walked from
        enough["entities"] = recipe.seeds

    def lacks(scope: str, asked: Question) -> bool:
        """Tell whether there may be more of a scope, and too few may be seen, or walked from."""
        if counts[scope] >= LIMITS.widest:
            return False
        if counts[scope] >= len(orders[scope]) and not proposed[scope].more:
            return False
        row_of = asked.rows(scope).row_of
        mask = getattr(asked.walked if within else asked.seen, scope)
        rows = [row_of[id_] for id_ in orders[scope][: counts[scope]] if id_ in row_of]
        return int(mask[rows].sum()) < enough[scope]

    # All that a saga tells of is there; others may be walked from.
    lacking = [scope for scope in orders if not within or scope in ("entities", "communities")]
    while True:
        for scope in lacking:
            part.want(TABLES[scope], orders[scope][: counts[scope]])
        await part.read(LIMITS.linked * linked, proposals.met[: LIMITS.met])
        asked = await question()
        lacking = [scope for scope in lacking if lacks(scope, asked)]
        if not lacking:
            return asked
        if any(counts[scope] >= len(orders[scope]) for scope in lacking):
            width *= _WIDER
            more = wanted(request, vector, proposed, width)
            proposals = await propose(part.store, more, frequencies) or proposals
            proposed, orders = _proposed(proposals, request, width)
        for scope in lacking:
            counts[scope] *= _WIDER


def _proposed(
    proposals: Proposals, request: Request, width: int
) -> tuple[dict[str, Proposed], dict[str, list[str]]]:
    """Return what is proposed of each scope, and its rows, those first that promise most."""
    proposed = {scope: proposed_of(scope, proposals, request, width) for scope in _scopes(request)}
    graph = request.recipe.graph * request.recipe.facts.graph
    return proposed, {
        scope: rows.ranked(proposals.met, graph) if scope == "facts" else rows.ranked()
        for scope, rows in proposed.items()
    }


def _scopes(request: Request) -> list[str]:
    """Return what candidates are needed of: entities also to walk from."""
    scopes = {*request.scopes}
    if request.within is not None:
        scopes.discard("communities")
    if request.ranks_facts:
        scopes.add("facts")
    if scopes != {"communities"}:
        scopes.add("entities")
    return sorted(scopes, key=["entities", "facts", "episodes", "communities"].index)


def wanted(
    request: Request, vector: Matrix, scopes: Iterable[str], wider: int = 1
) -> ProposalRequest:
    """Return what to ask of a group for a request, ``wider`` times as many rows as usual."""
    tables = [TABLES[scope] for scope in scopes]
    near = [*tables, "passage"] if "episode" in tables else tables
    seeds = max(LIMITS.walked, request.recipe.seeds)
    walked = {} if "entities" in request.scopes else {"entity": seeds}
    pool = request.recipe.pool_of("facts")
    terms = dict.fromkeys(tokenize(request.query))
    return ProposalRequest(
        request.group,
        vector.tolist(),
        [*terms],
        {table: wider * (walked.get(table) or LIMITS.near_of(table, pool)) for table in near},
        [table for table in tables if table in WORD_COLUMNS and terms and table not in walked],
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
    cosines, scores = dict(found.near[table]), found.worded.get(table, {})
    for id_, cosine in found.near["passage"].items() if scope == "episodes" else ():
        episode = id_.rpartition(":")[0]
        cosines[episode] = max(cosine, cosines.get(episode, -1.0))
    cosines = dict(sorted(cosines.items(), key=lambda item: -item[1]))
    # Entities are looked for in any case: a walk sets out from those that a question names.
    own = scope == "entities"
    meaning = weights.vector * (1 if own else request.recipe.vector)
    words = weights.fulltext * (1 if own else request.recipe.fulltext)
    least = wider * min(LIMITS.words, LIMITS.near_of(table, 0))
    more = max(len(cosines), len(scores)) >= least
    return Proposed(meaning, words, cosines if meaning else {}, scores if words else {}, more)


async def reranked(store: Store, question: Question) -> dict[str, set[str]]:
    """Return the rows by table that rerankers count, for what would be ranked now."""
    rows: dict[str, set[str]] = {}
    kinds = {type(reranker) for reranker in question.recipe.rerank}
    ranked = candidate_ids(question) if kinds & {Recency, EpisodeMentions} else {}
    if Recency in kinds and question.searches("entities"):
        entities = ranked.get("entities", [])
        rows["relates_to"] = {*await facts_at(store, entities, LIMITS.walk)}
    if EpisodeMentions in kinds:
        family = question.walked.heirs.family
        speaking = {member for id_ in ranked.get("entities", ()) for member in family(id_)}
        facts = sorted(ranked.get("facts", ()))
        rows["episode"] = await links.episodes_behind(store, facts, sorted(speaking))
    return rows
