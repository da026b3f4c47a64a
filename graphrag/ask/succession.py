"""Who came before or after whom: "who succeeded A as B", "A's predecessor", "what followed B"."""

import re
from dataclasses import replace
from typing import Final

from graphrag.ask.asked import Asked, Clause, Link
from graphrag.ask.segments import place_of, shape_of

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
