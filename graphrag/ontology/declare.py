"""Type declarations: pydantic models; the docstring is the description, the fields attributes.

Entity types may be plain models; ``EntityType`` sets a different name. Options are class
arguments::

    class WorksAt(FactType, pairs=[(Person, Company)], single_valued=True, inverse_of="employs"):
        '''A person has a job at a company.'''

        role: str | None = None
"""

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, get_args

from pydantic import BaseModel, ValidationError, create_model

from graphrag.errors import InputError
from graphrag.model.values import JSON
from graphrag.ontology.conform import EntityKind, FactKind
from graphrag.ontology.relations import Relation

Type = type[BaseModel] | str  # a declared type, or the name of one
Pair = tuple[Type, Type]  # type of the subject and type of the object

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAME = re.compile(r"[^\W\d]\w*")


class Identifier:
    """Marker of a field whose value identifies one entity, whatever its name.

    ``email: Annotated[str | None, Identifier] = None``
    """


class EntityType(BaseModel):
    """Base of entity types with a name of their own: ``class Company(EntityType, name=…)``."""

    _type_name: ClassVar[str] = ""

    def __init_subclass__(cls, *, name: str = "") -> None:
        super().__init_subclass__()
        cls._type_name = name


class FactType(BaseModel):
    """Base of a fact type."""

    _type_name: ClassVar[str] = ""
    _pairs: ClassVar[tuple[Pair, ...]] = ()
    _relation: ClassVar[Relation] = Relation("")

    def __init_subclass__(
        cls,
        *,
        name: str = "",
        pairs: Iterable[Pair] = (),
        single_valued: bool = False,
        single_holder: bool = False,
        exclusive_with: Sequence[Type] = (),
        inverse_of: Type | None = None,
        symmetric: bool = False,
        nested_by: Sequence[Type] = (),
    ) -> None:
        """Declare the rules of the type.

        Args:
            name: Name of the relation; default: the name of the class in snake case.
            pairs: Allowed pairs of subject and object types; default: any.
            single_valued: Whether a subject has at most one object at a time.
            single_holder: Whether an object has at most one subject at a time.
            exclusive_with: Relations that cannot hold between the same two entities at the same
                time.
            inverse_of: The same relation in the other direction.
            symmetric: Whether subject and object can be exchanged.
            nested_by: Relations by which one object may lie within another, so that both facts
                hold.
        """
        super().__init_subclass__()
        cls._type_name, cls._pairs = name, tuple(pairs)
        cls._relation = Relation(
            name,
            single_valued=single_valued,
            single_holder=single_holder,
            symmetric=symmetric,
            exclusive_with=tuple(map(type_name, exclusive_with)),
            inverse_of=None if inverse_of is None else type_name(inverse_of),
            nested_by=tuple(map(type_name, nested_by)),
        )


def type_name(declared: Type) -> str:
    """Return the name under which a type is stored."""
    if isinstance(declared, str):
        name = declared
    else:
        own = getattr(declared, "_type_name", "")
        name = own or _WORD.sub("_", declared.__name__).lower()
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} cannot name a type: use letters, digits and underscores")
    return name


def meaning_of(declared: type[BaseModel]) -> str:
    """Return the docstring of a type in one line."""
    return " ".join(inspect.cleandoc(declared.__doc__ or "").split())


class Fields:
    """The attributes of one declared type: which of those given are valid, as JSON.

    A text seldom gives all of them: a missing one is no error, even if the model requires it.
    Validators of a whole model therefore see None for what was not given.
    """

    def __init__(self, model: type[BaseModel]) -> None:
        self._model = _with_optional_fields(model)
        self._open = model.model_config.get("extra") == "allow"
        self.identifiers = tuple(
            name
            for name, info in model.model_fields.items()
            if any(map(_is_identifier, (*info.metadata, info.annotation)))
        )
        """Names of the fields that are marked ``Identifier``."""

    def check(self, given: Mapping[str, JSON]) -> tuple[dict[str, JSON], dict[str, str]]:
        """Return the valid attributes as JSON, and for each other one what is wrong with it."""
        left = {name: value for name, value in given.items() if value is not None}
        wrong: dict[str, str] = {}
        if not self._open:
            for name in [name for name in left if name not in self._model.model_fields]:
                wrong[name] = "it is not declared"
                del left[name]
        while left:
            try:
                valid = self._model.model_validate(left)
            except ValidationError as error:
                for detail in error.errors(include_url=False, include_input=False):
                    # A validator of the whole model blames no field: none is known to be right.
                    field = str(detail["loc"][0]) if detail["loc"] else ""
                    for name in [field] if field in left or field in wrong else list(left):
                        if name in left:
                            wrong[name] = f"{_shown(left.pop(name))}: {detail['msg']}"
            else:
                return valid.model_dump(mode="json", exclude_unset=True), wrong
        return {}, wrong


def _is_identifier(mark: object) -> bool:
    """Tell whether this is the mark, or an annotation that bears it: ``Annotated[…] | None``."""
    marked = mark is Identifier or isinstance(mark, Identifier)
    return marked or any(map(_is_identifier, get_args(mark)))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _with_optional_fields(model: type[BaseModel]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        optional = copy(info)
        optional.default, optional.default_factory = None, None
        optional.validate_default = False
        fields[name] = (info.annotation, optional)
    return create_model(model.__name__, __base__=model, **fields)


def entity_kinds(models: Iterable[type[BaseModel]]) -> dict[str, EntityKind]:
    """Return the declared types of entity by name."""
    kinds: dict[str, EntityKind] = {}
    for model in models:
        name = type_name(model)
        if name in kinds:
            raise InputError(f"two entity types are called {name!r}: give one a name of its own")
        kinds[name] = EntityKind(name, meaning_of(model), model, Fields(model))
    return kinds


def fact_kinds(
    models: Iterable[type[BaseModel]], entities: Mapping[str, EntityKind]
) -> dict[str, FactKind]:
    """Return the declared types of fact by name."""
    kinds: dict[str, FactKind] = {}
    for model in models:
        name = type_name(model)
        declared = model if issubclass(model, FactType) else FactType
        if name in kinds:
            raise InputError(f"two fact types are called {name!r}: give one a name of its own")
        pairs = {
            (type_name(subject), type_name(object_)): frozenset(
                (left, right)
                for left in _with_subtypes(subject, entities, name)
                for right in _with_subtypes(object_, entities, name)
            )
            for subject, object_ in declared._pairs
        }
        relation = replace(declared._relation, name=name)
        kinds[name] = FactKind(name, meaning_of(model), model, Fields(model), relation, pairs)
    return kinds


def _with_subtypes(
    declared: Type, entities: Mapping[str, EntityKind], relation: str
) -> Sequence[str]:
    name = type_name(declared)
    if not entities:
        return [name]
    if name not in entities:
        known = ", ".join(entities)
        raise InputError(f"{relation!r} pairs {name!r}, which is no entity type; declared: {known}")
    return [
        other.name for other in entities.values() if issubclass(other.model, entities[name].model)
    ]
