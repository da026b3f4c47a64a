"""Names and summaries of communities without a model, from columns in memory.

The name has the central entities; of about equal ones an organization, place, event or work goes
before a person. Further facts of a member count less, or all would be about the hub.
"""

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphrag.community.detect import Nodes
from graphrag.community.text_ties import Quote
from graphrag.community.ties import NO_FACT, Ties
from graphrag.community.wording import NamedFact, families, sentences
from graphrag.index.group import GroupIndex
from graphrag.model.values import CONCEPT

_ANCHORS = frozenset({"organization", "place", "event", "work"})
"""Types of entities that a community is rather known by than by a person in it."""
_ABOUT = 0.5
"""Share of the most central member's weight at which one of them comes before it."""
_OTHERS = 3
"""Members that a name has beside the one it begins with."""
_FACTS = 12
_SENTENCES = 6
_QUOTES = 4
_CONSIDERED = 200
_POINTED_AT = 1.01
"""Weight of a fact for its object: of two that have as many, facts turn around what they are about.
"""
_PLAIN = 0.3
"""Weight of a concept against a named thing."""
_CLASSES = frozenset({"is_a", "instance_of", "type_of"})


@dataclass(frozen=True, slots=True)
class Description:
    """What is said of a community."""

    name: str
    summary: str


@dataclass(frozen=True, slots=True)
class AtMoment:
    """How entities and facts were at one moment."""

    name_of: Callable[[str], str]
    """The name of an entity by its id."""
    ends: tuple[Nodes, Nodes]
    """The row of the subject and of the object of every fact."""
    valid: Nodes
    """Its start in microseconds."""
    invalid: Nodes
    """Its end."""
    observed: Nodes
    """Whether its start is only when it was seen to hold."""

    @classmethod
    def now(cls, index: GroupIndex) -> "AtMoment":
        """Return them as they are."""
        columns = index.facts
        times = (columns[name] for name in ("valid", "invalid", "observed"))
        return cls(index.entity_name, index.ends(), *times)


@dataclass(frozen=True, slots=True)
class Subject:
    """A community that is to be described."""

    members: Sequence[int]
    """Rows of entities, best connected first."""
    ties: Ties
    """Facts between them."""


class Describer:
    """Describes communities by the names and lifetimes of one moment."""

    def __init__(self, index: GroupIndex, moment: AtMoment) -> None:
        self._index = index
        self.moment = moment
        self._names: dict[int, str] = {}
        self._types: dict[int, str] = {}
        self._last: tuple[Subject, Mapping[int, float]] | None = None

    def describe(self, subject: Subject, taken: Container[str] = ()) -> Description:
        """Return a name, one that is not taken if there is any, and a summary."""
        facts = sentences([self.named_fact(row) for row in self.chosen(subject, _FACTS)])
        quotes = self.quoted(subject, _QUOTES) if self._by_texts(subject) else []
        summary = " ".join([*quotes, *facts][:_SENTENCES])
        return Description(self.title(subject, taken), summary)

    def chosen(self, subject: Subject, count: int) -> list[int]:
        """Return the rows of the facts that tell most of a community, first things first."""
        ties, strength = subject.ties.facts, self._central(subject)
        if not len(ties):
            return []
        ends = np.concatenate((ties.subjects, ties.objects))
        rows, places = np.unique(ends, return_inverse=True)
        worth = np.array([strength[row] for row in rows.tolist()])
        subjects, objects = places.reshape(2, -1)
        values = (worth[subjects] + worth[objects]) * ties.weights
        order = np.lexsort((ties.rows, -values))[:_CONSIDERED]
        subjects, objects = subjects[order], objects[order]
        said = np.ones(len(rows))
        taken = np.zeros(len(order))
        found: list[int] = []
        for _ in range(min(count, len(order))):
            shares = worth / said
            best = int(np.argmax(shares[subjects] + shares[objects] - taken))
            taken[best] = np.inf
            said[subjects[best]] += 1
            said[objects[best]] += 1
            found.append(int(ties.rows[order[best]]))
        return found

    def named_fact(self, row: int) -> NamedFact:
        """Return a fact in names."""
        index, moment = self._index, self.moment
        subject, object_ = (self.name(int(ends[row])) for ends in moment.ends)
        relation = index.relations[int(index.facts["relation"][row])]
        start, end = int(moment.valid[row]), int(moment.invalid[row])
        return NamedFact(subject, relation, object_, start, end, bool(moment.observed[row]))

    def name(self, row: int) -> str:
        """Return the name of the entity in a row."""
        if (name := self._names.get(row)) is None:
            name = self._names[row] = self.moment.name_of(self._index.entities.ids[row])
        return name

    def type(self, row: int) -> str:
        """Return the type of the entity in a row."""
        if (type_ := self._types.get(row)) is None:
            type_ = self._types[row] = self._index.entity_type(self._index.entities.ids[row])
        return type_

    def _central(self, subject: Subject) -> Mapping[int, float]:
        """Return how central each member is; worked out once while one is described."""
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

    def quoted(self, subject: Subject, count: int) -> list[str]:
        """Return sentences of long texts that tell how its central members belong together."""
        strength = self._central(subject)
        members = set(subject.members)
        each = {quote.text: quote for quote in subject.ties.quotes}.values()  # a refrain only once
        near = [(quote, [row for row in quote.rows if row in members]) for quote in each]
        left = [(quote, inside) for quote, inside in near if len(inside) > 1]
        spoken: Counter[int] = Counter()
        found: list[str] = []

        def worth(candidate: tuple[Quote, list[int]]) -> tuple[float, str]:
            # What names others, too, is less about these; who was spoken of tells less again.
            quote, inside = candidate
            said = sum(strength[row] / (1 + spoken[row]) for row in inside)
            return quote.fit * said * len(inside) / len(quote.rows), quote.text

        while left and len(found) < count:
            best = max(left, key=worth)
            left.remove(best)
            found.append(best[0].text)
            spoken.update(best[1])
        return found

    def _by_texts(self, subject: Subject) -> bool:
        """Tell whether texts tie the named members more than facts do."""
        ties = subject.ties
        named = np.array([self.type(row) != CONCEPT for row in subject.members])
        rows = np.asarray(subject.members)[named]
        between = np.isin(ties.subjects, rows) & np.isin(ties.objects, rows)
        facts = ties.rows != NO_FACT
        return bool(ties.weights[between & ~facts].sum() > ties.weights[between & facts].sum())

    def title(self, subject: Subject, taken: Container[str] = ()) -> str:
        """Return a name alone, one that is not taken if there is any."""
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
            names = [self.name(row) for row in shown]
            people = [self.type(row) == "person" for row in shown]
            name = f"{head}: {', '.join(families(names, people))}" if shown else head
            if name not in taken:
                break
        return name

    def _class(self, hub: int, subject: Subject) -> str:
        """Return what the hub is said to be, in brackets."""
        index = self._index
        codes = [index.relations.index(name) for name in _CLASSES if name in index.relations]
        facts = subject.ties.facts
        rows = facts.rows[facts.subjects == hub]
        classes = rows[np.isin(index.facts["relation"][rows], codes)]
        return f" ({self.named_fact(int(classes[-1])).object})" if len(classes) else ""
