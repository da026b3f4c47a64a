"""One edit by hand as one transaction: read the fact, judge what follows, write.

What an edit leaves standing is judged against the other facts by the rules for what a text says,
and what a fallen fact had closed holds again: so an edit can leave neither two values of a
single-valued relation at one moment nor a gap that nothing explains.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphrag.edit.edits import named, put_aside
from graphrag.edit.reopen import closed_by, recut, rivals_of
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.index.texts import fact_text
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.invalidate import Statement, judge, overlap
from graphrag.ingest.summaries import composed, ends_of, refreshed
from graphrag.model.values import Closing, Entity, Fact
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person wants of one fact."""

    after: Fact
    """The fact as it is to be, or, under another id, the fact that takes its place."""
    judged: bool = False
    """Whether it is told anew, so that it may close others."""
    ends: bool = False
    corrects: bool = False
    falls: bool = False
    """Whether what the fact had closed is looked at again."""
    untrue: bool = False
    """Whether even what it had corrected holds again."""
    aside_as: Closing = "corrected"
    aside: str = ""
    """How and why the fact is put aside if another one stands in its place."""
    entities: tuple[Entity, ...] = ()
    """New entities that it needs."""


Decide = Callable[[Fact, GroupIndex, datetime], Edit]


@dataclass(slots=True)
class _Outcome:
    before: dict[str, Fact] = field(default_factory=dict)
    after: dict[str, Fact] = field(default_factory=dict)
    stands: Fact | None = None


async def stored_fact(fact: Fact | str, group: str, store: Store) -> Fact:
    """Return a fact of a group as it is stored now.

    Raises:
        InputError: if there is none with this id.
    """
    id_ = fact if isinstance(fact, str) else fact.id
    found = await store.get(Fact, [id_])
    if id_ not in found or found[id_].group_id != group:
        raise InputError(f"no fact has the id {id_!r}: pass a fact from a search, or its id")
    return found[id_]


async def edit(
    fact: Fact | str,
    decide: Decide,
    ingestion: Ingestion,
    *,
    group: str,
    kind: str,
    actor: str | None,
    note: str,
) -> Fact:
    """Write what ``decide`` makes of a fact of a group, and return the one that stands for it."""
    outcome = _Outcome()
    await stored_fact(fact, group, ingestion.store)

    async def build(index: GroupIndex) -> ChangeSet:
        nonlocal outcome
        now = utc_now()
        current = await stored_fact(fact, group, ingestion.store)
        current = index.heirs.follow({current.id: current}, index.entity_name)[current.id]
        wanted = decide(current, index, now)
        outcome = await _outcome(current, wanted, index, ingestion, now)
        changes = ChangeSet(group, kind, actor=actor or "", note=note or None)
        await _write(changes, outcome, wanted.entities, index, ingestion)
        return changes

    await ingestion.writer.commit(group, build)
    assert outcome.stands is not None, "building gives an outcome"
    return outcome.stands


async def _outcome(
    current: Fact, wanted: Edit, index: GroupIndex, ingestion: Ingestion, now: datetime
) -> _Outcome:
    if not (wanted.judged or wanted.falls):
        return _Outcome({current.id: current}, {current.id: wanted.after}, wanted.after)
    store, relations = ingestion.store, ingestion.relations
    before = await rivals_of([current, wanted.after], index, store, relations)
    released: dict[str, Fact] = {}
    if wanted.falls:
        released = await closed_by(current, before.values(), store, corrected=wanted.untrue)
    if released:
        before |= await rivals_of(released.values(), index, store, relations)
    before[current.id] = current
    after = before | released
    stands = wanted.after
    if not wanted.judged:
        after[current.id] = wanted.after
    else:
        del after[current.id]
        stands = _told(current, wanted, after, ingestion, now)
    for id_ in released:
        if id_ in after and after[id_].retracted_at is None:
            after[id_], changed = recut(after[id_], after, relations, now=now)
            after |= changed
    return _Outcome(before, after, after[stands.id])


def _told(
    current: Fact, wanted: Edit, after: dict[str, Fact], ingestion: Ingestion, now: datetime
) -> Fact:
    """Judge the wanted fact as told now, note what that changes, and return what stands."""
    in_place = wanted.after.id == current.id
    if in_place and not current.pending:
        _not_twice(wanted.after, after)
    # A person says it now: of two facts that start together, this one is the later telling.
    told = replace(wanted.after, reference_time=now)
    statement = Statement(told, ends=wanted.ends, corrects=wanted.corrects)
    verdict = judge(statement, after.values(), ingestion.relations, now=now)
    after |= verdict.changed
    if verdict.new is not None:
        new = replace(verdict.new, reference_time=wanted.after.reference_time)
        after[new.id] = new
        if not in_place:
            after[current.id] = put_aside(current, new, wanted.aside_as, wanted.aside, now=now)
        return new
    # It repeats or ends another, or says what is known: it has no lifetime of its own.
    other = next(iter(verdict.changed.values()), None)
    after[current.id] = put_aside(current, other, wanted.aside_as, wanted.aside, now=now)
    return other or after[current.id]


def _not_twice(fact: Fact, others: dict[str, Fact]) -> None:
    for other in others.values():
        if (
            (other.subject_id, other.relation, other.object_id)
            == (fact.subject_id, fact.relation, fact.object_id)
            and other.retracted_at is None
            and not other.pending
            and overlap(fact, other)
        ):
            raise InputError(
                f"{named(fact)} would hold at the same time as {other.id}, which says the same: "
                "retract one of them first"
            )


async def _write(
    changes: ChangeSet,
    outcome: _Outcome,
    entities: tuple[Entity, ...],
    index: GroupIndex,
    ingestion: Ingestion,
) -> None:
    before = outcome.before
    after = {id_: fact for id_, fact in outcome.after.items() if before.get(id_) != fact}
    retold = [
        fact
        for id_, fact in after.items()
        if id_ not in before or fact_text(before[id_]) != fact_text(fact)
    ]
    now = utc_now()
    described = composed({one.id: one.name for one in entities}, index, after, now=now)
    entities = tuple(replace(one, summary=described[one.id]) for one in entities)
    stored = await ingestion.store.get(Fact, [fact.id for fact in retold if fact.id in before])
    texts = {one.id: one.name for one in entities}
    for fact in retold:  # with the names that are stored, whoever its ends speak through now
        named = stored.get(fact.id, fact)
        texts[fact.id] = fact_text(replace(fact, subject=named.subject, object=named.object))
    vectors = {}
    if texts:
        rows = await ingestion.embedder.embed(list(texts.values()), purpose="document")
        vectors = dict(zip(texts, rows, strict=True))
    for entity in entities:
        changes.insert(entity, vectors[entity.id])
    for id_, fact in after.items():
        if id_ in before:
            changes.change(before[id_], fact, vectors.get(id_))
        else:
            changes.insert(fact, vectors[id_])
    touched = ends_of([*after.values(), *(before[id_] for id_ in after if id_ in before)])
    changes.updates += refreshed(touched, index, after, now=now)
