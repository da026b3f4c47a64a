"""Whether words that could name a time are meant as one where they stand.

Each rule is a reason to doubt, one kind of mistake it prevents; an expression with no doubt is
meant. The rules lean to silence: what the surrounding words do not settle is not a time.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from graphrag.temporal.lexer import DAY_WORDS, DIRECTIONS, HOLIDAY_WORDS, Token
from graphrag.temporal.period import Period
from graphrag.temporal.vocabulary import MONTHS, PARTS, SEASONS, UNITS, WEEKDAYS

_PREFIXES = frozenset(
    "in on at since from until till up to by before after prior during throughout over within for "
    "ever starting as of about around circa approximately roughly almost nearly exactly just "
    "through between and the".split()
)
_SURE_YEAR = frozenset(
    "in since until till through before prior after during throughout around circa".split()
)
_EDGES = frozenset("early mid middle late start beginning end earlier later".split())
_VERBS = frozenset({"may", "march", "fall", "spring"})
_PLACES = frozenset("page pages pp line lines chapter chapters verse verses room no nos".split())
_BOUNDING = frozenset({"since", "until", "till", "before", "after"})
_QUANTITIES = frozenset(
    "total number population sum amount price cost height length distance speed weight average "
    "rate score record capacity altitude elevation depth maximum minimum crowd force fleet army "
    "range area value fine salary budget group team class staff".split()
)
_COUNTED = frozenset(
    "people men women children percent miles feet meters metres dollars pounds euros words votes "
    "points words km kg m ft mph copies degrees times more".split()
)
_NOT_PLURAL = frozenset("was is has does as this his its us s always perhaps".split())
_RECURRING = frozenset(
    "each every any most a an one some another no all good black easter ash palm super cyber holy "
    "ruby blue casual my your his her our their".split()
)


_HABITS = frozenset(f"{part}s" for part in PARTS)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words that read as a time, and the text around them."""

    text: str
    tokens: Sequence[Token]
    at: int
    stop: int
    period: Period
    listed: bool = False
    """True right after another year: "2015, 2016 and 2017"."""

    @property
    def words(self) -> list[Token]:
        """The tokens of the expression."""
        return list(self.tokens[self.at : self.stop])

    @property
    def keys(self) -> list[str]:
        """The words in lower case."""
        return [token.key for token in self.words]

    @property
    def core(self) -> list[Token]:
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
    """Doubt 1984 without a word that says it is a year."""
    core = c.core
    if len(core) != 1 or not core[0].key.isdecimal() or len(core[0].key) != 4:
        return False
    year, keys = int(core[0].key), c.keys
    round_number = year % 100 == 0 or year < 1600
    if c.listed or (c.near(-1) == "(" and c.near(1) in (")", ";", ",")):
        return False
    if _SURE_YEAR & set(keys):
        return False
    if round_number:
        return True
    if keys[0] in ("from", "by", "starting") or keys[:2] == ["as", "of"]:
        return False
    if c.near(-1) == "of":
        return c.near(-2) in _QUANTITIES or year < 1600
    return not (keys[-2:-1] == ["the"] and year >= 1800 and c.near(1) not in ("", ",", "."))


def _counting(c: Candidate) -> bool:
    """Doubt numbers that count or label: "in 2000 words", "1500 to 1800 men", "page 1984"."""
    last, follower = c.keys[-1], c.near(1)
    if not re.fullmatch(r"\d{4}", last) or set(c.keys) & MONTHS.keys():
        return False
    placed = c.near(-1) in _PLACES and c.keys[0] not in _BOUNDING  # but "ran the line since 2010"
    if follower in _COUNTED or placed:
        return True
    plural = follower.endswith("s") and follower not in _NOT_PLURAL
    return plural and (int(last) % 100 == 0 or int(last) < 1600)


def _lone_month(c: Candidate) -> bool:
    """Doubt a month without year, day and a preposition that fits."""
    if [token.key in MONTHS for token in c.core] != [True]:
        return False
    prefix, month = c.keys[0], c.core[0]
    sure = {"in", "since", "until", "till", "through", "during", "throughout"}
    if len(month.key) <= 4 and month.key not in ("may", "june", "july"):
        return True
    if c.near(1) == "'" or prefix not in sure | {"from", "by", "before", "after"}:
        return True
    return prefix not in sure and (not month.capital or c.next_is_name)


def _lower_case_verb(c: Candidate) -> bool:
    """Doubt "may", "march", "fall" and "spring" in lower case."""
    keys = c.keys
    for index, token in enumerate(c.words):
        if token.key not in _VERBS or token.capital:
            continue
        rest = keys[:index] + keys[index + 1 :]
        if any(len(key) == 4 and key.isdecimal() for key in rest):
            continue
        if token.key in ("may", "march") and rest and rest[-1] in DIRECTIONS:
            return True
        if any(key[:1].isdigit() for key in rest) and keys[0] not in _PREFIXES - {"the"}:
            return True
    return False


def _lone_season_or_holiday(c: Candidate) -> bool:
    keys = set(c.keys)
    if not keys & (SEASONS.keys() | HOLIDAY_WORDS):
        return False
    return not keys & DIRECTIONS and not any(re.search(r"\d\d", key) for key in keys)


def _weekday_of_no_week(c: Candidate) -> bool:
    """Doubt "every Friday", "Black Friday", "Friday Night Lights", "friday" alone."""
    core = c.core
    if not core or core[0].key not in WEEKDAYS:
        return False
    if any(token.key not in WEEKDAYS.keys() | PARTS.keys() for token in core):
        return False
    if c.near(-1) in _RECURRING or c.near(1) in _HABITS or c.next_is_name:
        return True
    if c.keys[0] in ("for", "in", "from", "to", "at"):
        return True
    if c.keys[0] in _PREFIXES:
        return False
    before = c.tokens[c.at - 1] if c.at else None
    return not core[0].capital or (before is not None and before.capital and c.at > 1)


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
    if c.keys[0] == "in":
        return True
    before = c.tokens[c.at - 1] if c.at else None
    if before is not None and c.words[0].capital and before.capital:
        return True
    return c.keys[-1] == "yesterday" and "like" in (c.near(-1), c.near(-2), c.near(-3))


def _before_christ(c: Candidate) -> bool:
    """Doubt years and centuries BC, which the calendar of datetimes does not reach."""
    return c.near(1) in ("bc", "bce") or (c.near(1) == "b" and c.near(2) == ".")


def _event_named_by_day(c: Candidate) -> bool:
    """Doubt "in the September 11 attacks": a time of a day takes "on"."""
    day = c.period.granularity == "day" and c.keys[0] == "in"
    return day and not any(re.search(r"\d{4}", key) for key in c.keys)


def _unplaced_part(c: Candidate) -> bool:
    """Doubt quarters of a match, "in her 60s", and "2004-05", a month or a season."""
    key = c.core[-1].key if c.core else ""
    if re.fullmatch(r"\d0'?s", key):
        return "the" not in c.keys
    if re.fullmatch(r"\d{4}-\d\d", key):
        return int(key[5:]) == (int(key[2:4]) + 1) % 100
    return key == "quarter" and not DIRECTIONS & set(c.keys)


_DOUBTS: Final[tuple[Callable[[Candidate], bool], ...]] = (
    _glued_to_sign,
    _lone_number,
    _counting,
    _lone_month,
    _lower_case_verb,
    _lone_season_or_holiday,
    _weekday_of_no_week,
    _counted_from_story,
    _stretch,
    _figure_of_speech,
    _before_christ,
    _event_named_by_day,
    _unplaced_part,
)
