"""The entities that a query names, found by the longest run of its words that is a name."""

import re

from graphrag.index.group import GroupIndex
from graphrag.search.visibility import Visible
from graphrag.text.tokens import tokenize

WORD = re.compile(r"[^\s?!,;:()\"“”]+")
LONGEST = 7


def named_entities(query: str, index: GroupIndex, seen: Visible) -> list[int]:
    """Return the rows of the visible entities named in the query, longest names first.

    A lone first or family name counts if exactly one visible person bears it.
    """
    words = WORD.findall(query)
    found: dict[int, int] = {}
    start = 0
    while start < len(words):
        for length in range(min(LONGEST, len(words) - start), 0, -1):
            name = " ".join(words[start : start + length])
            rows = _rows(name, index, seen)
            if rows:
                found.update(dict.fromkeys(rows, length))
                start += length - 1
                break
        start += 1
    return sorted(found, key=lambda row: (-found[row], row))


def bearers(name: str, index: GroupIndex, seen: Visible) -> list[str]:
    """Return the ids of the visible entities with this name, alias or id, best connected first.

    A first or family name does, if nothing is called so.
    """
    if name in index.entities.row_of:
        return seen.shown([name], index)
    ids = seen.named(name, index) or seen.people(name.casefold(), index)
    return sorted(ids, key=lambda id_: -seen.degree(id_, index)) if len(ids) > 1 else ids


def _rows(name: str, index: GroupIndex, seen: Visible) -> list[int]:
    ids = seen.named(name, index)
    if not ids:
        people = seen.people(name.casefold().removesuffix("'s").removesuffix("’s"), index)
        ids = people if len(people) == 1 else []
    # Only stop words, "it" or "who", name nobody. Asked last: hardly any words are a name.
    return [index.entities.row_of[id_] for id_ in ids] if ids and tokenize(name) else []
