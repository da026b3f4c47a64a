"""Facts written to one group: fitted to the ontology, resolved, planned, one batch a transaction.

Of a stream, one batch is planned while the one before is written: against the index and what is
under way. If the group was changed by someone else meanwhile, the plan is made again.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.fitting import Fitting, Placed, warn_of, with_values
from graphrag.ingest.given import End, GivenFact
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.plan import Plan, SkippedRow
from graphrag.ingest.planning import Planning, UndecidedError, denied
from graphrag.ingest.reports import WriteResult
from graphrag.ingest.summaries import ends_of, updated
from graphrag.protocols import traced
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import utc_now

_SUMMARIES = 2_000
"""Entities whose summaries one transaction brings up to date."""
Make = Callable[[GroupIndex, Plan | None], Awaitable[Plan]]
"""Plan a transaction against a group, and what is being written to it meanwhile."""


@dataclass(slots=True)
class FactWriter:
    """Writes facts to one group by the rules of a graph."""

    ingestion: Ingestion
    group: str
    kind: str
    judge: bool = True
    """False: what is written is right about every lifetime, so that none of it excludes another."""
    once: bool = False
    """True: what was retracted is not added again by the same words."""
    summarize: bool = True
    """False: leave the summaries of entities that only gain facts to a later transaction."""
    skip: bool = False
    """True: leave out facts that cannot be added, and note them in the plan."""
    actor: str = ""
    """Who does it; empty for whoever the graph was opened by."""
    violations: list[Placed] = field(default_factory=list)
    """What did not fit the ontology, until somebody is warned of it."""

    async def write(self, given: Sequence[GivenFact], extra: Sequence[End] = ()) -> Plan:
        """Write facts and entities in one transaction, and return what that changed."""

        async def make(index: GroupIndex, _: Plan | None) -> Plan:
            return await self.plan(given, index, extra=extra)

        plan = await self.commit(make)
        self.violations += plan.violations
        return plan

    async def commit(
        self,
        make: Make,
        ahead: "PlannedAhead | None" = None,
        leaves: Callable[[], None] | None = None,
    ) -> Plan:
        """Write what is made ``ahead``, if the group is at its event, or made now.

        ``leaves`` is called once the transaction is on its way to the engine.
        """
        plan = Plan(group=self.group, kind=self.kind)

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal plan
            if ahead is not None and index.seq == ahead.after:
                plan, changes = ahead.plan, ahead.changes
            else:
                plan = await make(index, None)
                changes = plan.changes()
            changes.leaves = leaves
            return changes

        def enter(index: GroupIndex, seq: int) -> None:
            plan.enter(index, seq)

        with traced(self.ingestion.tracer, "ingest", group=self.group) as note:
            await self.ingestion.writer.commit(self.group, build, enter=enter)
            note({"facts": len(plan.facts), "summaries": len(plan.summaries)})
        return plan

    def warn(self) -> None:
        """Log what did not fit the ontology in all that was written since the last warning."""
        warn_of(self.group, self.violations)
        self.violations = []

    async def plan(
        self,
        given: Sequence[GivenFact],
        index: GroupIndex,
        *,
        extra: Sequence[End] = (),
        under_way: Plan | None = None,
    ) -> Plan:
        """Plan the writing of facts, and of ``extra`` entities, on top of ``under_way``."""
        fitting = Fitting(index, self.ingestion, under_way)
        facts: dict[int, GivenFact] = {}
        skipped: dict[int, SkippedRow] = {}

        def skip(number: int, error: InputError) -> None:
            if not self.skip:
                raise error
            skipped[number] = SkippedRow.at(given[number].place, error)

        for number, fact in enumerate(given):
            try:
                facts[number] = fitting.fact(fact)
            except InputError as error:
                skip(number, error)
        facts = with_values(facts)
        entities = [fitting.entity(end) for end in extra]
        while True:
            plan = Plan(group=self.group, kind=self.kind, actor=self.actor)
            planning = Planning(plan, index, self.ingestion, utc_now(), under_way)
            ends = [end for fact in facts.values() for end in (fact.subject, fact.object)]
            ids, said = planning.identified([*ends, *entities])
            meant = iter(ids)
            pairs = {number: (next(meant), next(meant)) for number in facts}
            same = [number for number, (subject, object_) in pairs.items() if subject == object_]
            loops = [n for n in same if not facts[n].loops(self.ingestion.relations)]
            if not loops:
                break
            for number in loops:  # all is named anew: they may have made entities of nothing else
                fact = facts.pop(number)
                words = f"{fact.place}{fact.words}"
                skip(number, InputError(f"{words}: both ends are the same entity"))
        await planning.enrich(said, planning.now)
        stated = []
        for number, fact in facts.items():
            subject = planning.named(pairs[number][0], fact.subject.said)
            object_ = planning.named(pairs[number][1], fact.object.said)
            stated.append(fact.stated(self.group, subject, object_, now=planning.now))
        ledger = await planning.judge(stated, judge=self.judge, once=self.once)
        plan.notes = tuple(denied(stated, ledger))
        repeated = (id_ for new, id_ in ledger.stands.items() if new not in plan.facts)
        plan.repeated = {id_: ledger.component.facts[id_] for id_ in repeated}
        vectors = [(new.id, fact.vector) for new, fact in zip(stated, facts.values(), strict=True)]
        vectors += [(id_, end.vector) for id_, end in zip(ids, (*ends, *entities), strict=True)]
        known = {id_: vector for id_, vector in vectors if vector is not None}
        await planning.finish(known, lazily=not self.summarize)
        plan.extra = tuple(meant)
        plan.skipped = tuple(row for _, row in sorted(skipped.items()))
        plan.violations = tuple(fitting.violations)
        return plan


async def write_fact(
    ingestion: Ingestion, group: str, given: GivenFact, *, actor: str | None
) -> WriteResult:
    """Write one fact in a transaction of its own, and return what that did."""
    over = given.reference_time
    if given.assertion.kind == "was" and over is not None and over > utc_now():
        raise InputError(
            f"kind is 'was': it was over by reference_time {over.isoformat()}, which is still to "
            "come; leave it out, or give the planned end as invalid_at with kind 'state'"
        )
    writer = FactWriter(ingestion, group, "add_fact", actor=actor or "")
    plan = await writer.write([given])
    writer.warn()
    return WriteResult.by(plan)


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector away from what makes many values and no cycle of them.

    It would go through the values of a batch again and again: a sixth of the time of an import.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@dataclass(frozen=True, slots=True)
class PlannedAhead:
    """A transaction made ready before its turn, for a group that is then at event ``after``."""

    plan: Plan
    changes: ChangeSet
    after: int


@dataclass(slots=True)
class FactStream:
    """Batches for one group: one is planned and encoded while the one before is being written."""

    writer: FactWriter
    touched: dict[str, None] = field(default_factory=dict)
    """Entities whose summaries are to be made again."""
    _under_way: PlannedAhead | None = None
    _writing: asyncio.Task[Plan] | None = None

    async def add(self, batch: Sequence[GivenFact]) -> Plan | None:
        """Begin to write a batch, and return what the one before changed."""

        async def make(index: GroupIndex, under_way: Plan | None) -> Plan:
            return await self.writer.plan(batch, index, under_way=under_way)

        return await self._begin(make)

    async def settle(self) -> Plan | None:
        """Wait for the batch that is being written, and return what it changed."""
        writing, self._writing, self._under_way = self._writing, None, None
        if writing is None:
            return None
        done = await writing
        self.writer.violations += done.violations
        self.touched |= dict.fromkeys((*done.touched, *ends_of(done.repeated.values())))
        return done

    async def summarize(self) -> None:
        """Bring the summaries of all entities that were touched up to date."""
        await self.settle()
        touched = list(self.touched)
        for first in range(0, len(touched), _SUMMARIES):
            part = touched[first : first + _SUMMARIES]

            async def make(index: GroupIndex, _: Plan | None, part: Sequence[str] = part) -> Plan:
                updates = updated(part, index, {}, now=utc_now())
                return Plan(group=index.group_id, kind="summarize", summaries=updates)

            await self._begin(make)
        await self.settle()

    async def _begin(self, make: Make) -> Plan | None:
        before = self._under_way
        with uncollected():
            ahead = await self._ahead(make)
        done = await self.settle()
        if done is not (before and before.plan):
            ahead = None  # it was planned again, so this plan builds on what never was
        self._under_way = ahead
        left = asyncio.Event()
        self._writing = asyncio.create_task(self.writer.commit(make, ahead, left.set))
        self._writing.add_done_callback(lambda _: left.set())  # there was nothing to send
        await left.wait()  # from then on the engine works while the next batch is planned
        return done

    async def _ahead(self, make: Make) -> PlannedAhead | None:
        """Make a batch ready on top of the one that is being written, if that is known."""
        before = self._under_way
        if before is None and self._writing is not None:
            return None
        ingestion = self.writer.ingestion
        index = await ingestion.catalog.group(self.writer.group)
        after = before.after + bool(before.changes) if before else index.seq
        try:
            plan = await make(index, before.plan if before else None)
        except UndecidedError:
            return None
        changes = plan.changes()
        if changes:
            ingestion.writer.prepare(changes, after=after)
        return PlannedAhead(plan, changes, after)
