"""Plans from given facts: ends identified, facts judged, new texts embedded, names told apart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.given import End, GivenFact
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.ledger import Ledger, Rules, as_given
from graphrag.ingest.plan import DirectPlan, SkippedRow
from graphrag.ingest.statements import other_name
from graphrag.ingest.summaries import summarize_plan
from graphrag.model.extraction import Mention
from graphrag.model.values import JSON, Entity, Fact
from graphrag.names.identifiers import value_key
from graphrag.resolve.enrich import enriched
from graphrag.resolve.mentions import adds_something, resolve
from graphrag.temporal.moment import utc_now

Key = tuple[str, str, str]
"""Name, type, and the rest of a mention."""


def distinct(mentions: Iterable[tuple[Key, Mention]]) -> dict[Key, Mention]:
    """Return each mention once, given with its key.

    Mentions compare without attributes; two people of one name with two e-mail addresses are two,
    so each gets a place of its own.
    """
    found: dict[Key, Mention] = {}
    for key, mention in mentions:
        if key not in found:
            found[key] = Mention(
                mention.name,
                mention.entity_type,
                start=len(found),
                aliases=mention.aliases,
                attributes=mention.attributes,
            )
    return found


def identity(mention: Mention) -> Key:
    """Return what tells a mention from others."""
    more = (mention.aliases, sorted(mention.attributes.items()))
    return mention.name, mention.entity_type, repr(more) if any(more) else ""


_SEVERAL = frozenset({"email", "phone"})
"""Attributes of which one entity may have several."""


class UndecidedError(Exception):
    """A name adds to an entity of the transaction under way: plan again when it is over."""


@dataclass(frozen=True, slots=True)
class FactPlanner:
    """Plans given facts by the rules of a graph."""

    ingestion: Ingestion
    rules: Rules
    summarize: bool = True
    """False: leave the summaries of entities that only gain facts to a later transaction."""
    skip: bool = False
    """True: leave out facts that cannot be added, and note them in the plan."""

    async def plan(
        self,
        given: Sequence[GivenFact],
        index: GroupIndex,
        *,
        extra: Sequence[End] = (),
        under_way: DirectPlan | None = None,
    ) -> DirectPlan:
        """Work out what some facts change, and entities that are given apart from any fact.

        Args:
            given: The facts, in the order in which they were given.
            index: The group as it is.
            extra: Entities to be known as well.
            under_way: What is being written meanwhile and not in the index yet.

        Raises:
            InputError: naming the fact that cannot be added, unless those are skipped.
            UndecidedError: if the index must know first what is under way.
        """
        now = utc_now()
        plan = DirectPlan(group=index.group_id)
        ends = [end for fact in given for end in (fact.subject, fact.object)] + list(extra)
        keys = [identity(end.mention) for end in ends]
        ids = self._identified(ends, keys, index, under_way, plan, now)
        await self._enrich(ends, keys, ids, index, plan, now)
        name_of = {id_: entity.name for id_, entity in plan.entities.items()}
        if under_way is not None:
            name_of |= {id_: entity.name for id_, entity in under_way.entities.items()}
        name_of |= {id_: after.name for id_, (_, after) in plan.changed_entities.items()}

        def named(id_: str, end: End, place: str) -> tuple[str, str]:
            if id_ not in name_of:
                if id_ not in index.entities.row_of:
                    raise InputError(
                        f"{place}entity {end.mention.name!r} ({id_}) is not in group "
                        f"{index.group_id!r}: give one of that group, or its name"
                    )
                name_of[id_] = index.entity_name(id_)
            return id_, name_of[id_]

        facts: list[Fact] = []
        skipped: dict[int, SkippedRow] = {}
        meant = iter(ids)
        for number, (one, *ends_of_it) in enumerate(zip(given, meant, meant, strict=False)):
            try:
                subject = named(ends_of_it[0], one.subject, one.place)
                object_ = named(ends_of_it[1], one.object, one.place)
                if subject[0] == object_[0] and not one.loops(self.rules.relations):
                    raise InputError(
                        f"{one.place}{one.subject.mention.name!r} {one.relation} "
                        f"{one.object.mention.name!r}: both ends are the same entity"
                    )
            except InputError as error:
                if not self.skip:
                    raise
                skipped[number] = SkippedRow.at(one.place, error)
            else:
                fact = one.as_fact(index.group_id, subject, object_, now=now)
                facts.append(_with_other_names(fact, one, index))
        if skipped:  # without them, since their names may make entities of nothing else
            rest = [fact for number, fact in enumerate(given) if number not in skipped]
            plan = await self.plan(rest, index, extra=extra, under_way=under_way)
            plan.skipped = (*skipped.values(), *plan.skipped)
            return plan
        apart = zip(ids[2 * len(given) :], extra, strict=True)
        plan.extra = tuple(named(id_, end, "")[0] for id_, end in apart)
        await self._judge(facts, index, under_way, plan, now)
        before = under_way.facts if under_way is not None else None
        summarize_plan(plan, index, now=now, before=before, lazily=not self.summarize)
        vectors = [(fact.id, row.vector) for row, fact in zip(given, facts, strict=True)]
        vectors += [(id_, end.vector) for id_, end in zip(ids, ends, strict=True)]
        new = plan.entities.keys() | plan.facts.keys()
        known = {id_: vector for id_, vector in vectors if vector is not None and id_ in new}
        await plan.embed(self.ingestion.embedder, known)
        return plan

    def _identified(
        self,
        ends: Sequence[End],
        keys: Sequence[Key],
        index: GroupIndex,
        under_way: DirectPlan | None,
        plan: DirectPlan,
        now: datetime,
    ) -> list[str]:
        """Return the id of the entity that each end means, and note those that are new."""
        named = ((key, end.mention) for key, end in zip(keys, ends, strict=True) if end.id is None)
        mentions = distinct(named)
        beside = under_way.entities if under_way is not None else {}
        resolution = resolve(
            mentions.values(),
            index,
            created_at=now,
            identifiers=self.ingestion.ontology.identifiers,
            beside=beside.values(),
        )
        plan.entities = resolution.created
        for id_, entity in beside.items():
            if plan.entities.pop(id_) != entity:
                raise UndecidedError
        heir = index.heirs.of
        id_of = {key: heir(resolution.entity_of[mention]) for key, mention in mentions.items()}
        return [
            id_of[key] if end.id is None else heir(end.id)
            for key, end in zip(keys, ends, strict=True)
        ]

    async def _enrich(
        self,
        ends: Sequence[End],
        keys: Sequence[Key],
        ids: Sequence[str],
        index: GroupIndex,
        plan: DirectPlan,
        now: datetime,
    ) -> None:
        """Note the stored entities to which a mention adds a name, a type or attributes."""
        end_of = dict(zip(zip(keys, ids, strict=True), ends, strict=True))
        adding = [
            (end.mention, id_)
            for (_, id_), end in end_of.items()
            if id_ in index.entities.row_of
            and adds_something(end.mention, index.entity_name(id_), index.entity_type(id_))
        ]
        before = await self.ingestion.store.get(Entity, [id_ for _, id_ in adding])
        after = dict(before)
        for mention, id_ in adding:
            if id_ in after:
                after[id_] = enriched(after[id_], _gathered(mention, after[id_]), now)
        plan.changed_entities = {
            id_: (old, after[id_])
            for id_, old in before.items()
            if replace(after[id_], attribute_times=old.attribute_times) != old
        }

    async def _judge(
        self,
        facts: Sequence[Fact],
        index: GroupIndex,
        under_way: DirectPlan | None,
        plan: DirectPlan,
        now: datetime,
    ) -> None:
        ledger = Ledger(index, self.rules, now)
        if not self.rules.judge:
            facts = [as_given(fact, self.rules.relations) for fact in facts]
        if under_way is not None:
            ledger.follow(under_way.facts.values())
            ledger.follow(after for _, after in under_way.changed_facts.values())
        await ledger.read(facts, self.ingestion.store)
        ledger.settle(facts)
        plan.facts, plan.changed_facts = ledger.new_facts, ledger.changed
        plan.stands = ledger.stands
        plan.notes = tuple(ledger.denied(facts))
        plan.repeated = {
            id_: ledger.component.facts[id_]
            for new, id_ in ledger.stands.items()
            if new not in plan.facts
        }


def _gathered(mention: Mention, entity: Entity) -> Mention:
    """Return a mention whose addresses are those that the entity has already, and its own."""
    attributes = dict(mention.attributes)
    for name in _SEVERAL & attributes.keys() & entity.attributes.keys():
        known, given = (_each(of[name]) for of in (entity.attributes, attributes))
        values = list({value_key(str(one)): one for one in (*given, *known)}.values())
        values.sort(key=lambda one: one not in known)  # the known ones first, as they were
        attributes[name] = values if len(values) > 1 else values[0]
    return replace(mention, attributes=attributes)


def _each(value: JSON) -> tuple[JSON, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _with_other_names(fact: Fact, given: GivenFact, index: GroupIndex) -> Fact:
    """Return a new fact that keeps by which other names of its ends it was given."""
    one, other = (
        "" if end.id is not None else other_name(id_, end.mention.name, index)
        for id_, end in ((fact.subject_id, given.subject), (fact.object_id, given.object))
    )
    if fact.subject_id == fact.object_id:
        one = other = one or fact.subject  # so it was stated: no merge has made it so
    if not (one or other):
        return fact
    return replace(fact, statements=(replace(fact.statements[0], subject_as=one, object_as=other),))
