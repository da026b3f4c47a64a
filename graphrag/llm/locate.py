"""Where a text says what a model quoted: exactly, then but for case and spacing, then nearly."""

import re

from rapidfuzz import fuzz

_ALIKE = 85
"""Of 100, by the best matching stretch: a word changed in a sentence of eight, not two."""
_SHORTEST = 12
"""Characters below which a near match says nothing."""
_BEFORE, _AFTER = " \t\n.,;:!?", " \t\n,;:"
"""What a near match may have caught of the words before and after it."""
_WORD = re.compile(r"\S+")


def locate(quote: str, content: str) -> tuple[int, int] | None:
    """Return ``start, end`` of the words that a quote stands for, or None if they are not there."""
    quote = quote.strip().strip('"“”„«»…').strip()
    if not quote:
        return None
    at = content.find(quote)
    if at >= 0:
        return at, at + len(quote)
    words = [re.escape(word) for word in _WORD.findall(quote)]
    if found := re.search(r"\s+".join(words), content, re.IGNORECASE):
        return found.span()
    if len(quote) < _SHORTEST or len(quote) > 2 * len(content):
        return None
    near = fuzz.partial_ratio_alignment(quote, content, score_cutoff=_ALIKE)
    if near is None or near.dest_end <= near.dest_start:
        return None
    start, end = _whole_words(content, near.dest_start, near.dest_end)
    return (start, end) if start < end else None


def locate_name(name: str, content: str) -> tuple[int, int] | None:
    """Return the first place of a name in a text, or None."""
    words = [re.escape(word) for word in _WORD.findall(name)]
    found = re.search(r"(?<!\w)" + r"\s+".join(words), content, re.IGNORECASE) if words else None
    return found.span() if found else None


def _whole_words(content: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and content[start - 1].isalnum() and content[start].isalnum():
        start -= 1
    while end < len(content) and content[end - 1].isalnum() and content[end].isalnum():
        end += 1
    piece = content[start:end]
    return start + len(piece) - len(piece.lstrip(_BEFORE)), start + len(piece.rstrip(_AFTER))
