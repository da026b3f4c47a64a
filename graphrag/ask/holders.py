"""Who came before or after whom in a post that several hold at once.

Of one holder at a time the next is who began next. Of several the one who began last before A may
still be there when A comes: A's predecessors are then those whose spell ended last, at or before
A's beginning, and A's successors those who began first, at or after A's end.
"""

from collections.abc import Sequence
from typing import Final

from graphrag.ask.lookup import CannotAnswer
from graphrag.ask.world import Line, by_start
from graphrag.index.group import BEGINNING

_HANDOVER: Final = 31 * 86_400_000_000
"""What two may overlap by and hold a post one after the other: a month of handing over."""


def held_together(lines: Sequence[Line]) -> bool:
    """Tell whether different holders of one thing hold it at one time."""
    last: Line | None = None
    for line in by_start(lines):
        if last is not None and line.subject != last.subject:
            if min(last.end, line.end) - line.start > _HANDOVER:
                return True
        if last is None or line.end > last.end:
            last = line
    return False


def next_holders(
    link: str, others: Sequence[Line], anchors: Sequence[Line], now: int
) -> tuple[list[Line], str]:
    """Return the spells next to some, in a post of several holders, and what was done in words.

    Raises:
        CannotAnswer: if the beginning or end that it depends on is not known, or yet to come.
    """
    if link == "before":
        start = anchors[0].start
        if start == BEGINNING:
            raise CannotAnswer("several hold it at once, and no beginning is known")
        over = [line for line in others if line.end <= start]
        last = max((line.end for line in over), default=0)
        kept = [line for line in over if line.end == last]
        return kept, "several hold it at once: those whose spell ended last before the beginning"
    end = anchors[-1].end
    if end > now:
        raise CannotAnswer("several hold it at once, and no end is known")
    later = [line for line in others if line.start >= end]
    first = min((line.start for line in later), default=0)
    kept = [line for line in later if line.start == first]
    return kept, "several hold it at once: those who began first after the end"
