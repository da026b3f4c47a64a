"""Many facts in batches, each in a transaction: one is planned while the one before is written.

It is planned against the index and what is under way. If the group was changed by someone else
meanwhile, the plan is thrown away and made again.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from graphrag.index.group import GroupIndex
from graphrag.ingest.fact_writer import FactWriter, UndecidedError
from graphrag.ingest.given import GivenFact
from graphrag.ingest.plan import Plan
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.protocols import traced
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import utc_now

_SUMMARIES = 2_000
"""Entities whose summaries one transaction brings up to date."""
Make = Callable[[GroupIndex, Plan | None], Awaitable[Plan]]
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

    plan: Plan
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
                updates = refreshed(part, index, {}, now=utc_now())
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
        self._writing = asyncio.create_task(self._write(make, ahead, left))
        self._writing.add_done_callback(lambda _: left.set())  # there was nothing to send
        await left.wait()  # from then on the engine works while the next batch is planned
        return done

    async def _ahead(self, make: Make) -> _Ahead | None:
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
        return _Ahead(plan, changes, after)

    async def _write(self, make: Make, ahead: _Ahead | None, left: asyncio.Event) -> Plan:
        plan = Plan(group=self.writer.group, kind=self.writer.kind)

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal plan
            if ahead is not None and index.seq == ahead.after:
                plan, changes = ahead.plan, ahead.changes
            else:
                plan = await make(index, None)
                changes = plan.changes()
            changes.leaves = left.set
            return changes

        def enter(index: GroupIndex, seq: int) -> None:
            plan.enter(index, seq)

        ingestion, group = self.writer.ingestion, self.writer.group
        with traced(ingestion.tracer, "ingest", group=group) as note:
            await ingestion.writer.commit(group, build, enter=enter)
            note({"facts": len(plan.facts), "summaries": len(plan.summaries)})
        return plan
