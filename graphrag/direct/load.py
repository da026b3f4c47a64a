"""Load many facts: batches with one transaction each, and a report of what they did."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from graphrag.direct.given import GivenFact
from graphrag.direct.plan import DirectPlan
from graphrag.direct.told import ImportReport
from graphrag.direct.write import DirectWriter, Stream
from graphrag.errors import GraphRAGError, InputError

Item = TypeVar("Item")
Report = Callable[[ImportReport], None]


async def load(
    facts: Iterable[GivenFact],
    writer: DirectWriter,
    *,
    batch: int,
    total: int | None = None,
    on_progress: Report | None = None,
) -> ImportReport:
    """Write facts in their order, and return what happened.

    Raises:
        GraphRAGError: for a fact that cannot be told or written; nothing of its batch is written,
            and a note says how many rows are in the graph.
    """
    if batch < 1:
        raise InputError(f"batch is {batch}: one transaction takes at least one row")
    loading = _Loading(Stream(writer), ImportReport(total=total), on_progress)
    try:
        for some in _batches(facts, batch):
            await loading.add(some)
        await loading.settle()
        await loading.stream.summarize()
    except GraphRAGError as error:
        await loading.settle()  # the batch before is whole, and stays
        if isinstance(error, InputError):
            await loading.stream.summarize()
        error.add_note(
            f"{loading.report.rows} rows are in the graph; import again when this is put right: "
            "what is there is not told twice"
        )
        raise
    finally:
        await loading.settle()
    return loading.report


@dataclass(slots=True)
class _Loading:
    stream: Stream
    report: ImportReport
    on_progress: Report | None
    started: float = field(default_factory=time.perf_counter)
    under_way: int = 0

    async def add(self, batch: Sequence[GivenFact]) -> None:
        self._note(await self.stream.add(batch))
        self.under_way = len(batch)

    async def settle(self) -> None:
        self._note(await self.stream.settle())

    def _note(self, done: DirectPlan | None) -> None:
        if done is None:
            return
        seconds = time.perf_counter() - self.started
        self.report = self.report.after(done, rows=self.under_way, seconds=seconds)
        if self.on_progress is not None:
            self.on_progress(self.report)


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
