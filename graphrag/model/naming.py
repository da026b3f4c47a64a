"""Names of an entity with the time in which each was used: "Globex, renamed Initech in 2021".

An entity keeps the name under which it was first stored, and every other one as an alias. Which of
them is shown follows from what was said of its names, for the moment that is asked about.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from graphrag.model.assertion import BEGINNING, FOREVER, Date

Naming = Literal["name", "former", "nickname", "alias"]
"""A proper ``name`` from then on, a ``former`` one until then; a ``nickname`` or another ``alias``
never is shown instead of a proper name."""


@dataclass(frozen=True, slots=True)
class EntityName:
    """What one source says of one name of an entity."""

    name: str
    kind: Naming = "name"
    since: Date | None = None
    """When it came into use; None if nobody said."""
    until: Date | None = None
    """The first moment at which it was no longer the name."""
    at: datetime | None = None
    """Reference time of the text: by then it was so."""
    source: str = ""
    """Id of the episode; empty for a table or a person."""

    @property
    def start(self) -> int:
        """Return from when on it was the name, in microseconds, as far as is known."""
        if self.since is not None:
            return self.since.start
        return BEGINNING if self.at is None else Date(self.at).start

    @property
    def end(self) -> int:
        """Return from when on it was the name no longer."""
        if self.until is not None:
            return self.until.start
        if self.kind != "former" or self.at is None:
            return FOREVER
        return Date(self.at).start

    def __str__(self) -> str:
        """Write the name and its time: ``Initech (since 2021)``."""
        times = [f"since {_written(self.since)}"] if self.since else []
        times += [f"until {_written(self.until)}"] if self.until else []
        said = ", ".join(times) or ("former" if self.kind == "former" else "")
        return f"{self.name} ({said})" if said else self.name


def name_at(first: str, names: Sequence[EntityName], moment: int) -> str:
    """Return the proper name at a moment, in microseconds; ``first`` is the one it is stored by.

    The name that came into use last before then, as long as nobody says that it was given up; of a
    time before all of them, the former name that was given up first after it.
    """
    if not names:
        return first
    proper = [(one.start, one.name) for one in names if one.kind == "name"]
    own = [start for start, name in proper if name.casefold() == first.casefold()]
    held = [
        (start, name)
        for start, name in [*proper, (min(own, default=BEGINNING), first)]
        if start <= moment and not any(start < end <= moment for end in _ends(name, names))
    ]
    if held:
        return max(held)[1]
    later = [
        (one.end, one.name)
        for one in names
        if one.kind in ("name", "former") and moment < one.end < FOREVER
    ]
    return min(later)[1] if later else first


def _ends(name: str, names: Sequence[EntityName]) -> Iterable[int]:
    return (one.end for one in names if one.name.casefold() == name.casefold())


def latest_first(name: str, aliases: Iterable[str], names: Sequence[EntityName]) -> tuple[str, ...]:
    """Return all names of an entity, the latest proper one first, which is an alias mostly.

    If it is, it stands twice, and the one that the entity is stored by is the second.
    """
    shown = name_at(name, names, FOREVER - 1)
    return (name, *aliases) if shown == name else (shown, name, *aliases)


def stored_by(called: Sequence[str]) -> str:
    """Return the name that an entity is stored by, of names as ``latest_first`` has them."""
    return called[1] if called[0] in called[1:] else called[0]


def _written(date: Date) -> str:
    text = date.moment.isoformat()
    widths = {"year": 4, "month": 7, "day": 10, "exact": 10}
    return text[: widths[date.precision]]
