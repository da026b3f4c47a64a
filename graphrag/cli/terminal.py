"""Session of a command: where the graph is, where the output goes, and progress bars."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from signal import SIGINT
from time import monotonic
from typing import TYPE_CHECKING, Any, Self, TypeVar

import typer
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.text import Text

from graphrag.cli.config import Configured, address_of
from graphrag.cli.render import plain
from graphrag.display.visible import cut, visible
from graphrag.errors import InputError, StoreError, StoreLockedError
from graphrag.settings import Settings

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG
    from graphrag.ingest.reports import ImportReport
    from graphrag.ingest.reports import Progress as BatchProgress
    from graphrag.io.transfer import CopyProgress
    from graphrag.store.target import Target

T = TypeVar("T")

STOPPED = 128 + SIGINT  # exit code of a command that Ctrl-C stopped, as shells have it
OpenGraph = Callable[[Settings], "GraphRAG"]

_PAUSE = 0.2  # seconds between two attempts to open a locked store: less is not felt
_NAME = 32


class Stopped(Exception):
    """Ctrl-C, with what became of the work."""


@dataclass(frozen=True, slots=True)
class CommandRun:
    """One run of one command."""

    configured: Configured  # the settings, and where each is from
    store_given: bool  # True if the command line names the store, not the environment or a default
    group: str
    json: bool
    debug: bool
    open_graph: OpenGraph
    out: Console
    err: Console
    _shown: list[RenderableType] = field(default_factory=list)

    @property
    def settings(self) -> Settings:
        """Return the settings in force."""
        return self.configured.settings

    def changed(self, origin: str, **settings: object) -> "CommandRun":
        """Return a session with other settings, which are from ``origin``."""
        return replace(self, configured=self.configured.changed(origin, settings))

    @asynccontextmanager
    async def graph(self, doing: str = "", *, create: bool = False) -> AsyncIterator["GraphRAG"]:
        """Open the graph of the group; without ``create`` a missing embedded store is an error."""
        path = self.folder()
        if not create and path is not None and not path.exists():
            raise StoreError(
                f"there is no store at {path}: add something to it first, "
                "or name another with --store"
            )
        # Who reads a group that is not there has mistyped its name.
        graph = self.open_graph(self.settings).group(self.group, strict=not create)
        with self.busy(doing):
            await self.unlocked(graph.__aenter__)
            try:
                yield graph
            finally:
                await graph.close()

    async def unlocked(self, opening: Callable[[], Awaitable[T]]) -> T:
        """Open a store, and try again for ``--wait`` seconds while it is locked."""
        wait = self.configured.wait
        last = monotonic() + wait
        while True:
            try:
                return await opening()
            except InputError as error:
                if (named := self.settings.embedder) and repr(named) in str(error):
                    origin = self.configured.origins.get("embedder", "the settings")
                    error.add_note(f"it is named by {origin}")
                raise
            except StoreLockedError as error:
                left = last - monotonic()
                if left <= 0:
                    if wait:
                        error.add_note(f"waited {wait:g} s for it")
                    if served := address_of(self.folder()):
                        doors = f"REST at {served}/v1, tools at {served}/mcp"
                        error.add_note(f"it is served at {served}: {doors}")
                    raise
            await asyncio.sleep(min(left, _PAUSE))

    def target(self) -> "Target":
        """Return where the store is."""
        from graphrag.store.target import Target

        return Target.parse(self.settings.store, **self.settings.access)

    def folder(self) -> Path | None:
        """Return the folder of an embedded store."""
        return self.target().path

    def size(self) -> int | None:
        """Return the bytes of an embedded store on disk."""
        if (folder := self.folder()) is None:
            return None
        return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())

    def busy(self, what: str) -> AbstractContextManager[object]:
        """Show a status line while something slow happens, on a terminal only."""
        return self.err.status(what) if what and self.err.is_terminal else nullcontext()

    def show(self, *parts: RenderableType | None) -> None:
        """Print parts for people, with an empty line between them; None is left out."""
        for part in parts:
            if part is None:
                continue
            if self._shown:
                self.out.print()
            # A line is left for the terminal to wrap, so that a command in it can be copied.
            self.out.print(part, soft_wrap=isinstance(part, Text))
            self._shown.append(part)

    def show_json(self, value: Any) -> None:
        """Print one JSON value."""
        text = visible(json.dumps(plain(value), ensure_ascii=False, indent=2))
        if self.out.is_terminal:
            self.out.print_json(text, ensure_ascii=False)
        else:
            self.out.file.write(text + "\n")

    def answer(
        self, value: object, *parts: RenderableType | None, empty: str = "", failed: bool = False
    ) -> None:
        """Print the value as JSON if asked for, else the parts (``empty`` if there is no value)."""
        if self.json:
            self.show_json(value)
        else:
            self.show(*([Text(visible(empty))] if empty and not value else parts))
        if failed:
            raise typer.Exit(1)

    def note(self, line: str) -> None:
        """Print one line to standard error."""
        self.err.print(Text(visible(line)), soft_wrap=True)


@dataclass(slots=True)
class Bar:
    """Progress of one task on standard error, drawn on a terminal only, and what it counts."""

    console: Console
    title: str
    total: int | None = None  # None for a task of unknown length
    quiet: bool = False
    done: int = 0  # episodes or rows that are in the graph
    tokens: int = 0  # tokens of a language model
    closed: int = 0  # older facts that new episodes closed
    seconds: float = 0.0  # seconds from the opening of the store to the last episode
    waited: float = 0.0  # seconds to the first episode, most of which went into loading models
    rate: float = 0.0  # episodes a second after that one
    before: int = 0  # rows of the files before this one
    _started: float = field(default_factory=monotonic)
    _drawn: Progress = field(init=False, repr=False)

    def __enter__(self) -> Self:
        self._drawn = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            console=self.console,
            transient=True,
            disable=self.quiet or not self.console.is_terminal,
        )
        self._drawn.add_task(self.title, total=self.total, note="")
        self._drawn.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._drawn.stop()

    def update(
        self,
        done: int | None = None,
        total: int | None = None,
        *,
        title: str | None = None,
        eta: float | None = None,
        note: str = "",
    ) -> None:
        """Show the progress, with the remaining time or a note."""
        self._drawn.update(
            self._drawn.task_ids[0],
            description=None if title is None else escape(title),
            completed=done,
            total=total,
            note=note if eta is None else f"{timedelta(seconds=round(eta))} left{note}",
        )

    def episode(self, progress: "BatchProgress") -> None:
        """Count one more episode of a batch."""
        self.done = progress.done
        self.seconds = monotonic() - self._started
        if progress.done == 1:
            self.waited = self.seconds
        elif self.seconds > self.waited:
            self.rate = (progress.done - 1) / (self.seconds - self.waited)
        title = "skipped"
        if progress.last is not None:
            self.closed += sum(fact.expired_at is not None for fact in progress.last.changed)
            title = cut(progress.last.episode.name, _NAME)
            self.tokens += progress.last.usage.tokens if progress.last.usage else 0
        note = f", {self.tokens:,} tokens" if self.tokens else ""
        # Windows of episodes end in bursts: the pace of the batch tells more than the last steps.
        self.update(progress.done, title=title, eta=progress.eta, note=note)

    def times(self) -> dict[str, str | None]:
        """Return the times of a batch as rows of a table."""
        return {
            "seconds": f"{self.seconds:.1f}",
            "  models and first episode": f"{self.waited:.1f}",
            "episodes a second, after it": f"{self.rate:.1f}" if self.rate else None,
        }

    def times_form(self) -> dict[str, float | None]:
        """Return the times of a batch as JSON."""
        return {
            "seconds": round(self.seconds, 3),
            "seconds_until_first_episode": round(self.waited, 3),
            "episodes_per_second": round(self.rate, 1) or None,
        }

    def page(self, progress: "CopyProgress") -> None:
        """Count one more page of a copy; off a terminal each finished table is printed."""
        rate = f"{progress.rate:,.0f} a second"
        self.update(progress.done, progress.total, title=progress.table, note=rate)
        if progress.done >= progress.total and not self.quiet:
            words = f"{progress.table}: {progress.total:,} rows, {rate}"
            self.console.print(Text(words), soft_wrap=True)

    def file(self, name: str) -> None:
        """Turn to the next file of an import."""
        self.before = self.done
        self.update(title=name)

    def rows(self, report: "ImportReport") -> None:
        """Count the rows of one more batch of that file."""
        self.done = self.before + report.rows
        self.update(self.done, note=f"{report.rows:,} rows, {report.rate:,.0f} a second")
