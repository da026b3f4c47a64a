"""Names and summaries of communities without a model, from columns in memory.

The name has the central entities; of about equal ones an organization, place, event or work goes
before a person. Further facts of a member count less, or all would be about the hub. Summaries are
sentences made of names, relations and dates: the words of a source may say "she", or a second thing
that was retracted since.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from graphrag.community.draft import (
    AtMoment,
    CommunityDraft,
    Description,
    MarkedDescription,
    Subject,
)
from graphrag.display.lists import listed
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.values import CONCEPT, Community
from graphrag.protocols import in_turns
from graphrag.temporal.moment import from_micros

_ANCHORS = frozenset({"organization", "place", "event", "work"})
"""Types of entities that a community is rather known by than by a person in it."""
_ABOUT = 0.5  # share of the most central member's weight at which one of them comes before it
_OTHERS = 3  # members that a name has beside the one it begins with
_FACTS = 12
_SENTENCES = 6
_CONSIDERED = 200
_POINTED_AT = 1.01  # weight of a fact for its object: the tie-breaker between two equal ends
_PLAIN = 0.3  # weight of a concept against a named thing
_CLASSES = frozenset({"is_a", "instance_of", "type_of"})
_MANY = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go", "child": "children"}
_STATES = frozenset({"based", "born", "engaged", "located", "married"})
"""First words of relations that stand without "is", beside ``owned_by`` and ``sibling_of``."""


@dataclass(frozen=True, slots=True)
class NamedFact:
    """A fact with the names of its ends."""

    subject: str
    relation: str
    object: str
    start: int  # microseconds
    end: int
    observed: bool = False  # whether the start is only the first moment at which it was observed

    @property
    def span(self) -> str:
        """Return its interval for brackets, empty if neither end is known."""
        start = "" if self.start == BEGINNING else str(from_micros(self.start).date())
        end = "" if self.end == FOREVER else str(from_micros(self.end).date())
        if self.observed:
            return f"until {end}" if end else f"as of {start}"
        if start and end:
            return f"{start} to {end}"
        return f"since {start}" if start else f"until {end}" if end else ""


class Describer:
    """Description of communities by the names and lifetimes of one moment."""

    def __init__(self, index: GroupIndex, moment: AtMoment) -> None:
        self._index = index
        self.moment = moment
        self._last: tuple[Subject, Mapping[int, float]] | None = None

    def describe(self, subject: Subject, taken: Container[str] = ()) -> Description:
        """Return a name, not a taken one if possible, and a summary."""
        facts = sentences([self.named_fact(row) for row in self.chosen(subject, _FACTS)])
        return Description(self.title(subject, taken), " ".join(facts[:_SENTENCES]))

    def chosen(self, subject: Subject, count: int) -> list[int]:
        """Return the rows of the facts that tell most about a community, best first."""
        ties, strength = subject.ties, self._central(subject)
        if not len(ties):
            return []
        rows, places = np.unique(np.concatenate((ties.subjects, ties.objects)), return_inverse=True)
        worth = np.array([strength[row] for row in rows.tolist()])
        subjects, objects = places.reshape(2, -1)
        values = (worth[subjects] + worth[objects]) * ties.weights
        order = np.lexsort((ties.rows, -values))[:_CONSIDERED]
        subjects, objects = subjects[order], objects[order]
        mentioned = np.ones(len(rows))
        taken = np.zeros(len(order))
        rows_chosen: list[int] = []
        for _ in range(min(count, len(order))):
            shares = worth / mentioned
            best = int(np.argmax(shares[subjects] + shares[objects] - taken))
            taken[best] = np.inf
            mentioned[subjects[best]] += 1
            mentioned[objects[best]] += 1
            rows_chosen.append(int(ties.rows[order[best]]))
        return rows_chosen

    def named_fact(self, row: int) -> NamedFact:
        """Return a fact with the names of its ends."""
        index, moment = self._index, self.moment
        subject, object_ = (self.name(int(ends[row])) for ends in moment.ends)
        relation = index.relations[int(index.facts["relation"][row])]
        start, end = int(moment.valid[row]), int(moment.invalid[row])
        return NamedFact(subject, relation, object_, start, end, bool(moment.observed[row]))

    def name(self, row: int) -> str:
        """Return the name of the entity in a row."""
        return self.moment.name_of(self._index.entities.ids[row])

    def type(self, row: int) -> str:
        """Return the type of the entity in a row."""
        return self._index.entity_type(self._index.entities.ids[row])

    def _central(self, subject: Subject) -> Mapping[int, float]:
        if self._last is not None and self._last[0] is subject:
            return self._last[1]
        ends = np.concatenate((subject.ties.subjects, subject.ties.objects))
        rows, place = np.unique(ends, return_inverse=True)
        both = np.concatenate((subject.ties.weights, subject.ties.weights * _POINTED_AT))
        weights = np.bincount(place, weights=both, minlength=len(rows))
        strength = dict(zip(rows.tolist(), np.log1p(weights).tolist(), strict=True))
        for row in subject.members:
            strength.setdefault(row, 0.0)
            if self.type(row) == CONCEPT:
                strength[row] *= _PLAIN
        self._last = subject, strength
        return strength

    def title(self, subject: Subject, taken: Container[str] = ()) -> str:
        """Return a name alone, not a taken one if possible."""
        strength = self._central(subject)
        order = sorted(subject.members, key=lambda row: (-strength[row], self.name(row), row))
        named = [row for row in order if self.type(row) != CONCEPT] or order
        least = float(np.log1p(_ABOUT * np.expm1(strength[named[0]])))
        anchors = (row for row in named if self.type(row) in _ANCHORS and strength[row] >= least)
        hub = next(anchors, named[0])
        others = [row for row in named if row != hub] or [row for row in order if row != hub]
        kind = "" if self.type(hub) == "person" else self._class(hub, subject)
        head = f"{self.name(hub)}{kind}"
        for count in range(_OTHERS, max(_OTHERS, len(others)) + 1):
            shown = others[:count]
            name = f"{head}: {', '.join(map(self.name, shown))}" if shown else head
            if name not in taken:
                break
        return name

    def _class(self, hub: int, subject: Subject) -> str:
        """Return the class of the hub, in brackets."""
        index = self._index
        codes = [index.relations.index(name) for name in _CLASSES if name in index.relations]
        rows = subject.ties.rows[subject.ties.subjects == hub]
        classes = rows[np.isin(index.facts["relation"][rows], codes)]
        return f" ({self.named_fact(int(classes[-1])).object})" if len(classes) else ""


def sentences(facts: Sequence[NamedFact]) -> list[str]:
    """Return facts as sentences, in order; facts that differ only in one end share a sentence."""
    at_object: dict[tuple[str, str], list[NamedFact]] = defaultdict(list)
    for fact in facts:
        at_object[fact.relation, fact.object].append(fact)
    at_subject: dict[tuple[str, str], list[NamedFact]] = defaultdict(list)
    for fact in facts:
        if len(at_object[fact.relation, fact.object]) == 1:
            at_subject[fact.subject, fact.relation].append(fact)
    lines: dict[str, None] = {}
    for fact in facts:
        together = at_object[fact.relation, fact.object]
        verb = verb_of(fact.relation, plural=len(together) > 1)
        if len(together) > 1:
            subjects, span = _dated([(other.subject, other.span) for other in together])
            sentence = f"{subjects} {verb} {fact.object}{span}"
        else:
            alike = at_subject[fact.subject, fact.relation]
            objects, span = _dated([(other.object, other.span) for other in alike])
            sentence = f"{fact.subject} {verb} {objects}{span}"
        lines[f"{sentence[:1].upper()}{sentence[1:]}."] = None
    return list(lines)


def _dated(items: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Return names as a list with their intervals in brackets, or the interval that all share."""
    items = sorted(
        items, key=lambda item: (item[1].removeprefix("since ").removeprefix("as of "), item[0])
    )
    if len({span for _, span in items}) == 1:
        span = items[0][1]
        return listed(name for name, _ in items), f" ({span})" if span else ""
    return listed(f"{name} ({span})" if span else name for name, span in items), ""


def verb_of(relation: str, *, plural: bool = False) -> str:
    """Return a relation as a verb: ``works_at`` is "works at", of several "work at"."""
    first, *rest = relation.split("_")
    if first in _STATES or (rest in (["by"], ["of"]) and not first.endswith("s")):
        several = plural and rest == ["of"]
        first, rest = "is", [_MANY.get(first, f"{first}s") if several else first, *rest]
    if plural:
        first = _MANY.get(first) or _without_s(first)
    return " ".join((first, *rest))


def _without_s(verb: str) -> str:
    if not verb.endswith("s") or verb.endswith("ss"):
        return verb
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("shes", "ches", "xes", "sses", "zzes")) else verb[:-1]


Author = Callable[
    [Sequence[CommunityDraft], Mapping[int, Community], Describer, Set[str]],
    Awaitable[list[MarkedDescription]],
]
"""Describes drafts, parents before their parts, with the old words where nothing changed.

It is given the community that a draft continues, by its place, what knows names and facts, and the
names of other communities.
"""


async def by_facts(
    drafts: Sequence[CommunityDraft],
    known: Mapping[int, Community],
    describer: Describer,
    taken: Set[str],
) -> list[MarkedDescription]:
    """Describe drafts by names, relations and dates; unchanged descriptions are kept."""
    kept = {
        place: community
        for place, community in known.items()
        if community.fingerprint.partition(" ")[0] == drafts[place].fingerprint
    }
    names = {*taken, *(community.name for community in kept.values())}
    descriptions: list[MarkedDescription] = []
    async for place, draft in in_turns(enumerate(drafts)):
        if (same := kept.get(place)) is not None:
            descriptions.append((Description(same.name, same.summary), same.fingerprint))
            continue
        description = describer.describe(draft.subject, names)
        names.add(description.name)
        descriptions.append((description, draft.fingerprint))
    return descriptions
