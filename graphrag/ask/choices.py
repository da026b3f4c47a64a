"""Questions that name two things beside each other: which came first, how far apart."""

import re
from typing import Final

from graphrag.ask.asked import Asked, Clause, Order
from graphrag.ask.segments import Tokens, place_of, shape_of, shape_slice, timed
from graphrag.ask.wants import WH, order_of
from graphrag.search.query_time import Said

_OTHER_WAY: Final = re.compile(
    r"\bother way (?:round|around)\b|\bvice versa\b|"
    r"\bthe (?:earlier|later|former|first) (?:one|of)\b|"
    r"\bwhich of\b|\bwhich (?:one )?(?:was|is|came|comes|happened|began|started|of)\b"
)
_EITHER: Final = re.compile(r"E (?:, )?(?:or|and) (?:[a-z]+ ){0,2}?E\b")
_COMPARING: Final = re.compile(r"\b(?:first|earlier|earliest|sooner|before|later|last|latest)\b")
_LATER: Final = re.compile(r"\b(?:later|last|latest|after|more recent(?:ly)?)\b")
_BETWEEN: Final = re.compile(r"\b(?:between|from|separate|separates|separated)\b(?= )")


def choice_of(text: str, tokens: Tokens, known: Said | None) -> Asked | None:
    """Read a question that names what it lets one choose from: "which came first, A or B?"."""
    shape = shape_of(tokens)
    either = list(_EITHER.finditer(shape))
    picks = re.search(r"\bor\b|\bwhich of\b|\b(?:of|between) E and E\b", shape) is not None
    if not (picks and _COMPARING.search(shape)):
        return None
    asking = (
        _OTHER_WAY.search(shape) or WH & set(shape.split()) or re.search(r"E (?:, )?or ", shape)
    )
    if not asking:
        return None
    main, during = timed(tokens)
    shape = shape_of(main)
    either = [one for one in _EITHER.finditer(shape) if " or " in one.group()] or either
    places = [place for place, token in enumerate(main) if token.named is not None]
    if not either and _OTHER_WAY.search(shape):
        # "Did A begin with B before C, or the other way round?"
        if len(places) < 3:
            return None
        chosen = places[-2:]
    elif len(places) >= 4 and not either:
        cut = next((at for at, token in enumerate(main) if token.word == "or"), None)
        if cut is None or sum(place > cut for place in places) != 2:
            return None
        left = [place for place in places if place < cut][-2:]
        begin = max(
            (at for at in range(left[0]) if main[at].word in (":", ",", ";", "-")),
            default=left[0] - 1,
        )
        pair = Clause(main[begin + 1 : cut]), Clause(main[cut + 1 :])
        late = Order("last" if _LATER.search(shape_of(main[: begin + 1])) else "first")
        return Asked(
            text, "which", Clause(main[: begin + 1]), choices=pair, order=late, known=known
        )
    elif either:
        span = either[-1]
        chosen = [place_of(shape, span.start()), place_of(shape, span.end() - 1)]
    else:
        return None
    choices = tuple(Clause((main[place],)) for place in chosen)
    rest = Clause(tuple(token for place, token in enumerate(main) if place not in chosen))
    words = re.sub(r"\bother way (?:round|around)\b", "", shape)
    tail = words.rpartition(" or ")[2] if _OTHER_WAY.search(shape) and "before" in words else words
    later = _LATER.search(tail) is not None and not re.search(r"\b(?:earlier|first|sooner)\b", tail)
    return Asked(
        text,
        "which",
        rest,
        choices=choices,
        order=Order("last" if later else "first"),
        during=during,
        known=known,
    )


def apart_of(tokens: Tokens) -> tuple[Clause, Clause] | None:
    """Return the two clauses whose distance is asked for: "between A ... and B ..."."""
    shape = shape_of(tokens)
    openings = [(0, one.start(), one.end() + 1) for one in _BETWEEN.finditer(shape)]
    for _, stop, begin in [*openings, (0, 0, 0)]:
        inside = shape_slice(tokens, shape, begin, len(shape))
        places = [at for at, token in enumerate(inside) if token.named is not None]
        if stop and len(places) == 3 and places[2] == places[1] + 2 == len(inside) - 1:
            if inside[-2].word == "and" and places[1] > places[0] + 1:
                # "between A's visits to B and C"
                one, two = inside[:-2], (*inside[: places[1]], inside[-1])
                return Clause(one, order_of(one)), Clause(two, order_of(two))
        for cut, token in enumerate(inside):
            if token.word not in ("and", "to", "until", "till", "from"):
                continue
            left = sum(place < cut for place in places)
            right = len(places) - left
            if (left, right) == (1, 2) and stop:  # "the gap between A and B as C"
                shared = (inside[places[2]],)
                one, two = inside[:cut] + shared, inside[cut + 1 :]
                return Clause(one, order_of(one)), Clause(two, order_of(two))
            if (left, right) == (2, 1) and stop:  # "from the end of A's term as B to C's"
                one, two = inside[:cut], (*inside[cut + 1 :], inside[places[1]])
                return Clause(one, order_of(one)), Clause(two, order_of(two))
            if left and left == right <= 2:
                head = shape_slice(tokens, shape, 0, stop)
                if left == 1 and not stop:
                    continue
                if left == 1:  # the gap between two holders of one thing
                    own = tuple(one for one in head if one.named is not None)
                    if len(own) != 1:
                        continue
                    one, two = inside[:cut] + head, inside[cut + 1 :] + head
                else:
                    one, two = inside[:cut], inside[cut + 1 :]
                return Clause(one, order_of(one)), Clause(two, order_of(two))
    return None
