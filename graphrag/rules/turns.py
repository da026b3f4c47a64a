"""Speaker turns in a text: ``name: words`` on a line, with where the words stand."""

import re
from dataclasses import dataclass

_TURN = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,40}\][ \t]*)?"  # "[10:02] "
    r"(?P<speaker>[^\W\d_][\w .'’-]{0,40}?)[ \t]*:[ \t]+(?P<words>\S.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says; ``start`` is where the words begin in the text."""

    speaker: str
    words: str
    start: int
    line_start: int


def turns(text: str) -> list[Turn]:
    """Return the turns of a text; lines without a speaker continue the turn before them."""
    found = list(_TURN.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)][: len(found)]
    return [
        Turn(
            match["speaker"].strip(),
            text[match.start("words") : end].rstrip(),
            match.start("words"),
            match.start(),
        )
        for match, end in zip(found, ends, strict=True)
    ]
