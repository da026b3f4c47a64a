"""What every command is given: where the graph is, and where its output goes."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from signal import SIGINT
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from graphrag.cli.render import plain
from graphrag.display.visible import visible
from graphrag.errors import InputError, StoreError, StoreLockedError
from graphrag.settings import Settings

if TYPE_CHECKING:
    from graphrag.cli.config import Configured
    from graphrag.graph import GraphRAG
    from graphrag.store.target import Target

T = TypeVar("T")

STOPPED = 128 + SIGINT
"""Exit code of a command that Ctrl-C stopped, as shells have it."""
OpenGraph = Callable[[Settings], "GraphRAG"]

# A pipe has no width; rich would take 80 columns, which is too narrow for four.
_PIPE_WIDTH = 120
_PAUSE = 0.2
"""Seconds between two attempts to open a locked store: less is not felt."""
_SERVED = "served.json"
"""File in the folder of a store: where it is served, for who finds it locked."""


class Stopped(Exception):
    """Ctrl-C, with what became of the work."""


@dataclass(frozen=True, slots=True)
class Session:
    """One run of one command."""

    configured: "Configured"
    """The settings, and where each is from."""
    store_given: bool
    """True if the command line names the store, not the environment or a default."""
    group: str
    json: bool
    debug: bool
    open_graph: OpenGraph
    out: Console
    err: Console
    _shown: list[RenderableType] = field(default_factory=list)

    @property
    def settings(self) -> Settings:
        """Return the settings that hold."""
        return self.configured.settings

    @property
    def wait(self) -> float:
        """Return for how many seconds a store that another process has open is tried again."""
        return self.configured.wait

    def changed(self, origin: str, **settings: object) -> "Session":
        """Return a session with other settings, which are from ``origin``."""
        return replace(self, configured=self.configured.changed(origin, settings))

    @asynccontextmanager
    async def graph(self, doing: str = "", *, create: bool = False) -> AsyncIterator["GraphRAG"]:
        """Give the graph of the group, opened, and close it afterwards.

        Args:
            doing: What takes long: a status line says it meanwhile.
            create: Make an embedded store that is not there; otherwise that is an error.
        """
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
        """Return what an opening gives, tried again for ``--wait`` seconds while a store is locked.

        Raises:
            StoreLockedError: if it still is.
        """
        last = monotonic() + self.wait
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
                    if self.wait:
                        error.add_note(f"waited {self.wait:g} s for it")
                    if served := address_of(self.folder()):
                        error.add_note(
                            f"it is served at {served}: {served}/v1 answers (REST), and "
                            f"{served}/mcp has tools for agents"
                        )
                    raise
            await asyncio.sleep(min(left, _PAUSE))

    def target(self) -> "Target":
        """Return where the store is."""
        from graphrag.store.target import Target

        settings = self.settings
        return Target.parse(
            settings.store,
            user=settings.user,
            password=settings.password,
            token=settings.store_token,
            namespace=settings.namespace,
            database=settings.database,
        )

    def folder(self) -> Path | None:
        """Return the folder of an embedded store."""
        return self.target().path

    def size(self) -> int | None:
        """Return the bytes of an embedded store on disk."""
        folder = self.folder()
        if folder is None:
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
        """Print one JSON value if JSON is asked for, else parts for people.

        Args:
            value: What is printed as JSON.
            parts: What is printed for people, with an empty line between them.
            empty: Printed instead of these if the value is empty.
            failed: End the command with the exit code 1.
        """
        if self.json:
            self.show_json(value)
        else:
            self.show(*([Text(visible(empty))] if empty and not value else parts))
        if failed:
            raise typer.Exit(1)

    def note(self, line: str) -> None:
        """Print one line to standard error."""
        self.err.print(Text(visible(line)), soft_wrap=True)


@contextmanager
def noted(folder: Path | None, url: str) -> Iterator[None]:
    """Note where a store is served for as long as it is; a store that is no folder has no place."""
    if folder is None:
        yield
        return
    file = folder / _SERVED
    file.write_text(json.dumps({"url": url, "process": os.getpid()}), encoding="utf-8")
    file.chmod(0o600)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def address_of(folder: Path | None) -> str | None:
    """Return where a store is served, None if it is not, or whoever served it is gone."""
    try:
        note = json.loads((folder / _SERVED).read_text(encoding="utf-8")) if folder else None
        if note is None:
            return None
        os.kill(int(note["process"]), 0)
        return str(note["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


class VisibleConsole(Console):
    """A console whose text never steers the terminal, wherever it comes from."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render as rich does, with control characters in texts shown."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text), style)


def consoles() -> tuple[Console, Console]:
    """Return the consoles of standard output and standard error."""
    out = VisibleConsole(highlight=False)
    if not out.is_terminal:
        out = VisibleConsole(highlight=False, width=max(out.width, _PIPE_WIDTH))
    return out, VisibleConsole(stderr=True, highlight=False)
