"""What of a note is prose: Markdown's marks become blanks, and no character moves.

A heading and a list item stand alone, as sentences do. Front matter, code, tables, pictures and the
addresses of links say nothing that a sentence says. Any text may be a note: what looks like none of
this is returned as it is.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

_FRONT = re.compile(r"---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_DATELINE = re.compile(
    r"\s*(?:[A-Z][A-Z'’. -]+[A-Z](?:, [^—–\n]{1,30}?)?(?: \([A-Z]\w*\))?"
    r"(?: [—–]{1,2} |, .{1,30} - )"
    r"|(?!Dear |Hi |Hello )[A-Z][\w'’ -]{2,30}, "
    r"(?:\d{1,2}\.? [A-Z][a-z]{2,8}|[A-Z][a-z]{2,8}\.? \d{1,2})"
    r"(?: \([A-Z]\w*\))? [—–-]{1,2} )(?=[A-Z])"
)
"""Where a report was written: ``PORTO, 2 July (AFP) - ``."""
_FIELD = re.compile(r"^(?P<name>[A-Za-z][\w -]*):[ \t]*(?P<value>\S.*?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r" {0,3}(?P<mark>#{1,6})(?=[ \t]|$)[^\n]*?(?P<end>[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_ITEM = re.compile(
    r"[ \t]*(?:[-*+•‣–—][ \t]+|[-•‣](?=[^\W\d_])|\d{1,3}[.)][ \t]+)(?:\[[ xX]\][ \t]+)?(?=\S)"
)
_QUOTE = re.compile(r" {0,3}(?:>[ \t]?)+")
_RULE = re.compile(r"[ \t]*(?:([-*_])[ \t]*)(?:\1[ \t]*){2,}$")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
FENCE = re.compile(r" {0,3}(```+|~~~+)")
"""A line that begins or ends a stretch of code."""
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)|!\[\[[^\]\n]*\]\]")
_ADDRESS = re.compile(r"<[a-z][a-z0-9+.-]*:[^\s<>]*>", re.IGNORECASE)
_KEPT: tuple[re.Pattern[str], ...] = (
    re.compile(r"\[\[(?:[^\]|\n]*\|)?(?P<kept>[^\]|\n]+)\]\]"),
    re.compile(r"\[(?P<kept>[^\[\]\n]+)\](?:\([^)\n]*\)|\[[^\]\n]*\])"),
    re.compile(r"`+(?P<kept>[^`\n]+)`+"),
    re.compile(r"(?P<mark>\*{1,3}|~~|==)(?=\S)(?P<kept>[^\n]+?)(?<=\S)(?P=mark)"),
    re.compile(r"(?<!\w)(?P<mark>_{1,3})(?=\S)(?P<kept>[^\n]+?)(?<=\S)(?P=mark)(?!\w)"),
)
"""Marks around words that stay."""
_Kind = Literal["text", "item", "heading", "none"]
_NOT_BREAK = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Prose:
    """A text without its marks, character for character, and where something begins anew."""

    text: str
    borders: frozenset[int]
    """Where a heading, a list item, or what follows one begins."""
    items: frozenset[int]
    """Those of them that are list items, which are no titles however short."""
    headings: frozenset[int]
    """Those of them that are headings: their words are often capitalised, whatever they name."""


def front_matter(text: str) -> tuple[int, Mapping[str, str]]:
    """Return where a text begins after its front matter, and the plain fields of that."""
    found = _FRONT.match(text)
    if found is None or _FIELD.search(found[0]) is None:
        return 0, {}
    return found.end(), fields_of(found[0])


def fields_of(text: str) -> dict[str, str]:
    """Return the fields of lines like ``Date: 4 March 2024``, by their names in small letters."""
    found = _FIELD.finditer(text)
    return {match["name"].strip().lower(): match["value"].strip("\"'") for match in found}


def prose_of(text: str) -> Prose:
    """Return what of a note is prose."""
    start, _ = front_matter(text)
    dateline = _DATELINE.match(text, start)
    start = dateline.end() if dateline is not None else start
    plain = _blank(text[:start]) + text[start:]
    for pattern in (_COMMENT, _PICTURE, _ADDRESS):
        plain = pattern.sub(lambda found: _blank(found[0]), plain)
    lines = list(_lines(plain))
    plain = "".join(line.text for line in lines)
    for pattern in _KEPT:
        plain = pattern.sub(_unmarked, plain)
    begun = [line for line in lines if line.begins]
    return Prose(
        plain,
        frozenset(line.start for line in begun),
        frozenset(line.start for line in begun if line.kind == "item"),
        frozenset(line.start for line in begun if line.kind == "heading"),
    )


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str
    """Without its marks."""
    kind: _Kind
    begins: bool
    """Whether it does not go on with the line above."""


def fence_after(fence: str, mark: str) -> str:
    """Return the fence that is open after a line of backquotes or tildes."""
    if not fence:
        return mark
    return "" if mark.startswith(fence) else fence


def _lines(text: str) -> Iterator[_Line]:
    start, fence = 0, ""
    above: _Kind = "none"
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        bare = line.rstrip("\r\n")
        kind: _Kind = "text"
        below = lines[number + 1].rstrip() if number + 1 < len(lines) else ""
        if mark := FENCE.match(bare):
            fence, kind = fence_after(fence, mark[1]), "none"
        elif fence or _ROW.match(bare) or _RULE.match(bare) or not bare.strip():
            kind = "none"
        elif _UNDERLINE.match(bare) and above == "heading":
            kind = "none"
        elif heading := _HEADING.match(bare):
            line, kind = _without(line, heading.span("mark"), heading.span("end")), "heading"
        else:
            if quote := _QUOTE.match(line):
                line = _without(line, quote.span())
            if item := _ITEM.match(line):
                line, kind = _without(line, item.span()), "item"
            elif _UNDERLINE.match(below) and above in ("none", "heading"):
                kind = "heading"
        # An indented line goes on with the item above it.
        goes_on = kind == "text" and (above == "text" or (above == "item" and bare[0].isspace()))
        yield _Line(start, _blank(line) if kind == "none" else line, kind, not goes_on)
        if not (goes_on and above == "item"):
            above = kind
        start += len(line)


def _without(line: str, *spans: tuple[int, int]) -> str:
    for start, end in spans:
        if start >= 0:
            line = line[:start] + _blank(line[start:end]) + line[end:]
    return line


def _unmarked(found: re.Match[str]) -> str:
    start, end = found.start(), found.end()
    before, after = found.start("kept") - start, end - found.end("kept")
    return " " * before + found["kept"] + " " * after


def _blank(text: str) -> str:
    return _NOT_BREAK.sub(" ", text)
