"""All rows of the part of a graph that is searched: it is small, and no index covers it."""

from graphrag.errors import QueryError
from graphrag.search.engine.limits import Limits
from graphrag.search.engine.names import known_as
from graphrag.search.engine.part import Part
from graphrag.search.engine.walk import Walk, told_of
from graphrag.search.recipe import Request
from graphrag.search.visible import Past
from graphrag.search.within import Reach, Within
from graphrag.store.record import Record


async def surround(part: Part, request: Request, past: Past, limits: Limits) -> bool:
    """Ask for all that lies in the part that is searched; False if that is all or too much.

    Raises:
        QueryError: if too much lies near something to be read.
    """
    within = request.within
    if isinstance(within, Within):
        await _near(within, part, past, limits, episodes=request.asks_near_episodes)
        return True
    if within is None or len(within) > limits.walk:
        return False
    _take(within, part)
    return True


def _take(within: Reach, part: Part) -> None:
    part.want("relates_to", within.facts)
    part.want("entity", within.entities)
    part.want("episode", within.episodes)


async def _near(within: Within, part: Part, past: Past, limits: Limits, *, episodes: bool) -> None:
    """Ask for what the steps may lead to, visible or not, and for who speaks of it."""
    begun = await known_as(part.store, part.group, (), within.names, past)
    walk = Walk(part.store, part.kin, limits.within, begun, within.relations)
    for _ in range(within.hops):
        await walk.step()
    if episodes:
        [found] = await part.store.query(
            "SELECT VALUE [record::id(in), record::id(out)] FROM $entities<-mentions "
            f"LIMIT {int(limits.within)};",
            entities=[Record("entity", id_) for id_ in sorted(walk.reached)],
        )
        part.spoken = [(episode, entity) for episode, entity in found]
    if max(len(walk.met), len(part.spoken)) >= limits.within:
        raise QueryError(
            f"{limits.within} facts or mentions lie within {within.hops} hops of "
            f"{', '.join(map(repr, within.names))}, or more: take fewer hops, or some relations"
        )
    part.want("entity", begun)
    if within.relations is not None and len(begun) > 1:
        # Which of them is meant is told by all facts about each.
        part.want("relates_to", await told_of(part.store, begun, limits.within))
    part.want("relates_to", walk.met)
    part.want("episode", (episode for episode, _ in part.spoken))
