"""Passages of a long text, cut on sentence borders with offsets, and token estimates."""

import math
import re

_BORDER = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|\n\s*\n|\n(?=\s*[-*#•])")
_LONG = 1000
_PASSAGE = 800


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
