"""The making of a plan: entities enriched, statements judged, summaries and vectors made.

Texts, tables and people come to it alike. What was stated without full effect is noted in words.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.ledger import Ledger
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.plan import Plan
from graphrag.ingest.statements import Named, other_name
from graphrag.ingest.summaries import Changed, composed, ends_of, updated
from graphrag.model.assertion import Ending
from graphrag.model.attributes import names_of
from graphrag.model.extraction import Mention
from graphrag.model.values import Entity, Fact
from graphrag.names.identifiers import value_key
from graphrag.ontology.relations import Relations
from graphrag.protocols import Matrix
from graphrag.resolve import enriched
from graphrag.resolve.mentions import adds_something, resolve

if TYPE_CHECKING:
    from graphrag.ingest.given import End

_MANY = 200
"""Statements that take some ms to settle."""
_SEVERAL = frozenset({"email", "phone"})
"""Attributes of which one entity may have several."""


Key = tuple[str, str, str]
"""Name, type, and the rest of a mention."""


class UndecidedError(Exception):
    """A name adds to an entity of the transaction under way: plan again when it is over."""


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
            _, changed = plan.changed_entities.get(id_, (None, None))
            if (entity := changed or plan.entities.get(id_)) is not None:
                return id_, names_of(entity)[0], other
        return id_, self.index.entity_name(id_), other

    def identified(self, ends: "Sequence[End]") -> tuple[list[str], list[tuple[Mention, str]]]:
        """Return what each end means, and each mention once with its entity; note new entities."""
        index, under_way = self.index, self.under_way
        keys = [_key(end.mention) for end in ends]
        # Mentions compare without attributes: two people of one name with two e-mail addresses are
        # two, so each gets a place of its own.
        mentions: dict[Key, Mention] = {}
        for key, end in zip(keys, ends, strict=True):
            if end.id is None and key not in mentions:
                mentions[key] = replace(end.mention, start=len(mentions))
        beside = {} if under_way is None else under_way.entities
        own, others = self.ingestion.ontology.identifiers, beside.values()
        resolution = resolve(
            mentions.values(), index, created_at=self.now, identifiers=own, beside=others
        )
        self.plan.entities = resolution.created
        for id_, entity in beside.items():
            if resolution.created.pop(id_) != entity:
                raise UndecidedError
        id_of = {key: resolution.entity_of[mention] for key, mention in mentions.items()}
        heir, said = index.heirs.of, dict[tuple[Key, str], tuple[Mention, str]]()
        ids = []
        for key, end in zip(keys, ends, strict=True):
            id_ = heir(id_of[key] if end.id is None else end.id)
            said[key, id_] = end.mention, id_
            ids.append(id_)
        return ids, [*said.values()]

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

    async def judge(
        self, facts: Sequence[Fact], *, judge: bool = True, once: bool = False
    ) -> Ledger:
        """Settle statements with all that they meet, and note which are new and what changes."""
        plan, ingestion, relations = self.plan, self.ingestion, self.ingestion.relations
        component = Component.of(self.index, relations, ingestion.store, self.now)
        ledger = Ledger(component, ingestion.review_below, judge, once)
        if not judge:
            facts = [_as_given(fact, relations) for fact in facts]
        if self.under_way is not None:
            ledger.follow(self.under_way.facts.values())
            ledger.follow(after for _, after in self.under_way.changed_facts.values())
        await ledger.read(facts)
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
        """Make the summaries and the vectors that are not given.

        Lazily, only the summaries that would become wrong: the others are left to a later
        transaction.
        """
        plan, index, now = self.plan, self.index, self.now
        closed = {id_: after for id_, (_, after) in plan.changed_facts.items()}
        before = {} if self.under_way is None else self.under_way.facts
        changed: Changed = {**before, **plan.facts, **closed}
        if lazily:
            touched = [id_ for id_ in ends_of(closed.values()) if index.summary(id_)]
            plan.summaries = updated(touched, index, changed, now=now)
        else:
            names = {id_: self.named(id_)[1] for id_ in (*plan.touched, *plan.changed_entities)}
            stored = {id_: name for id_, name in names.items() if id_ in index.entities.row_of}
            plan.summaries = updated((), index, changed, now=now, names=stored)
            new = {id_: names_of(entity)[0] for id_, entity in plan.entities.items()}
            for id_, summary in composed(new, index, changed, now=now).items():
                plan.entities[id_] = replace(plan.entities[id_], summary=summary)
        ids = plan.entities.keys() | plan.facts.keys()
        given = {id_: vector for id_, vector in (vectors or {}).items() if id_ in ids}
        await plan.embed(self.ingestion.embedder, given)

    def _end(self, endings: Mapping[str, Sequence[Ending]], stored: Mapping[str, Entity]) -> None:
        plan = self.plan
        for id_, new in endings.items():
            known = plan.entities.get(id_)
            before, after = plan.changed_entities.get(id_, (known or stored[id_],) * 2)
            after = replace(after, endings=(*after.endings, *new))
            if known is not None:
                plan.entities[id_] = after
            else:
                plan.changed_entities[id_] = before, after


def _as_given(fact: Fact, relations: Relations) -> Fact:
    """Return a new fact with a mark, if its relation could exclude what stands beside it."""
    relation = relations[relations.canonical(fact.relation)[0]]
    if not (relation.single_valued or relation.single_holder or relation.exclusive_with):
        return fact
    return replace(fact, as_given=True, statements=(replace(fact.statements[0], as_given=True),))


def _key(mention: Mention) -> Key:
    more = (mention.aliases, sorted(mention.attributes.items()))
    return mention.name, mention.entity_type, repr(more) if any(more) else ""


def _gathered(mention: Mention, entity: Entity) -> Mention:
    """Return a mention whose addresses are those that the entity has already, and its own."""
    attributes = dict(mention.attributes)
    for name in _SEVERAL & attributes.keys() & entity.attributes.keys():
        known, given = (
            value if isinstance(value, list | tuple) else [value]
            for value in (entity.attributes[name], attributes[name])
        )
        values = list({value_key(str(value)): value for value in (*given, *known)}.values())
        values.sort(key=lambda value: value not in known)  # the known ones first, as they were
        attributes[name] = values if len(values) > 1 else values[0]
    return replace(mention, attributes=attributes)


def without_effect(new: Sequence[Fact], ledger: Ledger) -> Iterator[str]:
    """Yield what of new statements is no contested fact and has no effect, or not all of it."""
    said = {ending.assertion.id for ends in ledger.endings.values() for ending in ends}
    kept = {fact.text for fact in ledger.new_facts.values()}
    for fact in new:
        about = f"{fact.subject} {fact.relation} {fact.object}".strip()
        if not (fact.id in ledger.stands or fact.statements[0].id in said or fact.text in kept):
            yield f"the fact {about!r}, too doubtful to end or cancel anything"
        elif ledger.denies_in_vain(fact):
            yield f"the denial of {about!r}, which calls off no plan: edit.retract takes facts back"
    yield from denied(new, ledger, contested=False)
    yield from _replacing_nothing(new, ledger)


def denied(new: Iterable[Fact], ledger: Ledger, *, contested: bool = True) -> Iterator[str]:
    """Yield what of new statements is not believed, or not all of it.

    Not ``contested``: only what is no contested fact, such as an end of what goes on.
    """
    outcome, said = ledger.component.outcome, {fact.statements[0].id: fact for fact in new}
    if outcome is None:
        return
    for statement, against in outcome.settlement.overruled:
        fact = said.get(statement)
        if fact is None:
            continue
        stands = ledger.component.facts.get(ledger.stands.get(fact.id, ""))
        if not contested and stands is not None and stands.closed_as == "overruled":
            continue
        if against not in outcome.said.by_id:  # a standing rule says so, and nobody
            why = "by a rule" if stands is None else stands.reason
            yield f"{fact.text!r} holds at no time: {why}"
            continue
        home, other = outcome.said.by_id[against]
        trusted = other.trust > fact.statements[0].trust
        source = "a more trusted source" if trusted else "newer evidence"
        yield f"{fact.text!r} gives way to what {source} says: {other.text or home.text}"


def _replacing_nothing(new: Iterable[Fact], ledger: Ledger) -> Iterator[str]:
    """Yield which new facts, as they were stated, replace a fact that goes on."""
    facts = ledger.component.facts
    for fact in new:
        said, own = fact.statements[0], facts.get(fact.id, fact)
        lost = own.retracted_at is not None or own.closed_as == "superseded"
        date = said.until if said.ends else said.since
        for other in filter(None, map(facts.get, () if lost else said.excludes)):
            end = other.invalid_at
            goes_on = end is None or (date is not None and end > date.moment)
            if other.retracted_at is None and goes_on:
                yield f"{fact.text!r} takes the place of {other.text!r}, which it does not end"
