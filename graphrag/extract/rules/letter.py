"""Who writes a text to whom: headers, greeting, signature.

They are no sentences: what is read goes on without them, character for character.
"""

import re
from dataclasses import dataclass

from graphrag.extract.rules.trades import JOBS, OFFICES
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
_I = re.compile(r"\b(?:I|I'[a-z]+|I’[a-z]+|[Mm]y|[Ww]e|[Oo]ur)\b")
_SPLIT = re.compile(r"\s*(?:[,|·•]|\bat\b|\n|\s[–—-]\s)\s*")
_SELF = re.compile(
    rf"\b(?:I['’]m|I am|[Mm]y name(?: is|['’]s)|[Tt]his is) "
    rf"(?P<name>{_NAME}?|[A-ZÀ-Þ][\w'’-]+)(?=\s*(?:[,.!;(–—-]|\n|$| and (?:I|my)\b|[^\w\s]))"
)
_PEOPLES = re.compile(r"(?:ish|ese|ian|can|ch|OK|Ok)$")
"""``I'm Swedish``: a people, and no name."""
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
    author, stop = _signature(text, begun)
    if not fields and greeting is None and not (author and _I.search(text[:stop])):
        return Letter(text)
    author = _one_name(fields.get("from", "")) or author
    plain = _blank(text[:begun]) + text[begun:stop] + _blank(text[stop:])
    return Letter(plain, author, addressee)


def speaker_of(text: str) -> str:
    """Return who says ``I'm Ann`` or ``my name is Ann Lee`` where a text begins."""
    found = _SELF.search(text[:_FIRST])
    return "" if found is None or _PEOPLES.search(found["name"]) else found["name"]


def _signature(text: str, begun: int) -> tuple[str, int]:
    """Return who signs, and where that begins."""
    closing = _CLOSING.search(text, begun)
    if closing is not None and closing["name"] and closing["name"][0].isupper():
        return closing["name"], closing.start()
    for shape in (_UNDER, _TITLED, _ALONE):
        under = shape.search(text, begun)
        if under is None or (shape is _ALONE and not _is_person(under["name"])):
            continue
        if shape is not _TITLED or _is_title(under["rest"]):
            return under["name"], under.start()
    signed = _SIGNED.search(text, begun) if begun else None
    return ("", len(text)) if signed is None else (signed["name"], signed.start())


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


def _is_title(words: str) -> bool:
    """Tell whether a part of a signature is an office or a job."""
    known = JOBS | OFFICES | {"lead"}
    return any(
        part[:1].isupper()
        and len(part.split()) <= _LONGEST
        and not known.isdisjoint(map(str.lower, part.split()))
        for part in _SPLIT.split(words)
    )
