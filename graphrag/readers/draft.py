"""An episode before its document gives it a name and a time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphrag.models import JSON, Source


@dataclass(frozen=True, slots=True)
class Draft:
    """What one part of a document says."""

    content: JSON
    label: str = ""
    """What to add to the document's name: `` [3/120]``, ``:17``; empty for a whole document."""
    time: datetime | None = None
    """Its own time, if it carries one."""
    source: Source | None = None
    metadata: Mapping[str, JSON] = field(default_factory=dict)
