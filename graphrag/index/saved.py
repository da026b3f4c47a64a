"""A group's columns in a file beside the store, so that opening need not read the tables again.

The file is a copy and never the truth: it is used only if the store's log still holds the event
that it was saved at, with the same moment; later events are read from the log; anything unexpected
means reading the tables. Deleting it costs one slow start.

Layout: a line of JSON, then a pickle (protocol 5), then its large arrays, which are mapped into
memory and read when they are used: private pages, so that a row can be changed in place. The pickle
may name the columns' own classes, numpy's arrays and plain containers, and nothing else: a store
that was given to you cannot run code by this file.
"""

import hashlib
import io
import json
import mmap
import os
import pickle
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from graphrag.index.group import GroupIndex

_ALIGN = 64
_LARGE = 4096
"""Bytes from which an array is mapped and not copied."""
_OURS = "graphrag.index."
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


class SavedGroups:
    """The files of one store."""

    def __init__(self, folder: Path, *place: str) -> None:
        self._folder = folder
        self._place = place
        """What tells stores in one folder apart: their namespace and database."""

    def save(self, index: GroupIndex, at: int, dimension: int) -> None:
        """Write a group's file, whole or not at all.

        Raises:
            OSError: if the disk refuses.
        """
        arrays: list[memoryview] = []

        def apart(buffer: pickle.PickleBuffer) -> bool:
            view = buffer.raw()
            if view.nbytes < _LARGE:
                return True
            arrays.append(view)
            return False

        pickled = io.BytesIO()
        pickle.Pickler(pickled, protocol=5, buffer_callback=apart).dump(index)
        stamp = Stamp(index.group_id, index.seq, at, dimension, code_version())
        head = {
            "stamp": _as_json(stamp),
            "pickle": pickled.tell(),
            "arrays": [view.nbytes for view in arrays],
        }
        path = self._path(index.group_id)
        path.parent.mkdir(exist_ok=True)
        partial = path.with_suffix(".partial")
        with partial.open("wb") as file:
            file.write(json.dumps(head).encode() + b"\n")
            file.write(pickled.getbuffer())
            for view in arrays:
                file.write(b"\0" * (-file.tell() % _ALIGN))
                file.write(view)
            file.flush()
            os.fsync(file.fileno())
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
            view, at = memoryview(mapped), len(first) + head["pickle"]
            arrays = []
            for size in head["arrays"]:
                at += -at % _ALIGN
                arrays.append(view[at : at + size])
                at += size
            if at != len(view):
                return None
            pickled = view[len(first) : len(first) + head["pickle"]]
            index = _Reader(io.BytesIO(pickled), arrays).load()
        except (*_UNREADABLE, pickle.UnpicklingError):
            return None
        return index if isinstance(index, GroupIndex) and index.group_id == group else None

    def discard(self, group: str) -> None:
        """Delete a group's file, if there is one."""
        for path in (self._path(group), self._path(group).with_suffix(".partial")):
            path.unlink(missing_ok=True)

    def _path(self, group: str) -> Path:
        name = hashlib.sha256("\0".join((*self._place, group)).encode()).hexdigest()
        return self._folder / f"{name[:32]}.columns"


class _Reader(pickle.Unpickler):
    """Read what ``save`` writes, and nothing that could do more than hold values."""

    def __init__(self, file: io.BytesIO, arrays: Sequence[memoryview]) -> None:
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
