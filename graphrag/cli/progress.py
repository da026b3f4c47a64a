"""Progress bars on standard error, and what they counted."""

import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.text import Text

if TYPE_CHECKING:
    from graphrag.ingest.reports import ImportReport
    from graphrag.ingest.reports import Progress as BatchProgress
    from graphrag.io.transfer import CopyProgress

_NAME = 32


@dataclass(slots=True)
class Bar:
    """A bar that is drawn on a terminal only, for as long as something goes on."""

    console: Console
    title: str
    total: int | None = None
    bounded: bool = True
    """False for what is counted without an end."""
    quiet: bool = False
    """Nothing is drawn or printed."""
    _drawn: Progress = field(init=False, repr=False)

    def __enter__(self) -> Self:
        """Draw the bar."""
        self._drawn = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            *((BarColumn(), MofNCompleteColumn()) if self.bounded else ()),
            TextColumn("{task.fields[note]}"),
            console=self.console,
            transient=True,
            disable=self.quiet or not self.console.is_terminal,
        )
        self._drawn.add_task(self.title, total=self.total, note="")
        self._drawn.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Remove the bar."""
        self._drawn.stop()

    def update(
        self,
        *,
        title: str | None = None,
        done: int | None = None,
        total: int | None = None,
        eta: float | None = None,
        note: str = "",
    ) -> None:
        """Show how far it is, with the time that is left or a note."""
        self._drawn.update(
            self._drawn.task_ids[0],
            description=None if title is None else escape(title),
            completed=done,
            total=total,
            note=note if eta is None else f"{timedelta(seconds=round(eta))} left",
        )


@dataclass(slots=True)
class EpisodeBar(Bar):
    """Count the episodes of a batch."""

    done: int = 0
    closed: int = 0
    """Older facts that ended because of what was added."""
    seconds: float = 0.0
    """Seconds until the last one was in, from the opening of the store."""
    waited: float = 0.0
    """Seconds until the first episode was in, most of which went into loading models."""
    rate: float = 0.0
    """Episodes a second after that one."""
    _started: float = field(default_factory=time.perf_counter)

    def __call__(self, progress: "BatchProgress") -> None:
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
        # Windows of episodes end in bursts: the pace of the batch tells more than the last steps.
        self.update(title=shown, done=progress.done, eta=progress.eta)


@dataclass(slots=True)
class CopyBar(Bar):
    """Follow a copy, table by table; off a terminal a line is printed when a table is done."""

    def __call__(self, progress: "CopyProgress") -> None:
        """Take in one more page."""
        rate = f"{progress.rate:,.0f} a second"
        self.update(title=progress.table, done=progress.done, total=progress.total, note=rate)
        if progress.done >= progress.total and not self.quiet:
            words = f"{progress.table}: {progress.total:,} rows, {rate}"
            self.console.print(Text(words), soft_wrap=True)


@dataclass(slots=True)
class RowBar(Bar):
    """Count the rows of imported files."""

    rows: int = 0
    """Rows of all files that are in the graph."""
    _before: int = 0

    def begin(self, name: str) -> None:
        """Turn to the next file."""
        self._before = self.rows
        self.update(title=name)

    def __call__(self, report: "ImportReport") -> None:
        """Count the rows of one more batch."""
        self.rows = self._before + report.rows
        self.update(note=f"{report.rows:,} rows, {report.rate:,.0f} a second")
