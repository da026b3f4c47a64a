"""The verbs of the explorer, which only REST has: draw the graph, say who is one, undo.

An agent has thirteen tools and does not need these; a person who looks after a graph does.
"""

from graphrag.graph import GraphRAG
from graphrag.model.values import Entity
from graphrag.serve.call import Call
from graphrag.serve.curation import (
    AtlasInput,
    AtlasOutput,
    CandidateOutput,
    CandidatesInput,
    CandidatesOutput,
    KeepApartInput,
    LogInput,
    LogOutput,
    MergeInput,
    RevertInput,
    SideOutput,
    SplitInput,
    SplitOutput,
)
from graphrag.serve.items import EntityOutput, EventOutput
from graphrag.serve.reading import fact_outputs

_COUNTED = 200
"""Facts of an entity that are counted at most."""


async def atlas(call: Call, asked: AtlasInput) -> AtlasOutput:
    """Lay the graph out: entities with their places and communities, facts with their lifetimes.

    Facts of all times, for a page to draw any moment of; with valid_at those of that moment.
    """
    view, ever = asked.view(call.graph), asked.valid_at is None
    return AtlasOutput.of(await view.export.atlas(limit=asked.limit, history=ever), call)


async def candidates(call: Call, asked: CandidatesInput) -> CandidatesOutput:
    """List pairs of entities that may be one, likeliest first, each side with its evidence."""
    found = await call.graph.identity.candidates(asked.limit)
    sides: dict[str, SideOutput] = {}
    for pair in found:
        for one in (pair.entity, pair.other):
            if one.id not in sides:
                sides[one.id] = await _side(one, call.graph, asked.facts)
    return CandidatesOutput(
        candidates=[
            CandidateOutput(
                score=pair.score,
                why=pair.why,
                entity=sides[pair.entity.id],
                other=sides[pair.other.id],
            )
            for pair in found
        ]
    )


async def _side(entity: Entity, graph: GraphRAG, most: int) -> SideOutput:
    known = await graph.profile(entity, facts=_COUNTED, changes=0)
    return SideOutput(
        entity=EntityOutput.of(entity),
        facts=await fact_outputs(known.facts[:most], graph),
        more=max(0, len(known.facts) - most),
    )


async def merge(call: Call, asked: MergeInput) -> EventOutput:
    """Make one entity of two; all that was said of the other is said of the one that is kept."""
    event = await call.graph.identity.merge(
        asked.keep, asked.other, reason=asked.reason, actor=call.grant.name
    )
    return EventOutput.of(event)


async def keep_apart(call: Call, asked: KeepApartInput) -> EventOutput:
    """Say that two entities are two: they are not among the candidates any more."""
    event = await call.graph.identity.keep_apart(
        asked.one, asked.other, reason=asked.reason, actor=call.grant.name
    )
    return EventOutput.of(event)


async def split(call: Call, asked: SplitInput) -> SplitOutput:
    """Make another entity of some facts of one, which were wrongly said of it."""
    made = await call.graph.identity.split(
        asked.entity,
        name=asked.name,
        facts=asked.facts,
        entity_type=asked.type,
        reason=asked.reason,
        actor=call.grant.name,
    )
    [event] = await call.graph.log.events(entity=made, limit=1)
    return SplitOutput(entity=EntityOutput.of(made), event=EventOutput.of(event))


async def revert(call: Call, asked: RevertInput) -> EventOutput:
    """Undo an event of the log by a new one, which can be undone as well."""
    event = await call.graph.log.revert(
        asked.event, force=asked.force, reason=asked.reason, actor=call.grant.name
    )
    return EventOutput.of(event)


async def log(call: Call, asked: LogInput) -> LogOutput:
    """Tell what was done last, by whom and why."""
    events = await call.graph.log.events(limit=asked.limit, fact=asked.fact, entity=asked.entity)
    return LogOutput(events=[EventOutput.of(event) for event in events])
