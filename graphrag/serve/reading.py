"""The verbs that read: each from one viewpoint, each fact with its lifetime and its sources.

The docstring of a verb is what a model reads to choose it.
"""

from collections.abc import Iterable, Sequence

from graphrag.errors import QueryError
from graphrag.graph import GraphRAG
from graphrag.model.values import Community, Fact
from graphrag.search.context import Citation
from graphrag.search.filters.tree import Filter
from graphrag.search.sources import quotes_of
from graphrag.serve.call import Call
from graphrag.serve.inputs import (
    AnswerInput,
    AskInput,
    ChangesInput,
    CommunitiesInput,
    CommunitiesOverTimeInput,
    ContextInput,
    EntityInput,
    PathInput,
    SearchInput,
    TimelineInput,
    Viewed,
)
from graphrag.serve.items import (
    CitationOutput,
    CommunityOutput,
    EntityOutput,
    EpisodeOutput,
    FactOutput,
    SourceOutput,
)
from graphrag.serve.outputs import (
    AnswerOutput,
    AskOutput,
    ChainOutput,
    ChangeOutput,
    ChangesOutput,
    CommunitiesOutput,
    CommunitiesOverTimeOutput,
    CommunityHit,
    ContextOutput,
    EntityHit,
    EpisodeHit,
    FactHit,
    KnownEntityOutput,
    PathOutput,
    SearchOutput,
    SentenceOutput,
    StageOutput,
    TimelineOutput,
)
from graphrag.temporal.moment import utc_now
from graphrag.view.communities import CommunityReads

_EXCERPT = 2000
"""Characters of an episode among hits; the resource has all of it."""
_OPENING = 200
"""Characters of a new episode among changes."""
_ENDED = 5


async def search(call: Call, asked: SearchInput) -> SearchOutput:
    """Find facts, entities and episodes about something, best first.

    Use it to look around. For one precise answer use ask, for text to put into a prompt use
    context, for everything about one entity use entity or timeline.
    """
    results = await asked.view(call.graph, history=asked.history).search(
        asked.query,
        limit=asked.limit,
        scopes=asked.scopes,
        where=None if asked.where is None else Filter.parse(asked.where),
        saga=asked.saga,
    )
    facts = await fact_outputs([hit.item for hit in results.facts], call.graph)
    return SearchOutput(
        facts=[
            FactHit(relevance=hit.relevance, fact=fact)
            for hit, fact in zip(results.facts, facts, strict=True)
        ],
        entities=[
            EntityHit(relevance=hit.relevance, entity=EntityOutput.of(hit.item))
            for hit in results.entities
        ],
        episodes=[
            EpisodeHit(relevance=hit.relevance, episode=EpisodeOutput.of(hit.item, _EXCERPT))
            for hit in results.episodes
        ],
        communities=[
            CommunityHit(relevance=hit.relevance, community=CommunityOutput.of(hit.item))
            for hit in results.communities
        ],
    )


async def ask(call: Call, asked: AskInput) -> AskOutput:
    """Answer a question exactly, from facts: who, what, where, when, how long, how many, whether.

    Understands before, after, during, first, last and dates. It never guesses: without an answer
    missing says why; then try search.
    """
    answer = await asked.view(call.graph).ask(asked.question)
    facts, bounds = await _each([answer.facts, answer.bounds], call.graph)
    return AskOutput(
        values=list(answer.values),
        missing=answer.missing,
        facts=facts,
        bounds=bounds,
        how=answer.how.splitlines(),
    )


async def answer(call: Call, asked: AnswerInput) -> AnswerOutput:
    """Answer a question with numbered sources: exactly if facts do, else from what was found.

    A model of the server writes it, and each sentence is checked against what it cites; without
    one it is sentences of the sources. For an agent, ask and context are better: it is the model.
    """
    found = await asked.view(call.graph).answer(asked.question, max_tokens=asked.max_tokens)
    exact = found.exact
    return AnswerOutput(
        by=found.by,
        text=found.text if found else "",
        missing=found.missing,
        sentences=[SentenceOutput.of(one) for one in found.sentences],
        dropped=[SentenceOutput.of(one) for one in found.dropped],
        citations=[CitationOutput.of(one) for one in found.citations],
        values=list(exact.values) if exact else [],
        how=exact.how.splitlines() if exact else [],
    )


async def entity(call: Call, asked: EntityInput) -> KnownEntityOutput:
    """Tell who or what something is: names, type, what holds of it, what ended last.

    Use it when you know the name. For its whole history use timeline.
    """
    view = asked.view(call.graph)
    profile = await view.profile(asked.entity, facts=asked.facts, changes=_ENDED)
    facts, ended = await _each([profile.facts, profile.changes], call.graph)
    return KnownEntityOutput(entity=EntityOutput.of(profile.entity), facts=facts, ended=ended)


async def timeline(call: Call, asked: TimelineInput) -> TimelineOutput:
    """Tell the whole life of an entity in order: what held when, and what ended it and why."""
    life = await asked.view(call.graph).timeline(asked.entity)
    stages = life.stages[-asked.limit :]
    facts = await fact_outputs([stage.fact for stage in stages], call.graph)
    return TimelineOutput(
        entity=EntityOutput.of(life.entity),
        stages=[
            StageOutput(status=stage.status, why=stage.why, fact=fact)
            for stage, fact in zip(stages, facts, strict=True)
        ],
        left_out=len(life.stages) - len(stages),
    )


async def changes(call: Call, asked: ChangesInput) -> ChangesOutput:
    """Tell what became different between two moments: what was learned, ended or corrected.

    Use it to catch up ("what is new since Monday?"). With axis=world: what happened then.
    """
    view = asked.view(call.graph)
    found = await view.changes(asked.since, asked.until, axis=asked.axis)
    last = found.facts[-asked.limit :]
    facts = await fact_outputs([one.fact for one in last], call.graph)
    return ChangesOutput(
        since=found.since,
        until=found.until,
        facts=[
            ChangeOutput(at=one.at, kind=one.kind, fact=fact)
            for one, fact in zip(last, facts, strict=True)
        ],
        entities=[one.name for one in found.entities[-asked.limit :]],
        episodes=[SourceOutput.opening(one, _OPENING) for one in found.episodes[-asked.limit :]],
        left_out=len(found.facts) - len(last),
    )


async def path(call: Call, asked: PathInput) -> PathOutput:
    """Tell how two entities are linked: the shortest chains of facts between them."""
    view = asked.view(call.graph)
    found = await view.paths(asked.start, asked.end, k=asked.number, max_depth=asked.max_depth)
    facts = await _each([one.facts for one in found], call.graph)
    return PathOutput(
        paths=[
            ChainOutput(chain=str(one), facts=shown)
            for one, shown in zip(found, facts, strict=True)
        ]
    )


async def context(call: Call, asked: ContextInput) -> ContextOutput:
    """Write the best of what is known about a question as one text, dated and cited.

    Use it to put knowledge into a prompt within a budget of tokens.
    """
    results = await asked.view(call.graph).search(asked.question, saga=asked.saga)
    found = results.context(asked.max_tokens, asked.format)
    return ContextOutput(
        text=found.text,
        citations=[CitationOutput.of(one) for one in found.citations],
        tokens=found.tokens,
        left_out=found.left_out,
    )


async def communities(call: Call, asked: CommunitiesInput) -> CommunitiesOutput:
    """Tell what belongs together: groups of entities that facts tie to each other, with summaries.

    Use it for questions about the whole ("what is going on here?"), which no single fact answers.
    """
    if asked.question is not None and asked.community is not None:
        raise QueryError("ask a question of all communities, or name one: not both")
    reads = await _detected(call.graph, asked)
    if asked.question is not None:
        told = await reads.context(asked.question, max_tokens=asked.max_tokens)
        return _communities(told.communities[: asked.limit], told.text, told.citations)
    if asked.community is None:
        return _communities((await reads.list(level=asked.level))[: asked.limit])
    one = await reads.get(asked.community, limit=asked.limit)
    return CommunitiesOutput(
        communities=[CommunityOutput.of(part) for part in (one.community, *one.parts)],
        members=[EntityOutput.of(member) for member in one.entities],
        facts=await fact_outputs(one.facts, call.graph),
        text="",
        citations=[],
    )


async def communities_over_time(
    call: Call, asked: CommunitiesOverTimeInput
) -> CommunitiesOverTimeOutput:
    """Tell what became of groups of entities: born, died, merged, split, grown, slice by slice.

    Use it for how a whole developed; for what belongs together at one moment use communities.
    """
    found = await asked.view(call.graph).communities.over_time(
        asked.every, start=asked.start, resolution=asked.resolution
    )
    told = found.to_dict(limit=asked.limit, events=asked.events, details=asked.details)
    return CommunitiesOverTimeOutput(**told)


async def _detected(graph: GraphRAG, asked: Viewed) -> CommunityReads:
    """Return the communities as they were built; if nobody did, as they are now."""
    reads = asked.view(graph).communities
    if asked.valid_at is None and not await reads.list():
        return graph.at(valid_at=utc_now(), known_at=asked.known_at).communities
    return reads


def _communities(
    found: Sequence[Community], text: str = "", citations: Sequence[Citation] = ()
) -> CommunitiesOutput:
    return CommunitiesOutput(
        communities=[CommunityOutput.of(one) for one in found],
        members=[],
        facts=[],
        text=text,
        citations=[CitationOutput.of(one) for one in citations],
    )


async def fact_outputs(facts: Iterable[Fact], graph: GraphRAG) -> list[FactOutput]:
    """Return facts with what states them, read in one go."""
    given = list(facts)
    quotes = await quotes_of(given, graph.handle.session.store)
    return [FactOutput.of(fact, some) for fact, some in zip(given, quotes, strict=True)]


async def _each(several: Sequence[Sequence[Fact]], graph: GraphRAG) -> list[list[FactOutput]]:
    """Return several lists of facts, read in one go."""
    shown = iter(await fact_outputs([fact for facts in several for fact in facts], graph))
    return [[next(shown) for _ in facts] for facts in several]
