"""Verbs of the explorer, by REST alone: draw the graph, merge and split entities, undo.

An agent has thirteen tools and does not need these; a person who looks after a graph does.
"""

from typing import Annotated

from pydantic import Field

from graphrag.graph import GraphRAG
from graphrag.model.values import Entity
from graphrag.serve.grants import Call
from graphrag.serve.inputs import Input, Line, Name, Viewed
from graphrag.serve.items import EntityOutput, EventOutput, FactOutput, Output
from graphrag.serve.reading import fact_outputs

_COUNTED = 200  # facts of an entity that are counted at most
_EITHER = "An entity: its id, or a name that only it bears."


class AtlasInput(Viewed):
    """Arguments of ``atlas``."""

    limit: int = Field(10_000, ge=1, le=10_000, description="Entities at most, best connected.")


class CandidatesInput(Input):
    """Arguments of ``candidates``."""

    limit: int = Field(50, ge=1, le=200, description="Pairs at most, the likeliest first.")
    facts: int = Field(4, ge=0, le=50, description="Facts of each of the two at most.")


Reason = Annotated[Line, Field(description="Why, for the log.")]


class MergeInput(Input):
    """Arguments of ``merge``."""

    keep: Name = Field(description=_EITHER)
    other: Name = Field(description="The one that is given up: its names become aliases.")
    reason: Reason = ""


class KeepApartInput(Input):
    """Arguments of ``keep_apart``."""

    one: Name = Field(description=_EITHER)
    other: Name = Field(description=_EITHER)
    reason: Reason = ""


class RenameInput(Input):
    """Arguments of ``rename``."""

    entity: Name = Field(description=_EITHER)
    name: Name = Field(description="Its new primary name; the old one becomes an alias.")
    reason: Reason = ""


class SplitInput(Input):
    """Arguments of ``split``: the facts that belong to another entity."""

    entity: Name = Field(description=_EITHER)
    name: Name = Field(description="What the other one is called.")
    facts: list[Name] = Field(min_length=1, max_length=1000, description="Ids of facts to move.")
    type: Name | None = Field(None, description="Its type, if another.")
    reason: Reason = ""


class RevertInput(Input):
    """Arguments of ``revert``."""

    event: int = Field(ge=1, le=10**15 - 1, description="Its number.")
    force: bool = Field(False, description="Restore even what a later event changed.")
    reason: Reason = ""


class LogInput(Input):
    """Arguments of ``log``."""

    limit: int = Field(50, ge=1, le=500, description="Events at most, the newest.")
    fact: Name | None = Field(None, description="Only events that changed this fact, by its id.")
    entity: Name | None = Field(None, description="Only those that concern this entity, by its id.")


class NodesOutput(Output):
    """Entities in columns."""

    id: list[str]
    name: list[str]
    type: list[int] = Field(description="Their number among the types.")
    community: list[int]
    x: list[float]
    y: list[float]


class LinksOutput(Output):
    """Facts in columns."""

    id: list[str]
    subject: list[int] = Field(description="The number of a node.")
    relation: list[int] = Field(description="Their number among the relations.")
    object: list[int]
    start: list[int | None] = Field(description="World time in seconds since 1970; null: unknown.")
    end: list[int | None]


class RegionOutput(Output):
    """A community as a place of the drawing."""

    name: str
    members: int


class AtlasOutput(Output):
    """A graph laid out to be drawn, and what the caller may do with it."""

    group: str
    at: str | None
    known_at: str | None
    made_at: str
    nodes: NodesOutput
    facts: LinksOutput
    types: list[str]
    relations: list[str]
    communities: list[RegionOutput] = Field(description="Those of most entities first.")
    left_out: int = Field(description="Entities with facts that had no room.")
    writes: bool = Field(description="Whether the caller may change anything.")


class SideOutput(Output):
    """One of two that may be one, with its evidence."""

    entity: EntityOutput
    facts: list[FactOutput] = Field(description="What holds of it, added last first.")
    more: int = Field(description="Facts that hold and are not shown.")


class CandidateOutput(Output):
    """Two entities that may be one."""

    score: float = Field(description="0 to 1.")
    why: str = Field(description="identifier, name, meaning or attributes: what is alike.")
    entity: SideOutput = Field(description="The better known of the two: the one to keep.")
    other: SideOutput


class CandidatesOutput(Output):
    """Pairs that may be one, the likeliest first."""

    candidates: list[CandidateOutput]


class SplitOutput(Output):
    """Result of ``split``."""

    entity: EntityOutput
    event: EventOutput = Field(description="What revert takes back.")


class LogOutput(Output):
    """Events of the log, oldest first."""

    events: list[EventOutput]


async def atlas(call: Call, asked: AtlasInput) -> AtlasOutput:
    """Lay the graph out: entities with their places and communities, facts with their lifetimes.

    Facts of all times, for a page to draw any moment of; with valid_at those of that moment.
    """
    view, ever = asked.view(call.graph), asked.valid_at is None
    drawn = await view.export.atlas(limit=asked.limit, history=ever)
    return AtlasOutput(**drawn.to_dict(), writes=call.grant.writes)


async def candidates(call: Call, asked: CandidatesInput) -> CandidatesOutput:
    """List pairs of entities that may be one, likeliest first, each side with its evidence."""
    pairs = await call.graph.identity.candidates(asked.limit)
    sides: dict[str, SideOutput] = {}
    for pair in pairs:
        for entity in (pair.entity, pair.other):
            if entity.id not in sides:
                sides[entity.id] = await _side(entity, call.graph, asked.facts)
    return CandidatesOutput(
        candidates=[
            CandidateOutput.of(
                pair, {"entity": sides[pair.entity.id], "other": sides[pair.other.id]}
            )
            for pair in pairs
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
    return EventOutput.logged(event)


async def keep_apart(call: Call, asked: KeepApartInput) -> EventOutput:
    """Say that two entities are two: they are not among the candidates any more."""
    event = await call.graph.identity.keep_apart(
        asked.one, asked.other, reason=asked.reason, actor=call.grant.name
    )
    return EventOutput.logged(event)


async def rename(call: Call, asked: RenameInput) -> EventOutput:
    """Give an entity another primary name; the old one becomes an alias."""
    event = await call.graph.identity.rename(
        asked.entity, asked.name, reason=asked.reason, actor=call.grant.name
    )
    return EventOutput.logged(event)


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
    return SplitOutput(entity=EntityOutput.of(made), event=EventOutput.logged(event))


async def revert(call: Call, asked: RevertInput) -> EventOutput:
    """Undo an event of the log by a new one, which can be undone as well."""
    event = await call.graph.log.revert(
        asked.event, force=asked.force, reason=asked.reason, actor=call.grant.name
    )
    return EventOutput.logged(event)


async def log(call: Call, asked: LogInput) -> LogOutput:
    """Tell what was done last, by whom and why."""
    events = await call.graph.log.events(limit=asked.limit, fact=asked.fact, entity=asked.entity)
    return LogOutput(events=[EventOutput.logged(event) for event in events])
