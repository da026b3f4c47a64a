"""Time words of a running text, and whether they are meant as a time where they stand.

Each rule is a reason to doubt, and an expression that none doubts is meant. On 3,000 annotated
texts, 93 % of the expressions are times. Each rule rejects more other words than times there, or
keeps a wrong date out ("in three weeks", "the next week", 300 BC).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from graphrag.temporal.dates import (
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
    YEAR,
    any_of,
)
from graphrag.temporal.interval import Period

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
class TimeToken:
    """A word, a number or a sign: ``text[start:end]``."""

    start: int
    end: int
    text: str
    key: str  # lower case, without the dot of an abbreviation

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


def tokenise(text: str) -> list[TimeToken]:
    """Split a text; typographic quotes and dashes count as plain ones."""
    plain = text.translate(_SIGNS)
    return [
        TimeToken(m.start(), m.end(), m.group(), m.group().lower().rstrip(".") or ".")
        for m in _TOKEN.finditer(plain)
    ]


_PREFIXES = frozenset(
    "in on at since from until till up to by before after prior during throughout over within for "
    "ever starting as of about around circa approximately roughly almost nearly exactly just "
    "through between and the".split()
)
_SURE = frozenset(
    "in since until till through before prior after during throughout around circa".split()
)
_EDGES = frozenset("early mid middle late start beginning end earlier later".split())
_VERBS = frozenset({"may", "march"})
_PLACES = frozenset("page pages line lines chapter chapters verse room no nos".split())
_BOUNDING = frozenset({"since", "until", "till", "before", "after"})
_COUNTED = frozenset("people men women children percent dollars pounds euros votes words".split())
_RECURRING = frozenset(
    "each every any most a an one some another no all good black easter ash palm super cyber holy "
    "ruby blue casual my your his her our their".split()
)


_DAY_NUMBER = r"\d\d?(?:st|nd|rd|th)?"
_HABITS = frozenset(f"{part}s" for part in PARTS)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words that read as a time, and the text around them."""

    text: str
    tokens: Sequence[TimeToken]
    at: int
    stop: int
    period: Period
    listed: bool = False  # true right after another year: "2015, 2016 and 2017"

    @property
    def words(self) -> list[TimeToken]:
        """The tokens of the expression."""
        return list(self.tokens[self.at : self.stop])

    @property
    def keys(self) -> list[str]:
        """The words in lower case."""
        return [token.key for token in self.words]

    @property
    def core(self) -> list[TimeToken]:
        """The words after the leading prepositions."""
        words = self.words
        while words and words[0].key in _PREFIXES:
            words = words[1:]
        return words

    def near(self, offset: int) -> str:
        """Give the key before (-1, -2) or after (1, 2) the expression, "" at the text's ends."""
        index = self.at + offset if offset < 0 else self.stop + offset - 1
        return self.tokens[index].key if 0 <= index < len(self.tokens) else ""

    @property
    def next_is_name(self) -> bool:
        """Tell whether a capitalised word follows in the same sentence."""
        if self.stop >= len(self.tokens):
            return False
        follower = self.tokens[self.stop]
        return follower.capital and follower.key not in ("i", *MONTHS, *WEEKDAYS)


def is_meant(candidate: Candidate) -> bool:
    """Tell whether nothing speaks against the candidate."""
    return not any(doubts(candidate) for doubts in _DOUBTS)


def _glued_to_sign(c: Candidate) -> bool:
    first, last = c.tokens[c.at], c.tokens[c.stop - 1]
    before = c.text[first.start - 1 : first.start]
    after = c.text[last.end : last.end + 2]
    if first.numeric and before and (before in "$€£#@/\\_.-+:&=" or before.isalnum()):
        return True
    return last.numeric and re.match(r"[%°$€£/\\_@&=\w]|[-.:,'+]\w", after) is not None


def _lone_number(c: Candidate) -> bool:
    """Doubt 1984 after what it may count, label or date: "page 1984", "August 6 and 9, 1945"."""
    core = c.core
    if len(core) != 1 or not core[0].key.isdecimal() or len(core[0].key) != 4:
        return False
    if c.listed or _SURE & set(c.keys):
        return False
    year, before = int(core[0].key), c.near(-1)
    labelled = len(c.keys) == 1 and before.isalpha() and before != "of"
    of_a_day = before == "," and re.fullmatch(_DAY_NUMBER, c.near(-2)) is not None
    return labelled or of_a_day or year % 100 == 0 or year < 1600


def _counting(c: Candidate) -> bool:
    """Doubt numbers that count or label: "in 2000 words", "page 1984"."""
    labels = c.near(-1) in _PLACES and c.keys[0] not in _BOUNDING
    return c.keys[-1].isdecimal() and len(c.keys[-1]) == 4 and (labels or c.near(1) in _COUNTED)


def _lone_month(c: Candidate) -> bool:
    """Doubt a month without year, day and a preposition that fits, and "this may", "last march"."""
    named = [token for token in c.core if token.key not in DIRECTIONS]
    if [token.key in MONTHS for token in named] != [True]:
        return False
    verb = named[0].key in _VERBS and not named[0].capital and c.keys[0] not in _SURE
    return verb or (len(named) == len(c.core) and c.keys[0] not in _SURE | {"from", "by", "after"})


def _lone_season_or_holiday(c: Candidate) -> bool:
    keys = set(c.keys)
    if not keys & (SEASONS.keys() | HOLIDAY_WORDS):
        return False
    return not keys & DIRECTIONS and not any(re.search(r"\d\d", key) for key in keys)


def _weekday_of_no_week(c: Candidate) -> bool:
    """Doubt "every Friday", "Black Friday" and "Friday Night Lights"."""
    core = c.core
    if not core or any(token.key not in WEEKDAYS.keys() | PARTS.keys() for token in core):
        return False
    return c.near(-1) in _RECURRING or c.near(1) in _HABITS or c.next_is_name


def _counted_from_story(c: Candidate) -> bool:
    """Doubt "the next week", "the previous year": they count from the story, not the text."""
    keys = c.keys
    if {"previous", "following"} & set(keys) and not any(key.isdecimal() for key in keys):
        return True
    pairs = set(pairwise([c.near(-1), *keys]))
    if ("the", "next") in pairs:
        return True
    if ("the", "last") in pairs:
        return (keys[-1] in UNITS and keys[0] in ("the", "last")) or c.near(1) == "of"
    return False


def _stretch(c: Candidate) -> bool:
    """Doubt "in three years": it is as often how long it took."""
    return bool(re.fullmatch(r"in (?!the)[\w ]+ \w+", " ".join(c.keys))) and (
        c.keys[-1].rstrip("s") in UNITS and c.keys[1] not in DIRECTIONS | _EDGES | {"the"}
    )


def _figure_of_speech(c: Candidate) -> bool:
    """Doubt "feels like yesterday", "in today's world" and "USA Today"."""
    if c.keys[-1] not in DAY_WORDS or len(c.keys) > 2:
        return False
    title = c.at > 0 and c.words[0].capital and c.tokens[c.at - 1].capital
    like = c.keys[-1] == "yesterday" and "like" in (c.near(-1), c.near(-2), c.near(-3))
    return c.keys[0] == "in" or title or like


def _before_christ(c: Candidate) -> bool:
    """Doubt years and centuries BC, which the calendar of datetimes does not reach."""
    era = c.near(1) in ("bc", "bce") or (c.near(1) == "b" and c.near(2) == ".")
    return era and (c.keys[-1].isdecimal() or c.period.granularity == "century")


def _event_named_by_day(c: Candidate) -> bool:
    """Doubt "in the September 11 attacks": a time of a day takes "on"."""
    day = c.period.granularity == "day" and c.keys[0] == "in"
    return day and not any(re.search(r"\d{4}", key) for key in c.keys)


def _unplaced_part(c: Candidate) -> bool:
    """Doubt "in her 60s", and "2004-05", a month or a season."""
    key = c.core[-1].key if c.core else ""
    season = re.fullmatch(r"\d{4}-\d\d", key) and int(key[5:]) == (int(key[2:4]) + 1) % 100
    return bool(season) or (re.fullmatch(r"\d0'?s", key) is not None and "the" not in c.keys)


_DOUBTS: Final[tuple[Callable[[Candidate], bool], ...]] = (
    _glued_to_sign,
    _lone_number,
    _counting,
    _lone_month,
    _lone_season_or_holiday,
    _weekday_of_no_week,
    _counted_from_story,
    _stretch,
    _figure_of_speech,
    _before_christ,
    _event_named_by_day,
    _unplaced_part,
)
