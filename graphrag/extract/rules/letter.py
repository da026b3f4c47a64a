"""Who writes a letter to whom: header lines, the greeting and the signature of an e-mail.

They are no sentences: what is read goes on without them, character for character.
"""

import re
from dataclasses import dataclass

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
    r"(?P<rest>(?:[ \t]*\n[^\n]*){0,3})\s*\Z",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"\n[ \t]*[-–]?[ \t]*(?P<name>[A-ZÀ-Þ][\w'’-]*(?: [A-ZÀ-Þ][\w'’-]*)?)\s*\Z")
_GROUPS = frozenset("all everyone team both there folks colleagues guys staff sir madam".split())


@dataclass(frozen=True, slots=True)
class Letter:
    """A text without the parts of a letter that are no sentences, and who they name."""

    text: str
    """As long as the whole: what is left out is blank."""
    author: str = ""
    addressee: str = ""
    title: str = ""
    """What the signature calls its author: ``Facility manager, Nordhavn Shipping``."""
    is_letter: bool = False


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
    if not fields and greeting is None:
        return Letter(text)
    author, stop, title = _signature(text, begun)
    author = _one_name(fields.get("from", "")) or author
    plain = _blank(text[:begun]) + text[begun:stop] + _blank(text[stop:])
    return Letter(plain, author, addressee, title, is_letter=True)


def _signature(text: str, begun: int) -> tuple[str, int, str]:
    """Return who signs, where that begins, and the line below the name."""
    closing = _CLOSING.search(text, begun)
    if closing is not None and closing["name"] and closing["name"][0].isupper():
        rest = (closing["rest"] or "").strip().split("\n")[0].strip()
        return closing["name"], closing.start(), rest
    signed = _SIGNED.search(text, begun)
    if signed is not None:
        return signed["name"], signed.start(), ""
    return "", len(text), ""


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
