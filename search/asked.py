"""What a question asks for: a kind of thing, by its question word; what somebody said, by "my"."""

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

_SELF = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)
_POLITE = re.compile(r"\b(?:can|could|would|will|do) you\b", re.IGNORECASE)
_YOU = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)


def asked_types(query: str) -> frozenset[str]:
    """Return the entity types that answer a question; empty if it does not say.

    The first question word decides: "Who lives where Alice lives?" asks for persons.
    """
    found = [(match.start(), kinds) for words, kinds in _KINDS if (match := words.search(query))]
    return min(found, default=(0, frozenset[str]()), key=lambda hit: hit[0])[1]


def is_of_oneself(query: str) -> bool:
    """Tell whether a question is about the one who asks, not about what the one asked has said.

    "Can you tell me when I moved?" is; "What did you tell me about moving?" is not.
    """
    return bool(_SELF.search(query)) and not _YOU.search(_POLITE.sub("", query))
