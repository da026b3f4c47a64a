"""Bulk loading of facts: one transaction a batch, a report, and known facts as a dictionary."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeVar

from graphrag.errors import EmbeddingError, GraphRAGError, InputError
from graphrag.ingest.fact_stream import Stream, uncollected
from graphrag.ingest.fact_writer import FactWriter
from graphrag.ingest.fitting import supposed
from graphrag.ingest.given import End, GivenFact
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.plan import Plan, SkippedRow
from graphrag.ingest.reports import ImportReport
from graphrag.io.fact_rows import Columns, Placed, given_row
from graphrag.io.network import NetworkRows, is_network
from graphrag.io.tables import Rows, read_rows
from graphrag.model.checks import shown
from graphrag.ontology.relations import Relations

Item = TypeVar("Item")
Loadable = GivenFact | SkippedRow
Report = Callable[[ImportReport], None]
Record = tuple[list[GivenFact], list[End]]
"""The facts of one contact or meeting, and the people that it may say nothing else of."""
_RECORDS = 200
"""Contacts or meetings of one transaction."""


def skipping(rows: Iterable[Placed], given: Callable[[Placed], GivenFact]) -> Iterator[Loadable]:
    """Yield the fact of each row, or why it has none."""
    for placed in rows:
        try:
            yield given(placed)
        except InputError as error:
            yield SkippedRow.at(placed[0], error)


async def load(
    facts: Iterable[Loadable],
    writer: FactWriter,
    *,
    batch: int,
    total: int | None = None,
    on_progress: Report | None = None,
    advice: str = "when this is put right",
) -> ImportReport:
    """Write facts in their order, and return what happened.

    Raises:
        GraphRAGError: for a fact that cannot be stated or written; nothing of its batch is written,
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
        if isinstance(error, InputError | EmbeddingError):
            await loading.stream.summarize()
        error.add_note(
            f"{loading.report.rows} rows are in the graph; import again {advice}: what is there is "
            "not added twice"
        )
        raise
    finally:
        await loading.settle()
        writer.warn()
    return loading.report


@dataclass(slots=True)
class _Loading:
    stream: Stream
    report: ImportReport
    on_progress: Report | None
    started: float = field(default_factory=time.perf_counter)
    under_way: int = 0
    skipped: tuple[SkippedRow, ...] = ()
    """Rows of the batch under way that hold no fact."""

    async def add(self, batch: Sequence[Loadable]) -> None:
        facts = [one for one in batch if not isinstance(one, SkippedRow)]
        self._note(await self.stream.add(facts))
        self.under_way = len(facts)
        self.skipped = tuple(
            skipped_row for skipped_row in batch if isinstance(skipped_row, SkippedRow)
        )

    async def settle(self) -> None:
        self._note(await self.stream.settle())

    def _note(self, done: Plan | None) -> None:
        if done is None:
            return
        seconds = time.perf_counter() - self.started
        rows = self.under_way - len(done.skipped)
        done.skipped = (*self.skipped, *done.skipped)
        self.report = self.report.after(done, rows=rows, seconds=seconds)
        if self.on_progress is not None:
            self.on_progress(self.report)


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(items)
    while True:
        with uncollected():
            some = list(islice(rest, size))
        if not some:
            return
        yield some


async def load_rows(
    rows: Rows,
    ingestion: Ingestion,
    group: str,
    *,
    columns: Columns | None,
    defaults: Mapping[str, Any] | None,
    judge: bool,
    batch: int,
    skip: bool,
    source: str | None,
    on_progress: Report | None,
) -> ImportReport:
    """Write the facts of a table or a network, as ``graph.load.facts`` is asked to."""
    writer = FactWriter.to(
        ingestion, group, "import_facts", judge=judge, once=True, summarize=False, skip=skip
    )
    total, entities = None, 0
    if is_network(rows):
        network = NetworkRows.of(rows, columns)
        ids, entities = await network.write_nodes(writer, batch)
        placed = network.rows(ids)
    else:
        placed = read_rows(rows, columns)
        total = len(rows) if isinstance(rows, Sized) and not isinstance(rows, str) else None
    dimension = ingestion.embedder.dimension

    def given(one: Placed) -> GivenFact:
        place, row = one
        return given_row(row, place, source=source, dimension=dimension, defaults=defaults)

    facts = skipping(placed, given) if skip else map(given, placed)
    advice = 'when this is put right, or with on_error="skip" (--on-error skip)'
    report = await load(
        facts, writer, batch=batch, total=total, on_progress=on_progress, advice=advice
    )
    return replace(report, entities=report.entities + entities)


async def tell_records(
    records: Iterable[Record], ingestion: Ingestion, group: str, kind: str
) -> ImportReport:
    """Write contacts or meetings, whose types give way to those that the relations declare."""
    writer = FactWriter.to(ingestion, group, kind, once=True)
    report, rest = ImportReport(), iter(records)
    try:
        while some := list(islice(rest, _RECORDS)):
            facts = [supposed(fact, ingestion.ontology) for stated, _ in some for fact in stated]
            plan = await writer.write(facts, [end for _, ends in some for end in ends])
            report = report.after(plan, rows=len(some), seconds=0.0)
    finally:
        writer.warn()
    return report


Known = Mapping[str, Mapping[str, Any]]
"""``{"Alice": {"works_at": "Acme", "likes": ["tea", {"object": "chess", "valid_at": "2024"}]}}``"""


async def seed(
    known: Known, ingestion: Ingestion, group: str, *, reference_time: Any, source: str | None
) -> ImportReport:
    """Write the facts of a dictionary in one transaction."""
    dimension = ingestion.embedder.dimension
    stated = seeded(
        known,
        ingestion.relations,
        reference_time=reference_time,
        source=source,
        dimension=dimension,
    )
    facts = list(stated)
    writer = FactWriter.to(ingestion, group, "seed", once=True)
    return await load(facts, writer, batch=max(1, len(facts)), total=len(facts))


def seeded(
    known: Known, relations: Relations, *, reference_time: Any, source: str | None, dimension: int
) -> Iterator[GivenFact]:
    """Yield the facts of a dictionary.

    Raises:
        InputError: naming the subject and relation that cannot be used.
    """
    if not isinstance(known, Mapping):
        raise InputError(f"{shown(known)} is no dictionary of subjects: use load.facts for rows")
    for subject, stated in known.items():
        if not isinstance(stated, Mapping):
            raise InputError(
                f"{shown(subject)}: expected relations and objects, got {shown(stated)}"
            )
        for relation, value in stated.items():
            objects = list(value) if isinstance(value, list | tuple | set) else [value]
            starts = set()
            for object_ in objects:
                row = dict(object_) if isinstance(object_, Mapping) else {"object": object_}
                row |= {"subject": subject, "relation": relation}
                if "valid_at" not in row:  # what began then is not what was so
                    row.setdefault("reference_time", reference_time)
                given = given_row(
                    row, f"{subject} {relation}: ", source=source, dimension=dimension
                )
                if relations[given.relation].single_valued and given.valid_at in starts:
                    raise InputError(
                        f"{subject} {relation}: it has one value at a time, and several are given "
                        "with the same start: give each its own valid_at"
                    )
                starts.add(given.valid_at)
                yield given
