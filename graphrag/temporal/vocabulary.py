"""The English words of time, and the one spelling in which the rules read them."""

import re
from typing import Final

from graphrag.temporal.period import Unit

MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
WEEKDAYS: Final = {
    name: number
    for number, name in enumerate(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    )
}
SHORT_DAYS: Final = {"mon": "monday", "tue": "tuesday", "thu": "thursday", "fri": "friday"}
"""Those that are no other word; read after last, next and this."""
WEEKDAY_SHORT: Final = "mon|tues?|wed|thurs?|thu|fri|sat|sun"
SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First month, on the northern hemisphere; a winter has the year it begins in."""
HOLIDAYS: Final = {
    "new year's day": (1, 1),
    "valentine's day": (2, 14),
    "halloween": (10, 31),
    "michaelmas": (9, 29),
    "all saints' day": (11, 1),
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
}
FEASTS: Final = {
    "ash wednesday": -46,
    "good friday": -2,
    "easter": 0,
    "easter sunday": 0,
    "easter monday": 1,
    "ascension day": 39,
    "whit sunday": 49,
    "pentecost": 49,
    "whit monday": 50,
}
"""Days after Easter."""
UNITS: Final[dict[str, Unit]] = {
    "day": "day",
    "week": "week",
    "weekend": "weekend",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
    "yr": "year",
    "decade": "decade",
    "century": "century",
}
PARTS: Final = {"morning": (6, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
"""Hours from midnight; a night runs into the next day."""
_COUNTS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
).split()
TENS: Final = {
    word: 10 * number
    for number, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
NUMBERS: Final = {
    "a": 1,
    "an": 1,
    "a couple": 2,
    "couple": 2,
    "a dozen": 12,
    **{word: number for number, word in enumerate(_COUNTS, start=1)},
    **TENS,
    **{
        f"{tens}-{word}": value + number
        for tens, value in TENS.items()
        for number, word in enumerate(_COUNTS[:9], start=1)
    },
}
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
).split()
ORDINALS: Final = {word: number for number, word in enumerate(_ORDINALS, start=1)}
DECADES: Final = {
    word: 1900 + 10 * number
    for number, word in enumerate(("thirties", "forties", "fifties", "sixties"), start=3)
} | {"seventies": 1970, "eighties": 1980, "nineties": 1990}


def any_of(words: dict[str, int] | dict[str, tuple[int, int]] | dict[str, Unit]) -> str:
    """Write the words as one regular expression, longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_ORDINAL_DIGITS = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_JOINED = re.compile(r"\b(early|mid|late)-(?=\w)")
_SILENT = re.compile(r"\b(?:the|of)\b|,")
_SHORT_MONTH = re.compile(rf"\b({any_of(MONTHS)}|{WEEKDAY_SHORT})\.")
_EDGE = " \t\r\n\"'.,;:!?()[]"
_LAST = re.compile(r"\bthe last (?=(?:week|month|quarter|year|decade)\b(?! (?:of|in)\b))")
_SHORT_DAY = re.compile(r"\b(?<=last |next |this )(mon|tue|thu|fri)(?:r?s)?\b")
_SIGNS = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-", "−": "-"})


def normalise(text: str) -> str:
    """Give lower case without commas, "the", "of" and ordinal endings: one spelling per meaning."""
    plain = text.translate(_SIGNS).lower().strip(_EDGE)
    # "over the last year" is twelve months back from now, "last year" a year of the calendar.
    plain = _SHORT_DAY.sub(lambda match: SHORT_DAYS[match[1]], plain)
    plain = _LAST.sub("past ", plain)
    plain = _JOINED.sub(r"\1 ", _ORDINAL_DIGITS.sub("", plain))
    return " ".join(_SILENT.sub(" ", _SHORT_MONTH.sub(r"\1", plain)).split())


def number(word: str) -> int:
    """Give the value of a number word or of digits."""
    return NUMBERS[word] if word in NUMBERS else int(word)


def ordinal(word: str) -> int:
    """Give the value of an ordinal word or of digits."""
    return ORDINALS[word] if word in ORDINALS else int(word)
