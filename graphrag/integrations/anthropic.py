"""The graph as the backend of Claude's memory tool: its files are read, dated and kept for good.

A file that is edited loses what it no longer says: those facts are retracted, and ``known_at``
still shows them.
"""

from collections.abc import Coroutine
from typing import Any

from typing_extensions import override

from graphrag.errors import InputError, MissingExtraError
from graphrag.integrations.access import Access, AnyGraph
from graphrag.integrations.memory_files import MemoryFiles
from graphrag.temporal.moment import Moment

try:
    from anthropic.lib.tools import (
        BetaAbstractMemoryTool,
        BetaAsyncAbstractMemoryTool,
        ToolError,
    )
    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.anthropic", "anthropic") from error


class _Memory:
    """What both tools keep."""

    def __init__(
        self,
        graph: AnyGraph,
        *,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> None:
        """Take a graph.

        Args:
            graph: A group for each user; the blocking client takes the blocking one.
            valid_at: Files that were written by then.
            known_at: Files as they were then; with a moment they are only read.

        Raises:
            TimeError: if a moment cannot be read.
        """
        super().__init__()
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._files = MemoryFiles(self._access)


class GraphMemoryTool(_Memory, BetaAbstractMemoryTool):
    """Memory for ``client.beta.messages.run_tools``: files are notes of one group."""

    @override
    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return self._done(self._files.view(command.path, command.view_range))

    @override
    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return self._done(self._files.create(command.path, command.file_text))

    @override
    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return self._done(self._files.replace(command.path, command.old_str, command.new_str))

    @override
    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return self._done(
            self._files.insert(command.path, command.insert_line, command.insert_text)
        )

    @override
    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return self._done(self._files.delete(command.path))

    @override
    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return self._done(self._files.rename(command.old_path, command.new_path))

    def _done(self, work: Coroutine[Any, Any, str]) -> str:
        if not self._access.both_ways:
            return self._access.waited(work)
        try:
            return self._access.waited(work)
        except InputError as error:  # the model is told, and can try again
            raise ToolError(str(error)) from error


class AsyncGraphMemoryTool(_Memory, BetaAsyncAbstractMemoryTool):
    """The same for the asynchronous client."""

    @override
    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await self._done(self._files.view(command.path, command.view_range))

    @override
    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await self._done(self._files.create(command.path, command.file_text))

    @override
    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await self._done(self._files.replace(command.path, command.old_str, command.new_str))

    @override
    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await self._done(
            self._files.insert(command.path, command.insert_line, command.insert_text)
        )

    @override
    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await self._done(self._files.delete(command.path))

    @override
    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await self._done(self._files.rename(command.old_path, command.new_path))

    async def _done(self, work: Coroutine[Any, Any, str]) -> str:
        try:
            return await self._access.awaited(work)
        except InputError as error:  # the model is told, and can try again
            raise ToolError(str(error)) from error
