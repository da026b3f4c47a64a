"""Known relations, and the rules by which their facts exclude each other.

Pass your own ``Relations`` to change them. An undeclared relation may have any number of objects.
Properties: ``single_valued`` (one object per subject at a time), ``single_holder`` (one subject per
object at a time), ``symmetric``, ``inverse_of``.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from graphrag.errors import InputError

if TYPE_CHECKING:
    from graphrag.ontology.standing import StandingRule


@dataclass(frozen=True, slots=True)
class Relation:
    """Rules for the facts of one relation."""

    name: str
    single_valued: bool = False
    """A subject has at most one object at a time."""
    single_holder: bool = False
    """An object has at most one subject at a time."""
    symmetric: bool = False
    """The fact means the same with subject and object exchanged."""
    exclusive_with: tuple[str, ...] = ()
    """Relations that cannot hold between the same two entities at the same time."""
    inverse_of: str | None = None
    """The same relation in the other direction. Facts are stored under only one of the two: the one
    that does not name the other, or the only one declared."""
    synonym_of: str | None = None
    """A relation of the same meaning and direction: facts keep their name, but filters and
    ``settle`` treat both as one. Exclusions are declared on the other relation."""
    timeless: bool = False
    """A fact holds always or never, as a birthplace does."""
    ends: tuple[str, ...] = ()
    """Relations of the subject, in either role, that end when a fact of this one begins: a death
    ends a job. For a symmetric relation, those of both: a marriage ends engagements."""
    ends_between: tuple[str, ...] = ()
    """Relations between the same two entities that end then: a divorce ends a marriage."""
    irreflexive: bool | None = None
    """No entity has it to itself, as with ``parent_of``; None decides by the name."""
    nested_by: tuple[str, ...] = ()
    """Relations by which one object may lie within another, at any depth: facts with two such
    objects do not exclude each other."""

    @property
    def has_rules(self) -> bool:
        """Tell whether anything is declared beside the name."""
        return self != Relation(self.name)


VITAL: Final = "vital_status"  # who has it is dead
DEATHS: Final = (VITAL, "died_on", "died_in")  # said of the dead alone


_LIFE = tuple(
    "works_at lives_in married_to engaged_to partner_of reports_to leads studies_at plays_for "
    "has_role member_of owned_by lives_with coaches commands responsible_for represents "
    "substitutes_for has_pet".split()
)
"""What a person has only while alive."""
_MUTUAL = tuple(
    "partner_of merged_with travels_with works_with colleague_of classmate_of roommate_of "
    "lives_with neighbor_of cousin_of twin_of".split()
)
"""Relations of two that each has to the other, and no more is known of them."""
_PLACED = ("located_in", "part_of")
FIGURES: Final = frozenset("has_population has_employees has_inhabitants has_size".split())
NUMBERS = ("costs", "earns", "has_value", "has_score", "has_version", "has_age", *sorted(FIGURES))
_DEFAULT = (
    Relation("works_at", single_valued=True),
    Relation("employed_by", synonym_of="works_at"),
    Relation("works_for", synonym_of="works_at"),
    Relation("employs", inverse_of="works_at"),
    Relation("lives_in", single_valued=True, nested_by=_PLACED),
    Relation("located_in", single_valued=True, nested_by=_PLACED),
    Relation("works_as", synonym_of="has_role"),
    Relation("reports_to", single_valued=True),
    Relation("manages", inverse_of="reports_to"),
    Relation("has_status", single_valued=True),
    Relation("has_state", synonym_of="has_status"),
    Relation(VITAL, single_valued=True, ends=_LIFE),
    *(Relation(name, single_valued=True) for name in NUMBERS),
    Relation("studies_at", single_valued=True),
    Relation("named", single_valued=True),
    Relation("leads", single_holder=True),
    Relation("led_by", inverse_of="leads"),
    Relation("owned_by", single_valued=True),
    Relation("owns", inverse_of="owned_by"),
    Relation("acquired", inverse_of="owned_by"),
    Relation("married_to", single_valued=True, symmetric=True, ends=("engaged_to",)),
    Relation("spouse_of", synonym_of="married_to"),
    Relation("engaged_to", single_valued=True, symmetric=True),
    Relation("divorced_from", symmetric=True, ends_between=("married_to",)),
    Relation("born_in", single_valued=True, timeless=True, nested_by=_PLACED),
    *(Relation(name, ends=_LIFE) for name in ("died_in", "died_of", "died_on")),
    Relation("sibling_of", symmetric=True, timeless=True),
    Relation("friend_of", symmetric=True),
    *(Relation(name, symmetric=True) for name in _MUTUAL),
    Relation("neighbour_of", synonym_of="neighbor_of"),
    Relation("likes", exclusive_with=("dislikes",)),
    Relation("dislikes", exclusive_with=("likes",)),
)

_IRREFLEXIVE = frozenset(
    "works_at lives_in located_in part_of reports_to studies_at leads owned_by married_to born_in "
    "engaged_to partner_of divorced_from died_in sibling_of twin_of cousin_of friend_of parent_of "
    "child_of grandparent_of member_of subsidiary_of capital_of contains succeeds merged_with "
    "travels_with works_with colleague_of classmate_of roommate_of lives_with neighbor_of".split()
)
"""Of these no entity has any to itself, unless they are declared otherwise; any other it may."""


class Relations(Mapping[str, Relation]):
    """Mapping of relations by name; an undeclared name gives a relation without constraints.

    ``Relations()`` has the built-in relations, ``Relations([...])`` only those given, and
    ``Relations().having(...)`` the built-in ones with additions and replacements.
    """

    def __init__(self, relations: Iterable[Relation] = _DEFAULT) -> None:
        self._by_name = {relation.name: relation for relation in relations}
        self._straight = _inverses(self._by_name)
        self._canonical = _canonical(self._by_name, self._straight)
        self._joined = _joined(self._by_name, self._straight)
        self.standing: tuple[StandingRule, ...] = ()
        """The standing rules that ``following`` added."""

    def __getitem__(self, name: str) -> Relation:
        """Return the relation, with the effects of its inverse and of exclusions by others."""
        return self._joined.get(name) or _unknown(name)

    def straight(self, name: str) -> str | None:
        """Return the inverse relation that facts of this one are stored under, or None."""
        return self._straight.get(name)

    def canonical(self, name: str) -> tuple[str, bool]:
        """Return the canonical relation, and whether subject and object are exchanged."""
        return self._canonical.get(name, (name, False))

    def line(self, relation: str, subject: str, object_: str) -> tuple[str, str, str]:
        """Return canonical relation, subject and object: the same for equivalent facts."""
        name, turned = self.canonical(relation)
        subject, object_ = (object_, subject) if turned else (subject, object_)
        if self[name].symmetric and "" != object_ < subject:
            subject, object_ = object_, subject
        return name, subject, object_

    def loops(self, name: str) -> bool:
        """Tell whether an entity may have a relation to itself: "the board consults the board"."""
        name = self.canonical(name)[0]
        declared = self[name].irreflexive
        return not (name in _IRREFLEXIVE if declared is None else declared)

    def alike(self, names: Iterable[str], used: Iterable[str]) -> list[str]:
        """Return those of the ``used`` relations that are equivalent to one of the names.

        ``employs`` selects facts stored as ``works_at`` if one is the inverse of the other.
        """
        normalized = ("_".join(name.split()) for name in names)
        stored = {self.canonical(name)[0] for name in normalized}
        return [name for name in used if self.canonical(name)[0] in stored]

    def same(self, name: str) -> list[str]:
        """Return the name and all declared relations equivalent to it: see ``alike``."""
        read = (other for other, _ in self._canonical.values())
        known = dict.fromkeys((*self._by_name, *self._straight, *self._straight.values(), *read))
        return [name, *self.alike([name], (other for other in known if other != name))]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"Relations({len(self)} declared)"

    @cached_property
    def nested(self) -> Mapping[str, frozenset[str]]:
        """Return relations with nested objects, each with the relations that nest them."""
        return {
            name: frozenset(self.canonical(other)[0] for other in relation.nested_by)
            for name, relation in self._joined.items()
            if relation.nested_by and relation.single_valued and not relation.symmetric
        }

    @cached_property
    def nesting(self) -> frozenset[str]:
        """Return the names of all relations that state that one thing lies within another."""
        return frozenset(it for by in self.nested.values() for one in by for it in self.same(one))

    def having(self, *relations: Relation) -> "Relations":
        """Return a copy with some relations added or replaced."""
        return Relations((*self._by_name.values(), *relations)).following(*self.standing)

    def following(self, *rules: "StandingRule") -> "Relations":
        """Return a copy with standing rules added."""
        other = copy(self)
        other.standing = (*self.standing, *rules)
        return other


@lru_cache(maxsize=4096)
def _unknown(name: str) -> Relation:
    return Relation(name)


def _inverses(declared: Mapping[str, Relation]) -> dict[str, str]:
    straight: dict[str, str] = {}
    for name, relation in declared.items():
        other = relation.inverse_of
        if other is None or name in straight:
            continue
        if other == name or relation.symmetric:
            raise InputError(f"{name!r} is an inverse of itself: declare it symmetric, no inverse")
        back = declared[other].inverse_of if other in declared else name
        if back not in (None, name) or straight.get(other, name) != name:
            raise InputError(f"{name!r} is declared the inverse of {other!r}, which has another")
        straight.update({other: name} if back == name else {name: other})
    return straight


def _canonical(
    declared: Mapping[str, Relation], straight: Mapping[str, str]
) -> dict[str, tuple[str, bool]]:
    """Return what each relation is read as, and whether that swaps its ends."""
    read: dict[str, tuple[str, bool]] = {}
    for first in dict.fromkeys((*declared, *straight)):
        name, turned, met = first, False, [first]
        while True:
            synonym = declared[name].synonym_of if name in declared else None
            if synonym is not None and name in straight:
                raise InputError(f"{name!r} is a synonym and has an inverse: choose one")
            if synonym is None and name not in straight:
                break
            name, turned = (straight[name], not turned) if synonym is None else (synonym, turned)
            if name in met:
                cycle = " -> ".join((*met[met.index(name) :], name))
                raise InputError(f"{cycle} is a cycle of synonyms: name another relation")
            met.append(name)
        read[first] = name, turned
    return read


def _joined(declared: Mapping[str, Relation], straight: Mapping[str, str]) -> dict[str, Relation]:
    """Return the relations with what others say of them: inverses, and exclusion both ways."""
    joined = dict(declared)
    for name, other in straight.items():
        if name in declared:
            there, here = declared[name], joined.get(other, Relation(other))
            joined[other] = replace(
                here,
                single_valued=here.single_valued or there.single_holder,
                single_holder=here.single_holder or there.single_valued,
                exclusive_with=tuple(
                    dict.fromkeys((*here.exclusive_with, *_turned(there, straight)))
                ),
            )
    for name, relation in list(joined.items()):
        if name in straight:
            continue
        for other in relation.exclusive_with:
            if other in straight:
                raise InputError(
                    f"{name!r} cannot exclude {other!r}, which is stored the other way round: "
                    f"name {straight[other]!r}, its inverse, or declare the pair the other way"
                )
            there = joined.get(other, Relation(other))
            if name not in there.exclusive_with:
                joined[other] = replace(there, exclusive_with=(*there.exclusive_with, name))
    return joined


def _turned(relation: Relation, straight: Mapping[str, str]) -> list[str]:
    """Return what the inverse of this relation cannot stand beside."""
    for other in relation.exclusive_with:
        if other not in straight:
            raise InputError(
                f"{relation.name!r} cannot exclude {other!r}: it is stored the other way round, as "
                f"{straight[relation.name]!r}; declare what that one excludes"
            )
    return [straight[other] for other in relation.exclusive_with]
