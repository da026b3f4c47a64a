"""Standing rules: consequences of facts that every write keeps up to date.

A pattern is (subject, relation, object). ``?name`` is a variable, ``*`` matches any entity, and
anything else names an entity. ``when`` and ``unless`` match stated facts only, ``support`` and
``body`` also derived ones::

    Ends("closes", when=("?c", "company_state", "closed"), ends=("*", "works_at", "?c"))
    Needs("badge", fact=("?p", "has_badge", "*"), support=[("?p", "works_at", "*")])
    Derives(
        "boss",
        head=("?p", "reports_to", "?q"),
        body=[("?p", "on_team", "?t"), ("?t", "leads", "?q")],
    )
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from graphrag.errors import InputError

Pattern = tuple[str, str, str]
ANY = "*"
_SHAPE = 'a pattern is three words, such as ("?p", "works_at", "?c")'


class _Named:
    """A rule, whose patterns are checked: ``InputError`` names it, and what would be right."""

    __slots__ = ()
    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(
                f"a standing rule has the name {self.name!r}: give it a word to be known by"
            )
        object.__setattr__(self, "name", self.name.strip())
        for place, check in _PLACES.items():
            if hasattr(self, place):
                object.__setattr__(self, place, check(self.name, place, getattr(self, place)))


@dataclass(frozen=True, slots=True)
class Ends(_Named):
    """Rule: facts end permanently when another fact begins; facts that begin later are unaffected.

    A fact with both a stated start and a stated end is not changed.
    """

    name: str
    when: Pattern
    ends: Pattern


@dataclass(frozen=True, slots=True)
class Needs(_Named):
    """Rule: facts end permanently when no other fact supports them any more.

    A fact without a known start ends when its support ends, even if it had support only later.
    """

    name: str
    fact: Pattern
    support: Sequence[Pattern]
    """Patterns that must all match."""


@dataclass(frozen=True, slots=True)
class Derives(_Named):
    """Rule: a derived fact holds while all ``body`` and no ``unless`` patterns match."""

    name: str
    head: Pattern
    body: Sequence[Pattern]
    unless: Sequence[Pattern] = ()
    """Patterns of which none may match."""

    def __post_init__(self) -> None:
        """Check the patterns, and that the body finds both ends of the head."""
        _Named.__post_init__(self)
        bound = {term for subject, _, object_ in self.body for term in (subject, object_)}
        for term in (self.head[0], self.head[2]):
            if term not in bound or not is_variable(term):
                raise InputError(
                    f"standing rule {self.name!r}: the head says {term!r}, which the body does not "
                    "find: both ends of the head are variables of the body"
                )


StandingRule = Ends | Needs | Derives


def is_variable(term: str) -> bool:
    """Tell whether a term stands for an entity that a rule finds."""
    return term.startswith("?")


def checked_rules(rules: Iterable[StandingRule]) -> tuple[StandingRule, ...]:
    """Return rules as a tuple; what is no rule, or has the name of another, is refused."""
    found = tuple(rules)
    names = set[str]()
    for rule in found:
        if not isinstance(rule, Ends | Needs | Derives):
            raise InputError(f"{rule!r} is no standing rule: give Ends, Needs or Derives")
        if rule.name in names:
            raise InputError(f"two standing rules are called {rule.name!r}: give each its own name")
        names.add(rule.name)
    return found


def levels(links: Sequence[tuple[str, str, str, bool]]) -> dict[str, int]:
    """Return the level of each relation: relations of a lower level are settled first.

    A link has a rule, the relation that follows, one that it rests on, and whether it rests on the
    absence of that one. A rule by which a relation would follow from its own absence is refused.
    """
    found = dict.fromkeys(chain.from_iterable(link[1:3] for link in links), 0)
    for _ in range(len(found) + 1):
        raised = None
        for rule, follows, rests_on, absent in links:
            if (least := found[rests_on] + absent) > found[follows]:
                found[follows], raised = least, rule
        if raised is None:
            return found
    raise InputError(
        f"standing rule {raised!r}: what it says would follow from its own absence, by way of the "
        "other rules: take the relation out of its unless, or out of what the others rest on"
    )


def _patterns(
    rule: str, place: str, given: Iterable[Pattern], least: int = 1
) -> tuple[Pattern, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"standing rule {rule!r}: {place} is {given!r}; give a list: {_SHAPE}")
    given = tuple(given)
    if len(given) == 3 and all(isinstance(pattern, str) for pattern in given):
        raise InputError(f"standing rule {rule!r}: {place} is one pattern; give a list of them")
    if len(given) < least:
        raise InputError(f"standing rule {rule!r}: {place} is empty; {_SHAPE}")
    return tuple(_pattern(rule, place, pattern) for pattern in given)


def _pattern(rule: str, place: str, given: Pattern) -> Pattern:
    whole = isinstance(given, Iterable) and not isinstance(given, str)
    words = (term if isinstance(term, str) else "" for term in given) if whole else ()
    terms = tuple(" ".join(word.split()) for word in words)
    if len(terms) != 3 or not all(terms):
        raise InputError(f"standing rule {rule!r}: {place} is {given!r}; {_SHAPE}")
    subject, relation, object_ = terms
    if relation == ANY or is_variable(relation):
        raise InputError(f"standing rule {rule!r}: {place} names no relation; {_SHAPE}")
    return subject, "_".join(relation.split()), object_


_PLACES: Mapping[str, Callable[[str, str, Any], object]] = {
    **dict.fromkeys(("when", "ends", "fact", "head"), _pattern),
    **dict.fromkeys(("support", "body"), _patterns),
    "unless": partial(_patterns, least=0),
}
"""How the fields of the rules are checked."""
