"""Change facts by hand: take back, end, correct, review."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from graphrag.edit import KEEP, Basis, Correction, Edit, Keep, corrected, ended, retracted, waiting
from graphrag.edit.editor import (
    Door,
    Waiting,
    entity_id,
    put_component,
    stand,
    stored,
    waiting_facts,
)
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.rivalry import triple_of
from graphrag.ingest.reports import closed
from graphrag.model.arguments import checked
from graphrag.model.assertion import Date
from graphrag.model.ids import new_id
from graphrag.model.values import Entity, Fact
from graphrag.names.key import name_key
from graphrag.ontology.ontology import fitted_by_hand
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import Moment, parse_moment, precision_of, utc_now

Decide = Callable[[Fact, Basis, GroupIndex, datetime], Edit]
"""Say what is wanted of a fact, given what it rests on."""


@checked(door="graph.edit")
class ManualEdits(Door):
    """Edits by hand and review: ``graph.edit``.

    Every edit is one transaction with one event, whose note tells what else ends or holds again. It
    may name its ``actor``; by default the log names the one given to ``GraphRAG.open``. Where an
    argument is a fact, its id does as well. A ``PolicyError`` says that the write policy refused;
    whatever is raised, nothing was written.
    """

    async def retract(
        self, fact: Fact | str, reason: str = "", *, actor: str | None = None
    ) -> Fact:
        """Declare that a fact was never true, and return it as updated.

        Facts that it had ended hold again. The fact stays in the history, with the time and the
        reason of the retraction.

        Raises:
            InputError: if there is no such fact, or it was retracted before.
        """
        return await self._edit(
            fact, lambda fact, *_: retracted(fact, reason), "retract", actor, reason
        )

    async def invalidate(
        self,
        fact: Fact | str,
        at: Moment | None = None,
        *,
        reason: str = "",
        actor: str | None = None,
    ) -> Fact:
        """Declare that a fact ended at a moment, by default now; until then it was true.

        Returns it as it is now.

        Raises:
            InputError: if there is no such fact, it was retracted, waits for review, ended before
                that moment or starts at it or later.
        """
        moment = utc_now() if at is None else parse_moment(at, what="at")
        return await self._edit(
            fact, lambda fact, *_: ended(fact, moment, reason), "invalidate", actor, reason
        )

    async def correct(
        self,
        fact: Fact | str,
        *,
        subject: Entity | str | None = None,
        relation: str | None = None,
        object: Entity | str | None = None,
        text: str | None = None,
        valid_at: Moment | Keep | None = KEEP,
        invalid_at: Moment | Keep | None = KEEP,
        reason: str = "",
        actor: str | None = None,
    ) -> Fact:
        """Set a fact right, and return the fact that stands.

        Dates and text are changed in place. Another subject, relation or object makes another fact,
        confirmed and of origin ``manual``, and retracts the old one in its favour. Either way what
        was said before no longer counts, and all lifetimes that this concerns are settled anew: it
        may close some, and be cut short by one that starts later.

        Args:
            fact: The fact to be set right.
            subject: An entity, its id, or a name; a name that nothing bears makes a new entity.
            relation: As ``works_at``.
            object: As ``subject``.
            text: The sentence that states it; default: made of the names if one of them changes.
            valid_at: Its start; None for an unknown one. An event moves whole.
            invalid_at: Its end; None if it still holds.
            reason: Why, for the log and for the old fact.
            actor: Who does this; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if there is no such fact, it was retracted, nothing is to change, a name is
                borne by several entities, the end is not after the start, an event, a plan or a
                former fact would hold today for want of a date, or the ontology refuses it.
        """
        starts, stops = _date(valid_at, "valid_at"), _date(invalid_at, "invalid_at")
        until = stops.moment if isinstance(stops, Date) else stops

        def decide(current: Fact, basis: Basis, index: GroupIndex, now: datetime) -> Edit:
            ends = [
                None if given is None else _chosen(given, old, index, now=now)
                for given, old in ((subject, current.subject_id), (object, current.object_id))
            ]
            if ends[0] and ends[1] and ends[0].key == ends[1].key and _is_new(ends[1], index):
                ends[1] = ends[0]
            wanted = Correction(ends[0], relation, ends[1], text, starts, until)
            edit = corrected(current, wanted, basis, reason, now=now)
            new = tuple({end.id: end for end in ends if end and _is_new(end, index)}.values())
            if edit.fact.id == current.id:
                return edit
            fact = self._fitted(edit.fact, [end for end in ends if end is not None], index)
            said = tuple(replace(statement, untyped=fact.untyped) for statement in edit.said)
            return replace(edit, fact=fact, said=said, entities=new)

        return await self._edit(fact, decide, "correct", actor, reason)

    def _fitted(self, fact: Fact, chosen: list[Entity], index: GroupIndex) -> Fact:
        """Return a fact with new ends or another relation as the ontology lets it be stored."""
        session = self._handle.session
        types = {end.id: end.entity_type for end in chosen}
        stored = {fact.subject_id, fact.object_id} & index.entities.row_of.keys()
        types |= {id_: index.entity_type(id_) for id_ in stored}
        ends = types[fact.subject_id], types[fact.object_id]
        return fitted_by_hand(fact, ends, session.ontology, session.relations)

    async def settle(self, *, reason: str = "", actor: str | None = None) -> tuple[Fact, ...]:
        """Settle all facts anew by the rules that the graph was opened with.

        Every write does so with what it touches. After new relations or standing rules this does
        it for the rest, in one transaction. Returns the facts that are new or different.

        Raises:
            InputError: if standing rules infer too much.
        """
        changed: dict[str, Fact] = {}
        ingestion = self._handle.session

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal changed
            component = Component.of(index, ingestion.relations, ingestion.store, utc_now())
            await component.read(component.reach_from(list(index.facts.row_of)))
            component.settle()
            changed = component.changed()
            changes = ChangeSet(self._group, "settle", actor=actor or "", note=reason or None)
            await put_component(changes, component, ingestion)
            return changes

        await ingestion.writer.commit(self._group, build)
        return tuple(changed.values())

    # -- review --------------------------------------------------------------------------------

    async def pending(self, limit: int = 100) -> list[Waiting]:
        """Return the facts that wait for a person, oldest first, each with what states it.

        Facts wait whose confidence is below ``review_below`` of ``GraphRAG.open``. Until they are
        confirmed no read shows them and they close nothing.
        """
        session = self._handle.session
        index = await session.catalog.group(self._group)
        return await waiting_facts(index, session.store, limit=limit)

    async def confirm(self, fact: Fact | str, *, actor: str | None = None) -> Fact:
        """Accept a fact that waits for review or is contested, and return the fact that stands.

        From then on it counts like what the most trusted say: it may close other facts, and if it
        only repeats or ends one, they are one fact.

        Raises:
            InputError: if there is no such fact, or it does not wait.
        """

        def decide(fact: Fact, *_: object) -> Edit:
            return Edit(replace(waiting(fact), confirmed=True), stays=True)

        return await self._edit(fact, decide, "confirm", actor)

    async def reject(self, fact: Fact | str, reason: str = "", *, actor: str | None = None) -> Fact:
        """Retract a fact that waits for review or is contested, and return it.

        Raises:
            InputError: if there is no such fact, or it does not wait.
        """
        why = reason or "rejected"
        return await self._edit(
            fact, lambda fact, *_: retracted(waiting(fact), why), "reject", actor, reason
        )

    async def _edit(
        self, fact: Fact | str, decide: Decide, kind: str, actor: str | None, note: str = ""
    ) -> Fact:
        ingestion = self._handle.session
        stands: Fact | None = None

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal stands
            now, store = utc_now(), ingestion.store
            current = await stored(Fact, fact, self._group, store)
            if current.derived_from:
                rule = ", ".join(current.provenance)
                raise InputError(
                    f"fact {current.id} ({current.text!r}) was inferred by {rule}: change the "
                    f"facts that it rests on, {', '.join(current.derived_from)}"
                )
            current = index.heirs.follow({current.id: current}, index.entity_name)[current.id]
            component = Component.of(index, ingestion.relations, store, now)
            await component.read_around([current])
            outcome = component.settle()
            basis = tuple(outcome.said.by_id[id_][1] for id_ in outcome.supporting(current.id))
            wanted = decide(current, basis, index, now)
            await component.read(component.reach([triple_of(wanted.fact)]))
            id_ = stand(component, current, wanted, outcome)
            stands = component.facts[id_]
            known, edited = component.stored, {current.id, id_}
            others = [other for other in component.changed().values() if other.id not in edited]
            changed = [(known[other.id], other) for other in others if other.id in known]
            words = closed((other for other in others if other.id not in known), changed)
            also = "; ".join(filter(None, (note, *words)))
            changes = ChangeSet(self._group, kind, actor=actor or "", note=also or None)
            await put_component(changes, component, ingestion, new=wanted.entities)
            return changes

        await ingestion.writer.commit(self._group, build)
        assert stands is not None, "building gives a fact"
        return stands


def _date(given: Moment | Keep | None, what: str) -> Date | Keep | None:
    if given is None or isinstance(given, Keep):
        return given
    return Date(parse_moment(given, what=what), precision_of(given))


def _is_new(entity: Entity, index: GroupIndex) -> bool:
    return entity.id not in index.entities.row_of


def _chosen(given: Entity | str, instead_of: str, index: GroupIndex, *, now: datetime) -> Entity:
    """Return the entity that is to be an end of a fact; a new name makes one of the old type."""
    known = isinstance(given, Entity) or given in index.entities.row_of
    if known or index.entities_named(str(given)):
        id_ = entity_id(given, index)
        name = index.entity_name(id_)
    else:
        id_, name = new_id(), str(given).strip()
    if not name_key(name):
        raise InputError(f"{given!r} is no name: give an entity, its id or its name")
    kind = index.entity_type(id_ if id_ in index.entities.row_of else instead_of)
    return Entity(id_, index.group_id, now, name, name_key(name), kind)
