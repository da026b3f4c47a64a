"""Write given facts: a few in one transaction, or many in batches with one transaction each.

While a batch is being written the next is planned, against the index and what is under way. If the
group was changed by someone else meanwhile, the plan is thrown away and made again.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from graphrag.direct.fit import fitted, fitted_entity
from graphrag.direct.given import End, GivenFact
from graphrag.direct.ledger import Rules
from graphrag.direct.plan import DirectPlan
from graphrag.direct.tell import Teller, UndecidedError
from graphrag.index.group import GroupIndex
from graphrag.ingest import Ingestion
from graphrag.store.changes import ChangeSet
from graphrag.summaries import ends_of, refreshed
from graphrag.temporal.moment import utc_now

_SUMMARIES = 2_000
"""Entities whose summaries one transaction brings up to date."""

Written = tuple[DirectPlan, int]
"""What was written, under which event number; 0 if there was nothing to write."""


@dataclass(slots=True)
class DirectWriter:
    """Writes to one group."""

    ingestion: Ingestion
    group: str
    kind: str
    teller: Teller

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
    ) -> "DirectWriter":
        """Return a writer by the rules of a graph."""
        rules = Rules(ingestion.relations, ingestion.review_below, judge, once)
        return cls(
            ingestion,
            group,
            kind,
            Teller(
                ingestion.store,
                ingestion.embedder,
                rules,
                ingestion.ontology.identifiers,
                summarize,
            ),
        )

    async def tell(self, given: Sequence[GivenFact], extra: Sequence[End] = ()) -> DirectPlan:
        """Write facts and entities in one transaction, and return what that changed."""
        plan = DirectPlan(self.group)

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal plan
            plan = await self.plan(given, index, extra=extra)
            return plan.changes(self.kind)

        def enter(index: GroupIndex, seq: int) -> None:
            plan.enter(index, seq)

        await self.ingestion.writer.commit(self.group, build, enter=enter)
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
        return await self.teller.plan(
            [fitted(one, index, self.ingestion) for one in given],
            index,
            extra=[fitted_entity(end, index, self.ingestion) for end in extra],
            under_way=under_way,
        )


@dataclass(slots=True)
class Stream:
    """Batches for one group, each planned while the one before is being written."""

    writer: DirectWriter
    touched: dict[str, None] = field(default_factory=dict)
    """Entities whose summaries are to be made again."""
    _plan: DirectPlan | None = None
    """What is being written, as it was planned."""
    _writing: asyncio.Task[Written] | None = None

    async def add(self, batch: Sequence[GivenFact]) -> DirectPlan | None:
        """Begin to write a batch, and return what the one before changed."""
        index = await self.writer.ingestion.catalog.group(self.writer.group)
        under_way, seen = self._plan, index.seq
        ahead: DirectPlan | None
        try:
            ahead = await self.writer.plan(batch, index, under_way=under_way)
        except UndecidedError:
            ahead = None
        done, seq = await self._settled()
        if done is not under_way:
            ahead = None  # it was planned again, so this plan builds on what never was
        self._plan = ahead
        self._writing = asyncio.create_task(self._write(batch, ahead, seq or seen))
        await asyncio.sleep(0)  # let the request leave before the next batch is planned
        return done

    async def settle(self) -> DirectPlan | None:
        """Wait for the batch that is being written, and return what it changed."""
        return (await self._settled())[0]

    async def _settled(self) -> tuple[DirectPlan | None, int]:
        writing, self._writing, self._plan = self._writing, None, None
        if writing is None:
            return None, 0
        done, seq = await writing
        self.touched |= dict.fromkeys((*done.touched, *ends_of(done.repeated.values())))
        return done, seq

    async def _write(
        self, batch: Sequence[GivenFact], ahead: DirectPlan | None, expected: int
    ) -> Written:
        plan = ahead or DirectPlan(self.writer.group)

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal plan
            if ahead is None or index.seq != expected:
                plan = await self.writer.plan(batch, index)
            return plan.changes(self.writer.kind)

        def enter(index: GroupIndex, seq: int) -> None:
            plan.enter(index, seq)

        seq = await self.writer.ingestion.writer.commit(self.writer.group, build, enter=enter)
        return plan, seq

    async def summarize(self) -> None:
        """Bring the summaries of all entities that were touched up to date."""
        touched = list(self.touched)
        for first in range(0, len(touched), _SUMMARIES):
            await self._summarize(touched[first : first + _SUMMARIES])

    async def _summarize(self, entities: Sequence[str]) -> None:
        changes = ChangeSet(self.writer.group, kind="summarize")

        async def build(index: GroupIndex) -> ChangeSet:
            changes.updates = refreshed(entities, index, {}, now=utc_now())
            return changes

        def enter(index: GroupIndex, seq: int) -> None:
            for update in changes.updates:
                index.summarize(update.id, update.after["summary"])
            index.seq = seq

        await self.writer.ingestion.writer.commit(self.writer.group, build, enter=enter)
