"""A progress bar on standard error, and what it counted."""

import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    SpinnerColumn,
    TextColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text

if TYPE_CHECKING:
    from graphrag.health.repair import Reembedded
    from graphrag.ingest.batch import Progress
    from graphrag.ingest.direct_plan import ImportReport
    from graphrag.io.copy_group import CopyProgress

_NAME = 32


@dataclass(slots=True)
class _Drawn:
    """A bar on a terminal for as long as something goes on."""

    console: Console
    _bar: Bar = field(init=False, repr=False)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Remove the bar."""
        self._bar.stop()

    def _draw(
        self, first: str, *, total: int | None = None, bounded: bool = True, hidden: bool = False
    ) -> None:
        self._bar = Bar(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            *((BarColumn(), MofNCompleteColumn()) if bounded else ()),
            TextColumn("{task.fields[note]}"),
            console=self.console,
            transient=True,
            disable=hidden or not self.console.is_terminal,
        )
        self._bar.add_task(first, total=total, note="")
        self._bar.start()


@dataclass(slots=True)
class Counted(_Drawn):
    """Follow a batch of episodes; the bar is drawn on a terminal only."""

    total: int
    done: int = 0
    closed: int = 0
    """Older facts that ended because of what was added."""
    seconds: float = 0.0
    """Seconds until the last one was in, from the opening of the store."""
    waited: float = 0.0
    """Seconds until the first episode was in, most of which went into loading models."""
    rate: float = 0.0
    """Episodes a second after that one."""
    _started: float = 0.0

    def __enter__(self) -> "Counted":
        """Draw the bar."""
        self._draw("loading models", total=self.total)
        self._started = time.perf_counter()
        return self

    def __call__(self, progress: "Progress") -> None:
        """Count one more episode."""
        self.done = progress.done
        self.seconds = time.perf_counter() - self._started
        if progress.done == 1:
            self.waited = self.seconds
        elif self.seconds > self.waited:
            self.rate = (progress.done - 1) / (self.seconds - self.waited)
        shown = "skipped"
        if progress.last is not None:
            self.closed += sum(fact.expired_at is not None for fact in progress.last.changed)
            name = progress.last.episode.name
            shown = name if len(name) <= _NAME else name[: _NAME - 1] + "…"
        self._bar.update(
            self._bar.task_ids[0],
            completed=progress.done,
            description=escape(shown),
            note=_left(progress.eta),
        )


@dataclass(slots=True)
class Imported(_Drawn):
    """Follow imports, file by file; the rows are counted on a terminal only."""

    rows: int = 0
    """Rows of all files that are in the graph."""
    _before: int = 0

    def __enter__(self) -> "Imported":
        """Draw the counter."""
        self._draw("loading models", bounded=False)
        return self

    def begin(self, name: str) -> None:
        """Turn to the next file."""
        self._before = self.rows
        self._bar.update(self._bar.task_ids[0], description=escape(name), note="")

    def __call__(self, report: "ImportReport") -> None:
        """Count the rows of one more batch."""
        self.rows = self._before + report.rows
        note = f"{report.rows:,} rows, {report.rate:,.0f} a second"
        self._bar.update(self._bar.task_ids[0], note=note)


@dataclass(slots=True)
class Copied(_Drawn):
    """Follow a copy, table by table: a bar on a terminal, else a line when a table is done."""

    quiet: bool
    """Nothing is printed."""

    def __enter__(self) -> "Copied":
        """Draw the bar."""
        self._draw("copying", hidden=self.quiet)
        return self

    def __call__(self, progress: "CopyProgress") -> None:
        """Take in one more page."""
        rate = f"{progress.rate:,.0f} a second"
        self._bar.update(
            self._bar.task_ids[0],
            description=escape(progress.table),
            completed=progress.done,
            total=progress.total,
            note=rate,
        )
        if progress.done >= progress.total and not self.quiet:
            self.console.print(
                Text(f"{progress.table}: {progress.total:,} rows, {rate}"), soft_wrap=True
            )


@dataclass(slots=True)
class Embedded(_Drawn):
    """Follow a change of the embedder."""

    def __enter__(self) -> "Embedded":
        """Draw the bar."""
        self._draw("embedding")
        return self

    def __call__(self, progress: "Reembedded") -> None:
        """Take in some more vectors."""
        done, total = progress.done, progress.total
        self._bar.update(
            self._bar.task_ids[0], completed=done, total=total, note=_left(progress.eta)
        )


def _left(eta: float | None) -> str:
    # Windows of episodes end in bursts: the pace of the whole batch tells more than the last steps.
    return "" if eta is None else f"{timedelta(seconds=round(eta))} left"
