"""How far a copy is, and how fast it goes."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True, slots=True)
class CopyProgress:
    """How far a copy is."""

    table: str
    """What is copied now; ``rows of TABLE`` while those are derived that the engine profile
    searches, and the name of an index when it was built."""
    done: int
    """Rows of it that are there."""
    total: int
    rate: float = 0.0
    """Rows a second, since this run began with it."""


class Pace:
    """Tell somebody of each page."""

    def __init__(self, on_progress: Callable[[CopyProgress], None] | None) -> None:
        self._on_progress = on_progress
        self._table = ""
        self._rows = 0
        self._begun = self._last = perf_counter()

    def told(self, table: str, page: int, done: int, total: int) -> None:
        """Take in one more page of a table, of which now so many rows are there."""
        if self._on_progress is None:
            return
        if table != self._table:
            self._table, self._rows, self._begun = table, 0, self._last
        self._rows += page
        self._last = perf_counter()
        rate = self._rows / max(self._last - self._begun, 1e-6)
        self._on_progress(CopyProgress(table, done, total, rate))
