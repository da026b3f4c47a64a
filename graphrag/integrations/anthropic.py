"""Backend for Claude's memory tool: files are stored as dated, versioned episodes.

When a file is edited, facts that only its old text stated are retracted; ``known_at`` still shows
them. Answers and errors are worded as in Anthropic's reference implementation, which models know. A
folder exists as long as it contains a file.
"""

import posixpath
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from graphrag.errors import InputError, MissingExtraError
from graphrag.graph import GraphRAG
from graphrag.integrations.access import Access, AnyGraph
from graphrag.integrations.recall import Note, drop_note, note, notes, write_note
from graphrag.temporal.moment import Moment

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.anthropic", "anthropic") from error

_ROOT = "/memories"


class _MemoryFiles:
    """Files below ``/memories`` in one group, with the commands of the tool as methods.

    What cannot be done is an ``InputError``.
    """

    def __init__(self, access: Access) -> None:
        self._access = access

    async def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Return the numbered lines of a file, or what is up to two levels deep in a folder."""
        path = _checked(path)
        if (text := await self._text(path)) is not None:
            start, end = view_range if view_range and len(view_range) == 2 else (1, -1)
            start, rows = max(1, start), text.split("\n")
            return f"Here's the content of {path} with line numbers:\n" + _numbered(
                rows, start, len(rows) if end == -1 else end
            )
        inside = await self._inside(path)
        if not inside and path != _ROOT:
            raise InputError(f"The path {path} does not exist. Please provide a valid path.")
        sizes: dict[str, int] = {path: 0}
        for file in inside:
            steps = file.name.removeprefix(f"{path}/").split("/")
            if any(step.startswith(".") for step in steps):
                continue
            size = len(_text_of(file).encode())
            sizes[path] += size
            for depth in range(1, min(2, len(steps)) + 1):
                shown = f"{path}/{'/'.join(steps[:depth])}{'/' if depth < len(steps) else ''}"
                sizes[shown] = sizes.get(shown, 0) + size
        head = f"Here're the files and directories up to 2 levels deep in {path}, "
        rows = [f"{_size(size)}\t{shown}" for shown, size in sorted(sizes.items())]
        return "\n".join((f"{head}excluding hidden items:", *rows))

    async def create(self, path: str, file_text: str) -> str:
        """Make a file."""
        path = _checked(path)
        if path == _ROOT or await self._text(path) is not None or await self._inside(path):
            raise InputError(f"File {path} already exists")
        await self._write(path, file_text)
        return f"File created successfully at: {path}"

    async def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        """Replace the only place where a file says something."""
        path, text = await self._file(path)
        places = [at for at in range(len(text)) if old_str and text.startswith(old_str, at)]
        if not places:
            raise InputError(
                f"No replacement was performed, old_str `{old_str}` did not appear verbatim in "
                f"{path}."
            )
        numbers = [text[:at].count("\n") + 1 for at in places]
        if len(places) > 1:
            raise InputError(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in "
                f"lines: {', '.join(map(str, numbers))}. Please ensure it is unique"
            )
        text = text.replace(old_str, new_str)
        await self._write(path, text)
        rows, [at] = text.split("\n"), numbers
        shown = _numbered(rows, max(1, at - 2), min(len(rows), at + 2))
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line "
            f"numbers):\n{shown}"
        )

    async def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Put lines after a line of a file, 0 for its beginning."""
        path, before = await self._file(path)
        rows = before.split("\n")
        rows = rows[:-1] if rows[-1] == "" else rows
        if not 0 <= insert_line <= len(rows):
            raise InputError(
                f"Invalid `insert_line` parameter: {insert_line}. It should be within the range "
                f"[0, {len(rows)}]."
            )
        rows.insert(insert_line, insert_text.rstrip("\n"))
        await self._write(path, "\n".join(rows) + "\n")
        return f"The file {path} has been edited."

    async def delete(self, path: str) -> str:
        """Remove a file, or a folder with all that is in it."""
        path = _checked(path, but_root="delete")
        for file in await self._all(path):
            await drop_note(self._writable(), file.name)
        return f"Successfully deleted {path}"

    async def rename(self, old_path: str, new_path: str) -> str:
        """Move a file or a folder."""
        old, new = _checked(old_path, but_root="rename"), _checked(new_path)
        if await self._text(new) is not None or await self._inside(new):
            raise InputError(f"The destination {new} already exists")
        for file in await self._all(old):
            await self._write(new + file.name.removeprefix(old), _text_of(file))
            await drop_note(self._writable(), file.name)
        return f"Successfully renamed {old} to {new}"

    async def _text(self, path: str) -> str | None:
        file = await note(self._access.view, path)
        return None if file is None else _text_of(file)

    async def _file(self, path: str) -> tuple[str, str]:
        path = _checked(path)
        if (text := await self._text(path)) is not None:
            return path, text
        if await self._inside(path):
            raise InputError(f"The path {path} is not a file.")
        raise InputError(f"The path {path} does not exist. Please provide a valid path.")

    async def _inside(self, path: str) -> list[Note]:
        return [file for file in await notes(self._access.view) if file.name.startswith(f"{path}/")]

    async def _all(self, path: str) -> list[Note]:
        files = await notes(self._access.view)
        inside = [file for file in files if f"{file.name}/".startswith(f"{path}/")]
        if not inside:
            raise InputError(f"The path {path} does not exist")
        return inside

    def _writable(self) -> GraphRAG:
        self._access.written()
        return self._access.graph

    async def _write(self, path: str, text: str) -> None:
        # An episode says something: of a file that does not, the path.
        plain = text.strip() and not text.startswith("\ufeff")
        value = None if plain else {"text": text}
        said = text if text.strip() else path
        await write_note(self._writable(), path, said, value=value, source="memory")


def _text_of(file: Note) -> str:
    return file.text if file.value is None else str(file.value["text"])


def _checked(path: str, but_root: str = "") -> str:
    if path != _ROOT and not path.startswith(f"{_ROOT}/"):
        raise InputError(f"Path must start with {_ROOT}, got: {path}")
    plain = posixpath.normpath(path)
    if plain != _ROOT and not plain.startswith(f"{_ROOT}/"):
        raise InputError(f"Path {path} would escape {_ROOT} directory")
    if but_root and plain == _ROOT:
        raise InputError(f"Cannot {but_root} the {_ROOT} directory itself")
    return plain


def _numbered(rows: Sequence[str], start: int, end: int) -> str:
    return "\n".join(f"{at:6}\t{rows[at - 1]}" for at in range(start, min(end, len(rows)) + 1))


def _size(size: int) -> str:
    return f"{size}B" if size < 1024 else f"{size / 1024:.1f}K"


class _MemoryTool:
    def __init__(
        self, graph: AnyGraph, *, valid_at: Moment | None = None, known_at: Moment | None = None
    ) -> None:
        """Wrap a graph.

        Args:
            graph: One group for each user; the blocking client takes the blocking graph.
            valid_at: Show only files written by then.
            known_at: Show files as they were then. With either moment, the tool is read-only.

        Raises:
            TimeError: if a moment cannot be read.
        """
        super().__init__()
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._files = _MemoryFiles(self._access)

    async def _answer(self, command: Any) -> str:
        """Run a command of the tool; a mistake of the model is told to it, so that it can retry."""
        given = {name: getattr(command, name) for name in type(command).model_fields}
        work: Callable[..., Awaitable[str]] = getattr(self._files, given.pop("command"))
        try:
            return await work(**given)
        except InputError as error:
            raise ToolError(str(error)) from error


class GraphMemoryTool(_MemoryTool, BetaAbstractMemoryTool):
    """Memory tool for ``client.beta.messages.run_tools``: files are notes of one group."""

    def _run(self, command: Any) -> str:
        return self._access.waited(self._answer(command))

    view = create = str_replace = insert = delete = rename = _run


class AsyncGraphMemoryTool(_MemoryTool, BetaAsyncAbstractMemoryTool):
    """Memory tool for the asynchronous client."""

    async def _run(self, command: Any) -> str:
        return await self._access.awaited(self._answer(command))

    view = create = str_replace = insert = delete = rename = _run
