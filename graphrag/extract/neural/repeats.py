"""What two readings of one text say twice: each pair, each day, each death is stated once."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from graphrag.extract.neural.passage import words_of_name
from graphrag.model.extraction import Claim
from graphrag.names.key import name_key
from graphrag.ontology.relations import DEATHS, FIGURES, Relations

_FAMILIES: Final = (
    "works_at has_role leads member_of plays_for coaches commands responsible_for represents "
    "works_on substitutes_for succeeds",
    "lives_in located_in meets_in performs_at",
    "owns sells produces",
)
_FAMILY: Final = {name: names for names in _FAMILIES for name in names.split()}
"""Relations of which a text means one between two: the surest."""
_POSTS: Final = frozenset({"has_role", "leads"})
_AMOUNTS: Final = FIGURES | {"costs", "has_value", "has_age"}
_PLACED: Final = {"born_on": "born_in", "died_on": "died_in"}
_RELATIONS: Final = Relations()


def dated_once(claims: list[Claim]) -> tuple[Claim, ...]:
    """Return claims without a day of birth or death whose place has it, or that has another.

    A place without the day gets it (``b. Osijek, 1951``), and who died then is not said to be dead
    besides: that follows.
    """
    days = {
        (name_key(claim.subject.name), _PLACED[claim.relation]): claim
        for claim in claims
        if claim.relation in _PLACED and claim.valid_at is not None
    }
    claims = [_with_day(claim, days) for claim in claims]
    taken = {
        (name_key(claim.subject.name), claim.relation)
        for claim in claims
        if claim.relation in _PLACED.values() and claim.valid_at is not None
    }
    found = []
    for claim in claims:
        if place := _PLACED.get(claim.relation):
            keys = {(name_key(claim.subject.name), name) for name in (place, claim.relation)}
            if keys & taken:
                continue
            taken |= keys
        found.append(claim)
    died = {name_key(claim.subject.name) for claim in found if claim.relation in DEATHS}
    return tuple(
        claim
        for claim in found
        if claim.relation != "has_status"
        or claim.object is None
        or claim.object.name != "dead"
        or name_key(claim.subject.name) not in died
    )


def _with_day(claim: Claim, days: Mapping[tuple[str, str], Claim]) -> Claim:
    """Return a place of birth or death with the day that the text gives apart from it."""
    day = days.get((name_key(claim.subject.name), claim.relation))
    if day is None or claim.valid_at is not None:
        return claim
    return replace(claim, valid_at=day.valid_at, valid_precision=day.valid_precision)


class Stated:
    """What is stated already."""

    def __init__(self, claims: Collection[Claim]) -> None:
        self._by_rules = {_pair(claim) for claim in claims if claim.object is not None}
        self._lines = {(name_key(claim.subject.name), claim.relation) for claim in claims}
        self._families: set[tuple[frozenset[str], str]] = set()
        self._said = list(claims)

    def takes(self, claim: Claim) -> bool:
        """Tell whether a claim says something more, and remember it."""
        pair = _pair(claim)
        key = pair, _FAMILY.get(claim.relation, claim.relation)
        if pair in self._by_rules or key in self._families:
            return False
        if any(_is_same(claim, other) for other in self._said):
            return False
        if claim.relation in _POSTS and any(_is_former(claim, one) for one in self._said):
            return False
        single = _RELATIONS[claim.relation].single_valued
        if single and any(_is_rival(claim, other) for other in self._said):
            return False  # "moved to Riga in May. Scratch that, it was Tallinn"
        dated = claim.valid_at or claim.invalid_at or claim.kind != "state"
        line = name_key(claim.subject.name), claim.relation
        over = (one for one in self._said if one.ends)
        if not dated and any(_is_over(claim, one) for one in over):
            return False  # "was recalled as mayor", "is back from leave"
        if line in self._lines and not dated and single:
            return False  # the rules read where it is: a second place would end the first
        self._families.add(key)
        self._said.append(claim)
        return True


def _is_over(claim: Claim, end: Claim) -> bool:
    """Tell whether a sentence that gives somebody a role or a status ends one of theirs."""
    if claim.relation == "has_role":
        ended = _FAMILY.get(end.relation) == _FAMILIES[0]
    else:
        ended = end.object is None and end.relation == claim.relation
    near = claim.start < end.end and end.start < claim.end
    return ended and near and name_key(claim.subject.name) == name_key(end.subject.name)


def _is_former(claim: Claim, other: Claim) -> bool:
    """Tell whether a post begins when somebody else succeeds who is said to take it."""
    if other.relation != "succeeds" or other.object is None or claim.valid_at is None:
        return False
    who = name_key(claim.subject.name)
    return who == name_key(other.object.name) and claim.valid_at == other.valid_at


def _is_rival(one: Claim, other: Claim) -> bool:
    """Tell whether both give one somebody a value from the very same day on."""
    whose = name_key(one.subject.name) == name_key(other.subject.name)
    day = one.valid_at is not None and one.valid_at == other.valid_at
    return day and whose and one.relation == other.relation


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
