"""Manual edits of facts: retract, end, correct, review."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import numpy as np

from graphrag.edit import KEEP, Basis, Correction, Edit, Keep, corrected, ended, retracted, waiting
from graphrag.edit.editor import Door, Waiting, entity_id, put_component, stand, stored
from graphrag.errors import InputError
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.rivalry import triple_of
from graphrag.ingest.reports import closed
from graphrag.model.arguments import checked
from graphrag.model.assertion import Date
from graphrag.model.ids import new_id
from graphrag.model.values import Entity, Fact
from graphrag.names.key import name_key
from graphrag.ontology.ontology import fitted_by_hand
from graphrag.search.results import quotes_of
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import Moment, parse_moment, precision_of, utc_now

Decide = Callable[[Fact, Basis, GroupIndex, datetime], Edit]
"""Return the edit of a fact, given the statements that it rests on."""


@checked(door="graph.edit")
class ManualEdits(Door):
    """Manual edits of facts, and their review: ``graph.edit``.

    Every edit is one transaction with one event, whose note lists other facts that end or hold
    again as a result. ``actor`` is the name in the log; default: the one given to
    ``GraphRAG.open``. A fact may be given by its id. ``PolicyError`` is raised if the write policy
    refuses. After any error nothing was written.
    """

    async def retract(
        self, fact: Fact | str, reason: str = "", *, actor: str | None = None
    ) -> Fact:
        """Retract a fact that was never true, and return it as updated.

        Facts that it had ended hold again. The fact stays in the history, with time and reason.

        Raises:
            InputError: if the fact does not exist or is retracted already.
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
        """End a fact at a moment, by default now, and return it as updated.

        The fact stays true for the time before. Use ``retract`` if it was never true.

        Raises:
            InputError: if the fact does not exist, is retracted or pending, ended earlier, or
                starts at that moment or later.
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
        """Correct a fact, and return the valid one.

        Dates and text are changed in place. Another subject, relation or object creates a new fact,
        confirmed and of origin ``manual``, and retracts the old one. In both cases earlier
        statements of the fact no longer count, and all affected lifetimes are settled again: the
        fact may close others, and a later fact may close it.

        Args:
            fact: The fact to correct.
            subject: New subject: an entity, its id, or a name; an unknown name creates an entity.
            relation: New relation, such as ``works_at``.
            object: New object, as ``subject``.
            text: New sentence; default: made of the names if one of them changes.
            valid_at: New start; None if unknown. The end of an event moves with its start.
            invalid_at: New end; None if it still holds.
            reason: The reason, stored in the log and with the old fact.
            actor: Name for the log; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if the fact does not exist or is retracted, nothing changes, a name is
                ambiguous, the end is not after the start, an event, plan or former fact would lack
                its date and so hold today, or the ontology refuses the fact.
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
        """Settle all facts again by the rules with which the graph was opened.

        A write settles only the facts that it touches. Call this after you add relations or
        standing rules; it is one transaction. Returns the facts that are new or changed.

        Raises:
            InputError: if standing rules derive too many facts.
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
        """Return the facts that wait for review, oldest first, each with the quotes that state it.

        A fact waits if its confidence is below ``Rules.review_below``. Until it is confirmed, reads
        leave it out and it closes no other fact.
        """
        if limit < 1:
            raise InputError(f"limit is {limit}: ask for one fact or more")
        store = self._handle.session.store
        columns = (await self._handle.session.catalog.group(self._group)).facts
        waits = columns.alive.values & columns["pending"] & (columns["retracted"] == FOREVER)
        # Ids are made in the order of time.
        ids = sorted(columns.ids[row] for row in np.flatnonzero(waits).tolist())[:limit]
        facts = list((await store.get(Fact, ids)).values())
        pairs = zip(facts, await quotes_of(facts, store), strict=True)
        return [Waiting(fact, tuple(quotes)) for fact, quotes in pairs]

    async def confirm(self, fact: Fact | str, *, actor: str | None = None) -> Fact:
        """Accept a pending or contested fact, and return the valid fact.

        It then counts as a statement of the most trusted source: it may close other facts. If it
        only repeats or ends a fact, the two are combined.

        Raises:
            InputError: if the fact does not exist or is not pending or contested.
        """

        def decide(fact: Fact, *_: object) -> Edit:
            return Edit(replace(waiting(fact), confirmed=True), stays=True)

        return await self._edit(fact, decide, "confirm", actor)

    async def reject(self, fact: Fact | str, reason: str = "", *, actor: str | None = None) -> Fact:
        """Retract a pending or contested fact, and return it.

        Raises:
            InputError: if the fact does not exist or is not pending or contested.
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
