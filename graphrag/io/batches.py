"""Bulk loading of facts: one transaction a batch, a report, and known facts as a dictionary."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from graphrag.errors import EmbeddingError, GraphRAGError, InputError
from graphrag.ingest.fact_writer import FactStream, FactWriter, uncollected
from graphrag.ingest.given import End, GivenFact
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.plan import Plan, SkippedRow
from graphrag.ingest.reports import ImportReport
from graphrag.io.fact_rows import Columns, given_row
from graphrag.io.network import NetworkRows, is_network
from graphrag.io.tables import Rows, read_rows

Item = TypeVar("Item")
Loadable = GivenFact | SkippedRow
Report = Callable[[ImportReport], None]
Record = tuple[list[GivenFact], list[End]]
"""The facts of one contact or meeting, and the people that it may say nothing else of."""
_RECORDS = 200  # contacts or meetings of one transaction


async def load(
    facts: Iterable[Loadable],
    writer: FactWriter,
    *,
    batch: int,
    total: int | None = None,
    on_progress: Report | None = None,
    advice: str = "when this is put right",
) -> ImportReport:
    """Write facts in order, each batch whole or not at all; errors note how many rows are in."""
    if batch < 1:
        raise InputError(f"batch is {batch}: one transaction takes at least one row")
    stream, report, started = FactStream(writer), ImportReport(total=total), time.perf_counter()
    under_way = 0
    left_out: tuple[SkippedRow, ...] = ()  # rows of the batch under way that hold no fact

    def note(done: Plan | None) -> None:
        nonlocal report
        if done is None:
            return
        rows = under_way - len(done.skipped)
        done.skipped = (*left_out, *done.skipped)
        report = report.after(done, rows=rows, seconds=time.perf_counter() - started)
        if on_progress is not None:
            on_progress(report)

    try:
        for rows in _batches(facts, batch):
            stated = [row for row in rows if not isinstance(row, SkippedRow)]
            note(await stream.add(stated))
            under_way = len(stated)
            left_out = tuple(row for row in rows if isinstance(row, SkippedRow))
        note(await stream.settle())
        await stream.summarize()
    except GraphRAGError as error:
        note(await stream.settle())  # the batch before is whole, and stays
        if isinstance(error, InputError | EmbeddingError):
            await stream.summarize()
        error.add_note(
            f"{report.rows} rows are in the graph; import again {advice}: what is there is "
            "not added twice"
        )
        raise
    finally:
        note(await stream.settle())
        writer.warn()
    return report


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(items)
    while True:
        with uncollected():
            batch = list(islice(rest, size))
        if not batch:
            return
        yield batch


async def load_rows(
    rows: Rows,
    ingestion: Ingestion,
    group: str,
    columns: Columns | None,
    defaults: Mapping[str, Any] | None,
    judge: bool,
    batch: int,
    skip: bool,
    source: str | None,
    on_progress: Report | None,
) -> ImportReport:
    """Write the facts of a table or a network, as ``graph.load.facts`` is asked to."""
    writer = FactWriter(
        ingestion, group, "import_facts", judge=judge, once=True, summarize=False, skip=skip
    )
    total, entities = None, 0
    if is_network(rows):
        network = NetworkRows.of(rows, columns)
        ids: dict[Any, str] = {}
        rest = iter(network.nodes.items())
        while nodes := dict(islice(rest, batch)):
            plan = await writer.write([], list(nodes.values()))
            ids.update(zip(nodes, plan.extra, strict=True))
            entities += len(plan.entities)
        placed = network.rows(ids)
    else:
        placed = read_rows(rows, columns)
        total = len(rows) if isinstance(rows, Sized) and not isinstance(rows, str) else None
    dimension = ingestion.embedder.dimension

    def given() -> Iterator[Loadable]:
        for place, row in placed:
            try:
                yield given_row(row, place, source=source, dimension=dimension, defaults=defaults)
            except InputError as error:
                if not skip:
                    raise
                yield SkippedRow.at(place, error)

    advice = 'when this is put right, or with on_error="skip" (--on-error skip)'
    report = await load(
        given(), writer, batch=batch, total=total, on_progress=on_progress, advice=advice
    )
    return replace(report, entities=report.entities + entities)


async def tell_records(
    records: Iterable[Record], ingestion: Ingestion, group: str, kind: str
) -> ImportReport:
    """Write contacts or meetings."""
    writer = FactWriter(ingestion, group, kind, once=True)
    report, rest = ImportReport(), iter(records)
    try:
        while batch := list(islice(rest, _RECORDS)):
            facts = [fact for stated, _ in batch for fact in stated]
            plan = await writer.write(facts, [end for _, ends in batch for end in ends])
            report = report.after(plan, rows=len(batch), seconds=0.0)
    finally:
        writer.warn()
    return report


Known = Mapping[str, Mapping[str, Any]]
"""``{"Alice": {"works_at": "Acme", "likes": ["tea", {"object": "chess", "valid_at": "2024"}]}}``"""


async def seed(
    known: Known, ingestion: Ingestion, group: str, *, reference_time: Any, source: str | None
) -> ImportReport:
    """Write the facts of a dictionary in one transaction."""
    facts = list(_seeded(known, ingestion, reference_time=reference_time, source=source))
    writer = FactWriter(ingestion, group, "seed", once=True)
    return await load(facts, writer, batch=max(1, len(facts)), total=len(facts))


def _seeded(
    known: Known, ingestion: Ingestion, *, reference_time: Any, source: str | None
) -> Iterator[GivenFact]:
    """Yield the facts of a dictionary; an error names the subject and relation."""
    relations, dimension = ingestion.relations, ingestion.embedder.dimension
    for subject, stated in known.items():
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
