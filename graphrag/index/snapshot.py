"""A group's columns in a file beside the store, so that opening need not read the tables again.

The file is a copy and never the truth: it is used only if the store's log still holds the event
that it was saved at, with the same moment; later events are read from the log; anything unexpected
means reading the tables. Deleting it costs one slow start.

Layout: a line of JSON, then two pickles (protocol 5), of the group and of the arrays of its terms,
then their large arrays, which are mapped into memory and read when they are used: private pages, so
that a row can be changed in place. The pickles may name the columns' own classes, numpy's arrays
and plain containers, and nothing else: a store that was given to you cannot run code by this file.
"""

import hashlib
import io
import json
import logging
import mmap
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag.index.entries import Sorted
from graphrag.index.group import GroupIndex
from graphrag.index.tables import scopes_of

_log = logging.getLogger(__name__)
_ALIGN = 64
_LARGE = 4096
"""Bytes from which an array is mapped and not copied."""
_AT_ONCE = 32 << 20
"""Bytes that are on their way to the disk at a time."""
_OURS = ("graphrag.index.", "graphrag.text.")
_UNREADABLE = (
    OSError, ValueError, TypeError, KeyError, AttributeError, EOFError, ImportError, IndexError
)  # fmt: skip
"""What reading a file that is cut short or not ours may raise."""
_PLAIN = frozenset(
    {
        ("builtins", "bytearray"),
        ("builtins", "frozenset"),
        ("builtins", "int"),
        ("builtins", "list"),
        ("builtins", "range"),
        ("builtins", "set"),
        ("collections", "Counter"),
        ("collections", "defaultdict"),
        ("collections", "deque"),
        ("numpy", "dtype"),
        ("numpy", "ndarray"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "scalar"),
        ("numpy._core.numeric", "_frombuffer"),
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy.core.multiarray", "scalar"),
        ("numpy.core.numeric", "_frombuffer"),
    }
)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file must agree on with the store that it is to stand for."""

    group: str
    seq: int
    """Number of the newest event that is in it."""
    at: int
    """System time of that event, in microseconds."""
    dimension: int
    code: str
    """Of which version of the columns it is."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A group as it was at one event, to be written while it goes on changing."""

    group: str
    seq: int
    pickled: bytes
    arrays: Sequence[memoryview]
    sortings: Sequence[Callable[[], Sorted]]
    """What makes the arrays of terms, for each of the scopes."""
    dropped: Event = field(default_factory=Event)
    """Set when it must not be written any more: something in it is to be forgotten."""


def copy_of(index: GroupIndex) -> Copy:
    """Copy a group that nothing is being written to; 1.5 µs a row, nothing else runs meanwhile.

    Not the vectors, nearly all of it: they are lent, and whoever changes one changes a copy.
    """
    scopes = scopes_of(index).values()
    lent = {_address(array) for scope in scopes for array in scope.vectors.lend()}
    arrays: list[memoryview] = []
    pickled = io.BytesIO()
    pickle.Pickler(pickled, protocol=5, buffer_callback=_apart(arrays)).dump(index)
    kept = [view if _address(view) in lent else memoryview(bytes(view)) for view in arrays]
    sortings = [scope.postings.sorting() for scope in scopes]
    return Copy(index.group_id, index.seq, pickled.getvalue(), kept, sortings)


def _apart(arrays: list[memoryview]) -> Callable[[pickle.PickleBuffer], bool]:
    """Return what collects the large arrays of a pickle, which are written after it."""

    def collect(buffer: pickle.PickleBuffer) -> bool:
        view = buffer.raw()
        if view.nbytes < _LARGE:
            return True
        arrays.append(view)
        return False

    return collect


def _address(array: npt.ArrayLike) -> int:
    return int(np.asarray(array).__array_interface__["data"][0])


class SavedGroups:
    """The files of one store."""

    def __init__(self, folder: Path, *place: str) -> None:
        self._folder = folder
        self._place = place
        """What tells stores in one folder apart: their namespace and database."""

    def write(self, copy: Copy, at: int, dimension: int) -> None:
        """Write a copy as its group's file, whole or not at all; on any thread.

        Raises:
            OSError: if the disk refuses.
        """
        built = io.BytesIO()
        arrays = list(copy.arrays)
        pickle.Pickler(built, protocol=5, buffer_callback=_apart(arrays)).dump(
            [sorting() for sorting in copy.sortings]
        )
        stamp = Stamp(copy.group, copy.seq, at, dimension, code_version())
        head = {
            "stamp": _as_json(stamp),
            "pickles": [len(copy.pickled), built.tell()],
            "arrays": [view.nbytes for view in arrays],
        }
        path = self._path(copy.group)
        path.parent.mkdir(exist_ok=True)
        partial = path.with_suffix(".partial")
        with partial.open("wb") as file:
            file.write(json.dumps(head).encode() + b"\n")
            file.write(copy.pickled)
            file.write(built.getbuffer())
            for view in arrays:
                file.write(b"\0" * (-file.tell() % _ALIGN))
                for start in range(0, view.nbytes, _AT_ONCE):
                    if copy.dropped.is_set():
                        break
                    file.write(view[start : start + _AT_ONCE])
                    # Whoever commits meanwhile waits for little of this.
                    file.flush()
                    os.fsync(file.fileno())
        if copy.dropped.is_set():
            partial.unlink()
        else:
            partial.replace(path)

    def stamp(self, group: str, dimension: int) -> Stamp | None:
        """Return the stamp of a group's file, None if there is none of this version."""
        try:
            with self._path(group).open("rb") as file:
                stamp = Stamp(**json.loads(file.readline())["stamp"])
        except (OSError, ValueError, TypeError, KeyError):
            return None
        right = stamp.group == group and stamp.dimension == dimension
        return stamp if right and stamp.code == code_version() else None

    def load(self, group: str) -> GroupIndex | None:
        """Return a group from its file, None if it cannot be read."""
        try:
            with self._path(group).open("rb") as file:
                first = file.readline()
                head = json.loads(first)
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
            view, at, pickles, arrays = memoryview(mapped), len(first), [], []
            for size in head["pickles"]:
                pickles.append(io.BytesIO(view[at : at + size]))
                at += size
            for size in head["arrays"]:
                at += -at % _ALIGN
                arrays.append(view[at : at + size])
                at += size
            if at != len(view):
                return None
            left = iter(arrays)
            index, built = (_Reader(pickled, left).load() for pickled in pickles)
            if not isinstance(index, GroupIndex) or index.group_id != group:
                return None
            for scope, entries in zip(scopes_of(index).values(), built, strict=True):
                scope.postings.take(entries)
        except (*_UNREADABLE, pickle.UnpicklingError) as error:
            _log.info("the columns of group %r beside the store are of no use: %s", group, error)
            return None
        return index

    def discard(self, group: str) -> None:
        """Delete a group's file, if there is one, and what is left of one half written."""
        for path in (self._path(group), self._path(group).with_suffix(".partial")):
            path.unlink(missing_ok=True)

    def _path(self, group: str) -> Path:
        name = hashlib.sha256("\0".join((*self._place, group)).encode()).hexdigest()
        return self._folder / f"{name[:32]}.columns"


class _Reader(pickle.Unpickler):
    """Read what ``save`` writes, and nothing that could do more than hold values."""

    def __init__(self, file: io.BytesIO, arrays: Iterator[memoryview]) -> None:
        super().__init__(file, buffers=arrays)

    def find_class(self, module_name: str, name: str) -> Any:
        found = None
        if (module_name, name) in _PLAIN:
            found = super().find_class(module_name, name)
        elif module_name.startswith(_OURS):
            found = super().find_class(module_name, name)
            if not isinstance(found, type) or found.__module__ != module_name:
                found = None
        if found is None:
            raise pickle.UnpicklingError(f"{module_name}.{name} has no place in saved columns")
        return found


def _as_json(stamp: Stamp) -> Mapping[str, str | int]:
    return {
        "group": stamp.group,
        "seq": stamp.seq,
        "at": stamp.at,
        "dimension": stamp.dimension,
        "code": stamp.code,
    }


@cache
def code_version() -> str:
    """Return a name for the layout of the columns: it changes with their code, and with numpy."""
    code = hashlib.sha256(f"{sys.version_info[:2]} {np.__version__}".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        code.update(path.read_bytes())
    return code.hexdigest()
