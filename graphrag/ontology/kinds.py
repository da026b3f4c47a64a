"""Declared types as values that a check can look up."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag.errors import InputError
from graphrag.relations import Relation

if TYPE_CHECKING:
    from pydantic import BaseModel

    from graphrag.ontology.declare import Type
    from graphrag.ontology.fields import Fields

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
    pairs: frozenset[tuple[str, str]]
    """Allowed types of subject and object; empty allows any."""

    def allows(self, subject: str | None, object_: str | None) -> bool:
        """Tell whether a fact may lead from one type to the other; None is an end not named."""
        ends = [(subject, object_)]
        if self.relation.symmetric:
            ends.append((object_, subject))
        return not self.pairs or any(
            one in (UNTYPED, None, left) and other in (UNTYPED, None, right)
            for one, other in ends
            for left, right in self.pairs
        )


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
        pairs = frozenset(
            (left, right)
            for subject, object_ in rules_of(model).pairs
            for left in _with_subtypes(subject, entities, name)
            for right in _with_subtypes(object_, entities, name)
        )
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
