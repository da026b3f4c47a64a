"""The one road to a plan: entities enriched, statements judged, summaries and vectors made.

Texts, tables and people come to it alike, once their names are resolved.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.ledger import JudgingRules, Ledger, as_given
from graphrag.ingest.plan import Plan
from graphrag.ingest.statements import Named, other_name
from graphrag.ingest.summaries import Changed, composed, ends_of, refreshed, updated
from graphrag.model.assertion import Ending
from graphrag.model.extraction import Mention
from graphrag.model.values import JSON, Entity, Fact
from graphrag.names.identifiers import value_key
from graphrag.protocols import Matrix
from graphrag.resolve.enrich import enriched
from graphrag.resolve.mentions import adds_something

_MANY = 200
"""Statements that take some ms to settle."""
_SEVERAL = frozenset({"email", "phone"})
"""Attributes of which one entity may have several."""


@dataclass(slots=True)
class Planning:
    """A plan in the making, against a group as it is."""

    plan: Plan
    index: GroupIndex
    ingestion: Ingestion
    now: datetime
    under_way: Plan | None = None
    """What is being written meanwhile and not in the index yet."""

    def named(self, id_: str, said: str = "") -> Named:
        """Return an entity as a statement has it, which calls it what is ``said``, if anything."""
        other = other_name(id_, said, self.index) if said else ""
        plans = [self.plan] if self.under_way is None else [self.plan, self.under_way]
        for plan in plans:
            if id_ in plan.changed_entities:
                return id_, plan.changed_entities[id_][1].name, other
            if id_ in plan.entities:
                return id_, plan.entities[id_].name, other
        return id_, self.index.entity_name(id_), other

    async def enrich(
        self, said: Iterable[tuple[Mention, str]], at: datetime, source: str = ""
    ) -> None:
        """Note the stored entities to which a mention adds a name, a type or attributes.

        What no text says, but a table or a person, leaves the addresses that are known beside the
        new ones; and that it is said again does not make a value newer.
        """
        index = self.index
        adding = [
            (mention, id_)
            for mention, id_ in said
            if id_ in index.entities.row_of
            and adds_something(mention, index.entity_name(id_), index.entity_type(id_))
        ]
        before = await self.ingestion.store.get(Entity, [id_ for _, id_ in adding])
        after = dict(before)
        for mention, id_ in adding:
            if id_ in after:
                given = mention if source else _gathered(mention, after[id_])
                after[id_] = enriched(after[id_], given, at, source)
        for id_, old in before.items():
            new = after[id_]
            if old != (new if source else replace(new, attribute_times=old.attribute_times)):
                self.plan.changed_entities[id_] = old, new

    async def judge(self, facts: Sequence[Fact], rules: JudgingRules | None = None) -> Ledger:
        """Settle statements with all that they meet, and note which are new and what changes."""
        rules = rules or JudgingRules(self.ingestion.relations, self.ingestion.review_below)
        ledger, plan = Ledger(self.index, rules, self.now), self.plan
        if not rules.judge:
            facts = [as_given(fact, rules.relations) for fact in facts]
        if self.under_way is not None:
            ledger.follow(self.under_way.facts.values())
            ledger.follow(after for _, after in self.under_way.changed_facts.values())
        await ledger.read(facts, self.ingestion.store)
        if plan.text is not None and len(facts) > _MANY:
            # Under the lock nobody else touches what it works on.
            await asyncio.to_thread(ledger.settle, facts)
        else:
            ledger.settle(facts)
        plan.facts, plan.changed_facts = ledger.new_facts, ledger.changed
        plan.stands = ledger.stands
        self._end(ledger.endings, ledger.component.entities)
        return ledger

    async def finish(
        self, vectors: Mapping[str, Matrix] | None = None, *, lazily: bool = False
    ) -> None:
        """Make the summaries and the vectors, but for those that are given.

        Lazily, all summaries but those that would become wrong are left to a later transaction: an
        empty one says nothing that has become wrong.
        """
        plan, index, now = self.plan, self.index, self.now
        closed = {id_: after for id_, (_, after) in plan.changed_facts.items()}
        before = {} if self.under_way is None else self.under_way.facts
        changed: Changed = {**before, **plan.facts, **closed}
        if lazily:
            touched = [id_ for id_ in ends_of(closed.values()) if index.summary(id_)]
            plan.summaries = refreshed(touched, index, changed, now=now)
        else:
            names = {id_: self.named(id_)[1] for id_ in (*plan.touched, *plan.changed_entities)}
            stored = {id_: name for id_, name in names.items() if id_ in index.entities.row_of}
            plan.summaries = updated(stored, index, changed, now=now)
            new = {id_: entity.name for id_, entity in plan.entities.items()}
            for id_, summary in composed(new, index, changed, now=now).items():
                plan.entities[id_] = replace(plan.entities[id_], summary=summary)
        given = {
            id_: vector
            for id_, vector in (vectors or {}).items()
            if id_ in plan.entities or id_ in plan.facts
        }
        await plan.embed(self.ingestion.embedder, given)

    def _end(self, endings: Mapping[str, Sequence[Ending]], stored: Mapping[str, Entity]) -> None:
        """Note what is said of entities that is no fact."""
        plan = self.plan
        for id_, new in endings.items():
            if id_ in plan.entities:
                entity = plan.entities[id_]
                plan.entities[id_] = replace(entity, endings=(*entity.endings, *new))
            else:
                before, after = plan.changed_entities.get(id_, (stored[id_],) * 2)
                after = replace(after, endings=(*after.endings, *new))
                plan.changed_entities[id_] = before, after


def _gathered(mention: Mention, entity: Entity) -> Mention:
    """Return a mention whose addresses are those that the entity has already, and its own."""
    attributes = dict(mention.attributes)
    for name in _SEVERAL & attributes.keys() & entity.attributes.keys():
        known, given = (_each(of[name]) for of in (entity.attributes, attributes))
        values = list({value_key(str(value)): value for value in (*given, *known)}.values())
        values.sort(key=lambda value: value not in known)  # the known ones first, as they were
        attributes[name] = values if len(values) > 1 else values[0]
    return replace(mention, attributes=attributes)


def _each(value: JSON) -> tuple[JSON, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)
