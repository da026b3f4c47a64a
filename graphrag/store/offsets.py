"""Where in a file each record's frame is: sorted arrays, and what changed since they were sorted.

24 bytes a record; finding one takes a microsecond.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_NEWS = 50_000
"""Changed places from which they are sorted into the others."""
_PLACE = np.dtype([("hash", "<u8"), ("at", "<u8"), ("size", "<u4"), ("checksum", "<u4")])
_FRAME = ["at", "size", "checksum"]

Key = tuple[str, str]
"""Table and id of a record."""
Place = tuple[int, int, int]
"""Where a frame begins, its length in bytes, and its checksum."""
_GONE: Place = 0, 0, 0


class Places:
    """The places of frames by a hash of 64 bits of their record: who reads one compares that."""

    def __init__(self, data: bytes = b"") -> None:
        self._news: dict[int, Place] = {}
        self._set(np.frombuffer(data, _PLACE))

    def __len__(self) -> int:
        """Count the records."""
        return self._count

    def find(self, keys: Sequence[Key]) -> dict[Key, Place]:
        """Return the places of those records that have one."""
        found: dict[Key, Place] = {}
        for key, hashed, spot in zip(keys, *self._spots(keys), strict=True):
            place = self._place(hashed, spot)
            if place[1]:
                found[key] = place
        return found

    def enter(self, places: Sequence[tuple[Key, Place]]) -> None:
        """Note where the frames of records are now."""
        hashes, spots = self._spots([key for key, _ in places])
        for (_, place), hashed, spot in zip(places, hashes, spots, strict=True):
            before = self._place(hashed, spot)[1]
            self.live += place[1] - before
            self._count += not before
            self._news[hashed] = place
        if len(self._news) > max(_NEWS, len(self._sorted) // 4):
            self.sort()

    def drop(self, keys: Sequence[Key]) -> bool:
        """Let go of records; tell whether there was any of them."""
        before = self._count
        for hashed, spot in zip(*self._spots(keys), strict=True):
            size = self._place(hashed, spot)[1]
            if size:
                self.live -= size
                self._count -= 1
                self._news[hashed] = _GONE
        return self._count != before

    def sort(self) -> None:
        """Take what changed into the arrays."""
        if self._news:
            news = np.array([(key, *place) for key, place in self._news.items()], dtype=_PLACE)
            old = self._sorted[~np.isin(self._hashes, news["hash"])]
            both = np.concatenate([old, news[news["size"] > 0]])
            self._news.clear()
            self._set(both[np.argsort(both["hash"])])

    def in_order(self) -> list[Place]:
        """Return all places in the order of the file, sorted before."""
        ordered: list[Place] = np.sort(self._sorted, order="at")[_FRAME].tolist()
        return ordered

    def close_gaps(self) -> None:
        """Let the frames follow each other, in the order they have."""
        order = np.argsort(self._sorted["at"])
        moved = self._sorted.copy()
        sizes = moved["size"][order].astype(np.uint64)
        moved["at"][order] = np.cumsum(sizes) - sizes
        self._set(moved)

    def fit(self, length: int, longest: int) -> bool:
        """Tell whether all frames, sorted before, lie in so many bytes and none is longer."""
        ends = self._sorted["at"] + self._sorted["size"]
        return bool(
            (self._sorted["size"] <= longest).all()
            and (self._sorted["at"] <= length).all()
            and (ends <= length).all()
        )

    def as_bytes(self) -> bytes:
        """Return what ``Places(data)`` takes, sorted before."""
        return self._sorted.tobytes()

    def _set(self, places: npt.NDArray[Any]) -> None:
        self._sorted = places
        self._hashes = np.ascontiguousarray(places["hash"])  # what a search goes through
        self._count = len(places)
        self.live = int(places["size"].sum(dtype=np.int64))
        """Bytes of all frames."""

    def _spots(self, keys: Sequence[Key]) -> tuple[list[int], list[int]]:
        """Return the hashes of records, and where each would be among the sorted ones."""
        hashes = [hash_of(key) for key in keys]
        return hashes, np.searchsorted(self._hashes, np.array(hashes, dtype=np.uint64)).tolist()

    def _place(self, hashed: int, spot: int) -> Place:
        place = self._news.get(hashed)
        if place is None:
            if spot < len(self._hashes) and self._hashes[spot] == hashed:
                _, at, size, checksum = self._sorted[spot].item()
                return at, size, checksum
            return _GONE
        return place


def record_name(key: Key) -> bytes:
    """Return what a record is distinguished by."""
    return f"{key[0]}:{key[1]}\n".encode()


def hash_of(key: Key) -> int:
    """Return the hash of a record."""
    return int.from_bytes(hashlib.blake2b(record_name(key), digest_size=8).digest(), "little")
