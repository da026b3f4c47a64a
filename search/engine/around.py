"""What stands around the candidates that a ranking needs beside them."""

from collections.abc import Callable, Mapping

from graphrag.search.engine.limits import Limits
from graphrag.search.engine.walk import told_of
from graphrag.search.question import Question
from graphrag.search.rerank.mentions import EpisodeMentions
from graphrag.search.rerank.recency import Recency
from graphrag.store.record import Record
from graphrag.store.store import Store

Ranking = Callable[[Question], Mapping[str, list[str]]]


async def around(
    store: Store, question: Question, ranking: Ranking, limits: Limits
) -> dict[str, set[str]]:
    """Return the ids of the rows to read too, by table."""
    wanted: dict[str, set[str]] = {}
    rerank = question.recipe.rerank
    if question.searches("episodes"):
        wanted["passage"] = await _passages(store, question)
    if any(isinstance(one, Recency) for one in rerank) and question.searches("entities"):
        wanted["relates_to"] = await told_of(
            store, ranking(question).get("entities", []), limits.walk
        )
    if any(isinstance(one, EpisodeMentions) for one in rerank):
        wanted["episode"] = await _telling(store, ranking(question))
    return wanted


async def _passages(store: Store, question: Question) -> set[str]:
    """Return the passages of the episodes: an episode is as near as its nearest one."""
    [found] = await store.query(
        "SELECT VALUE record::id(id) FROM passage WHERE episode IN $episodes;",
        episodes=question.index.episodes.ids,
    )
    return set(found)


async def _telling(store: Store, ranked: Mapping[str, list[str]]) -> set[str]:
    """Return the episodes that state the facts or mention the entities that were found."""
    sources, mentions = await store.query(
        "SELECT VALUE sources.episode FROM $facts; SELECT VALUE <-mentions.in FROM $entities;",
        facts=[Record("relates_to", id_) for id_ in ranked.get("facts", ())],
        entities=[Record("entity", id_) for id_ in ranked.get("entities", ())],
    )
    told = {id_ for episodes in sources for id_ in episodes}
    return told | {episode.id for episodes in mentions for episode in episodes}
