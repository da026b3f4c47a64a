"""Write given facts: a few in one transaction, or many in batches with one transaction each.

While a batch is being written the next is planned, against the index and what is under way. If the
group was changed by someone else meanwhile, the plan is thrown away and made again.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.direct import FactPlanner, UndecidedError
from graphrag.ingest.fitting import Fitting, Placed, warn_of
from graphrag.ingest.given import End, GivenFact
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.ledger import Rules
from graphrag.ingest.plan import DirectPlan, SkippedRow
from graphrag.ingest.reports import WriteResult
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.protocols import traced
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import utc_now

_SUMMARIES = 2_000
"""Entities whose summaries one transaction brings up to date."""


@dataclass(slots=True)
class FactWriter:
    """Writes to one group."""

    ingestion: Ingestion
    group: str
    kind: str
    planner: FactPlanner
    actor: str = ""
    """Who does it; empty for whoever the graph was opened by."""
    violations: list[Placed] = field(default_factory=list)
    """What did not fit the ontology, until somebody is warned of it."""

    @classmethod
    def to(
        cls,
        ingestion: Ingestion,
        group: str,
        kind: str,
        *,
        judge: bool = True,
        once: bool = False,
        summarize: bool = True,
        skip: bool = False,
    ) -> "FactWriter":
        """Return a writer by the rules of a graph."""
        rules = Rules(ingestion.relations, ingestion.review_below, judge, once)
        return cls(
            ingestion,
            group,
            kind,
            FactPlanner(ingestion, rules, summarize, skip),
        )

    async def write(self, given: Sequence[GivenFact], extra: Sequence[End] = ()) -> DirectPlan:
        """Write facts and entities in one transaction, and return what that changed."""
        plan = DirectPlan(group=self.group)

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal plan
            plan = await self.plan(given, index, extra=extra)
            return plan.changes(self.kind, self.actor)

        def enter(index: GroupIndex, seq: int) -> None:
            plan.enter(index, seq)

        with traced(self.ingestion.tracer, "ingest", group=self.group) as note:
            await self.ingestion.writer.commit(self.group, build, enter=enter)
            note({"given": len(given), "facts": len(plan.facts)})
        self.violations += plan.violations
        return plan

    async def plan(
        self,
        given: Sequence[GivenFact],
        index: GroupIndex,
        *,
        extra: Sequence[End] = (),
        under_way: DirectPlan | None = None,
    ) -> DirectPlan:
        """Work out what facts change, after the ontology has had its say."""
        fitting = Fitting(index, self.ingestion, under_way)
        facts: list[GivenFact] = []
        skipped: list[SkippedRow] = []
        for fact in given:
            try:
                facts.append(fitting.fact(fact))
            except InputError as error:
                if not self.planner.skip:
                    raise
                skipped.append(SkippedRow.at(fact.place, error))
        plan = await self.planner.plan(
            facts, index, extra=[fitting.entity(end) for end in extra], under_way=under_way
        )
        plan.skipped = (*skipped, *plan.skipped)
        plan.violations = tuple(fitting.violations)
        return plan

    def warn(self) -> None:
        """Log what did not fit the ontology in all that was written since the last warning."""
        warn_of(self.group, self.violations)
        self.violations = []


async def write_fact(
    ingestion: Ingestion, group: str, given: GivenFact, *, actor: str | None
) -> WriteResult:
    """Write one fact in a transaction of its own, and return what that did."""
    over = given.reference_time
    if given.kind == "was" and over is not None and over > utc_now():
        raise InputError(
            f"kind is 'was': it was over by reference_time {over.isoformat()}, which is still to "
            "come; leave it out, or give the planned end as invalid_at with kind 'state'"
        )
    writer = FactWriter.to(ingestion, group, "add_fact")
    writer.actor = actor or ""
    plan = await writer.write([given])
    writer.warn()
    return WriteResult.by(plan)


Make = Callable[[GroupIndex, DirectPlan | None], Awaitable[DirectPlan]]
"""Plan a transaction against a group, and what is being written to it meanwhile."""


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
class _Ahead:
    """What was made ready before its turn, for a group that is then at event ``after``."""

    plan: DirectPlan
    changes: ChangeSet
    after: int


@dataclass(slots=True)
class Stream:
    """Batches for one group: one is planned and encoded while the one before is being written."""

    writer: FactWriter
    touched: dict[str, None] = field(default_factory=dict)
    """Entities whose summaries are to be made again."""
    _under_way: _Ahead | None = None
    """What is being written, if it is what was made ready."""
    _writing: asyncio.Task[DirectPlan] | None = None

    async def add(self, batch: Sequence[GivenFact]) -> DirectPlan | None:
        """Begin to write a batch, and return what the one before changed."""

        async def make(index: GroupIndex, under_way: DirectPlan | None) -> DirectPlan:
            return await self.writer.plan(batch, index, under_way=under_way)

        return await self._begin(make, self.writer.kind)

    async def settle(self) -> DirectPlan | None:
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
            some = touched[first : first + _SUMMARIES]

            async def make(
                index: GroupIndex, _: DirectPlan | None, some: Sequence[str] = some
            ) -> DirectPlan:
                updates = refreshed(some, index, {}, now=utc_now())
                return DirectPlan(group=index.group_id, summaries=updates)

            await self._begin(make, "summarize")
        await self.settle()

    async def _begin(self, make: Make, kind: str) -> DirectPlan | None:
        before = self._under_way
        with uncollected():
            ahead = await self._ahead(make, kind)
        done = await self.settle()
        if done is not (before and before.plan):
            ahead = None  # it was planned again, so this plan builds on what never was
        self._under_way = ahead
        left = asyncio.Event()
        self._writing = asyncio.create_task(self._write(make, kind, ahead, left))
        self._writing.add_done_callback(lambda _: left.set())  # there was nothing to send
        await left.wait()  # from then on the engine works while the next batch is planned
        return done

    async def _ahead(self, make: Make, kind: str) -> _Ahead | None:
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
        changes = plan.changes(kind)
        if changes:
            ingestion.writer.prepare(changes, after=after)
        return _Ahead(plan, changes, after)

    async def _write(
        self, make: Make, kind: str, ahead: _Ahead | None, left: asyncio.Event
    ) -> DirectPlan:
        plan = DirectPlan(group=self.writer.group)

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal plan
            if ahead is not None and index.seq == ahead.after:
                plan, changes = ahead.plan, ahead.changes
            else:
                plan = await make(index, None)
                changes = plan.changes(kind)
            changes.leaves = left.set
            return changes

        def enter(index: GroupIndex, seq: int) -> None:
            plan.enter(index, seq)

        ingestion, group = self.writer.ingestion, self.writer.group
        with traced(ingestion.tracer, "ingest", group=group) as note:
            await ingestion.writer.commit(group, build, enter=enter)
            note({"facts": len(plan.facts), "summaries": len(plan.summaries)})
        return plan
