"""The stored entities that a mention may mean though no rule says so: the grey band."""

from dataclasses import dataclass

from graphrag.extraction import Mention
from graphrag.identity.known import UNTYPED
from graphrag.index.group import GroupIndex
from graphrag.models import CONCEPT
from graphrag.names import is_name, name_key
from graphrag.naming.likeness import ALIKE, likeness

_MOST = 5
"""Candidates of one mention."""
_COMPARED = 24
"""Look-alikes whose likeness is worked out for one mention."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stored entity that a mention may mean."""

    id: str
    score: float
    """From 0 to 1: how alike the names are."""


@dataclass(frozen=True, slots=True)
class OpenMention:
    """A mention that may mean one of several entities, or a new one."""

    mention: Mention
    candidates: tuple[Candidate, ...]
    """Likeliest first."""


def look_alikes(mention: Mention, index: GroupIndex) -> OpenMention | None:
    """Return what a mention may mean, None if nothing stored is like it.

    The cost does not grow with the group: only names that share a drawer are compared.
    """
    key, kind = name_key(mention.name), mention.entity_type
    if kind == CONCEPT:
        return None  # "axes" and "taxes": common nouns that look alike mean two things
    if kind == "person" and not is_name(mention.name):
        return None  # "Alice's friends" are not Alice
    found = {id_: ALIKE for id_ in index.entities_keyed(key)}
    if kind == "person" and " " not in key:
        called = sorted(index.people_called(key))
        found |= dict.fromkeys(called if len(called) <= _MOST else (), ALIKE)
    for id_ in index.names.like(key)[:_COMPARED]:
        score = max(likeness(key, name_key(name)) for name in index.names.names[id_])
        if score >= ALIKE:
            heir = index.heirs.of(id_)
            found[heir] = max(score, found.get(heir, 0.0))
    fitting = [
        Candidate(id_, round(score, 3))
        for id_, score in found.items()
        if index.entity_type(id_) == kind or UNTYPED in (index.entity_type(id_), kind)
    ]
    fitting.sort(key=lambda one: (-one.score, one.id))
    return OpenMention(mention, tuple(fitting[:_MOST])) if fitting else None
