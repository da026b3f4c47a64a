"""The files of a model's memory, each a note: viewed, created, edited, moved and deleted.

Answers and errors are worded as by the reference implementation of Anthropic's memory tool, which
models know. A folder is there as long as a file is in it.
"""

import posixpath
from collections.abc import Sequence

from graphrag.errors import InputError
from graphrag.graph import GraphRAG
from graphrag.integrations.access import Access
from graphrag.integrations.named_notes import Note, drop_note, note, notes, write_note

_ROOT = "/memories"


class MemoryFiles:
    """Files below ``/memories`` in one group of a graph."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def view(self, path: str, lines: Sequence[int] | None = None) -> str:
        """Return the numbered lines of a file, or what is up to two levels deep in a folder.

        Raises:
            InputError: if there is no such file or folder.
        """
        path = _checked(path)
        if (text := await self._text(path)) is not None:
            start, end = lines if lines is not None and len(lines) == 2 else (1, -1)
            start, rows = max(1, start), text.split("\n")
            return f"Here's the content of {path} with line numbers:\n" + _numbered(
                rows, start, len(rows) if end == -1 else end
            )
        inside = await self._inside(path)
        if not inside and path != _ROOT:
            raise InputError(f"The path {path} does not exist. Please provide a valid path.")
        sizes: dict[str, int] = {path: 0}
        for one in inside:
            steps = one.name.removeprefix(f"{path}/").split("/")
            if any(step.startswith(".") for step in steps):
                continue
            size = len(_said(one).encode())
            sizes[path] += size
            for depth in range(1, min(2, len(steps)) + 1):
                shown = f"{path}/{'/'.join(steps[:depth])}{'/' if depth < len(steps) else ''}"
                sizes[shown] = sizes.get(shown, 0) + size
        head = f"Here're the files and directories up to 2 levels deep in {path}, "
        rows = [f"{_size(size)}\t{shown}" for shown, size in sorted(sizes.items())]
        return "\n".join((f"{head}excluding hidden items:", *rows))

    async def create(self, path: str, text: str) -> str:
        """Make a file.

        Raises:
            InputError: if it is there already, or cannot be kept.
        """
        path = _checked(path)
        if path == _ROOT or await self._text(path) is not None or await self._inside(path):
            raise InputError(f"File {path} already exists")
        await self._write(path, text)
        return f"File created successfully at: {path}"

    async def replace(self, path: str, old: str, new: str) -> str:
        """Replace the only place where a file says something.

        Raises:
            InputError: if there is no such file, or no such place, or several.
        """
        path, text = await self._file(path)
        places = [at for at in range(len(text)) if old and text.startswith(old, at)]
        if not places:
            raise InputError(
                f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
            )
        numbers = [text[:at].count("\n") + 1 for at in places]
        if len(places) > 1:
            raise InputError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                f"{', '.join(map(str, numbers))}. Please ensure it is unique"
            )
        text = text.replace(old, new)
        await self._write(path, text)
        rows, [at] = text.split("\n"), numbers
        shown = _numbered(rows, max(1, at - 2), min(len(rows), at + 2))
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line "
            f"numbers):\n{shown}"
        )

    async def insert(self, path: str, line: int, text: str) -> str:
        """Put lines after a line of a file, 0 for its beginning.

        Raises:
            InputError: if there is no such file or line.
        """
        path, before = await self._file(path)
        rows = before.split("\n")
        rows = rows[:-1] if rows[-1] == "" else rows
        if not 0 <= line <= len(rows):
            raise InputError(
                f"Invalid `insert_line` parameter: {line}. It should be within the range "
                f"[0, {len(rows)}]."
            )
        rows.insert(line, text.rstrip("\n"))
        await self._write(path, "\n".join(rows) + "\n")
        return f"The file {path} has been edited."

    async def delete(self, path: str) -> str:
        """Remove a file, or a folder with all that is in it.

        Raises:
            InputError: if there is none, or it is the memory itself.
        """
        path = _checked(path, but_root="delete")
        for one in await self._all(path):
            await drop_note(self._writable(), one.name)
        return f"Successfully deleted {path}"

    async def rename(self, old: str, new: str) -> str:
        """Move a file or a folder.

        Raises:
            InputError: if there is none, or something is at the new place.
        """
        old, new = _checked(old, but_root="rename"), _checked(new)
        if await self._text(new) is not None or await self._inside(new):
            raise InputError(f"The destination {new} already exists")
        for one in await self._all(old):
            await self._write(new + one.name.removeprefix(old), _said(one))
            await drop_note(self._writable(), one.name)
        return f"Successfully renamed {old} to {new}"

    async def _text(self, path: str) -> str | None:
        found = await note(self._access.seen(self._access.graph), path)
        return None if found is None else _said(found)

    async def _file(self, path: str) -> tuple[str, str]:
        path = _checked(path)
        if (text := await self._text(path)) is not None:
            return path, text
        if await self._inside(path):
            raise InputError(f"The path {path} is not a file.")
        raise InputError(f"The path {path} does not exist. Please provide a valid path.")

    async def _inside(self, path: str) -> list[Note]:
        there = await notes(self._access.seen(self._access.graph))
        return [one for one in there if one.name.startswith(f"{path}/")]

    async def _all(self, path: str) -> list[Note]:
        """Return the file at a path, or those in the folder there."""
        there = await notes(self._access.seen(self._access.graph))
        found = [one for one in there if one.name == path or one.name.startswith(f"{path}/")]
        if not found:
            raise InputError(f"The path {path} does not exist")
        return found

    def _writable(self) -> GraphRAG:
        self._access.written()
        return self._access.graph

    async def _write(self, path: str, text: str) -> None:
        # An episode says something: of a file that does not, the path.
        plain = text.strip() and not text.startswith("\ufeff")
        value = None if plain else {"text": text}
        await write_note(
            self._writable(), path, text if text.strip() else path, value=value, source="memory"
        )


def _said(one: Note) -> str:
    return one.text if one.value is None else str(one.value["text"])


def _checked(path: str, but_root: str = "") -> str:
    """Return a path below the memory without dots and doubled slashes.

    Raises:
        InputError: if it is not, or is the memory itself where it may not be.
    """
    if path != _ROOT and not path.startswith(f"{_ROOT}/"):
        raise InputError(f"Path must start with {_ROOT}, got: {path}")
    plain = posixpath.normpath(path)
    if plain != _ROOT and not plain.startswith(f"{_ROOT}/"):
        raise InputError(f"Path {path} would escape {_ROOT} directory")
    if but_root and plain == _ROOT:
        raise InputError(f"Cannot {but_root} the {_ROOT} directory itself")
    return plain


def _numbered(rows: Sequence[str], start: int, end: int) -> str:
    """Return the lines from one number to another, each with its own."""
    return "\n".join(f"{at:6}\t{rows[at - 1]}" for at in range(start, min(end, len(rows)) + 1))


def _size(size: int) -> str:
    return f"{size}B" if size < 1024 else f"{size / 1024:.1f}K"
