"""Many episodes in a stream: read ahead, written one by one.

With the rules the graph is the same as if they were added one by one: reading looks at the texts of
the episodes before, stored or not; planning happens in order, against everything written before.
What a model reads side by side may differ in the hints it was shown (``reads``).
"""

import time
from collections.abc import Callable, Sized
from contextlib import aclosing
from typing import Literal

from graphrag.errors import (
    BudgetExceededError,
    EmbeddingError,
    ExtractionError,
    GraphRAGError,
    InputError,
    PolicyError,
    TransactionError,
)
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.intake import NewEpisode
from graphrag.ingest.read_ahead import Read, reads
from graphrag.ingest.reports import Added, BatchReport, Failed, Progress
from graphrag.ingest.unread import add_known, keep_unread, read_and_add
from graphrag.ingest.windows import Stream

Episodes = Stream[NewEpisode]
OnError = Literal["stop", "skip"]

_OF_ONE = (InputError, EmbeddingError, ExtractionError, PolicyError, TransactionError)
"""Errors that say something of one episode; any other ends a batch."""


def checked_on_error(on_error: str) -> None:
    """Say what may be done about errors, if this may not.

    Raises:
        InputError: if it is neither.
    """
    if on_error not in ("stop", "skip"):
        raise InputError(f"on_error is 'stop' or 'skip', not {on_error!r}")


async def add_all(
    ingestion: Ingestion,
    episodes: Episodes,
    group: str,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    on_error: OnError = "stop",
) -> BatchReport:
    """Add episodes in order, each in its own transaction, and return what happened.

    Those that name no group are of ``group``.

    What was committed before an error or a crash stays; adding the same episodes again continues
    where it stopped.
    """
    checked_on_error(on_error)
    report = BatchReport()
    started = time.perf_counter()
    total = len(episodes) if isinstance(episodes, Sized) else None

    def stops(error: GraphRAGError) -> bool:
        return on_error == "stop" or not _of_one(error)

    async with aclosing(reads(ingestion, episodes, group, report.steps, stops)) as stream:
        async for read in stream:
            result = await _write(ingestion, read)
            report.seconds = time.perf_counter() - started
            if isinstance(result, Added):
                report.count(result)
            elif stops(result):
                raise result
            else:
                report.failed.append(Failed(report.done + 1, read.name, result))
            if on_progress is not None:
                last = result if isinstance(result, Added) else None
                failed = len(report.failed)
                on_progress(Progress(report.done, total, last, failed, report.seconds))
    report.seconds = time.perf_counter() - started
    return report


async def _write(ingestion: Ingestion, one: Read) -> Added | GraphRAGError:
    if one.error is not None:
        if one.episode is not None:
            await keep_unread(ingestion, one.episode, one.error)
        return one.error
    assert one.episode is not None
    try:
        known = one.known
        if known is None and one.extraction is None:
            known = await ingestion.known(one.episode)
        if known is not None:
            return await add_known(ingestion, known, one.episode)
        return await read_and_add(ingestion, one.episode, one.extraction)
    except GraphRAGError as error:
        return error


def _of_one(error: GraphRAGError) -> bool:
    return isinstance(error, _OF_ONE) and not isinstance(error, BudgetExceededError)
