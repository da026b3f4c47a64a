"""Passages, sentences, quotes and the prose of a text, with offsets; token estimates.

Of a note, Markdown's marks become blanks, and no character moves. Front matter, code, tables,
pictures and the addresses of links say nothing that a sentence says. Any text may be a note: what
looks like none of this is returned as it is.
"""

import math
import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Final

from graphrag.model.values import Episode, Span

_BORDER = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|\n\s*\n|\n(?=\s*[-*#•])")
_LONG = 1000
_PASSAGE = 800
_RECORD = 300  # characters of a JSON record that is shown whole
_AROUND = 100
_SPEAKER = 41
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]')


def split_passages(
    text: str, *, longest: int = _PASSAGE, over: int = _LONG
) -> list[tuple[int, int]]:
    """Return ``(start, end)`` of passages of at most ``longest`` characters that cover the text.

    A text of at most ``over`` characters is one passage. A sentence longer than a passage is cut
    between words, and a word longer than that anywhere.
    """
    if len(text) <= over:
        return [(0, len(text))]
    passages: list[tuple[int, int]] = []
    start = end = 0
    for piece_start, piece_end in _pieces(text, longest):
        if piece_end - start > longest and end > start:
            passages.append((start, end))
            start = piece_start
        end = piece_end
    passages.append((start, end))
    return [span for span in (_trimmed(text, *span) for span in passages) if span[0] < span[1]]


def split_sentences(text: str, *, longest: int = _PASSAGE) -> list[str]:
    """Return the sentences of a text on a line each, a longer one in parts."""
    return [" ".join(text[start:end].split()) for start, end in _pieces(text, longest)]


def _pieces(text: str, longest: int) -> list[tuple[int, int]]:
    borders = [match.end() for match in _BORDER.finditer(text)]
    pieces = []
    start = 0
    for border in [*borders, len(text)]:
        while border - start > longest:
            cut = text.rfind(" ", start + 1, start + longest) + 1 or start + longest
            pieces.append((start, cut))
            start = cut
        if border > start:
            pieces.append((start, border))
        start = border
    return pieces


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text: four characters each in ASCII, one and a half elsewhere.

    Tokenisers differ; on English and German prose this is within a fifth of those in use.
    """
    ascii_ = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_ / 4 + (len(text) - ascii_) / 1.5)


def stated_in(episode: Episode, span: Span) -> str:
    """Return the words that state a fact: with their speaker, or with the JSON record around them.

    A span is exact but may say too little alone, such as one value of a record.
    """
    start, end = span.start, span.end
    if episode.source == "json":
        start, end = _record(episode.content, start, end)
    words = episode.content[start:end]
    if episode.source == "message":
        line = episode.content[episode.content.rfind("\n", 0, start) + 1 : start]
        speaker, colon, _ = line.lstrip().partition(": ")
        if colon and len(speaker) <= _SPEAKER:
            return f"{speaker}: {words}"
    return words


def _record(content: str, start: int, end: int) -> tuple[int, int]:
    """Return the largest object around a value that can be shown, or else what stands beside it."""
    best = max(start - _AROUND, 0), min(end + _AROUND, len(content))
    for first, last in json_objects(content):
        if first <= start and end <= last:
            if last - first > _RECORD:
                break
            best = first, last
    return best


def json_objects(content: str) -> Iterator[tuple[int, int]]:
    """Yield where each object of a JSON text begins and ends, inner ones first."""
    opened: list[int] = []
    for token in _TOKEN.finditer(content):
        if token.group() == "{":
            opened.append(token.start())
        elif token.group() == "}" and opened:
            yield opened.pop(), token.end()


_FRONT = re.compile(r"---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FIELD = re.compile(r"^(?P<name>[A-Za-z][\w -]*):[ \t]*(?P<value>\S.*?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r" {0,3}(?P<mark>#{1,6})(?=[ \t]|$)[^\n]*?(?P<end>[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_ITEM = re.compile(
    r"[ \t]*(?:[-*+•‣–—][ \t]+|[-•‣](?=[^\W\d_])|\d{1,3}[.)][ \t]+)(?:\[[ xX]\][ \t]+)?(?=\S)"
)
_QUOTE = re.compile(r" {0,3}(?:>[ \t]?)+")
_RULE = re.compile(r"[ \t]*(?:([-*_])[ \t]*)(?:\1[ \t]*){2,}$")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
FENCE = re.compile(r" {0,3}(```+|~~~+)")  # a line that begins or ends a stretch of code
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
_NOT_BREAK = re.compile(r"[^\n]")


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


def prose_of(text: str) -> str:
    """Return a note whose marks are blanks: what is left is prose, each character in its place."""
    start, _ = front_matter(text)
    plain = _blank(text[:start]) + text[start:]
    for pattern in (_COMMENT, _PICTURE, _ADDRESS):
        plain = pattern.sub(lambda found: _blank(found[0]), plain)
    plain = "".join(_without_marks(plain))
    for pattern in _KEPT:
        plain = pattern.sub(_unmarked, plain)
    return plain


def fence_after(fence: str, mark: str) -> str:
    """Return the fence that is open after a line of backquotes or tildes."""
    if not fence:
        return mark
    return "" if mark.startswith(fence) else fence


def _without_marks(text: str) -> Iterator[str]:
    """Yield the lines of a note without the marks that they begin with; those of no prose blank."""
    fence, above = "", "none"
    lines = text.splitlines(keepends=True)
    for line, below in zip_longest(lines, lines[1:], fillvalue=""):
        bare, kind = line.rstrip("\r\n"), "text"
        underline = above == "heading" and _UNDERLINE.match(bare)
        if mark := FENCE.match(bare):
            fence, kind = fence_after(fence, mark[1]), "none"
        elif fence or _ROW.match(bare) or _RULE.match(bare) or not bare.strip() or underline:
            kind = "none"
        elif heading := _HEADING.match(bare):
            line, kind = _without(line, heading.span("mark"), heading.span("end")), "heading"
        else:
            if quote := _QUOTE.match(line):
                line = _without(line, quote.span())
            if item := _ITEM.match(line):
                line = _without(line, item.span())
            elif _UNDERLINE.match(below.rstrip()) and above != "text":
                kind = "heading"
        yield _blank(line) if kind == "none" else line
        above = kind


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


SPEAKER: Final = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,40}\][ \t]*)?([^\W\d_][^:\n]{0,40}?):(?=\s)", re.MULTILINE
)
_HEADINGS = frozenset(
    "present attendees absent agenda date time place subject from to cc re note notes todo action "
    "actions decision decisions next summary anwesend teilnehmer datum betreff von an presentes "
    "asistentes fecha asunto présents date objet".split()
)
"""What stands before a colon without speaking."""


def speaker_lines(content: str) -> Iterator[re.Match[str]]:
    """Yield the beginnings of the lines of speakers in a conversation; group 1 is the name."""
    for line in SPEAKER.finditer(content):
        if line[1].strip().casefold() not in _HEADINGS:
            yield line


def speakers_of(episode: Episode) -> tuple[str, ...]:
    """Return the author of an episode, and the speakers that its lines name."""
    lines = speaker_lines(episode.content) if episode.source == "message" else ()
    return (episode.author or "", *dict.fromkeys(line[1].strip() for line in lines))
