"""What is declared by which two facts cannot both hold. Pure functions."""

from datetime import UTC, datetime
from typing import Literal

from graphrag.model.values import Fact
from graphrag.ontology.relations import Relations

Exclusion = Literal["single_valued", "single_holder", "exclusive_with"]
"""What a ``Relation`` may declare by which facts exclude each other."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_LATEST = datetime.max.replace(tzinfo=UTC)


def exclusion(one: Fact, other: Fact, relations: Relations) -> Exclusion | None:
    """Return what is declared by which two facts cannot both hold at one moment, if anything."""
    if one.untyped or other.untyped or (one.as_given and other.as_given):
        return None
    (name, *ends), (other_name, *others) = (_read(fact, relations) for fact in (one, other))
    relation = relations[name]
    same = ends == others or (relation.symmetric and ends == others[::-1])
    if name != other_name:
        rivals = {relations.canonical(rival)[0] for rival in relation.exclusive_with}
        return "exclusive_with" if same and other_name in rivals else None
    if same:
        return None
    if relation.symmetric and (relation.single_valued or relation.single_holder):
        return "single_valued" if {*ends} & {*others} else None
    if relation.single_valued and ends[0] == others[0]:
        return "single_valued"
    return "single_holder" if relation.single_holder and ends[1] == others[1] else None


def shares_end(one: Fact, other: Fact) -> bool:
    """Tell whether two facts have a subject or an object in common: only then one can end one."""
    return one.subject_id == other.subject_id or (
        bool(one.object_id) and one.object_id == other.object_id
    )


def overlap(one: Fact, other: Fact) -> bool:
    """Tell whether there is a moment at which both hold."""
    return _start(one) < _stop(other) and _start(other) < _stop(one)


def _read(fact: Fact, relations: Relations) -> tuple[str, str, str]:
    name, turned = relations.canonical(fact.relation)
    ends = fact.subject_id, fact.object_id
    return (name, *ends[::-1]) if turned else (name, *ends)


def _start(fact: Fact) -> datetime:
    return fact.valid_at or _EARLIEST


def _stop(fact: Fact) -> datetime:
    return fact.invalid_at or _LATEST
