"""What ties the rows of a group together: mentions, sources, the order of episodes, who differs.

Links are asked for as ids, in one round trip each: reading the rows that they join costs eight
times as much. Ids that are not there lead to nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from graphrag.store.record import Record
from graphrag.store.store import Store

Pair = tuple[str, str]
"""Ids of two rows that a link joins."""
_ENDS = "SELECT VALUE [record::id(in), record::id(out)]"
_NAMED_ENDS = "SELECT VALUE [record::id(id), record::id(in), record::id(out)]"
_GROUP_MENTIONS = f"{_NAMED_ENDS} FROM mentions WHERE group_id = $group;"


async def group_mentions(store: Store, group: str) -> dict[str, Pair]:
    """Return the episode and the entity of every mention of a group, by its id."""
    [rows] = await store.query(_GROUP_MENTIONS, group=group)
    return {id_: (episode, entity) for id_, episode, entity in rows}


async def mentions_in(store: Store, episodes: Iterable[str]) -> dict[str, Pair]:
    """Return the episode and the entity of every mention in some episodes, by its id."""
    [rows] = await store.query(
        f"{_NAMED_ENDS} FROM $episodes->mentions;", episodes=_records("episode", episodes)
    )
    return {id_: (episode, entity) for id_, episode, entity in rows}


async def mentioned_in(store: Store, episodes: Iterable[str]) -> list[Pair]:
    """Return each of some episodes with each entity that it mentions."""
    [rows] = await store.query(
        f"{_ENDS} FROM $episodes->mentions;", episodes=_records("episode", episodes)
    )
    return [(episode, entity) for episode, entity in rows]


async def mentions_of(store: Store, entities: Iterable[str], limit: int) -> list[Pair]:
    """Return each episode that mentions some entities with each of them, so many at most."""
    [rows] = await store.query(
        f"{_ENDS} FROM $entities<-mentions LIMIT {int(limit)};",
        entities=_records("entity", entities),
    )
    return [(episode, entity) for episode, entity in rows]


async def episodes_on(store: Store, entities: Iterable[str]) -> dict[str, set[str]]:
    """Return the episodes that mention each of some entities."""
    [rows] = await store.query(
        "SELECT VALUE [record::id(id), <-mentions.in] FROM $entities;",
        entities=_records("entity", entities),
    )
    return {id_: {episode.id for episode in episodes} for id_, episodes in rows}


async def episodes_on_each(store: Store, entities: Iterable[str], most: int) -> list[list[str]]:
    """Return ``most`` of the episodes that mention each of some entities, without saying which."""
    [rows] = await store.query(
        f"SELECT VALUE array::slice(<-mentions.in, 0, {int(most)}) FROM $entities;",
        entities=_records("entity", entities),
    )
    return [[episode.id for episode in episodes] for episodes in rows]


async def episodes_behind(store: Store, facts: Iterable[str], entities: Iterable[str]) -> set[str]:
    """Return the episodes that state some facts or mention some entities."""
    sources, mentions = await store.query(
        "SELECT VALUE sources.episode FROM $facts; SELECT VALUE <-mentions.in FROM $entities;",
        facts=_records("relates_to", facts),
        entities=_records("entity", entities),
    )
    stating = {id_ for episodes in sources for id_ in episodes}
    return stating | {episode.id for episodes in mentions for episode in episodes}


async def episodes_beside(store: Store, episodes: Iterable[str]) -> set[str]:
    """Return the episodes told just before or after some."""
    before, after = await store.query(
        "SELECT VALUE record::id(out) FROM $episodes->occurred_after;"
        "SELECT VALUE record::id(in) FROM $episodes<-occurred_after;",
        episodes=_records("episode", episodes),
    )
    return {*before, *after}


async def saga_episodes(store: Store, group: str, sagas: Iterable[str]) -> set[str]:
    """Return the episodes of some sagas of a group, given by name."""
    [ids] = await store.query(
        "SELECT VALUE record::id(id) FROM episode WHERE group_id = $group AND saga IN $sagas;",
        group=group,
        sagas=list(sagas),
    )
    return set(ids)


async def telling_times(store: Store, episodes: Iterable[str]) -> list[tuple[datetime, str]]:
    """Return when each of some episodes was told, in system time, with its id, in that order."""
    [rows] = await store.query(
        "SELECT VALUE [created_at, record::id(id)] FROM $episodes;",
        episodes=_records("episode", episodes),
    )
    return sorted((at, id_) for at, id_ in rows)


async def passages_of(store: Store, episodes: Iterable[str]) -> set[str]:
    """Return the passages of some episodes."""
    [ids] = await store.query(
        "SELECT VALUE record::id(id) FROM passage WHERE episode IN $episodes;",
        episodes=list(episodes),
    )
    return set(ids)


@dataclass(frozen=True, slots=True)
class EpisodeLinks:
    """What ties the episodes of a group to the rest of it."""

    mentions: Mapping[str, Pair]
    """Episode and entity by the id of the mention."""
    sources: Mapping[str, frozenset[str]]
    """Episodes of each fact that has some."""
    unread: frozenset[str]
    """Episodes that are not read yet, or could not be: they have no links."""


async def episode_links(store: Store, group: str) -> EpisodeLinks:
    """Return what ties the episodes of a group to the rest of it."""
    mentions, sources, unread = await store.query(
        f"{_GROUP_MENTIONS}"
        "SELECT VALUE [record::id(id), sources.episode] FROM relates_to "
        "WHERE group_id = $group AND sources != [];"
        "SELECT VALUE record::id(id) FROM episode "
        "WHERE group_id = $group AND status != 'done';",
        group=group,
    )
    return EpisodeLinks(
        {id_: (episode, entity) for id_, episode, entity in mentions},
        {id_: frozenset(episodes) for id_, episodes in sources},
        frozenset(unread),
    )


async def distinctions(store: Store, group: str) -> list[Pair]:
    """Return the pairs of entities of a group that were found to be two."""
    [rows] = await store.query(
        "SELECT VALUE [record::id(id), distinct_from] FROM entity "
        "WHERE group_id = $group AND distinct_from != NONE AND distinct_from != [];",
        group=group,
    )
    return [(id_, other) for id_, others in rows for other in others]


def _records(table: str, ids: Iterable[str]) -> list[Record]:
    return [Record(table, id_) for id_ in ids]
