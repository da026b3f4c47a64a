"""Reading verbs, each from one viewpoint; facts include lifetimes and sources.

A model chooses a verb by its docstring.
"""

from collections.abc import Iterable, Sequence

from graphrag.errors import QueryError
from graphrag.graph import GraphRAG
from graphrag.model.values import Fact
from graphrag.search.filters import Filter
from graphrag.search.results import quotes_of
from graphrag.serve import inputs, items, outputs
from graphrag.serve.grants import Call
from graphrag.temporal.moment import utc_now

_EXCERPT = 2000  # characters of an episode among hits; the resource has all of it
_OPENING = 200  # characters of a new episode among changes
_ENDED = 5


async def search(call: Call, asked: inputs.SearchInput) -> outputs.SearchOutput:
    """Find facts, entities and episodes about a topic, best first.

    Use it to explore. For one precise answer use ask, for text to put into a prompt use context,
    for everything about one entity use entity or timeline.
    """
    where = None if asked.where is None else Filter.parse(asked.where)
    results = await asked.view(call.graph, history=asked.history).search(
        asked.query, limit=asked.limit, scopes=asked.scopes, where=where, saga=asked.saga
    )
    facts = await fact_outputs([hit.item for hit in results.facts], call.graph)
    return outputs.SearchOutput(
        facts=[
            outputs.FactHit.of(hit, {"fact": fact})
            for hit, fact in zip(results.facts, facts, strict=True)
        ],
        entities=[*map(outputs.EntityHit.of, results.entities)],
        episodes=[
            outputs.EpisodeHit.of(
                hit, {"episode": items.EpisodeOutput.shortened(hit.item, _EXCERPT)}
            )
            for hit in results.episodes
        ],
        communities=[*map(outputs.CommunityHit.of, results.communities)],
    )


async def ask(call: Call, asked: inputs.AskInput) -> outputs.AskOutput:
    """Answer a question exactly from facts: who, what, where, when, how long, how many, whether.

    It understands before, after, during, first, last and dates. It never guesses: without an
    answer, missing gives the reason; then try search.
    """
    answer = await asked.view(call.graph).ask(asked.question)
    facts, bounds = await _each([answer.facts, answer.bounds], call.graph)
    return outputs.AskOutput.of(
        answer, {"facts": facts, "bounds": bounds, "how": answer.how.splitlines()}
    )


async def answer(call: Call, asked: inputs.AnswerInput) -> outputs.AnswerOutput:
    """Answer a question with numbered sources: exactly if facts allow, else from search results.

    A model of the server writes the answer, and each sentence is checked against its sources;
    without a model the answer consists of sentences of the sources. Agents should use ask and
    context.
    """
    reply = await asked.view(call.graph).answer(asked.question, max_tokens=asked.max_tokens)
    exact = reply.exact
    how = {"values": exact.values, "how": exact.how.splitlines()} if exact else {}
    text = reply.text if reply else ""
    return outputs.AnswerOutput.of(reply, {"values": [], "how": [], **how, "text": text})


async def entity(call: Call, asked: inputs.EntityInput) -> outputs.KnownEntityOutput:
    """Describe an entity: names, type, current facts, and facts that ended last.

    Use it when you know the name. For the whole history use timeline.
    """
    view = asked.view(call.graph)
    profile = await view.profile(asked.entity, facts=asked.facts, changes=_ENDED)
    facts, ended = await _each([profile.facts, profile.changes], call.graph)
    return outputs.KnownEntityOutput(
        entity=items.EntityOutput.of(profile.entity), facts=facts, ended=ended
    )


async def timeline(call: Call, asked: inputs.TimelineInput) -> outputs.TimelineOutput:
    """List all facts about an entity in chronological order, with what ended each and why."""
    life = await asked.view(call.graph).timeline(asked.entity)
    stages = life.stages[-asked.limit :]
    facts = await fact_outputs([stage.fact for stage in stages], call.graph)
    paired = zip(stages, facts, strict=True)
    return outputs.TimelineOutput(
        entity=items.EntityOutput.of(life.entity),
        stages=[outputs.StageOutput.of(stage, {"fact": fact}) for stage, fact in paired],
        left_out=len(life.stages) - len(stages),
    )


async def changes(call: Call, asked: inputs.ChangesInput) -> outputs.ChangesOutput:
    """List the changes between two moments: facts that were learned, ended or corrected.

    Use it to catch up ("what is new since Monday?"). axis=world lists events in the world.
    """
    changes = await asked.view(call.graph).changes(asked.since, asked.until, axis=asked.axis)
    last = changes.facts[-asked.limit :]
    facts = await fact_outputs([change.fact for change in last], call.graph)
    changed = zip(last, facts, strict=True)
    episodes = changes.episodes[-asked.limit :]
    derived = {
        "facts": [outputs.ChangeOutput.of(change, {"fact": fact}) for change, fact in changed],
        "entities": [entity.name for entity in changes.entities[-asked.limit :]],
        "episodes": [items.SourceOutput.opening(it, it.content, _OPENING) for it in episodes],
        "left_out": len(changes.facts) - len(last),
    }
    return outputs.ChangesOutput.of(changes, derived)


async def path(call: Call, asked: inputs.PathInput) -> outputs.PathOutput:
    """Find the shortest paths of facts between two entities."""
    view = asked.view(call.graph)
    paths = await view.paths(asked.start, asked.end, k=asked.number, max_depth=asked.max_depth)
    facts = await _each([path.facts for path in paths], call.graph)
    return outputs.PathOutput(
        paths=[
            outputs.ChainOutput(chain=str(path), facts=shown)
            for path, shown in zip(paths, facts, strict=True)
        ]
    )


async def context(call: Call, asked: inputs.ContextInput) -> outputs.ContextOutput:
    """Return the most relevant facts and texts for a question as one text, dated and cited.

    Use it to add knowledge to a prompt within a token budget.
    """
    results = await asked.view(call.graph).search(asked.question, saga=asked.saga)
    return outputs.ContextOutput.of(results.context(asked.max_tokens, asked.format))


async def communities(call: Call, asked: inputs.CommunitiesInput) -> outputs.CommunitiesOutput:
    """List communities: clusters of closely linked entities, with summaries.

    Use it for questions about the whole graph ("what is going on here?") that no single fact
    answers.
    """
    if asked.question is not None and asked.community is not None:
        raise QueryError("ask a question of all communities, or name one: not both")
    reads = asked.view(call.graph).communities
    if asked.valid_at is None and not await reads.list():  # nobody built any: as they are now
        reads = call.graph.at(valid_at=utc_now(), known_at=asked.known_at).communities
    if asked.question is not None:
        context = await reads.context(asked.question, max_tokens=asked.max_tokens)
        listed = {"communities": context.communities[: asked.limit]}
        return outputs.CommunitiesOutput.of(context, listed)
    if asked.community is None:
        stored = (await reads.list(level=asked.level))[: asked.limit]
        return outputs.CommunitiesOutput(communities=[*map(items.CommunityOutput.of, stored)])
    shown = await reads.get(asked.community, limit=asked.limit)
    return outputs.CommunitiesOutput(
        communities=[*map(items.CommunityOutput.of, (shown.community, *shown.parts))],
        members=[*map(items.EntityOutput.of, shown.entities)],
        facts=await fact_outputs(shown.facts, call.graph),
    )


async def communities_over_time(
    call: Call, asked: inputs.CommunitiesOverTimeInput
) -> outputs.CommunitiesOverTimeOutput:
    """Show how communities of entities appear, disappear, merge, split and grow over time.

    Use it for the development of the whole graph; for one moment use communities.
    """
    lives = await asked.view(call.graph).communities.over_time(
        asked.every, start=asked.start, resolution=asked.resolution
    )
    columns = lives.to_dict(limit=asked.limit, events=asked.events, details=asked.details)
    return outputs.CommunitiesOverTimeOutput(**columns)


async def fact_outputs(facts: Iterable[Fact], graph: GraphRAG) -> list[items.FactOutput]:
    """Return facts with their quotes, read in one query."""
    given = list(facts)
    quotes = await quotes_of(given, graph.handle.session.store)
    return [
        items.FactOutput.stated(fact, stated) for fact, stated in zip(given, quotes, strict=True)
    ]


async def _each(several: Sequence[Sequence[Fact]], graph: GraphRAG) -> list[list[items.FactOutput]]:
    shown = iter(await fact_outputs([fact for facts in several for fact in facts], graph))
    return [[next(shown) for _ in facts] for facts in several]
