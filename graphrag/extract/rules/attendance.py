"""Who sits on the body whose minutes a text is: ``Works council, 5 November. Present: A, B, C``."""

import re
from collections.abc import Iterator

from graphrag.extract.rules.lifetime import ALWAYS
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.phrases import Phrase
from graphrag.extract.rules.scene import Scene

_TITLE = re.compile(
    r"\s*(?:[Mm]inutes (?:of|from) (?:the )?|[Mm]eeting of (?:the )?)?"
    r"(?P<body>(?:[\w'’-]+ ){0,4}?(?:council|committee|board|panel|jury|parliament)\b"
    r"(?: of(?-i:(?: [A-Z][\w'’-]+)+| directors| trustees| governors))?)"
    r"(?=\s*[,.:;\n(–—-]|\s+(?:meeting|minutes|meets|\d)|\s*$)",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:Present|Attending|Attendees|In attendance|Members present)[ \t]*:[ \t]*"
    r"(?P<names>[^\n;]+?)"
    r"(?=\.(?:\s|$)|\n|;|$)"
)
_WHO = re.compile(r"[A-ZÀ-Þ][\w'’.-]*(?: [A-ZÀ-Þ][\w'’-]*)+")
_FIRST = 80
"""Characters in which a text names the body that it is about."""


def body_of(text: str, scene: Scene) -> Name | None:
    """Return the body whose minutes a text is, if it begins with its name."""
    found = _TITLE.match(text[:_FIRST])
    if found is None:
        return None
    words, at = found["body"], found.start("body")
    words = words if words[1:2].isupper() else words[:1].lower() + words[1:]
    name = scene.add(Phrase(words, at, at + len(words), True), 0)
    name.votes["organization"] += 3
    return name


def read_attendance(text: str, scene: Scene) -> Iterator[Draft]:
    """Yield that those who are listed as present are members of that body."""
    if scene.body is None:
        return
    for listed in _PRESENT.finditer(text):
        for found in _WHO.finditer(re.sub(r"\([^)]*\)", _blank, listed["names"])):
            start = listed.start("names") + found.start()
            words = found.group().rstrip(".")
            who = scene.add(Phrase(words, start, start + len(words), True, (("person", 4),)), 0)
            sentence = " ".join(listed.group().split())
            yield Draft(
                who, "member_of", scene.body, sentence, listed.start(), listed.end(), ALWAYS
            )


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
