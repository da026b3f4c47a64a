"""Whom a text is about where its head says so: a note, a record, a CV or a notice."""

import re

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
