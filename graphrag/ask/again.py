"""What was so a second time: "rejoined", "returned to", "came back to", "worked there again".

A spell is a stretch without a gap. Who returns had been there, and was gone: of the spells of one
relation between two the first is no return.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from graphrag.ask.asked import Clause
from graphrag.ask.senses import stem_of, stems_of
from graphrag.ask.world import Line, by_start

RETURNING: Final = frozenset(
    "return returns returned returning rejoin rejoins rejoined rejoining".split()
)
AGAIN: Final = RETURNING | {"again"}
_DAY: Final = 86_400_000_000


def is_again(clause: Clause, lines: Sequence[Line]) -> bool:
    """Tell whether a clause speaks of a second time, and not by the name of a relation."""
    words = clause.words & AGAIN
    stems = {stem for line in lines for stem in stems_of(line.relation)}
    return bool(words) and not any(stem_of(word) in stems for word in words)


def spells(lines: Sequence[Line]) -> list[list[Line]]:
    """Return facts by the stretches that they fill without a gap; what lasts a day stays alone."""
    found: list[list[Line]] = []
    end: dict[tuple[int, str, int], list[Line]] = {}
    for line in by_start(lines):
        key = line.subject, line.relation, line.object
        last = end.get(key)
        joined = (
            last and max(one.end for one in last) >= line.start and line.end - line.start > _DAY
        )
        if last and joined:
            last.append(line)
        else:
            end[key] = [line]
            found.append(end[key])
    return found


def returns(lines: Sequence[Line]) -> list[Line]:
    """Return the first facts of every spell that is not the first."""
    met: set[tuple[int, str, int]] = set()
    found = []
    for spell in spells(lines):
        first = spell[0]
        key = first.subject, first.relation, first.object
        if key in met:
            found.append(first)
        met.add(key)
    return found


def may_return(lines: Sequence[Line]) -> bool:
    """Tell whether two came together a second time by facts of different relations."""
    pairs: dict[frozenset[int], list[Line]] = defaultdict(list)
    for line in lines:
        pairs[frozenset((line.subject, line.object))].append(line)
    for some in pairs.values():
        first = min(line.end for line in some)
        if any(line.start >= first for line in some):
            return True
    return False
