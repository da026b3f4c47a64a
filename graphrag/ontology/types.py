"""Declared types as values that a check can look up."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag.errors import InputError
from graphrag.ontology.relations import Relation

if TYPE_CHECKING:
    from pydantic import BaseModel

    from graphrag.ontology.declare import Type
    from graphrag.ontology.fields import Fields

Pair = tuple[str, str]
"""Types of a subject and an object."""
UNTYPED = "thing"
"""Type of an entity of which nothing more is known: it fits everywhere."""


@dataclass(frozen=True, slots=True)
class EntityKind:
    """A declared type of entity."""

    name: str
    meaning: str
    model: "type[BaseModel]"
    fields: "Fields"


@dataclass(frozen=True, slots=True)
class FactKind:
    """A declared type of fact."""

    name: str
    meaning: str
    model: "type[BaseModel]"
    fields: "Fields"
    relation: Relation
    pairs: Mapping[Pair, frozenset[Pair]]
    """Allowed types of subject and object, each as declared with all that their subclasses make of
    it; empty allows any."""

    def allows(self, subject: str | None, object_: str | None) -> bool:
        """Tell whether a fact may lead from one type to the other; None is an end not named."""
        return not self.pairs or bool(self._fitting(subject, object_))

    def typed(self, subject: str, object_: str) -> Pair:
        """Return the types of two ends; an unknown one is what the other leaves room for."""
        fitting = self._fitting(subject, object_)
        lefts, rights = {left for left, _ in fitting}, {right for _, right in fitting}
        return (
            lefts.pop() if subject == UNTYPED and len(lefts) == 1 else subject,
            rights.pop() if object_ == UNTYPED and len(rights) == 1 else object_,
        )

    def _fitting(self, subject: str | None, object_: str | None) -> set[Pair]:
        """Return the declared pairs that two types may be, in their direction."""

        def fits(one: str | None, other: str | None, allowed: Iterable[Pair]) -> bool:
            return any(
                one in (UNTYPED, None, left) and other in (UNTYPED, None, right)
                for left, right in allowed
            )

        found = {pair for pair, some in self.pairs.items() if fits(subject, object_, some)}
        if self.relation.symmetric:
            found |= {
                pair[::-1] for pair, some in self.pairs.items() if fits(object_, subject, some)
            }
        return found


def entity_kinds(models: "Collection[type[BaseModel]]") -> dict[str, EntityKind]:
    """Return the declared types of entity by name.

    Raises:
        InputError: if two have one name.
    """
    if not models:
        return {}
    from graphrag.ontology.declare import meaning_of, type_name
    from graphrag.ontology.fields import Fields

    kinds: dict[str, EntityKind] = {}
    for model in models:
        name = type_name(model)
        if name in kinds:
            raise InputError(f"two entity types are called {name!r}: give one a name of its own")
        kinds[name] = EntityKind(name, meaning_of(model), model, Fields(model))
    return kinds


def fact_kinds(
    models: "Collection[type[BaseModel]]", entities: Mapping[str, EntityKind]
) -> dict[str, FactKind]:
    """Return the declared types of fact by name.

    Raises:
        InputError: if two have one name, or a pair names a type that is not declared.
    """
    if not models:
        return {}
    from graphrag.ontology.declare import meaning_of, relation_of, rules_of, type_name
    from graphrag.ontology.fields import Fields

    kinds: dict[str, FactKind] = {}
    for model in models:
        name = type_name(model)
        if name in kinds:
            raise InputError(f"two fact types are called {name!r}: give one a name of its own")
        pairs = {
            (type_name(subject), type_name(object_)): frozenset(
                (left, right)
                for left in _with_subtypes(subject, entities, name)
                for right in _with_subtypes(object_, entities, name)
            )
            for subject, object_ in rules_of(model).pairs
        }
        kinds[name] = FactKind(
            name, meaning_of(model), model, Fields(model), relation_of(model), pairs
        )
    return kinds


def _with_subtypes(
    declared: "Type", entities: Mapping[str, EntityKind], relation: str
) -> Sequence[str]:
    """Return a type's name and those of the declared types that are subclasses of it."""
    from graphrag.ontology.declare import type_name

    name = type_name(declared)
    if not entities:
        return [name]
    if name not in entities:
        known = ", ".join(entities)
        raise InputError(f"{relation!r} pairs {name!r}, which is no entity type; declared: {known}")
    return [
        other.name for other in entities.values() if issubclass(other.model, entities[name].model)
    ]
