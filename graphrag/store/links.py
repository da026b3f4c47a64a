"""Links between the rows of a group: mentions, sources, memberships of communities, distinctions.

Links are asked for as ids, in one round trip each: reading the rows that they join costs eight
times as much. Ids that are not there lead to nothing.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from graphrag.store.changes import ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.rows import edge
from graphrag.store.store import Store

Pair = tuple[str, str]
"""Ids of two rows that a link joins."""
_ENDS = "SELECT VALUE [record::id(in), record::id(out)] FROM"
_NAMED_ENDS = "SELECT VALUE [record::id(id), record::id(in), record::id(out)] FROM"
_BRANCHES = 20
"""Episodes looked up at once in the index of facts: for fifty the engine reads all facts."""
_MENTIONS = f"{_NAMED_ENDS} mentions WHERE group_id = $group;"


async def mentions(
    store: Store, group: str, episodes: Iterable[str] | None = None
) -> dict[str, Pair]:
    """Return the episode and the entity of each mention in a group, or in some episodes, by id."""
    if episodes is None:
        [rows] = await store.query(_MENTIONS, group=group)
    else:
        rows = await _from(store, f"{_NAMED_ENDS} $ids->mentions;", "episode", episodes)
    return {id_: (episode, entity) for id_, episode, entity in rows}


async def mentioned_by(store: Store, links: Iterable[str]) -> list[Pair]:
    """Return the episode and the entity of each of some mentions, as far as they are there."""
    return await _from(store, f"{_ENDS} $ids;", "mentions", links)


async def mentioned_in(store: Store, episodes: Iterable[str]) -> list[Pair]:
    """Return each of some episodes with each entity that it mentions."""
    return await _from(store, f"{_ENDS} $ids->mentions;", "episode", episodes)


async def mentions_of(store: Store, entities: Iterable[str], limit: int) -> list[Pair]:
    """Return each episode that mentions some entities with each of them, so many at most."""
    return await _from(store, f"{_ENDS} $ids<-mentions LIMIT {int(limit)};", "entity", entities)


async def mentioned_beside(
    store: Store, entities: Iterable[str], *, episodes: Iterable[str], links: Iterable[str] = ()
) -> list[str]:
    """Return which of the entities are mentioned by other episodes that stand, by other links."""
    [ids] = await store.query(
        "SELECT VALUE record::id(out) FROM $entities<-mentions "
        "WHERE in NOT IN $episodes AND id NOT IN $links AND in.removed_at IS NONE;",
        entities=[Record("entity", id_) for id_ in entities],
        episodes=[Record("episode", id_) for id_ in episodes],
        links=[Record("mentions", id_) for id_ in links],
    )
    return list(ids)


async def links_at(store: Store, table: str, records: Iterable[Record]) -> dict[str, Row]:
    """Return the links of a table that lead to or from some records, by id."""
    results = await store.query(
        f"SELECT * FROM $records->{table}; SELECT * FROM $records<-{table};", records=list(records)
    )
    return {row["id"].id: row for rows in results for row in rows}


async def episodes_on(store: Store, entities: Iterable[str]) -> dict[str, set[str]]:
    """Return the episodes that mention each of some entities."""
    sql = "SELECT VALUE [record::id(id), <-mentions.in] FROM $ids;"
    rows = await _from(store, sql, "entity", entities)
    return {id_: {episode.id for episode in episodes} for id_, episodes in rows}


async def episodes_behind(store: Store, facts: Iterable[str], entities: Iterable[str]) -> set[str]:
    """Return the episodes that state some facts or mention some entities."""
    sources, mentions = await store.query(
        "SELECT VALUE sources.episode FROM $facts; SELECT VALUE <-mentions.in FROM $entities;",
        facts=[Record("relates_to", id_) for id_ in facts],
        entities=[Record("entity", id_) for id_ in entities],
    )
    return {episode.id for episodes in (*sources, *mentions) for episode in episodes}


async def saga_episodes(store: Store, group: str, sagas: Iterable[str]) -> set[str]:
    """Return the episodes of some sagas of a group, given by name."""
    sql = "SELECT VALUE record::id(id) FROM episode WHERE group_id = $group AND saga IN $sagas;"
    [ids] = await store.query(sql, group=group, sagas=list(sagas))
    return set(ids)


async def creation_times(store: Store, episodes: Iterable[str]) -> list[tuple[datetime, str]]:
    """Return when some episodes were stored, in system time, with their ids, in that order."""
    sql = "SELECT VALUE [created_at, record::id(id)] FROM $ids;"
    return sorted((at, id_) for at, id_ in await _from(store, sql, "episode", episodes))


async def episode_links(
    store: Store, group: str
) -> tuple[dict[str, Pair], dict[str, frozenset[str]], set[str]]:
    """Return the mentions of a group by id, the episodes of each fact, and the unread episodes."""
    mentions, sources, unread = await store.query(
        f"{_MENTIONS}"
        "SELECT VALUE [record::id(id), sources.episode] FROM relates_to "
        "WHERE group_id = $group AND sources != [];"
        "SELECT VALUE record::id(id) FROM episode WHERE group_id = $group AND status != 'done';",
        group=group,
    )
    ends = {id_: (episode, entity) for id_, episode, entity in mentions}
    stated = {id_: frozenset(episode.id for episode in episodes) for id_, episodes in sources}
    return ends, stated, set(unread)


async def stated_by(store: Store, group: str, source: str) -> tuple[list[str], list[str]]:
    """Return the episodes and the facts of a group that are from a source, by its name."""
    # The group is looked at here: together with it, the engine reads all of the group.
    answers = await store.query(
        "SELECT VALUE [record::id(id), group_id] FROM episode "
        "WHERE source_description = $source AND removed_at IS NONE;"
        "SELECT VALUE [record::id(id), group_id] FROM relates_to "
        "WHERE provenance CONTAINS $source;",
        source=source,
    )
    episodes, facts = ([id_ for id_, owner in rows if owner == group] for rows in answers)
    return episodes, facts


async def facts_on(store: Store, episodes: Iterable[str]) -> list[str]:
    """Return the facts that have some episodes among their sources."""
    ids = [Record("episode", id_) for id_ in episodes]
    facts: dict[str, None] = {}
    for first in range(0, len(ids), _BRANCHES):
        [rows] = await store.query(
            "SELECT VALUE record::id(id) FROM relates_to "
            "WHERE sources.*.episode CONTAINSANY $episodes;",
            episodes=ids[first : first + _BRANCHES],
        )
        facts |= dict.fromkeys(rows)
    return list(facts)


async def distinctions(store: Store, group: str) -> list[Pair]:
    """Return the pairs of entities of a group that were found to be two."""
    [rows] = await store.query(
        "SELECT VALUE [record::id(id), distinct_from] FROM entity "
        "WHERE group_id = $group AND distinct_from != NONE AND distinct_from != [];",
        group=group,
    )
    return [(id_, distinct.id) for id_, others in rows for distinct in others]


async def _from(store: Store, sql: str, table: str, ids: Iterable[str]) -> list[tuple[Any, ...]]:
    records = [Record(table, id_) for id_ in ids]
    return [*map(tuple, (await store.query(sql, ids=records))[0])] if records else []


@dataclass(frozen=True, slots=True)
class Detection:
    """How far communities are in step with the facts."""

    built: int = 0
    """Number of the event that stored communities detected from all facts; 0 for none yet."""
    seen: int = 0
    """Number of the newest event that they know of."""
    drift: int = 0
    """Facts that changed between the two."""
    at: datetime | None = None
    """The moment of world time that they were last made for."""


async def read_detection(group: str, store: Store) -> Detection:
    """Return how far the communities of a group are."""
    [rows] = await store.query(
        "SELECT communities_built AS built, communities_seen AS seen, "
        "communities_drift AS drift, communities_at AS at FROM $info;",
        info=[Record("group_info", group)],
    )
    known = {key: value for row in rows for key, value in row.items() if value is not None}
    return Detection(**known)


def noted(changes: ChangeSet, before: Detection, after: Detection) -> ChangeSet:
    """Let a transaction note how far communities are, if it changes any."""
    if changes and before != after:
        was, becomes = (
            {f"communities_{name}": value for name, value in asdict(detection).items()}
            for detection in (before, after)
        )
        changes.updates.append(Update("group_info", changes.group_id, was, becomes))
    return changes


async def read_ranked(group: str, store: Store) -> tuple[list[Row], dict[str, dict[str, int]]]:
    """Return the communities of a group, and the ranks of the members of each, by their ids."""
    rows, links = await store.query(
        "SELECT * OMIT embedding FROM community WHERE group_id = $group;"
        "SELECT VALUE [record::id(in), record::id(out), rank] FROM has_member "
        "WHERE group_id = $group;",
        group=group,
    )
    ranks: dict[str, dict[str, int]] = {row["id"].id: {} for row in rows}
    for community, member, rank in links:
        if community in ranks:
            ranks[community][member] = rank
    return rows, ranks


def member_row(group: str, community: str, member: str, rank: int) -> Row:
    """Return the row of a membership."""
    ends = ("community", community), ("entity", member)
    return edge("has_member", member_id(community, member), *ends, group_id=group, rank=rank)


def member_id(community: str, member: str) -> str:
    """Return the id of a membership."""
    return f"{community}>{member}"


def ends_of(id_: str) -> tuple[str, str]:
    """Return the community and the member that the id of a membership names."""
    community, _, member = id_.partition(">")
    return community, member
