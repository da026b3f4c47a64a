"""What forgetting is asked for, and what it did."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

from graphrag.errors import InputError
from graphrag.models import Entity, Event

Texts = Literal["erase", "keep"]
"""What becomes of the episodes that name what is forgotten."""


class Whole(Enum):
    """The entity that is given when there is none: all of the group."""

    WHOLE = "whole group"

    def __repr__(self) -> str:
        """Show it as it is written."""
        return self.name


WHOLE: Final = Whole.WHOLE


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was erased."""

    group: str
    records: Mapping[str, int]
    """Erased rows by table; of a whole group also its ``event`` rows."""
    event: Event | None = None
    """What the log keeps: that something was forgotten, and when. None for a whole group, and for
    what was only counted.
    """


def checked(entity: Entity | str | Whole, group: str | None, episodes: str) -> None:
    """Refuse what is not a clear wish: nothing of this can be taken back.

    Raises:
        InputError: saying what is missing.
    """
    if episodes not in ("erase", "keep"):
        raise InputError(f"episodes is 'erase' or 'keep', not {episodes!r}")
    if entity is None:  # a look-up that found nothing must not take the group along
        raise InputError("there is no entity to forget: it is None, so nothing bears that name")
    if entity is WHOLE and group is None:
        raise InputError("say what to forget: an entity, or group='NAME' for a whole group")
    if entity is WHOLE and episodes == "keep":
        raise InputError("a whole group is forgotten with its episodes: leave out episodes='keep'")
