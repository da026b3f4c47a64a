"""What a row holds beyond plain values: the id of a record, and JSON's null.

``None`` means "no value" (SurrealDB's NONE: the field is absent); a null inside attributes or
metadata is a value of its own and must come back as one.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any


@dataclass(frozen=True, slots=True)
class Record:
    """A pointer to one record; the key is a string, or a list for composite ids."""

    table: str
    id: Any

    def __str__(self) -> str:
        """Return ``table:id``."""
        return f"{self.table}:{self.id}"


class Null(Enum):
    """JSON's null, as a value."""

    NULL = None


NULL = Null.NULL
