"""The id of a record: a table's name and a key inside it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Record:
    """A pointer to one record; the key is a string, or a list for composite ids."""

    table: str
    id: Any

    def __str__(self) -> str:
        """Return ``table:id``."""
        return f"{self.table}:{self.id}"
