"""What a ranking needs beside the candidates: what is around them, or all of a small part.

All rows of the part of a graph that is searched: it is small, and no index covers it.

What the episodes of a saga tell of: read whole, where a filter speaks of the saga.

A saga is small beside its group, and nothing that an index chooses of the group need be in it. So
where hits must be of a saga, everything that it tells of is read and compared; and whatever the
filter says of it, its episodes are known.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field

from graphrag.errors import QueryError
from graphrag.index.merged import Heirs
from graphrag.index.read_lazy import told_in
from graphrag.search.candidates.limits import Limits
from graphrag.search.candidates.name_lookup import known_as
from graphrag.search.candidates.part import Part
from graphrag.search.candidates.step import Walk, told_of
from graphrag.search.filters.tree import Compare, Every, Filter
from graphrag.search.question import Question
from graphrag.search.request import Request
from graphrag.search.rerank.rerankers import EpisodeMentions, Recency
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


Ranking = Callable[[Question], Awaitable[Mapping[str, list[str]]]]

_NEIGHBOURS = 2
"""Steps along the chain of episodes, each way."""
_COMMON = 100
"""An entity that more episodes speak of leads to none: it would to all."""
_BEFORE = "SELECT VALUE record::id(out) FROM $episodes->occurred_after;"
_AFTER = "SELECT VALUE record::id(in) FROM $episodes<-occurred_after;"


@dataclass(slots=True)
class Around:
    """Rows to read too, by table, and who speaks of whom."""

    wanted: dict[str, set[str]] = field(default_factory=dict)
    mentions: list[tuple[str, str]] = field(default_factory=list)
    """Episodes and the entities that they mention."""


async def around(
    store: Store,
    question: Question,
    ranking: Ranking,
    limits: Limits,
    episodes: Collection[str] | None = None,
) -> Around:
    """Return what else is to be read.

    Args:
        store: Where it is.
        question: What is asked.
        ranking: Ranks the candidates.
        limits: How much of the group may be read.
        episodes: Candidates; default: all that the index of the question holds.
    """
    found = Around()
    rerank = question.recipe.rerank
    if question.searches("episodes"):
        episodes = set(question.index.episodes.ids if episodes is None else episodes)
        if question.recipe.fusion == "scores":
            episodes |= await _neighbours(store, episodes)
            found.mentions = await _mentions(store, episodes)
            linked = await _linked(store, found.mentions, limits) - episodes
            found.mentions += await _mentions(store, linked)
            episodes |= linked
            found.wanted["entity"] = {entity for _, entity in found.mentions}
        found.wanted["episode"] = episodes
        found.wanted["passage"] = await _passages(store, episodes)
    if any(isinstance(one, Recency) for one in rerank) and question.searches("entities"):
        entities = (await ranking(question)).get("entities", [])
        found.wanted["relates_to"] = await told_of(store, entities, limits.walk)
    if any(isinstance(one, EpisodeMentions) for one in rerank):
        found.wanted.setdefault("episode", set()).update(
            await _telling(store, await ranking(question), question.walked.heirs)
        )
    return found


async def _neighbours(store: Store, episodes: Collection[str]) -> set[str]:
    """Return the episodes told just before and after some."""
    found = fresh = set(episodes)
    for _ in range(_NEIGHBOURS):
        if fresh:
            told = await store.query(_BEFORE + _AFTER, episodes=_records("episode", fresh))
            fresh = set().union(*told) - found
            found = found | fresh
    return found


async def _mentions(store: Store, episodes: Collection[str]) -> list[tuple[str, str]]:
    if not episodes:
        return []
    [pairs] = await store.query(
        "SELECT VALUE [record::id(in), record::id(out)] FROM $episodes->mentions;",
        episodes=_records("episode", episodes),
    )
    return [(episode, entity) for episode, entity in pairs]


async def _linked(store: Store, mentions: Collection[tuple[str, str]], limits: Limits) -> set[str]:
    """Return the episodes that speak of the same entities, unless too many do."""
    [told] = await store.query(
        f"SELECT VALUE array::slice(<-mentions.in, 0, {_COMMON + 1}) FROM $entities;",
        entities=_records("entity", {entity for _, entity in mentions}),
    )
    found: set[str] = set()
    for episodes in sorted(told, key=len):
        if len(episodes) <= _COMMON and len(found) < limits.walk:
            found.update(episode.id for episode in episodes)
    return found


async def _passages(store: Store, episodes: Collection[str]) -> set[str]:
    """Return the passages of some episodes: an episode is as near as its nearest one."""
    [found] = await store.query(
        "SELECT VALUE record::id(id) FROM passage WHERE episode IN $episodes;",
        episodes=sorted(episodes),
    )
    return set(found)


async def _telling(store: Store, ranked: Mapping[str, list[str]], heirs: Heirs) -> set[str]:
    """Return the episodes that state the facts or mention the entities that were found."""
    speaking = {one for id_ in ranked.get("entities", ()) for one in heirs.family(id_)}
    sources, mentions = await store.query(
        "SELECT VALUE sources.episode FROM $facts; SELECT VALUE <-mentions.in FROM $entities;",
        facts=_records("relates_to", ranked.get("facts", ())),
        entities=_records("entity", speaking),
    )
    told = {id_ for episodes in sources for id_ in episodes}
    return told | {episode.id for episodes in mentions for episode in episodes}


def _records(table: str, ids: Collection[str]) -> list[Record]:
    return [Record(table, id_) for id_ in sorted(ids)]
