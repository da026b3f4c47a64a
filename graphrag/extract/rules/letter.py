"""Who writes a text to whom, and of whom: headers, greeting, signature, the head of a record.

They are no sentences: what is read goes on without them, character for character.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphrag.extract.rules.lifetime import ALWAYS
from graphrag.extract.rules.name import Draft
from graphrag.extract.rules.phrases import Phrase
from graphrag.extract.rules.scene import Scene
from graphrag.extract.rules.trades import JOBS, OFFICES, is_job
from graphrag.local.parser import parse

_HEADER = re.compile(
    r"(?P<field>from|to|cc|bcc|date|sent|subject|reply-to)[ \t]*:[ \t]*(?P<value>[^\n]*)(?:\n|\Z)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\s*[<(\[]?[\w.+-]+@[\w.-]+[>)\]]?")
_PERSON = re.compile(r"[A-ZÀ-Þ][\w'’-]*(?:[ ](?:[A-ZÀ-Þ][\w'’.-]*|de|van|von|der|la|bin|al))*")
_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b(?P<who>[^,:!\n.]{0,40})[,:!\n]+",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:^|(?<=[\n.!?]))[ \t]*(?:best(?: wishes| regards)?|(?:kind |warm |with )?regards|cheers|"
    r"thanks|thank you|many thanks|love|yours(?: \w+)?|sincerely|all the best|take care|xx?|"
    r"see you)[,!.]?[ \t]*\n*[ \t]*(?P<name>[A-ZÀ-Þ][\w'’-]*(?:[ ][A-ZÀ-Þ][\w'’.-]*){0,2})?"
    r"(?P<rest>(?:,[^\n]*)?(?:[ \t]*\n[^\n]*){0,3})\s*\Z",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"\n[ \t]*[-–]?[ \t]*(?P<name>[A-ZÀ-Þ][\w'’-]*(?: [A-ZÀ-Þ][\w'’-]*)?)\s*\Z")
_NAME = r"[A-ZÀ-Þ][\w'’-]+(?: (?:de |van |von |al-)?[A-ZÀ-Þ][\w'’-]+)"
_UNDER = re.compile(
    rf"(?:(?<=[.!?…])|(?<=\n)|^)\s*[–—-]{{1,2}} ?(?P<name>{_NAME}?)(?P<rest>(?:,[^\n.]*)?)\.?\s*\Z"
)
_TITLED = re.compile(rf"(?<=[.!?])\s+(?P<name>{_NAME}), (?P<rest>[A-Z][^.!?]*?)\.?\s*\Z")
_ALONE = re.compile(rf"(?<=\.)\s+(?P<name>{_NAME})(?P<rest>)\s*\Z")
_ABOUT = re.compile(
    r"^\W*(?:[\w:'’]+ ){0,3}?(?:1:1|call|visit|meeting|chat|catch-?up|session|review|appointment|"
    r"interview|lunch|check-?up)\s*(?:w/|with|[–—:-]|about|re:?)\s*"
    r"(?P<name>[A-ZÀ-Þ][\w'’-]*(?: [A-ZÀ-Þ][\w'’-]*)?)(?=[ ,.(\n]|$)",
    re.IGNORECASE,
)
_WHO = r"(?P<name>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’.-]*){1,3})"
_CV = r"(?:(?i:curriculum vitae|cv|r[ée]sum[ée]))"
_HEADS = (
    re.compile(
        rf"\W*(?:(?i:patient|client|pupil|student|employee)\s*:|Pt\.?)\s+{_WHO}"
        r"(?=\s*[,.;(\n])"
    ),
    re.compile(rf"\W*{_CV}\s*(?:[–—:|-]|of)\s*{_WHO}(?=\s*(?:$|[\n,(|]))", re.MULTILINE),
    re.compile(rf"\W*{_WHO}\s*[–—:|,-]\s*{_CV}\b"),
)
_INVERTED = re.compile(
    r"\W*(?P<last>[A-ZÀ-Þ]{3,}), (?P<first>[A-ZÀ-Þ][^\W\d_]+(?: [A-ZÀ-Þ][^\W\d_]+)?)"
    r"(?=\s*\((?:n[ée]e|born|b\.|\d)|[.,;:]?\s[^\n]{0,80}\b(?:aged|died|passed|peacefully|born)\b)",
)
"""``HARRIS, Joan (née Bell).`` at the head of a notice."""
_I = re.compile(r"\b(?:I|I'[a-z]+|I’[a-z]+|[Mm]y|[Ww]e|[Oo]ur)\b")
_SPLIT = re.compile(r"\s*(?:[,|·•]|\bat\b|\n|\s[–—-]\s)\s*")
_BODY = re.compile(r"(?:(?:[A-ZÀ-Þ0-9&][\w'’.&-]*|of|the|for|and|de)(?: |$))+")
_SELF = re.compile(
    rf"\b(?:I['’]m|I am|[Mm]y name(?: is|['’]s)|[Tt]his is) "
    rf"(?P<name>{_NAME}?|[A-ZÀ-Þ][\w'’-]+)(?=\s*(?:[,.!;(–—-]|\n|$| and (?:I|my)\b|[^\w\s]))"
)
_PEOPLES = re.compile(r"(?:ish|ese|ian|can|ch|OK|Ok)$")
"""``I'm Swedish``: a people, and no name."""
_PROFILE = re.compile(
    rf"\s*(?P<name>{_NAME}) *(?:[|–—]| - ) *(?P<what>[^.|\n;:!?]{{3,80}}[.|\n;]|[^.|\n]+$)"
)
_FIRST = 120
"""Characters in which somebody says who speaks."""
_LONGEST = 6
_GROUPS = frozenset("all everyone team both there folks colleagues guys staff sir madam".split())


@dataclass(frozen=True, slots=True)
class Letter:
    """A text without the parts of a letter that are no sentences, and who they name."""

    text: str
    """As long as the whole: what is left out is blank."""
    author: str = ""
    addressee: str = ""
    title: str = ""
    """What follows the author's name below: ``Facility manager, Nordhavn Shipping``."""


def letter_of(text: str) -> Letter:
    """Return a text's letter; a text that is none is returned as it is."""
    fields: dict[str, str] = {}
    start = 0
    while found := _HEADER.match(text, start):
        fields[found["field"].lower()] = found["value"].strip()
        start = found.end()
    if len(fields) == 1 and not fields.keys() & {"from", "subject"}:
        fields, start = {}, 0
    body = re.compile(r"\s*").match(text, start)
    begun = body.end() if body else start
    greeting = _GREETING.match(text, begun)
    addressee = _one_name(fields.get("to", ""))
    if greeting is not None:
        begun = greeting.end()
        named = _one_name(greeting["who"])
        addressee = addressee if named in addressee.split() else named or addressee
    author, stop, title = _signature(text, begun)
    if not fields and greeting is None and not (author and _I.search(text[:stop])):
        return Letter(text)
    author = _one_name(fields.get("from", "")) or author
    plain = _blank(text[:begun]) + text[begun:stop] + _blank(text[stop:])
    return Letter(plain, author, addressee, title)


def speaker_of(text: str) -> str:
    """Return who says ``I'm Ann`` or ``my name is Ann Lee`` where a text begins."""
    found = _SELF.search(text[:_FIRST])
    if found is not None and not _PEOPLES.search(found["name"]):
        return found["name"]
    return _headed(text)


def _headed(text: str) -> str:
    """Return whose profile begins ``Ann Lee | Nurse`` or ``Ann Lee - painter, poet``."""
    found = _PROFILE.match(text)
    if found is None:
        return ""
    words = re.findall(r"[a-z-]+", found["what"].lower())
    names = found["name"].title() if found["name"].isupper() else found["name"]
    return names if any(is_job(word) or word in OFFICES for word in words) else ""


def _signature(text: str, begun: int) -> tuple[str, int, str]:
    """Return who signs, where that begins, and the line below the name."""
    closing = _CLOSING.search(text, begun)
    if closing is not None and closing["name"] and closing["name"][0].isupper():
        return closing["name"], closing.start(), closing["rest"].strip(" ,\n\t")
    for shape in (_UNDER, _TITLED, _ALONE):
        under = shape.search(text, begun)
        if under is None or (shape is _ALONE and not _is_person(under["name"])):
            continue
        if shape is not _TITLED or _title_in(under["rest"]):
            return under["name"], under.start(), under["rest"].strip(" ,")
    if not begun:
        return "", len(text), ""
    signed = _SIGNED.search(text, begun)
    if signed is not None:
        return signed["name"], signed.start(), ""
    return "", len(text), ""


def _is_person(name: str) -> bool:
    """Tell whether two words at the end of a text name somebody: ``Read More`` does not."""
    [(_, doc)] = parse(f"{name} wrote this.")
    words = doc[: len(name.split())]
    person = any(token.ent_type_ == "PERSON" for token in words)
    return person and all(token.pos_ == "PROPN" for token in words)


def _one_name(value: str) -> str:
    """Return the only person that a header or a greeting names, or nothing."""
    plain = _ADDRESS.sub("", value).strip().strip("\"'")
    words = plain.split()
    if not words or words[0].lower() in _GROUPS:
        return ""
    if words[0].rstrip(".").lower() in ("mr", "mrs", "ms", "dr", "prof"):
        plain = " ".join(words[1:])
    return plain if _PERSON.fullmatch(plain) else ""


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _title_in(words: str) -> str:
    """Return the part of a signature that is an office or a job."""
    for part in _SPLIT.split(words):
        known = {word.lower() for word in part.split()} & (JOBS | OFFICES | {"lead"})
        if known and part[:1].isupper() and len(part.split()) <= _LONGEST:
            return part
    return ""


def read_signature(letter: Letter, text: str, scene: Scene) -> Iterator[Draft]:
    """Yield what an author is, and where: ``Dagny Lund, Facility manager, Nordhavn Shipping``."""
    title = _title_in(letter.title)
    if scene.speaker is None or not title:
        return
    parts = [part for part in _SPLIT.split(letter.title) if part and part != title]
    at = text.rfind(title)
    said = f"{letter.author}, {' '.join(letter.title.split())}"
    role = scene.add(Phrase(title.lower(), at, at + len(title), False), 0)
    yield Draft(scene.speaker, "has_role", role, said, at, at + len(title), ALWAYS)
    if parts and _BODY.fullmatch(parts[0]) and len(parts[0].split()) <= _LONGEST:
        start = text.rfind(parts[0])
        body = scene.add(Phrase(parts[0], start, start + len(parts[0]), True), 0)
        body.votes["organization"] += 2
        yield Draft(scene.speaker, "works_at", body, said, at, start + len(parts[0]), ALWAYS)


def topic_of(text: str) -> tuple[str, int, int] | None:
    """Return whom a note is about, and where it says so: ``1:1 w/ Priyanka, 5 Sept``."""
    found = next((hit for shape in _HEADS if (hit := shape.match(text)) is not None), None)
    if found is not None:
        name = found["name"].title() if found["name"].isupper() else found["name"]
        return name, *found.span("name")
    inverted = _INVERTED.match(text)
    if inverted is not None:
        name = f"{inverted['first']} {inverted['last'].title()}"
        return name, inverted.start("last"), inverted.end("first")
    found = _ABOUT.match(text)
    if found is None or not found["name"][:1].isupper():
        return None
    return found["name"], *found.span("name")
