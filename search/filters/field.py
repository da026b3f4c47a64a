"""``Field``: the fields of the graph as Python writes comparisons of them.

``(Field.relation == "works_at") & (Field.valid_at < "2022")`` is a ``Filter``.
"""

from collections.abc import Collection
from typing import Any, Final

from graphrag.search.filters.specs import SPECS
from graphrag.search.filters.tree import Compare, Every, Filter


class Same:
    """A field that can be compared for equality."""

    __slots__ = ("_name", "_path")

    def __init__(self, name: str, path: tuple[str, ...] = ()) -> None:
        self._name = name
        self._path = path

    def __repr__(self) -> str:
        """Show it as it is written."""
        return f"Field.{self._name}" + "".join(f"[{key!r}]" for key in self._path)

    __hash__ = object.__hash__

    # The results are filters; Python's own signature says bool, which only Any can stand beside.
    def __eq__(self, other: object) -> Any:
        """Equal; a missing value equals nothing."""
        return Compare(self._name, "==", other, self._path)

    def __ne__(self, other: object) -> Any:
        """Not equal; a missing value differs from everything."""
        return Compare(self._name, "!=", other, self._path)


class Text(Same):
    """A field of text: equal to one, or to one of several."""

    __slots__ = ()

    def in_(self, values: Collection[Any]) -> Filter:
        """Equal to one of the values."""
        return Compare(self._name, "in", values, self._path)


class Number(Text):
    """A field with an order; a missing value is neither less nor more than any."""

    __slots__ = ()

    def __lt__(self, other: Any) -> Filter:
        """Less, or earlier."""
        return Compare(self._name, "<", other, self._path)

    def __le__(self, other: Any) -> Filter:
        """At most, or not later."""
        return Compare(self._name, "<=", other, self._path)

    def __gt__(self, other: Any) -> Filter:
        """More, or later."""
        return Compare(self._name, ">", other, self._path)

    def __ge__(self, other: Any) -> Filter:
        """At least, or not earlier."""
        return Compare(self._name, ">=", other, self._path)

    def between(self, low: Any, high: Any) -> Filter:
        """From ``low`` up to but not including ``high``."""
        return Every((self >= low, self < high))


class Time(Number):
    """A moment; a date, a month or a year stands for its first instant."""

    __slots__ = ()

    def exists(self) -> Filter:
        """Known: not None."""
        return Compare(self._name, "exists", None, self._path)


class Several(Same):
    """A field that holds several texts."""

    __slots__ = ()

    def contains(self, value: str) -> Filter:
        """Have this one among them."""
        return Compare(self._name, "contains", value, self._path)

    def exists(self) -> Filter:
        """Have any."""
        return Compare(self._name, "exists", None, self._path)


class Json(Time):
    """A field of JSON: ``Field.attributes["age"] >= 30``; values of another type never match."""

    __slots__ = ()

    def __getitem__(self, key: str) -> "Json":
        """Return the value at a key; keys of keys follow."""
        return Json(self._name, (*self._path, key))

    def contains(self, value: str | float | bool) -> Filter:
        """Be a list that has this value."""
        return Compare(self._name, "contains", value, self._path)


class _Fields(type):
    def __getattr__(cls, name: str) -> Any:
        raise AttributeError(f"there is no field {name!r} to filter by: {', '.join(SPECS)}")


class Field(metaclass=_Fields):
    """The fields that a search can be filtered by."""

    group: Final = Text("group")
    """Every scope: the group that a hit is in."""
    relation: Final = Text("relation")
    """Facts: ``works_at``."""
    subject: Final = Text("subject")
    """Facts: the entity that a fact is about, by name, alias or id."""
    object: Final = Text("object")
    """Facts: the entity at its other end, by name, alias or id."""
    subject_type: Final = Text("subject_type")
    """Facts: the type of the entity that a fact is about."""
    object_type: Final = Text("object_type")
    """Facts: the type of the entity at its other end."""
    origin: Final = Text("origin")
    """Facts: ``stated``, ``inferred``, ``manual`` or ``structural``."""
    confidence: Final = Number("confidence")
    """Facts: 0 to 1."""
    confirmed: Final = Same("confirmed")
    """Facts: whether a person confirmed it."""
    observed: Final = Same("observed")
    """Facts: whether its start is when it was first seen to hold."""
    provenance: Final = Several("provenance")
    """Facts: where they come from without an episode, such as the name of a table."""
    fact_attributes: Final = Json("fact_attributes")
    """Facts: their attributes."""
    valid_at: Final = Time("valid_at")
    """Facts: since when it held. Episodes: when it was said or written."""
    invalid_at: Final = Time("invalid_at")
    """Facts: when it ended."""
    created_at: Final = Time("created_at")
    """Every scope: when it was added to the graph."""
    expired_at: Final = Time("expired_at")
    """Facts: when later information closed it."""
    reference_time: Final = Time("reference_time")
    """Facts: reference time of the episode that stated it first. Episodes: their own."""
    entity_type: Final = Text("entity_type")
    """Entities: ``person``, ``organization``, ..."""
    labels: Final = Several("labels")
    """Entities: their labels."""
    attributes: Final = Json("attributes")
    """Entities: their attributes."""
    source: Final = Text("source")
    """Episodes: ``message``, ``text``, ``json`` or ``fact``."""
    saga: Final = Text("saga")
    """Episodes: the saga that they belong to, by name. Facts: one that states them. Entities: one
    that mentions them."""
    metadata: Final = Json("metadata")
    """Episodes: what was given with them."""
