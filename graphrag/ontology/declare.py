"""Type declarations: one pydantic model each; the docstring is the meaning, fields are attributes.

Entity types may be plain models; ``EntityType`` adds a name. Options stand in the class line::

    class WorksAt(FactType, pairs=[(Person, Company)], single_valued=True, inverse_of="employs"):
        '''A person has a job at a company.'''

        role: str | None = None
"""

import inspect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import BaseModel

from graphrag.errors import InputError
from graphrag.ontology.relations import Relation

Type = type[BaseModel] | str
"""A declared type, or the name of one."""
Pair = tuple[Type, Type]
"""Type of the subject and type of the object."""

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAME = re.compile(r"[^\W\d]\w*")


class Identifier:
    """Mark a field whose value belongs to one entity only, whatever its name.

    ``email: Annotated[str | None, Identifier] = None``
    """


class EntityType(BaseModel):
    """A type of entity that is not called as its class: ``class Company(EntityType, name=…)``."""

    _type_name: ClassVar[str] = ""

    def __init_subclass__(cls, *, name: str = "") -> None:
        """Take the name of the type; without one it is the class's, in snake case."""
        super().__init_subclass__()
        cls._type_name = name


@dataclass(frozen=True, slots=True)
class Rules:
    """What a fact type says of its facts."""

    name: str = ""
    pairs: tuple[Pair, ...] = ()
    single_valued: bool = False
    single_holder: bool = False
    exclusive_with: tuple[Type, ...] = ()
    inverse_of: Type | None = None
    symmetric: bool = False
    nested_by: tuple[Type, ...] = ()


class FactType(BaseModel):
    """A type of fact."""

    _rules: ClassVar[Rules] = Rules()

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
        """Take the rules of the type.

        Args:
            name: Name of the relation; without one it is the class's, in snake case.
            pairs: Which types of subject and object it may have; none means any.
            single_valued: One object for a subject at a time.
            single_holder: One subject for an object at a time.
            exclusive_with: Relations that the same pair cannot have at the same time.
            inverse_of: The relation that says the same from the other end.
            symmetric: Reads the same both ways.
            nested_by: Relations by which one value may lie in another: such two both hold.
        """
        super().__init_subclass__()
        cls._rules = Rules(
            name,
            tuple(pairs),
            single_valued,
            single_holder,
            tuple(exclusive_with),
            inverse_of,
            symmetric,
            tuple(nested_by),
        )


def type_name(declared: Type) -> str:
    """Return the name under which a type is stored.

    Raises:
        InputError: if it is no name: letters, digits and underscores.
    """
    if isinstance(declared, str):
        name = declared
    else:
        own = getattr(declared, "_type_name", "") or rules_of(declared).name
        name = own or _WORD.sub("_", declared.__name__).lower()
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} cannot name a type: use letters, digits and underscores")
    return name


def rules_of(declared: type[BaseModel]) -> Rules:
    """Return the rules of a fact type; a plain model has none."""
    return declared._rules if issubclass(declared, FactType) else Rules()


def relation_of(declared: type[BaseModel]) -> Relation:
    """Return how the facts of this type exclude each other."""
    rules = rules_of(declared)
    return Relation(
        type_name(declared),
        single_valued=rules.single_valued,
        single_holder=rules.single_holder,
        symmetric=rules.symmetric,
        exclusive_with=tuple(map(type_name, rules.exclusive_with)),
        inverse_of=None if rules.inverse_of is None else type_name(rules.inverse_of),
        nested_by=tuple(map(type_name, rules.nested_by)),
    )


def meaning_of(declared: type[BaseModel]) -> str:
    """Return the docstring of a type in one line."""
    return " ".join(inspect.cleandoc(declared.__doc__ or "").split())
