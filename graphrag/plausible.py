"""Which stored facts a new one may end though nothing is declared: what is worth asking about.

One may like, visit and know many things, and use one editor. Nobody declared which, so the graph
itself is asked: a relation of which somebody has two objects at one time is taken to hold many, and
another value of it opens no question, unless the text says that it takes the place of something.
So a relation costs a question or two when it is new, and none once it is known to hold many.
"""

from collections.abc import Set

import numpy as np

from graphrag.extraction import Claim
from graphrag.identity.known import UNTYPED
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.models import Fact
from graphrag.relations import Relations

_ALIKE = 80
"""Of 100, at which the names of two relations may mean the same."""
_DENIALS = ("not_", "no_longer_", "never_", "dis", "un", "mis", "ex_", "former_", "formerly_")


def may_exclude(
    claim: Claim,
    told: Fact,
    fact: Fact,
    index: GroupIndex,
    relations: Relations,
    *,
    many: Set[tuple[str, str]] = frozenset(),
) -> bool:
    """Tell whether a claim and a stored fact that hold at one time may not both be true.

    Args:
        claim: What the text says.
        told: The fact that it would be.
        fact: The stored one.
        index: The group, as it is now.
        relations: What is declared; about two declared relations the rules have decided.
        many: Subjects and relations of which the text itself tells several objects.
    """
    one, other = told.relation, fact.relation
    if one in relations and other in relations:
        return False
    if {told.subject_id, told.object_id} == {fact.subject_id, fact.object_id}:
        return one != other and (claim.replaces or _denies(one, other))
    of_subject = told.subject_id == fact.subject_id
    if one == other:
        # One holder at a time is what "ceo_of" says, not "uses": many use one thing.
        if not of_subject and not (told.object_id == fact.object_id and one.endswith("_of")):
            return False
    elif not of_subject or not _called_alike(one, other) or not _of_one_kind(claim, fact, index):
        return False
    if claim.replaces:
        return True
    end = "subject" if of_subject else "object"
    return (told.subject_id, one) not in many and not _held_together(one, other, end, index)


def _called_alike(one: str, other: str) -> bool:
    from rapidfuzz import fuzz

    return bool(fuzz.ratio(one.split("_")[0], other.split("_")[0]) >= _ALIKE)


def _denies(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return any(long == denial + short for denial in _DENIALS)


def _of_one_kind(claim: Claim, fact: Fact, index: GroupIndex) -> bool:
    """Tell whether a person works "for" what they work "at", and not "with" somebody."""
    assert claim.object is not None, "ends are no rivals"
    kinds = {claim.object.entity_type, index.entity_type(fact.object_id)}
    return len(kinds) == 1 or UNTYPED in kinds


def _held_together(one: str, other: str, end: str, index: GroupIndex) -> bool:
    """Tell whether something stored has two values of a relation, or of two, at one time."""
    codes = {index.relation_code(name) for name in (one, other)}
    facts = index.facts
    standing = facts.alive.values & ~facts["pending"] & (facts["retracted"] == FOREVER)
    rows = np.flatnonzero(standing & np.isin(facts["relation"], list(codes)))
    subjects, objects = (column[rows] for column in index.ends())
    here, there = (subjects, objects) if end == "subject" else (objects, subjects)
    order = np.lexsort((facts["valid"][rows], here))
    rows, here, there = rows[order], here[order], there[order]
    relation, start, stop = (facts[name][rows] for name in ("relation", "valid", "invalid"))
    # Of each end only those that follow each other in time: one such pair is enough to know.
    together = (here[1:] == here[:-1]) & (there[1:] != there[:-1]) & (start[1:] < stop[:-1])
    if len(codes) == 2:
        together &= relation[1:] != relation[:-1]
    return bool(together.any())
