"""Verbs of the explorer, for REST only: draw the graph, merge and split entities, undo.

Agents have thirteen tools and do not need these; people who maintain a graph do.
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
_EITHER = "Id or unique name of an entity."


class AtlasInput(Viewed):
    """Arguments of ``atlas``."""

    limit: int = Field(10_000, ge=1, le=10_000, description="Maximum entities, best connected.")


class CandidatesInput(Input):
    """Arguments of ``candidates``."""

    limit: int = Field(50, ge=1, le=200, description="Maximum pairs, most likely first.")
    facts: int = Field(4, ge=0, le=50, description="Maximum facts of each entity.")


Reason = Annotated[Line, Field(description="The reason, for the log.")]


class MergeInput(Input):
    """Arguments of ``merge``."""

    keep: Name = Field(description=_EITHER)
    other: Name = Field(description="The entity to merge into it: its names become aliases.")
    reason: Reason = ""


class KeepApartInput(Input):
    """Arguments of ``keep_apart``."""

    one: Name = Field(description=_EITHER)
    other: Name = Field(description=_EITHER)
    reason: Reason = ""


class RenameInput(Input):
    """Arguments of ``rename``."""

    entity: Name = Field(description=_EITHER)
    name: Name = Field(description="New primary name; the old one becomes an alias.")
    reason: Reason = ""


class SplitInput(Input):
    """Arguments of ``split``: the facts that belong to another entity."""

    entity: Name = Field(description=_EITHER)
    name: Name = Field(description="Name of the new entity.")
    facts: list[Name] = Field(min_length=1, max_length=1000, description="Ids of facts to move.")
    type: Name | None = Field(None, description="Type of the new entity, if different.")
    reason: Reason = ""


class RevertInput(Input):
    """Arguments of ``revert``."""

    event: int = Field(ge=1, le=10**15 - 1, description="Number of the event.")
    force: bool = Field(False, description="Restore fields that a later event changed, too.")
    reason: Reason = ""


class LogInput(Input):
    """Arguments of ``log``."""

    limit: int = Field(50, ge=1, le=500, description="Maximum events, the newest.")
    fact: Name | None = Field(None, description="Only events that changed this fact, by its id.")
    entity: Name | None = Field(None, description="Only events about this entity, by its id.")


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
    """A community as a region of the drawing."""

    name: str
    members: int


class AtlasOutput(Output):
    """A graph with a layout, and the rights of the caller."""

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
    """One entity of a pair of possible duplicates, with its evidence."""

    entity: EntityOutput
    facts: list[FactOutput] = Field(description="What holds of it, added last first.")
    more: int = Field(description="Facts that hold and are not shown.")


class CandidateOutput(Output):
    """A pair of entities that may be duplicates."""

    score: float = Field(description="0 to 1.")
    why: str = Field(description="Reason: identifier, name, meaning or attributes.")
    entity: SideOutput = Field(description="The better known of the two: the one to keep.")
    other: SideOutput


class CandidatesOutput(Output):
    """Pairs of possible duplicates, most likely first."""

    candidates: list[CandidateOutput]


class SplitOutput(Output):
    """Result of ``split``."""

    entity: EntityOutput
    event: EventOutput = Field(description="The event, which revert undoes.")


class LogOutput(Output):
    """Events of the log, oldest first."""

    events: list[EventOutput]


async def atlas(call: Call, asked: AtlasInput) -> AtlasOutput:
    """Return a layout of the graph: entities with positions, facts with lifetimes.

    It has the facts of all times, so that a page can draw any moment; with valid_at only those of
    that moment.
    """
    view, ever = asked.view(call.graph), asked.valid_at is None
    drawn = await view.export.atlas(limit=asked.limit, history=ever)
    return AtlasOutput(**drawn.to_dict(), writes=call.grant.writes)


async def candidates(call: Call, asked: CandidatesInput) -> CandidatesOutput:
    """List pairs of entities that may be duplicates, most likely first, with evidence for each."""
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
    """Merge two entities; the one that is kept takes over all statements about the other."""
    event = await call.graph.identity.merge(**asked.model_dump(), actor=call.grant.name)
    return EventOutput.logged(event)


async def keep_apart(call: Call, asked: KeepApartInput) -> EventOutput:
    """Record that two entities are different, so that candidates no longer lists them."""
    event = await call.graph.identity.keep_apart(**asked.model_dump(), actor=call.grant.name)
    return EventOutput.logged(event)


async def rename(call: Call, asked: RenameInput) -> EventOutput:
    """Change the primary name of an entity; the old name becomes an alias."""
    event = await call.graph.identity.rename(**asked.model_dump(), actor=call.grant.name)
    return EventOutput.logged(event)


async def split(call: Call, asked: SplitInput) -> SplitOutput:
    """Move facts that were attributed to the wrong entity to a new one."""
    given, actor = asked.model_dump(exclude={"type"}), call.grant.name
    made = await call.graph.identity.split(**given, entity_type=asked.type, actor=actor)
    [event] = await call.graph.log.events(entity=made, limit=1)
    return SplitOutput(entity=EntityOutput.of(made), event=EventOutput.logged(event))


async def revert(call: Call, asked: RevertInput) -> EventOutput:
    """Undo an event with a new event, which can be reverted, too."""
    event = await call.graph.log.revert(**asked.model_dump(), actor=call.grant.name)
    return EventOutput.logged(event)


async def log(call: Call, asked: LogInput) -> LogOutput:
    """List the latest events, with actor and reason."""
    events = await call.graph.log.events(limit=asked.limit, fact=asked.fact, entity=asked.entity)
    return LogOutput(events=[EventOutput.logged(event) for event in events])
