"""What kind of thing a question asks for, from its question word."""

import re

_KINDS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), frozenset(kinds.split()))
    for words, kinds in (
        (r"who|whom|which (?:person|people|man|woman|friend)s?", "person"),
        (r"(?:which|what) (?:town|city|village|country|place|building|street|river)", "place"),
        (
            r"(?:which|what) (?:company|firm|employer|organi[sz]ation|hospital|clinic|school|"
            r"college|university|club|team|newspaper|bank)",
            "organization",
        ),
        (r"where", "place organization"),
    )
)


def asked_types(query: str) -> frozenset[str]:
    """Return the entity types that answer a question; empty if it does not say.

    The first question word decides: "Who lives where Alice lives?" asks for persons.
    """
    found = [(match.start(), kinds) for words, kinds in _KINDS if (match := words.search(query))]
    return min(found, default=(0, frozenset[str]()), key=lambda hit: hit[0])[1]
