"""Removal plan: the statements of one source, and the entities left without any other."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphrag.history.split_names import SplitNames
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.ingest.summaries import ends_of
from graphrag.model.assertion import Assertion
from graphrag.model.values import Entity, Episode, Event, Fact
from graphrag.store import links
from graphrag.store.log import events_with
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What is taken back: some episodes, and what a source said without any."""

    episodes: Mapping[str, Episode]
    """By id."""
    source: str = ""
    facts: tuple[str, ...] = ()
    """Ids of the facts that the source stated, maybe beside others."""

    def has(self, statement: Assertion) -> bool:
        """Tell whether a statement goes with an episode."""
        return statement.source in self.episodes and not statement.manual

    def named(self, fact: Fact) -> list[str]:
        """Return the ids of the statements of a fact that the source made without an episode."""
        return [
            statement.id
            for statement in fact.statements
            if self.source and statement.provenance == self.source and not statement.manual
        ]

    def unnamed(self, fact: Fact) -> Fact:
        """Return a fact that others state, too, without the name of the source."""
        if fact.retracted_at is not None:
            return fact
        left = [statement for statement in fact.statements if statement.void is None]
        if any(statement.provenance == self.source for statement in left):  # a person stands for it
            return fact
        names = tuple(name for name in fact.provenance if name != self.source)
        return replace(fact, provenance=names)


async def unmentioned(
    entities: Iterable[str],
    plan: RemovalPlan,
    names: SplitNames,
    facts: Mapping[str, Fact],
    index: GroupIndex,
    store: Store,
) -> set[str]:
    """Return those of the entities of which no episode, fact, table or person speaks any more.

    Args:
        entities: Ids of those that what is taken back spoke of.
        plan: What is taken back.
        names: The entities that it had joined.
        facts: Facts as they are to be.
        index: The group as it is.
        store: Where it is.
    """
    candidates = set(entities)
    left = candidates - _standing(sorted(candidates), facts, index)
    families = {member: heir for heir in left for member in index.heirs.family(heir)}
    spoken = await links.mentioned_beside(store, families, episodes=plan.episodes)
    for heir in {families[member] for member in spoken}:
        episodes, family = {*plan.episodes, *names.episodes[heir]}, index.heirs.family(heir)
        if not names.episodes[heir] or await links.mentioned_beside(
            store, family, episodes=episodes
        ):
            left.discard(heir)
    left = {heir for heir in left if not await _heard_of(heir, plan, names, index, store)}
    rest = {member: heir for member, heir in families.items() if heir in left}
    return left - await _by_hand(rest, plan, index, store)


def _standing(entities: Sequence[str], facts: Mapping[str, Fact], index: GroupIndex) -> set[str]:
    """Return which of the entities a fact that stands is about; some are new or about to change."""
    live = index.facts.alive.values & (index.facts["retracted"] == FOREVER)
    for id_, fact in facts.items():
        if id_ in index.facts.row_of:
            live[index.facts.row_of[id_]] = fact.retracted_at is None
    ends = np.concatenate([end[live] for end in index.ends()])
    there = np.isin([index.entities.row_of[id_] for id_ in entities], ends)
    new = (fact for id_, fact in facts.items() if id_ not in index.facts.row_of)
    about = {*ends_of(fact for fact in new if fact.retracted_at is None)}
    return {id_ for id_, ends in zip(entities, there, strict=True) if ends or id_ in about}


async def _heard_of(
    entity: str, plan: RemovalPlan, names: SplitNames, index: GroupIndex, store: Store
) -> bool:
    """Tell whether anybody else stated a fact about it without an episode, in vain or not."""
    return any(
        not statement.source
        and statement.id not in names.moved[entity]
        and statement.id not in plan.named(fact)
        for fact in (await store.get(Fact, index.facts_of(entity))).values()
        if not fact.derived_from
        for statement in fact.statements
    )


async def _by_hand(
    families: Mapping[str, str], plan: RemovalPlan, index: GroupIndex, store: Store
) -> set[str]:
    """Return the entities that were entered without an episode.

    One that came as the end of a fact of the source that is taken back was not.
    """
    entered, own = set[str](), {f"relates_to:{id_}" for id_ in plan.facts}
    stored = await store.get(Entity, families)
    records = {f"entity:{id_}": to_micros(entity.created_at, 0) for id_, entity in stored.items()}
    for event in await events_with(store, index.group_id, records):
        new = {change.record for change in event.changes if change.before is None}
        for change in event.changes if own else ():
            if change.record in own and change.before is None and change.after is not None:
                new -= {change.after["in"], change.after["out"]}
        if not any(record.startswith("episode:") for record in new) and not _finished(event):
            entered |= {heir for member, heir in families.items() if f"entity:{member}" in new}
    return entered


def _finished(event: Event) -> bool:
    return any(change.record.startswith("mentions:") for change in event.changes)
