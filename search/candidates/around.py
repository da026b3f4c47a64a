"""What stands around the candidates that a ranking needs beside them."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field

from graphrag.index.merged import Heirs
from graphrag.search.candidates.limits import Limits
from graphrag.search.candidates.step import told_of
from graphrag.search.question import Question
from graphrag.search.rerank.rerankers import EpisodeMentions, Recency
from graphrag.store.record import Record
from graphrag.store.store import Store

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
