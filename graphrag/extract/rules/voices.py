"""Who said what is quoted, and where quoted words stand."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

SPEECH = frozenset(
    "say ask cry answer reply exclaim declare remark add continue explain call shout whisper "
    "return announce tell respond admit warn promise".split()
)
"""Verbs that attribute quoted words to their subject."""
_QUOTED = re.compile(r'"[^"]*(?:"|$)')

Stretch = tuple[int, int]
"""Where quoted words start and end in a parsed paragraph, quotes included."""


def quoted(text: str) -> list[Stretch]:
    """Return the quoted stretches; one left open runs to the end of the paragraph."""
    return [match.span() for match in _QUOTED.finditer(text)]


def is_inside(start: int, end: int, stretches: list[Stretch]) -> bool:
    """Tell whether a span is mostly quoted words."""
    covered = sum(max(0, min(end, b) - max(start, a)) for a, b in stretches)
    return covered > 0.5 * (end - start)


def voice_of(sentence: "Span", stretches: list[Stretch]) -> "Token | None":
    """Return the word for who speaks the sentence's quoted words, if the sentence says so.

    The verb of saying and its subject stand outside of the quotes.
    """
    if '"' not in sentence.text:
        return None
    for verb in sentence:
        if verb.lemma_.lower() in SPEECH and not _quotes(verb, stretches):
            # Of "declared the Lion" the parser makes an object.
            inverted = any(verb.idx - 3 <= end <= verb.idx for _, end in stretches)
            roles = ("nsubj", "dobj") if inverted else ("nsubj",)
            for child in verb.children:
                if child.dep_ in roles and not _quotes(child, stretches):
                    return child
    return None


def _quotes(token: "Token", stretches: list[Stretch]) -> bool:
    return any(start <= token.idx < end for start, end in stretches)
