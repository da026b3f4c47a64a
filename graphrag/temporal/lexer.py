"""Running text as words, numbers and signs, with a mark on the words that times are made of."""

import re
from dataclasses import dataclass
from typing import Final

from graphrag.temporal.dates import YEAR
from graphrag.temporal.vocabulary import (
    DECADES,
    MONTHS,
    NUMBERS,
    ORDINALS,
    PARTS,
    SEASONS,
    SHORT_DAYS,
    TENS,
    UNITS,
    WEEKDAY_SHORT,
    WEEKDAYS,
    any_of,
)

DAY_WORDS: Final = frozenset({"yesterday", "today", "tomorrow", "tonight"})
HOLIDAY_WORDS: Final = frozenset(
    {"christmas", "halloween", "new year's", "valentine's", "boxing"}
    | {"easter", "pentecost", "michaelmas"}
)
DIRECTIONS: Final = frozenset("last next this past previous coming following upcoming".split())
_UNIT_WORDS = frozenset(UNITS) | {f"{unit}s" for unit in UNITS} | frozenset("hour hours".split())
_TRIGGERS = (
    DAY_WORDS | HOLIDAY_WORDS | _UNIT_WORDS | frozenset(PARTS) | frozenset(DECADES)
    | frozenset(MONTHS) | frozenset(WEEKDAYS) | frozenset(SEASONS) | frozenset(SHORT_DAYS)
)  # fmt: skip
_GLUE = frozenset(
    "the of in on at since from until till up to by before after prior during through "
    "throughout over within for ever starting as about around circa approximately roughly "
    "almost nearly exactly just between early mid middle late start beginning end earlier later "
    "day eve ago back now hence half couple dozen time whit following preceding onward onwards "
    "ad ce minute minutes , -".split()
)
_VOCABULARY = _TRIGGERS | _GLUE | DIRECTIONS | frozenset(NUMBERS) | frozenset(ORDINALS)
_NUMERIC = re.compile(r"'?\d.*|[qh][1-4]", re.IGNORECASE)
_STRONG_NUMBER = re.compile(rf"{YEAR}|\d{{4}}[-/].*|\d\d?[-/.]\d\d?[-/.]\d{{4}}|'?\d+'?s|[qh][1-4]")
_TOKEN = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d{4}([-/])\d{1,2}(?:\1\d{1,2})?(?![\d-])|\d\d?([-/.])\d\d?\2\d{4}(?!\d)"
    r"|\d+(?:st|nd|rd|th|'?s)?(?!\w)|'\d\d(?:'?s)?(?!\w)"
    rf"|(?:new\ year|valentine)'s|(?:{any_of(MONTHS)}|{WEEKDAY_SHORT})\.(?=\s+\d)"
    rf"|twenty-first|(?:{any_of(TENS)})-(?:one|two|three|four|five|six|seven|eight|nine)(?!\w)"
    r"|[^\W\d_]+(?!\d)|[qh][1-4](?!\w)|\w+|[^\w\s]",
    re.IGNORECASE,
)
_SIGNS = str.maketrans("’‘–—−", "''---")
_HINT = re.compile("|".join((r"\d", *map(re.escape, sorted(_TRIGGERS)))))
"""What any triggering word holds, as letters anywhere: a word may stand in "_may"."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a sign: ``text[start:end]``."""

    start: int
    end: int
    text: str
    key: str
    """Lower case, without the dot of an abbreviation."""

    @property
    def numeric(self) -> bool:
        """Tell whether it is written in digits."""
        return _NUMERIC.fullmatch(self.key) is not None

    @property
    def timely(self) -> bool:
        """Tell whether it can be part of an expression of time."""
        return self.key in _VOCABULARY or self.numeric

    @property
    def triggering(self) -> bool:
        """Tell whether it hints at an expression; without such a word there is none."""
        return self.key in _TRIGGERS or _STRONG_NUMBER.fullmatch(self.key) is not None

    @property
    def capital(self) -> bool:
        """Tell whether it starts with a capital letter."""
        return self.text[0].isupper()


def hints(text: str) -> bool:
    """Tell at little cost whether a text may have a word that triggers; False: it has none."""
    return _HINT.search(text.translate(_SIGNS).lower()) is not None


def tokenise(text: str) -> list[Token]:
    """Split a text; typographic quotes and dashes count as plain ones."""
    plain = text.translate(_SIGNS)
    return [
        Token(m.start(), m.end(), m.group(), m.group().lower().rstrip(".") or ".")
        for m in _TOKEN.finditer(plain)
    ]
