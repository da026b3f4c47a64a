"""Facts as plain sentences, those of one kind together, and names in a row.

Composed of names, relations and dates, as the summaries of entities are: the words of a source may
say "she", or a second thing that was taken back since.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from graphrag.display.lists import listed
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.temporal.moment import from_micros

_PLURAL = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "goes": "go",
    "child": "children",
}
_STATES = frozenset({"based", "born", "engaged", "located", "married"})
"""First words of relations that stand without "is", beside ``owned_by`` and ``sibling_of``."""


@dataclass(frozen=True, slots=True)
class NamedFact:
    """A fact in the names of its ends."""

    subject: str
    relation: str
    object: str
    start: int
    """Microseconds."""
    end: int
    observed: bool = False
    """Whether its start is only when it was seen to hold."""

    @property
    def span(self) -> str:
        """Return its lifetime for a bracket, empty if nothing is known of it."""
        start = "" if self.start == BEGINNING else str(from_micros(self.start).date())
        end = "" if self.end == FOREVER else str(from_micros(self.end).date())
        if self.observed:
            return f"until {end}" if end else f"as of {start}"
        if start and end:
            return f"{start} to {end}"
        return f"since {start}" if start else f"until {end}" if end else ""


def sentences(facts: Sequence[NamedFact]) -> list[str]:
    """Return facts as sentences, in order; facts that differ in one end only share theirs."""
    at_object: dict[tuple[str, str], list[NamedFact]] = defaultdict(list)
    for fact in facts:
        at_object[fact.relation, fact.object].append(fact)
    at_subject: dict[tuple[str, str], list[NamedFact]] = defaultdict(list)
    for fact in facts:
        if len(at_object[fact.relation, fact.object]) == 1:
            at_subject[fact.subject, fact.relation].append(fact)
    found: dict[str, None] = {}
    for fact in facts:
        together = at_object[fact.relation, fact.object]
        verb = verb_of(fact.relation, plural=len(together) > 1)
        if len(together) > 1:
            subjects, span = _dated(
                [(named_fact.subject, named_fact.span) for named_fact in together]
            )
            said = f"{subjects} {verb} {fact.object}{span}"
        else:
            alike = at_subject[fact.subject, fact.relation]
            objects, span = _dated([(named_fact.object, named_fact.span) for named_fact in alike])
            said = f"{fact.subject} {verb} {objects}{span}"
        found[f"{said[:1].upper()}{said[1:]}."] = None
    return list(found)


def _dated(items: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Return names in a row with their lifetimes in brackets, or one that all share apart."""
    items = sorted(
        items, key=lambda item: (item[1].removeprefix("since ").removeprefix("as of "), item[0])
    )
    spans = {span for _, span in items}
    if len(spans) == 1:
        [span] = spans
        return listed(name for name, _ in items), f" ({span})" if span else ""
    return listed(f"{name} ({span})" if span else name for name, span in items), ""


def verb_of(relation: str, *, plural: bool = False) -> str:
    """Return a relation as a verb: ``works_at`` is "works at", of several "work at"."""
    first, *rest = relation.split("_")
    if first in _STATES or (rest in (["by"], ["of"]) and not first.endswith("s")):
        several = plural and rest == ["of"]
        first, rest = "is", [_PLURAL.get(first, f"{first}s") if several else first, *rest]
    if plural:
        first = _PLURAL.get(first) or _without_s(first)
    return " ".join((first, *rest))


def _without_s(verb: str) -> str:
    if not verb.endswith("s") or verb.endswith("ss"):
        return verb
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if verb.endswith(("shes", "ches", "xes", "sses", "zzes")):
        return verb[:-2]
    return verb[:-1]


def families(names: Sequence[str], people: Sequence[bool]) -> list[str]:
    """Return names with those of one family together: ``Ines and Albert Quarrie``."""
    kin: dict[str, list[str]] = defaultdict(list)
    for name, person in zip(names, people, strict=True):
        words = name.split()
        if person and len(words) > 1:
            kin[words[-1]].append(" ".join(words[:-1]))
    found: dict[str, None] = {}
    for name, person in zip(names, people, strict=True):
        family = name.split()[-1] if name.split() else ""
        given = kin.get(family, []) if person and len(name.split()) > 1 else []
        found[f"{listed(given)} {family}" if len(given) > 1 else name] = None
    return list(found)
