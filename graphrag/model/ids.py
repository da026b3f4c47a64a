"""Record ids: UUIDv7 strings, so that ids sort by the moment they were made (RFC 9562)."""

import os
import re
import threading
import time
from hashlib import blake2b
from uuid import NAMESPACE_OID, uuid5

UUID7 = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3})-([0-9a-f]{4})-([0-9a-f]{12})")
RANDOM = (1 << 62) - 1  # the bits of an id that are neither its moment nor its kind
_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """Return a fresh UUIDv7; within one process later calls give larger ids."""
    global _last
    with _lock:
        # 48 bits of milliseconds, 12 bits of fraction; pushed forward when the clock stands still.
        _last = max(time.time_ns() * 4096 // 1_000_000, _last + 1)
        stamp = _last
    random = int.from_bytes(os.urandom(8)) & ((1 << 62) - 1)
    value = (stamp >> 12) << 80 | 7 << 76 | (stamp & 0xFFF) << 64 | 2 << 62 | random
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def made_at(id_: str) -> int:
    """Return the moment at which a fresh id was made, in microseconds; the millisecond's first."""
    found = UUID7.fullmatch(id_)
    return int(found[1].replace("-", "")[:12], 16) * 1000 if found else 0


def derived_id(id_: str, name: str) -> str:
    """Return the id that follows from another and a name, the same in every process.

    It sorts as the other does. ``masked`` ids follow from masked ones: in a copy of a group with
    ids of its own, what followed from what follows still.
    """
    mask = int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) & RANDOM or 1
    return (
        masked(id_, mask) if UUID7.fullmatch(id_) else str(uuid5(NAMESPACE_OID, f"{id_}\0{name}"))
    )


def masked(text: str, mask: int) -> str:
    """Return an id, or what is made of several, with other bits where they are random."""

    def other(found: re.Match[str]) -> str:
        random = f"{(int(found[2] + found[3], 16) ^ mask) & ((1 << 64) - 1):016x}"
        return f"{found[1]}-{random[:4]}-{random[4:]}"

    return UUID7.sub(other, text)
