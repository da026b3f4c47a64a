"""Speaker turns in a text: ``name: words`` on a line, with where the words stand."""

import re
from collections import Counter
from dataclasses import dataclass

_TURN = re.compile(
    r"^[ \t]*(?:[\[(][^\])\n]{1,40}[\])][ \t]*)?"  # "[10:02] "
    r"(?P<speaker>[^\W\d_][\w .'’-]{0,40}?(?:[ ]\([^)\n]{1,30}\))?)[ \t]*:[ \t]+(?P<words>\S.*)$",
    re.MULTILINE,
)
_SELF = re.compile(r"(?:me|i|myself)[ ]\((?P<name>[^)]+)\)", re.IGNORECASE)
_ASIDE = re.compile(r"[ ]\([^)]*\)$")
_LABELS = frozenset(
    "from to cc bcc subject date sent note notes todo re fwd location time place attendees agenda "
    "present title status tags ps n.b".split()
)
GENERIC = frozenset("user me human customer client you".split())
"""Speakers who have a name besides."""
ASSISTANTS = frozenset("assistant ai bot system chatbot".split())


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
            _speaker(match["speaker"].strip()),
            text[match.start("words") : end].rstrip(),
            match.start("words"),
            match.start(),
        )
        for match, end in zip(found, ends, strict=True)
    ]


def is_dialogue(text: str, said: list[Turn]) -> bool:
    """Tell whether a text that nobody calls a conversation is one.

    Every line of it is a turn or goes on with one, and somebody speaks twice: a list of labels
    names each once.
    """
    alone = bool(said) and all(turn.speaker.lower() in GENERIC - {"you"} for turn in said)
    if alone and said[0].line_start == 0:
        return True
    if len(said) < len(("one", "other")) or text[: said[0].line_start].strip():
        return False
    times = Counter(turn.speaker for turn in said)
    if len(times) < len(("one", "other")) or times.keys() & _LABELS:
        return False
    if any(speaker.lower() in _LABELS or speaker[:1].islower() for speaker in times):
        return False
    stamped = all(text[turn.line_start :].lstrip()[:1] in "[(" for turn in said)
    return stamped or max(times.values()) > 1


def advice_in(said: list[Turn]) -> list[tuple[int, int]]:
    """Return where an assistant speaks, whose words state nothing of the world."""
    return [
        (turn.line_start, turn.start + len(turn.words))
        for turn in said
        if turn.speaker.lower() in ASSISTANTS
    ]


def speaker_at(said: list[Turn], at: int) -> str | None:
    """Return who says the words at a place; None where nobody is said to."""
    return next((turn.speaker for turn in reversed(said) if turn.start <= at), None)


def _speaker(name: str) -> str:
    """Return ``Edie`` for ``Me (Edie)``."""
    found = _SELF.fullmatch(name)
    return found["name"].strip() if found else _ASIDE.sub("", name)
