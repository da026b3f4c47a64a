"""Record ids: UUIDv7 strings, so that ids sort by the moment they were made (RFC 9562)."""

import os
import threading
import time
from uuid import NAMESPACE_OID, uuid5

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


def derived_id(*parts: str) -> str:
    """Return the id that follows from others, the same in every process; it does not sort."""
    return str(uuid5(NAMESPACE_OID, "\0".join(parts)))
