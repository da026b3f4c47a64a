"""Rows read around the candidates, and all rows of a small part of the graph.

A search limited to a small part or to a saga reads that part whole, because nothing that an index
selects from the group need lie in it.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from graphrag.engine.lookup import Reading, called, fact_ends_at, facts_at, read_part
from graphrag.errors import QueryError
from graphrag.index.read_lazy import source_episodes
from graphrag.search.candidates.limits import LIMITS
from graphrag.search.candidates.part import Part, with_kin
from graphrag.search.filters.tree import Compare, Every, Filter
from graphrag.search.question import Question
from graphrag.search.request import Request
from graphrag.search.rerank.rerankers import EpisodeMentions, Recency
from graphrag.search.rewind import Past
from graphrag.search.within import Reach, Within
from graphrag.store import links
from graphrag.store.links import Pair
from graphrag.store.store import Store


async def surround(part: Part, request: Request) -> bool:
    """Ask for all that lies in the part that is searched; False if that is all or too much.

    Raises:
        QueryError: if too much lies near something to be read.
    """
    within = request.within
    if isinstance(within, Within):
        await _near(within, part, episodes=request.asks_near_episodes)
        return True
    if within is None or len(within) > LIMITS.walk:
        return False
    _take(within, part)
    return True


def _take(within: Reach, part: Part) -> None:
    part.want("relates_to", within.facts)
    part.want("entity", within.entities)
    part.want("episode", within.episodes)


async def _near(within: Within, part: Part, *, episodes: bool) -> None:
    """Ask for what the steps may lead to, visible or not, and for who speaks of it."""
    begun = await called(part.store, part.group, within.names, LIMITS.words)
    frontier, reached, met = begun, set[str](), set[str]()
    for _ in range(within.hops):
        frontier = with_kin(frontier, part.kin) - reached
        if not frontier or len(met) >= LIMITS.within:
            break
        reached |= frontier
        found = await fact_ends_at(part.store, frontier, 2 * LIMITS.within, within.relations)
        met.update(fact for fact, *_ in found)
        frontier = {end for _, *ends in found for end in ends}
    if episodes:
        part.mentions = await links.mentions_of(part.store, sorted(reached), LIMITS.within)
    if max(len(met), len(part.mentions)) >= LIMITS.within:
        raise QueryError(
            f"{LIMITS.within} facts or mentions lie within {within.hops} hops of "
            f"{', '.join(map(repr, within.names))}, or more: take fewer hops, or some relations"
        )
    part.want("entity", begun)
    if within.relations is not None and len(begun) > 1:
        # Which of them is meant is decided by all facts about each.
        part.want("relates_to", await facts_at(part.store, begun, LIMITS.within))
    part.want("relates_to", met)
    part.want("episode", (episode for episode, _ in part.mentions))


SCOPES = frozenset({"facts", "entities", "episodes"})
"""Of which a filter by saga says anything."""


def bound(where: Filter | None) -> bool:
    """Tell whether whatever fits a filter is of a saga that it names."""
    match where:
        case Compare(field="saga", op="==" | "in"):
            return True
        case Every(parts):
            return any(map(bound, parts))
    return False


@dataclass(slots=True)
class Around:
    """Rows to read too, by table, and who speaks of whom."""

    wanted: dict[str, set[str]] = field(default_factory=dict)
    mentions: list[Pair] = field(default_factory=list)
    """Episodes and the entities that they mention."""


async def read_saga_rows(store: Store, group: str, sagas: frozenset[str], past: Past) -> Around:
    """Return what the episodes of some sagas of a group tell of, now or in the past."""
    episodes = await links.saga_episodes(store, group, sorted(sagas))
    episodes |= {id_ for id_, image in past.images("episode") if image.get("saga") in sagas}
    ordered = sorted(episodes)
    mentions = await links.mentioned_in(store, ordered)
    facts = {*await links.facts_on(store, ordered)}
    for id_, image in past.images("relates_to"):
        if not episodes.isdisjoint(source_episodes(image)):
            facts.add(id_)
    for _, image in past.images("mentions"):  # taken back since
        episode, entity = (str(image.get(end)).partition(":")[2] for end in ("in", "out"))
        if episode in episodes:
            mentions.append((episode, entity))
    return Around({"episode": episodes, "relates_to": facts}, mentions)


Ranking = Callable[[Question], Awaitable[Mapping[str, list[str]]]]


async def reranked(store: Store, question: Question, ranking: Ranking) -> dict[str, set[str]]:
    """Return the rows by table that rerankers count, for what would be ranked now."""
    found: dict[str, set[str]] = {}
    rerank = question.recipe.rerank
    if any(isinstance(reranker, Recency) for reranker in rerank) and question.searches("entities"):
        entities = (await ranking(question)).get("entities", [])
        found["relates_to"] = {*await facts_at(store, entities, LIMITS.walk)}
    if any(isinstance(reranker, EpisodeMentions) for reranker in rerank):
        ranked, family = await ranking(question), question.walked.heirs.family
        speaking = {one for id_ in ranked.get("entities", ()) for one in family(id_)}
        telling = links.episodes_behind(store, sorted(ranked.get("facts", ())), sorted(speaking))
        found["episode"] = await telling
    return found


async def around(store: Store, question: Question, ranking: Ranking) -> Around:
    """Return what is to be read around the candidates of several groups."""
    found = Around(await reranked(store, question, ranking))
    if question.searches("episodes"):
        episodes = {"episode": question.index.episodes.ids}
        rows, found.mentions = await read_part(
            store, Reading(episodes, question.now, {}, LIMITS.linked)
        )
        for table in ("entity", "episode", "passage"):
            ids = {str(row[0]) for row in rows[table]}
            found.wanted[table] = found.wanted.get(table, set()) | ids
    return found
