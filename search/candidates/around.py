"""Rows read around the candidates, and all rows of a small part of the graph.

A search limited to a small part or to a saga reads that part whole, because nothing that an index
selects from the group need lie in it.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from graphrag.engine.lookup import entities_keyed, fact_ends_at, facts_at, with_words
from graphrag.errors import QueryError
from graphrag.index.read_lazy import source_episodes
from graphrag.names.key import name_key
from graphrag.search.candidates.limits import Limits
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
from graphrag.text.tokens import tokenize


async def called(store: Store, group: str, names: Iterable[str], most: int) -> set[str]:
    """Return the ids of the entities that may be meant by some names or ids, aliases among them."""
    wanted = {*names}
    if not wanted:
        return wanted
    words = [terms for name in sorted(wanted) if (terms := tokenize(name))]
    keyed = await entities_keyed(store, group, {*map(name_key, wanted)} - {""})
    found = await with_words(store, group, "entity", words, limit=most)
    return wanted | keyed | {id_ for rows in found for id_, _ in rows}


async def surround(part: Part, request: Request, limits: Limits) -> bool:
    """Ask for all that lies in the part that is searched; False if that is all or too much.

    Raises:
        QueryError: if too much lies near something to be read.
    """
    within = request.within
    if isinstance(within, Within):
        await _near(within, part, limits, episodes=request.asks_near_episodes)
        return True
    if within is None or len(within) > limits.walk:
        return False
    _take(within, part)
    return True


def _take(within: Reach, part: Part) -> None:
    part.want("relates_to", within.facts)
    part.want("entity", within.entities)
    part.want("episode", within.episodes)


async def _near(within: Within, part: Part, limits: Limits, *, episodes: bool) -> None:
    """Ask for what the steps may lead to, visible or not, and for who speaks of it."""
    begun = await called(part.store, part.group, within.names, limits.words)
    frontier, reached, met = begun, set[str](), set[str]()
    for _ in range(within.hops):
        frontier = with_kin(frontier, part.kin) - reached
        if not frontier or len(met) >= limits.within:
            break
        reached |= frontier
        found = await fact_ends_at(part.store, frontier, 2 * limits.within, within.relations)
        met.update(fact for fact, *_ in found)
        frontier = {end for _, *ends in found for end in ends}
    if episodes:
        part.mentions = await links.mentions_of(part.store, sorted(reached), limits.within)
    if max(len(met), len(part.mentions)) >= limits.within:
        raise QueryError(
            f"{limits.within} facts or mentions lie within {within.hops} hops of "
            f"{', '.join(map(repr, within.names))}, or more: take fewer hops, or some relations"
        )
    part.want("entity", begun)
    if within.relations is not None and len(begun) > 1:
        # Which of them is meant is decided by all facts about each.
        part.want("relates_to", await facts_at(part.store, begun, limits.within))
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

_NEIGHBOURS = 2
"""Steps along the chain of episodes, each way."""
_COMMON = 100
"""An entity that more episodes speak of leads to none: it would to all."""


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
            found.mentions = await links.mentioned_in(store, sorted(episodes))
            linked = await _linked(store, found.mentions, limits) - episodes
            found.mentions += await links.mentioned_in(store, sorted(linked))
            episodes |= linked
            found.wanted["entity"] = {entity for _, entity in found.mentions}
        found.wanted["episode"] = episodes
        found.wanted["passage"] = await links.passages_of(store, sorted(episodes))
    if any(isinstance(one, Recency) for one in rerank) and question.searches("entities"):
        entities = (await ranking(question)).get("entities", [])
        found.wanted["relates_to"] = {*await facts_at(store, entities, limits.walk)}
    if any(isinstance(one, EpisodeMentions) for one in rerank):
        ranked, family = await ranking(question), question.walked.heirs.family
        speaking = {one for id_ in ranked.get("entities", ()) for one in family(id_)}
        telling = links.episodes_behind(store, sorted(ranked.get("facts", ())), sorted(speaking))
        found.wanted.setdefault("episode", set()).update(await telling)
    return found


async def _neighbours(store: Store, episodes: Collection[str]) -> set[str]:
    """Return the episodes that come just before and after some."""
    found = fresh = set(episodes)
    for _ in range(_NEIGHBOURS):
        if fresh:
            fresh = await links.episodes_beside(store, sorted(fresh)) - found
            found = found | fresh
    return found


async def _linked(store: Store, mentions: Collection[Pair], limits: Limits) -> set[str]:
    """Return the episodes that speak of the same entities, unless too many do."""
    entities = sorted({entity for _, entity in mentions})
    mentioning = await links.episodes_on_each(store, entities, _COMMON + 1)
    found: set[str] = set()
    for episodes in sorted(mentioning, key=len):
        if len(episodes) <= _COMMON and len(found) < limits.walk:
            found.update(episodes)
    return found
