"""The groups of a search of several: what each sees, and what lies near something in any."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.errors import QueryError
from graphrag.index.group import GroupIndex
from graphrag.index.scope import Scope
from graphrag.protocols import Matrix
from graphrag.search.limits import known_here, limited, reach
from graphrag.search.request import Request
from graphrag.search.rewind import Past
from graphrag.search.visibility import Visible, visible
from graphrag.search.within import Reach, Within
from graphrag.temporal.interval import Viewpoint

if TYPE_CHECKING:
    from graphrag.search.query_time import When

TABLE_OF = {
    "facts": "relates_to",
    "entities": "entity",
    "episodes": "episode",
    "communities": "community",
}
TABLES = tuple(TABLE_OF.values())


@dataclass(frozen=True, slots=True)
class Part:
    """One of the groups."""

    index: GroupIndex
    past: Past

    def rows(self) -> dict[str, Scope]:
        """Return its columns by table."""
        return rows_of(self.index)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is searched for."""

    request: Request
    vector: Matrix
    viewpoint: Viewpoint
    now: datetime


def reached(within: Within, parts: Iterable[Part], asked: Asked) -> Reach:
    """Return what lies near in any group.

    Raises:
        QueryError: if something is nobody's name or id in all of them.
    """
    found, strange = Reach(), set(within.names)
    for part in parts:
        seen, _, _ = seen_of(part.index, part.past, asked)
        here = known_here(within, part.index, seen)
        if isinstance(here, Within):
            strange -= set(here.names)
            found |= reach(limited(here, part.index, seen), part.index)
    if strange:
        raise QueryError(
            f"within {min(strange)!r}: no entity has this name or id in groups "
            f"{asked.request.group}"
        )
    return found


def seen_of(index: GroupIndex, past: Past, asked: Asked) -> tuple[Visible, "When", datetime]:
    """Return what is visible at the time of the question, what it says of it, and the moment."""
    # Here, not above: it brings the grammar of dates.
    from graphrag.search.query_time import read_when

    view = asked.viewpoint
    at = view.valid_at or min(view.known_at or asked.now, asked.now)
    when = read_when(asked.request.query, at)
    return visible(index, view, past, now=asked.now, when=when), when, at


def rows_of(index: GroupIndex) -> dict[str, Scope]:
    """Return the columns of a group by table."""
    scopes = (index.facts, index.entities, index.episodes, index.communities)
    return dict(zip(TABLES, scopes, strict=True))
