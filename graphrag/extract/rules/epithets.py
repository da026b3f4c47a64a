"""Whether a noun may stand for a name: ``the company``, ``the club``, ``the town``."""

from graphrag.extract.rules.lexicon import BUILDINGS, PLACE, WATERS
from graphrag.extract.rules.name import Name

_KINDS = (
    {"club", "team"},
    {"school", "college", "university"},
    {"theatre", "theater"},
    *({word} for word in "charity foundation newspaper museum church hotel hospital bank".split()),
)
"""Nouns for what a body is, those that may be one together."""
FIRMS = frozenset({"company", "firm", "business"})
_PUBLIC = frozenset("court council ministry parliament museum school church university".split())
"""What is no company."""


def is_a(name: Name, kind: str) -> bool:
    """Tell whether a name is known to be of a kind: a body, a place or a building."""
    built = name.text.split()[-1].lower() in BUILDINGS
    built |= kind == PLACE and name.text.split()[0].lower() in WATERS  # no town
    return built if kind == "building" else not built and name.votes[kind] >= 2


def is_another(name: Name, noun: str) -> bool:
    """Tell whether a name calls itself something else than a noun: no museum is a club."""
    word = name.text.lower().partition(" of ")[0].split()[-1]
    own = next((group for group in _KINDS if word in group), {noun})
    if noun not in own and any(noun in group for group in _KINDS):
        return True
    return noun in FIRMS and word in _PUBLIC
