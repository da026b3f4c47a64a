"""A fact as a caller gives it, checked before anything is touched.

A start that is given is a stated one. Without one, a fact with a reference time is known to hold
since then (``observed``), as that of an episode; without any time its start is unknown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from types import NoneType

from graphrag.errors import InputError
from graphrag.ingest.checked import checked_share
from graphrag.ingest.statements import Named, as_fact
from graphrag.model.assertion import Assertion, Date, Kind
from graphrag.model.checks import (
    BadVectorError,
    checked_attributes,
    checked_name,
    checked_text,
    shown,
    unit_vectors,
)
from graphrag.model.extraction import Mention
from graphrag.model.ids import new_id
from graphrag.model.values import JSON, Entity, Fact, Origin
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.protocols import Matrix
from graphrag.resolve import UNTYPED
from graphrag.temporal.moment import Moment, parse_moment, precision_of, utc_now


@dataclass(frozen=True, slots=True)
class End:
    """One end of a fact: a name to be resolved, or an entity of the graph by its id."""

    mention: Mention
    id: str | None = None
    vector: Matrix | None = None
    """Of a new entity; None lets the embedder make it."""

    @property
    def said(self) -> str:
        """Return the name by which it was given, nothing if that was an id."""
        return "" if self.id else self.mention.name


@dataclass(frozen=True, slots=True)
class GivenFact:
    """A fact to be added."""

    subject: End
    relation: str
    object: End
    assertion: Assertion
    text: str = ""
    reference_time: datetime | None = None
    attributes: Mapping[str, JSON] = field(default_factory=dict)
    vector: Matrix | None = None
    origin: Origin = "manual"
    provenance: tuple[str, ...] = ()
    """Where it was stated, for people; last where it is stated now."""
    place: str = ""
    """Where it stands in what was handed in, such as ``row 7``, for errors."""

    @property
    def valid_at(self) -> datetime | None:
        """Return its start, stated or observed."""
        said = self.assertion
        if said.since is not None:
            return said.since.moment
        return None if said.kind == "was" else said.at

    def stated(self, group: str, subject: Named, object_: Named, *, now: datetime) -> Fact:
        """Return the statement between two entities."""
        return as_fact(
            self.assertion,
            group,
            subject,
            self.relation,
            object_,
            text=self.text or self._sentence(subject[1], object_[1]),
            now=now,
            stated_at=self.reference_time or now,
            origin=self.origin,
            attributes=self.attributes,
            provenance=self.provenance,
        )

    @property
    def words(self) -> str:
        """Return subject, relation and object as they were given."""
        return f"{self.subject.mention.name!r} {self.relation} {self.object.mention.name!r}"

    def loops(self, relations: Relations) -> bool:
        """Tell whether it may be of one entity with itself: by one name, and by its relation."""
        subject, object_ = self.subject.mention.name, self.object.mention.name
        return name_key(subject) == name_key(object_) and relations.loops(self.relation)

    def turned(self, relation: str) -> "GivenFact":
        """Return the same fact stated from the other end."""
        text = self.text or self._sentence(self.subject.mention.name, self.object.mention.name)
        return replace(self, subject=self.object, relation=relation, object=self.subject, text=text)

    def _sentence(self, subject: str, object_: str) -> str:
        return f"{subject} {self.relation.replace('_', ' ')} {object_}."


def given_end(
    given: Entity | str,
    entity_type: str | None = None,
    *,
    aliases: tuple[str, ...] = (),
    attributes: Mapping[str, JSON] | None = None,
    vector: Matrix | None = None,
    what: str = "subject",
) -> End:
    """Return an end for a name, an id or an entity, checked."""
    if isinstance(given, Entity):
        return End(Mention(given.name, given.entity_type), given.id)
    known = type(given) is str and type(entity_type) in (str, NoneType)
    mention = (_mention if known else _mention.__wrapped__)(given, entity_type, what)
    if aliases or attributes is not None:
        names = tuple(checked_name(f"an alias of {shown(given)}", alias) for alias in aliases)
        own = {} if attributes is None else attributes
        checked = checked_attributes(own, f"{what} {shown(given)}")
        mention = replace(mention, aliases=names, attributes=checked)
    return End(mention, vector=vector)


@lru_cache(maxsize=10_000)  # a table names the same things again and again
def _mention(given: str, entity_type: str | None, what: str) -> Mention:
    if not isinstance(given, str) or not name_key(checked_name(what, given)):
        raise InputError(f"{what} {shown(given)} is no name: give an entity, its id or its name")
    kind = UNTYPED if entity_type is None else checked_name(f"{what}_type", entity_type).strip()
    if not kind:
        raise InputError(f"{what}_type of {shown(given)} is empty: leave it out if it is unknown")
    return Mention(given.strip(), kind)


def given_fact(
    subject: End,
    relation: str,
    object_: End,
    *,
    valid_at: Moment | None = None,
    invalid_at: Moment | None = None,
    reference_time: Moment | None = None,
    observed: bool | None = None,
    kind: Kind = "state",
    text: str | None = None,
    confidence: float = 1.0,
    attributes: Mapping[str, JSON] | None = None,
    source: str | None = None,
    provenance: Iterable[str] = (),
    vector: Matrix | None = None,
    origin: Origin = "manual",
    place: str = "",
) -> GivenFact:
    """Check what a caller says of a fact.

    ``observed`` tells whether the start is only when it was first seen to hold; None judges that by
    the times. ``source`` is where it is stated now, ``provenance`` where it was stated before.
    """
    if not isinstance(relation, str) or not checked_name("relation", relation).strip():
        raise InputError(f"relation {shown(relation)} is no name: give one such as 'works_at'")
    share = checked_share("confidence", confidence)
    times = {"valid_at": valid_at, "invalid_at": invalid_at, "reference_time": reference_time}
    start, end, stated_at = (
        None if moment is None else parse_moment(moment, what=name)
        for name, moment in times.items()
    )
    if start is not None and end is not None and end <= start:
        raise InputError(
            f"invalid_at {invalid_at!s} is not after valid_at {valid_at!s}: it is the first moment "
            "at which the fact no longer holds"
        )
    if kind != "state" and (problem := _misfit(kind, start, end, stated_at)):
        raise InputError(f"kind is {shown(kind)}: {problem}")
    if observed is None:
        ahead = stated_at is not None and (end is None or stated_at < end)
        observed = kind == "state" and start is None and ahead
    if observed and start is None:
        start = stated_at
    observed = observed and start is not None
    sources = (*provenance, *([source] if source else ()))
    named = tuple(dict.fromkeys(checked_name("source", name) for name in sources))
    since = until = None
    if start is not None and not observed:
        since = Date(start, "exact" if valid_at is None else precision_of(valid_at))
    if end is not None:
        until = Date(end, "exact" if invalid_at is None else precision_of(invalid_at))
    at = start if observed else None if since is None else stated_at
    if kind == "was" and end is None and not observed:
        at = stated_at or utc_now()  # over by then
    said = Assertion(
        new_id(), since, until, at, kind, confidence=share, provenance=named[-1] if named else ""
    )
    return GivenFact(
        subject,
        "_".join(relation.split()),
        object_,
        said,
        text="" if text is None else checked_text("text", text).strip(),
        reference_time=stated_at,
        attributes={} if attributes is None else checked_attributes(attributes, "the fact"),
        vector=vector,
        origin=origin,
        provenance=named,
        place=place,
    )


_KINDS: tuple[Kind, ...] = ("state", "was", "event", "timeless", "planned")


def _misfit(
    kind: Kind, start: datetime | None, end: datetime | None, stated_at: datetime | None
) -> str:
    """Return what is wrong about a fact of a kind; empty if nothing is."""
    if kind == "cancelled":
        return "retract the plan itself, with edit.retract"
    if kind not in _KINDS:
        return f"choose from {', '.join(_KINDS)}"
    if kind in ("event", "planned") and start is None:
        return "give the date as valid_at"
    if kind == "was" and start is not None and stated_at is not None and stated_at <= start:
        return "it was over by reference_time, which is not after valid_at"
    dates = {"valid_at": start, "invalid_at": end}
    if kind == "timeless" and (given := [name for name, date in dates.items() if date is not None]):
        return f"it neither begins nor ends: leave out {' and '.join(given)}, or leave out kind"
    return ""


def checked_vector(given: object, dimension: int, what: str) -> Matrix:
    """Return a precomputed embedding of a dimension, scaled to length 1, checked."""
    try:
        return unit_vectors(given, (dimension,))
    except BadVectorError as error:
        raise InputError(
            f"{what} {error}: expected {dimension} finite numbers, not all of them 0"
        ) from None
