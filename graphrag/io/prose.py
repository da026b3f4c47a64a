"""Cut prose into parts on headings and paragraphs, keeping offsets.

A part is one episode, so one transaction: a crash in the middle of a long document loses at most
one. The text is never rewritten, not even hard line breaks: a part says ``text[start:end]``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphrag.ingest.intake import looks_like_messages
from graphrag.text.split import FENCE, fence_after, split_passages

LONGEST = 2000
# A section shorter than this shares its part with the next one.
_SHORT_SECTION = LONGEST // 4
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#*)?\s*")
# prepare() drops a byte order mark at the border of an episode, so offsets must not count it.
_BLANK = " \t\r\n\v\f\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029\ufeff"


@dataclass(frozen=True, slots=True)
class ProsePart:
    """A stretch of a document: ``text[start:end]``."""

    start: int
    end: int
    section: str = ""  # the heading that it stands under


_Block = tuple[int, int, str | None]
"""Start, end and heading of a paragraph with the headings right above it, or of one turn."""


def split_prose(text: str, *, headings: bool = False) -> list[ProsePart]:
    """Return the parts of a text; turns of a conversation (``name: text``) are kept whole."""
    blocks = _lines(text) if looks_like_messages(text) else _paragraphs(text, headings)
    return [
        ProsePart(start, end, part.section)
        for part in _packed(blocks)
        for start, end in _cut(text, part)
    ]


def _packed(blocks: Iterator[_Block]) -> Iterator[ProsePart]:
    start = end = 0
    above = section = ""
    for first, last, title in blocks:
        turned = title is not None and end - start >= _SHORT_SECTION
        if end > start and (turned or last - start > LONGEST):
            yield ProsePart(start, end, section)
            start = first
        above = above if title is None else title
        if start == first:
            section = above
        end = last
    if end > start:
        yield ProsePart(start, end, section)


def _cut(text: str, part: ProsePart) -> Iterator[tuple[int, int]]:
    piece = text[part.start : part.end]
    for start, end in split_passages(piece, longest=LONGEST, over=LONGEST):
        bare = piece[start:end]
        start += len(bare) - len(bare.lstrip(_BLANK))
        end -= len(bare) - len(bare.rstrip(_BLANK))
        if start < end:
            yield part.start + start, part.start + end


def _lines(text: str) -> Iterator[_Block]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line), None
        start += len(line)


def _paragraphs(text: str, headings: bool) -> Iterator[_Block]:
    """Yield blocks that cover the text; a heading belongs to the paragraph below it."""
    start = place = 0
    title: str | None = None
    fence = ""
    after_blank = after_heading = False
    for line in text.splitlines(keepends=True):
        heading = _HEADING.fullmatch(line) if headings and not fence else None
        blank = not line.strip()
        new_paragraph = after_blank and not blank and not after_heading and not fence
        if place > start and ((heading and not after_heading) or new_paragraph):
            yield start, place, title
            start, title = place, None
        if heading:
            title = heading["title"] or title or ""
        if headings and (mark := FENCE.match(line)):
            fence = fence_after(fence, mark.group(1))
        after_blank = blank
        after_heading = bool(heading) or (after_heading and blank)
        place += len(line)
    if place > start:
        yield start, place, title
