"""Who came before or after whom: "who succeeded A as B", "A's predecessor", "what followed B".

Of one holder at a time the next is who began next. Of several the one who began last before A may
still be there when A comes: A's predecessors are then those whose spell ended last, at or before
A's beginning, and A's successors those who began first, at or after A's end.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from graphrag.ask.asked import Asked, Clause, Link
from graphrag.ask.lookup import CannotAnswer
from graphrag.ask.segments import place_of, shape_of
from graphrag.ask.world import Line, by_start
from graphrag.index.group import BEGINNING

_CAME: Final = r"(?:came|come|comes) (?:right |just |next |directly |immediately |straight )?"
_SUCCEED: Final = re.compile(
    r"\b(?:succeed|succeeds|succeeded|follow|follows|followed|replace|replaces|replaced|successor|"
    r"succeeding|following|supersede|superseded|took over|take over|"
    rf"{_CAME}after)\b"
)
_PRECEDE: Final = re.compile(
    r"\b(?:precede|precedes|preceded|predecessor|preceding|handed over|"
    rf"hand over|made way|make way|gave way|give way|{_CAME}before)\b"
)


def succession(asked: Asked) -> Asked:
    """Read "who succeeded A as B", "A's predecessor as B", "what followed B among A's jobs"."""
    tokens = asked.main.tokens
    shape = shape_of(tokens)
    link: Link = "after"
    verb = _SUCCEED.search(shape)
    if verb is None:
        link, verb = "before", _PRECEDE.search(shape)
    places = [place for place, token in enumerate(tokens) if token.named is not None]
    if verb is None or not places:
        return asked
    at, stop = place_of(shape, verb.start()), place_of(shape, verb.end() - 1)
    whom = stop + 1 < len(tokens) and tokens[stop + 1].word in ("whom", "who", "which", "what")
    noun = verb.group() in ("successor", "predecessor")
    before = [place for place in places if place < at]
    after = [place for place in places if place > stop]
    passive = (
        any(
            tokens[place].word in ("was", "were", "is", "been", "being", "be")
            for place in range(at)
        )
        and re.search(r"\bby\b", shape) is not None
    )
    aux = before and any(token.word in ("did", "does", "do") for token in tokens[: before[0]])
    if noun:
        anchor = next(
            (p for p in before if p + 1 < len(tokens) and tokens[p + 1].word == "'s"), None
        )
        anchor = anchor if anchor is not None else next(iter(after), places[0])
    elif before and (aux or passive or whom):
        anchor = before[-1]
        if not passive:
            link = "before" if link == "after" else "after"
    elif after:
        anchor = after[0]
        if passive:  # "who was succeeded by A"
            link = "before" if link == "after" else "after"
    else:
        return asked
    if re.search(r"\bfrom E", shape):  # "who took over the chair from A"
        anchor = next(p for p in places if tokens[p - 1].word == "from")
    rest = tuple(
        token for place, token in enumerate(tokens) if place != anchor and not at <= place <= stop
    )
    if not any(token.named for token in rest):
        return asked
    return replace(
        asked,
        main=Clause(rest),
        anchor=Clause((tokens[anchor],)),
        link=link,
        neighbor=True,
        order=None,
    )


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
