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
from itertools import product
from typing import Any, ClassVar, get_args

from pydantic import BaseModel, ValidationError, create_model

from graphrag.errors import InputError
from graphrag.model.checks import shown
from graphrag.model.values import JSON
from graphrag.ontology.conform import UNTYPED, EntityKind, FactKind
from graphrag.ontology.relations import Relation

Type = type[BaseModel] | str  # a declared type, or the name of one
Pair = tuple[Type, Type]  # type of the subject and type of the object
Models = Iterable[type[BaseModel]] | Mapping[str, type[BaseModel]]
ANY = "Entity"  # in pairs: any type

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
        synonym_of: Type | None = None,
    ) -> None:
        """Declare the rules of the type, as ``Relation`` does.

        Args:
            name: Name of the relation; default: the name of the class in snake case.
            pairs: Allowed pairs of subject and object types; default: any.
            single_valued: Whether a subject has at most one object at a time.
            single_holder: Whether an object has at most one subject at a time.
            exclusive_with: Relations that cannot hold between the same entities at a time.
            inverse_of: The same relation in the other direction.
            symmetric: Whether subject and object can be exchanged.
            nested_by: Relations by which one object may lie within another.
            synonym_of: A relation of the same meaning and direction, whose rules then hold.
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
            synonym_of=None if synonym_of is None else type_name(synonym_of),
        )


def type_name(declared: Type) -> str:
    """Return the name under which a type is stored."""
    if isinstance(declared, str):
        name = declared
    else:
        name = getattr(declared, "_type_name", "") or snake_case(declared.__name__)
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} cannot name a type: use letters, digits and underscores")
    return name


def snake_case(name: str) -> str:
    """Return the name of a class as that of a type: ``WorksFor`` and ``WORKS_FOR`` are one."""
    return _WORD.sub("_", name).lower()


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
                            wrong[name] = f"{shown(left.pop(name))}: {detail['msg']}"
            else:
                return valid.model_dump(mode="json", exclude_unset=True), wrong
        return {}, wrong


def _is_identifier(mark: object) -> bool:
    """Tell whether this is the mark, or an annotation that bears it: ``Annotated[…] | None``."""
    marked = mark is Identifier or isinstance(mark, Identifier)
    return marked or any(map(_is_identifier, get_args(mark)))


def _with_optional_fields(model: type[BaseModel]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        optional = copy(info)
        optional.default, optional.default_factory = None, None
        optional.validate_default = False
        fields[name] = (info.annotation, optional)
    return create_model(model.__name__, __base__=model, **fields)


def entity_kinds(models: Models) -> dict[str, EntityKind]:
    """Return the declared types of entity by name."""
    return {
        name: EntityKind(name, meaning_of(model), model, Fields(model))
        for name, model in _by_name("entity", models).items()
    }


def fact_kinds(
    models: Models, entities: Mapping[str, EntityKind], pairs: Mapping[Pair, Sequence[Type]]
) -> dict[str, FactKind]:
    """Return the declared types of fact by name; ``pairs`` are allowed besides their own."""
    declared, kinds = _by_name("fact", models), dict[str, FactKind]()
    allowed = {name: [*getattr(model, "_pairs", ())] for name, model in declared.items()}
    if not isinstance(pairs, Mapping) or any(len(ends) != 2 for ends in pairs):
        raise InputError("pairs: give {(type of subject, type of object): [types of fact]}")
    for ends, names in pairs.items():
        for name in names:
            allowed[_reference(name, declared, f"pairs[{ends}] names", "fact")].append(ends)
    known = {name: kind.model for name, kind in entities.items()}
    for name, model in declared.items():
        each: dict[tuple[str, str], frozenset[tuple[str, str]]] = {}
        for subject, object_ in allowed[name]:
            left, lefts = _with_subtypes(subject, known, name)
            right, rights = _with_subtypes(object_, known, name)
            each[left, right] = frozenset(product(lefts, rights))
        relation = replace(getattr(model, "_relation", Relation(name)), name=name)
        kinds[name] = FactKind(name, meaning_of(model), model, Fields(model), relation, each)
    return kinds


def _by_name(what: str, models: Models) -> dict[str, type[BaseModel]]:
    named = models.items() if isinstance(models, Mapping) else ((None, it) for it in models)
    found: dict[str, type[BaseModel]] = {}
    for key, model in named:
        if not isinstance(model, type) or not issubclass(model, BaseModel):
            raise InputError(
                f"{what} type {shown(key or model)} is no pydantic model: give a class"
            )
        name = type_name(model if key is None else snake_case(key))
        if name in found:
            raise InputError(f"two {what} types are called {name!r}: give one a name of its own")
        found[name] = model
    return found


def _reference(given: Type, known: Mapping[str, type[BaseModel]], place: str, what: str) -> str:
    """Return the name of the declared type that a class, its name, or a type's name means."""
    name = type_name(given)
    for other, model in known.items():
        if model is given or other == name or other == snake_case(name):
            return other
    declared = ", ".join(known)
    raise InputError(f"{place} {name!r}, which is no {what} type; declared: {declared}")


def _with_subtypes(
    declared: Type, entities: Mapping[str, type[BaseModel]], relation: str
) -> tuple[str, Sequence[str]]:
    """Return the name of an end of a pair, and the types that it allows."""
    if declared == ANY and ANY.lower() not in entities:
        return UNTYPED, [UNTYPED]
    if not entities:
        name = snake_case(declared) if isinstance(declared, str) else type_name(declared)
        return name, [name]
    name = _reference(declared, entities, f"{relation!r} pairs", "entity")
    base = entities[name]
    return name, [other for other, model in entities.items() if issubclass(model, base)]
