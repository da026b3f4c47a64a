"""All rows of the part of a graph that is searched: it is small, and no index covers it.

What the episodes of a saga tell of: read whole, where a filter speaks of the saga.

A saga is small beside its group, and nothing that an index chooses of the group need be in it. So
where hits must be of a saga, everything that it tells of is read and compared; and whatever the
filter says of it, its episodes are known.
"""

from dataclasses import dataclass, field

from graphrag.errors import QueryError
from graphrag.index.read_lazy import told_in
from graphrag.search.candidates.limits import Limits
from graphrag.search.candidates.name_lookup import known_as
from graphrag.search.candidates.part import Part
from graphrag.search.candidates.step import Walk, told_of
from graphrag.search.filters.tree import Compare, Every, Filter
from graphrag.search.request import Request
from graphrag.search.visibility import Past
from graphrag.search.within import Reach, Within
from graphrag.store.record import Record
from graphrag.store.store import Store


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


_AT_ONCE = 100
"""Episodes of one round trip."""
SCOPES = frozenset({"facts", "entities", "episodes"})
"""Of which a filter by saga says anything."""


@dataclass(slots=True)
class Told:
    """Ids of the rows of some sagas, now or in the past."""

    episodes: set[str] = field(default_factory=set)
    facts: set[str] = field(default_factory=set)
    mentions: list[tuple[str, str]] = field(default_factory=list)
    """Episodes and the entities that they speak of."""


def bound(where: Filter | None) -> bool:
    """Tell whether whatever fits a filter is of a saga that it names."""
    match where:
        case Compare(field="saga", op="==" | "in"):
            return True
        case Every(parts):
            return any(map(bound, parts))
    return False


async def read_told(store: Store, group: str, sagas: frozenset[str], past: Past) -> Told:
    """Return what the episodes of some sagas of a group tell of."""
    found = Told()
    [ids] = await store.query(
        "SELECT VALUE record::id(id) FROM episode WHERE group_id = $group AND saga IN $sagas;",
        group=group,
        sagas=sorted(sagas),
    )
    found.episodes.update(ids)
    for id_, image in past.images("episode"):
        if image.get("saga") in sagas:
            found.episodes.add(id_)
    episodes = sorted(found.episodes)
    [pairs] = await store.query(
        "SELECT VALUE [record::id(in), record::id(out)] FROM $episodes->mentions;",
        episodes=[Record("episode", id_) for id_ in episodes],
    )
    for start in range(0, len(episodes), _AT_ONCE):
        some = {f"e{place}": id_ for place, id_ in enumerate(episodes[start : start + _AT_ONCE])}
        stated = await store.query(
            "".join(
                f"SELECT VALUE record::id(id)[2] FROM "
                f"stated:[$group, ${name}, NONE]..=[$group, ${name}, ..];"
                for name in some
            ),
            group=group,
            **some,
        )
        found.facts.update(fact for facts in stated for fact in facts)
    found.mentions = [(episode, entity) for episode, entity in pairs]
    for id_, image in past.images("relates_to"):
        if not found.episodes.isdisjoint(told_in(image)):
            found.facts.add(id_)
    for _, image in past.images("mentions"):  # taken back since
        ends = [str(image.get(end)).partition(":")[2] for end in ("in", "out")]
        if ends[0] in found.episodes:
            found.mentions.append((ends[0], ends[1]))
    return found
