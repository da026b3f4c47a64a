"""What every command is given: where the graph is, and where its output goes."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGINT
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from graphrag.cli import serving_mark as serving
from graphrag.cli.forms import plain
from graphrag.display.visible import visible
from graphrag.errors import InputError, StoreError, StoreLockedError
from graphrag.settings import Settings

if TYPE_CHECKING:
    from graphrag.cli.config import Configured
    from graphrag.graph import GraphRAG
    from graphrag.store.target import Target

T = TypeVar("T")

PANEL = "Store and output"
STOPPED = 128 + SIGINT
"""Exit code of a command that Ctrl-C stopped, as shells have it."""
"""Where --help lists the options that all commands share."""
OpenGraph = Callable[[Settings], "GraphRAG"]

# A pipe has no width; rich would take 80 columns, which is too narrow for four.
_PIPE_WIDTH = 120
_PAUSE = 0.2
"""Seconds between two attempts to open a locked store: less is not felt."""


class Stopped(Exception):
    """Ctrl-C, with what became of the work."""


@dataclass(frozen=True, slots=True)
class Session:
    """One run of one command."""

    settings: Settings
    store_given: bool
    """True if the command line names the store, not the environment or a default."""
    group: str
    wait: float
    """Seconds to try again to open a store that another process has open."""
    json: bool
    debug: bool
    open_graph: OpenGraph
    out: Console
    err: Console
    configured: "Configured"
    """Where the settings are from."""
    _shown: list[RenderableType] = field(default_factory=list)

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
                    if served := serving.address_of(self.folder()):
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

    def show(self, *parts: RenderableType) -> None:
        """Print parts for people, with an empty line between them."""
        for part in parts:
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

    def answer(self, value: object, *parts: RenderableType, empty: str = "") -> None:
        """Print one JSON value if JSON is asked for, else parts for people.

        Instead of these ``empty`` is printed if it is given and there is nothing to show.
        """
        if self.json:
            self.show_json(value)
        else:
            self.show(*([Text(visible(empty))] if empty and not value else parts))

    def note(self, line: str) -> None:
        """Print one line to standard error."""
        self.err.print(Text(visible(line)), soft_wrap=True)


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
