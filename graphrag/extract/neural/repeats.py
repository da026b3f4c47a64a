"""What two readings of one text say twice: each pair, each day, each death is stated once."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from graphrag.extract.neural.passage import Statement, words_of_name
from graphrag.model.extraction import Claim
from graphrag.names.key import name_key
from graphrag.ontology.relations import FIGURES, Relations

_FAMILIES: Final = (
    "works_at has_role leads member_of plays_for coaches commands responsible_for represents "
    "works_on substitutes_for succeeds",
    "lives_in located_in meets_in performs_at",
    "owns sells produces",
)
_FAMILY: Final = {name: names for names in _FAMILIES for name in names.split()}
"""Relations of which a text means one between two: the surest."""
_AMOUNTS: Final = FIGURES | {"costs", "has_value", "has_age"}
_RELATIONS: Final = Relations()
_CERTAIN: Final = 0.99


def surest(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield the surest statement of each family of relations between two places, with the sum.

    Of "she joined Acme" the network may not tell a member from an employee, but it knows that the
    text states one of them. A symmetric relation is one in both directions.
    """
    families: dict[tuple[Hashable, str], list[Statement]] = {}
    for statement in statements:
        pair: Hashable = statement.subject, statement.object
        if _RELATIONS[statement.relation].symmetric:
            pair = frozenset((statement.subject, statement.object))
        family = _FAMILY.get(statement.relation, statement.relation)
        families.setdefault((pair, family), []).append(statement)
    for alike in families.values():
        best = max(alike, key=lambda statement: statement.sure)
        yield replace(best, sure=min(_CERTAIN, sum(statement.sure for statement in alike)))


class Stated:
    """What is stated already."""

    def __init__(self) -> None:
        self._families: set[tuple[frozenset[str], str]] = set()
        self._said: list[Claim] = []

    def takes(self, claim: Claim) -> bool:
        """Tell whether a claim says something more, and remember it."""
        key = _pair(claim), _FAMILY.get(claim.relation, claim.relation)
        if key in self._families:
            return False
        if any(_is_same(claim, other) for other in self._said):
            return False
        single = _RELATIONS[_line(claim)[1]].single_valued
        if single and any(_is_rival(claim, other) for other in self._said):
            return False  # "moved to Riga in May. Scratch that, it was Tallinn"
        dated = claim.valid_at or claim.invalid_at or claim.kind != "state"
        if single and not dated and any(_holds_of(claim, other) for other in self._said):
            return False  # a second place would end the first
        self._families.add(key)
        self._said.append(claim)
        return True


def _line(claim: Claim) -> tuple[str, str]:
    """Return whose value a claim states, and of which relation, in its declared direction."""
    relation, turned = _RELATIONS.canonical(claim.relation)
    whose = claim.object if turned and claim.object is not None else claim.subject
    return name_key(whose.name), relation


def _holds_of(claim: Claim, other: Claim) -> bool:
    """Tell whether another claim states a value of the same entity that is not over."""
    over = other.kind == "was" or other.invalid_at is not None
    return not over and _line(claim) == _line(other)


def _is_rival(claim: Claim, other: Claim) -> bool:
    """Tell whether both state a value of one entity from the very same day on."""
    day = claim.valid_at is not None and claim.valid_at == other.valid_at
    return day and _line(claim) == _line(other)


def _is_same(one: Claim, other: Claim) -> bool:
    """Tell whether one sentence says the same of the same in no more words than the other."""
    if one.object is None or other.object is None:
        return False
    if one.relation != other.relation and not {one.relation, other.relation} <= _AMOUNTS:
        return False
    subjects = words_of_name(one.subject.name), words_of_name(other.subject.name)
    objects = words_of_name(one.object.name), words_of_name(other.object.name)
    near = one.start < other.end and other.start < one.end
    if one.relation == "has_status" and one.valid_at == other.valid_at and near:
        return subjects[0] == subjects[1]  # "will close": closed
    if one.relation in _AMOUNTS:  # "38" and "38 quid"
        return near and subjects[0] == subjects[1] and bool(objects[0] & objects[1])
    return near and subjects[0] <= subjects[1] and objects[0] <= objects[1]


def _pair(claim: Claim) -> frozenset[str]:
    other = "" if claim.object is None else claim.object.name
    return frozenset((name_key(claim.subject.name), name_key(other)))
