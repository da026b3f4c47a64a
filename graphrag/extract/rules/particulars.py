"""What a text says of people beside its sentences.

Who sits on the body whose minutes it is, how people are reached, their ages and favourites.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.extract.rules.lifetime import ALWAYS, Life
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.phrases import Phrase
from graphrag.extract.rules.scene import Scene
from graphrag.temporal.period import MONTH_NAMES

if TYPE_CHECKING:
    from spacy.tokens import Doc

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


_WORDS = (
    r"(?:e-?mail(?: address)?|phone|mobile|telephone|"
    r"(?:(?:mobile|cell|phone|telephone|work|home) )?(?:phone )?number)"
)
_MAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_PHONE = r"\+?\d[\d ()/-]{4,18}\d"
_OWN = re.compile(
    rf"\b[Mm]y (?:new |current |work |private )?{_WORDS} (?:is|:)(?: now)? "
    rf"(?P<value>{_MAIL}|{_PHONE})"
)
_REACHED = re.compile(
    rf"(?:\bI(?:['’]ve| have) (?:got )?a new {_WORDS}(?::| -| —|, it['’]s| which is)|"
    r"(?:^|(?<=[.!?] )|\b[Pp]lease )[Uu]se(?= (?!\d{4}-\d\d-)\+?\d[^\n]{5,22} "
    r"(?:from now on|from today|instead)\b)|"
    rf"\bI(?:['’]ve| have)? changed my {_WORDS}(?:,? (?:it['’]s|it is|to)| -|:)(?: now)?|"
    r"\b[Yy]ou can (?:now )?(?:reach|call|text|e?mail) me (?:on|at|under)|"
    r"\b(?:[Pp]lease )?(?:[Cc]all|[Tt]ext|[Rr]each|[Ww]rite to|[Ee]?-?[Mm]ail) me "
    r"(?:on|at|under)) "
    rf"(?P<value>{_MAIL}|{_PHONE})"
)
_FROM_NOW = re.compile(r"\b(?:from now on|from today|in future|instead)\b")
_OF = re.compile(
    rf"(?P<who>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+){{0,2}})"
    rf"(?:'s (?:new )?{_WORDS} is|, (?:e-?mail|phone|tel\.?|mobile):?) "
    rf"(?P<value>{_MAIL}|{_PHONE})"
)


def _is_new(found: re.Match[str], text: str) -> bool:
    """Tell whether a number takes the place of those before: ``my new number is``."""
    before = found.group()[: -len(found["value"])].lower()
    one_of = any(word in before for word in ("work", "private", "home", "mobile", "cell"))
    after = text[found.end("value") :].strip()
    new = re.search(r"\b(?:new|now|changed)\b", before) or _FROM_NOW.match(after)
    return bool(new) and not one_of


def read_contacts(text: str, offset: int, scene: Scene) -> Iterator[Draft]:
    """Yield the addresses and numbers that a paragraph gives of somebody."""
    if "?" in text[-1:]:
        return
    for pattern in (_OWN, _REACHED, _OF):
        for found in pattern.finditer(text):
            one = _whose(found, "", offset, scene)
            if one is None:
                continue
            relation = "has_email" if "@" in found["value"] else "has_phone"
            value = scene.add(_phrase(found, "value", "", offset), 0)
            yield from _held(one, relation, value, found, offset, new=_is_new(found, text))


def _whose(found: re.Match[str], kind: str, offset: int, scene: Scene) -> Name | None:
    """Return who is named, or who writes ``my number``."""
    if found.groupdict().get("who"):
        return scene.add(_phrase(found, "who", kind, offset), 0)
    return scene.speaker


def _held(
    one: Name, relation: str, value: Name, found: re.Match[str], offset: int, *, new: bool
) -> Iterator[Draft]:
    """Yield that somebody has a value; a new one takes the place of those before."""
    sentence, start, end = found.group(), offset + found.start(), offset + found.end()
    if new:
        yield Draft(one, relation, None, sentence, start, end, Life(over=True), of_known=True)
    life = Life(kind="timeless") if relation == "has_birthday" else ALWAYS
    yield Draft(one, relation, value, sentence, start, end, life)


_MONTH_NAME = "|".join(MONTH_NAMES)
_WHOSE = r"(?:\b[Mm]y|(?P<who>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+){0,2})['’]s)"
_TH = r"(?:st|nd|rd|th)?"
_DAY = rf"\d{{1,2}}{_TH}(?: of)? (?:{_MONTH_NAME})|(?:{_MONTH_NAME}) \d{{1,2}}{_TH}"
_TRAITS = (
    re.compile(
        rf"{_WHOSE} birthday (?:is|falls)(?: on)?(?: the)? "
        rf"(?P<has_birthday>(?:{_DAY})(?:,? \d{{4}})?)\b"
    ),
    re.compile(
        rf"{_WHOSE} (?:all-time )?favou?rite (?P<noun>[a-z]+(?: [a-z]+)?) is(?: now)? "
        r"(?:the |a |an )?(?P<value>[a-z][\w'’-]*(?: (?!now\b|and\b|but\b)[a-z][\w'’-]*)?)"
        r"(?=[.,;!)]| now\b| and\b|\s*$)"
    ),
    re.compile(
        r"\b(?:I am|I['’]m|(?P<who>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)?) is) "
        r"(?P<has_age>\d{1,3})(?: years old| years of age)?(?=[.,;!](?!\d)|\s*$| now\b| today\b)"
    ),
)
"""What everybody has one of."""


def read_own(doc: "Doc", offset: int, scene: Scene) -> Iterator[Draft]:
    """Yield what people say of themselves beside verbs: contacts and traits."""
    yield from read_contacts(doc.text, offset, scene)
    yield from _traits(doc, offset, scene)


def _traits(doc: "Doc", offset: int, scene: Scene) -> Iterator[Draft]:
    """Yield birthdays, ages and favourites; a new favourite takes the place of the old one."""
    for pattern in _TRAITS:
        for found in pattern.finditer(doc.text):
            said = found.groupdict()
            if not _is_trait(found, doc):
                continue
            one = _whose(found, "person", offset, scene)
            if one is None:
                continue
            group = next(name for name in ("has_birthday", "value", "has_age") if said.get(name))
            noun = (said.get("noun") or "").replace(" ", "_")
            relation = f"has_favourite_{noun}" if noun else group
            value = scene.add(replace(_phrase(found, group, "", offset), named=False), 0)
            yield from _held(one, relation, value, found, offset, new=True)


def _is_trait(found: re.Match[str], doc: "Doc") -> bool:
    """Tell whether an age is somebody's, and a favourite a thing or a colour.

    Not ``the score for Leeds is 3``, ``she joked that I'm 21``, ``my favourite band is back``.
    """
    said = found.groupdict()
    if said.get("value"):
        span = doc.char_span(*found.span("value"), alignment_mode="expand")
        if span is None or span[0].tag_.startswith("VB"):
            return False  # "playing tonight"
        hue = said["noun"] in ("colour", "color")
        return span[-1].tag_ in ("NN", "NNS", "NNP") or (hue and span[-1].tag_ == "JJ")
    if not said.get("has_age"):
        return True
    begins = found.start() == 0 or doc.text[: found.start()].rstrip()[-1:] in ".!?\n"
    one = doc.char_span(*found.span("who"), alignment_mode="expand") if said["who"] else None
    return begins and (one is None or one.root.ent_type_ == "PERSON")


def _phrase(found: re.Match[str], group: str, kind: str, offset: int = 0) -> Phrase:
    start, end = offset + found.start(group), offset + found.end(group)
    return Phrase(found[group], start, end, True, ((kind, 3),) if kind else ())
