"""A fact as a caller gives it, checked before anything is touched.

Times: a start that is given is a stated one. Without a start, a fact with a reference time is known
to hold since then (``observed``), as an episode's would be; a fact without any time has an unknown
start, which reads as "always so far".
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime

import numpy as np

from graphrag.errors import InputError
from graphrag.extraction import Mention
from graphrag.ids import new_id
from graphrag.models import JSON, Entity, Fact, Origin
from graphrag.names import name_key
from graphrag.protocols import Matrix
from graphrag.resolve import UNTYPED
from graphrag.temporal.moment import parse_moment

Moment = datetime | date | str
SOURCE = "source"
"""Attribute of a fact: where it was told, each place once."""


@dataclass(frozen=True, slots=True)
class End:
    """One end of a fact: a name to be resolved, or an entity of the graph by its id."""

    mention: Mention
    id: str | None = None
    vector: Matrix | None = None
    """Of a new entity; None lets the embedder make it."""


@dataclass(frozen=True, slots=True)
class GivenFact:
    """A fact to be told."""

    subject: End
    relation: str
    object: End
    fact: str = ""
    """The sentence; empty for one made of the names."""
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    reference_time: datetime | None = None
    observed: bool = False
    confidence: float = 1.0
    attributes: Mapping[str, JSON] = field(default_factory=dict)
    vector: Matrix | None = None
    origin: Origin = "manual"
    place: str = ""
    """Where it stands in what was handed in, such as ``row 7``, for errors."""

    def as_fact(
        self, group: str, subject: tuple[str, str], object_: tuple[str, str], *, now: datetime
    ) -> Fact:
        """Return the fact between two entities, given by id and name."""
        words = self.relation.replace("_", " ")
        return Fact(
            id=new_id(),
            group_id=group,
            created_at=now,
            subject_id=subject[0],
            object_id=object_[0],
            subject=subject[1],
            relation=self.relation,
            object=object_[1],
            fact=self.fact or f"{subject[1]} {words} {object_[1]}.",
            valid_at=self.valid_at,
            invalid_at=self.invalid_at,
            reference_time=self.reference_time or now,
            observed=self.observed,
            confidence=self.confidence,
            origin=self.origin,
            attributes=self.attributes,
        )

    def turned(self, relation: str) -> "GivenFact":
        """Return the same fact told from the other end."""
        return replace(
            self,
            subject=self.object,
            relation=relation,
            object=self.subject,
            fact=self.fact or self._sentence(),
        )

    def _sentence(self) -> str:
        words = self.relation.replace("_", " ")
        return f"{self.subject.mention.name} {words} {self.object.mention.name}."


def given_end(
    given: Entity | str,
    entity_type: str | None = None,
    *,
    aliases: tuple[str, ...] = (),
    attributes: Mapping[str, JSON] | None = None,
    vector: Matrix | None = None,
    what: str = "subject",
) -> End:
    """Return an end for a name, an id or an entity.

    Raises:
        InputError: if it is no name.
    """
    if isinstance(given, Entity):
        return End(Mention(given.name, given.entity_type), given.id)
    if not isinstance(given, str) or not name_key(given):
        raise InputError(f"{what} {given!r} is no name: give an entity, its id or its name")
    kind = UNTYPED if entity_type is None else entity_type.strip()
    if not kind:
        raise InputError(f"{what}_type of {given!r} is empty: leave it out if it is unknown")
    checked = checked_attributes(attributes, f"{what} {given!r}") if attributes else {}
    return End(Mention(given.strip(), kind, aliases=aliases, attributes=checked), vector=vector)


def given_fact(
    subject: End,
    relation: str,
    object_: End,
    *,
    valid_at: Moment | None = None,
    invalid_at: Moment | None = None,
    reference_time: Moment | None = None,
    observed: bool | None = None,
    fact: str | None = None,
    confidence: float = 1.0,
    attributes: Mapping[str, JSON] | None = None,
    source: str | None = None,
    vector: Matrix | None = None,
    origin: Origin = "manual",
    place: str = "",
) -> GivenFact:
    """Check what a caller says of a fact.

    ``observed`` tells whether the start is only when it was first seen to hold; None judges that by
    the times.

    Raises:
        InputError: naming what cannot be used, and why.
    """
    if not isinstance(relation, str) or not relation.strip():
        raise InputError(f"relation {relation!r} is no name: give one such as 'works_at'")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise InputError(f"confidence {confidence!r} is no number from 0 to 1")
    if not 0 <= confidence <= 1:
        raise InputError(f"confidence is {confidence!r}: give a number from 0 to 1")
    start = None if valid_at is None else parse_moment(valid_at, what="valid_at")
    end = None if invalid_at is None else parse_moment(invalid_at, what="invalid_at")
    told = None if reference_time is None else parse_moment(reference_time, what="reference_time")
    if start is not None and end is not None and end <= start:
        raise InputError(
            f"invalid_at {invalid_at!s} is not after valid_at {valid_at!s}: it is the first moment "
            "at which the fact no longer holds"
        )
    if observed is None:
        observed = start is None and told is not None and (end is None or told < end)
    if observed and start is None:
        start = told
    told_in = {} if source is None else {SOURCE: [source]}
    if attributes:
        told_in |= checked_attributes(attributes, "the fact")
    return GivenFact(
        subject,
        "_".join(relation.split()),
        object_,
        fact=(fact or "").strip(),
        valid_at=start,
        invalid_at=end,
        reference_time=told,
        observed=observed and start is not None,
        confidence=float(confidence),
        attributes=told_in,
        vector=vector,
        origin=origin,
        place=place,
    )


def checked_attributes(attributes: Mapping[str, JSON], of: str) -> dict[str, JSON]:
    """Return attributes that JSON can carry.

    Raises:
        InputError: if they are none.
    """
    if not isinstance(attributes, Mapping) or not all(isinstance(key, str) for key in attributes):
        raise InputError(f"attributes of {of} are no mapping from names to values")
    if not attributes:
        return {}
    try:
        json.dumps(attributes, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"attributes of {of} are no JSON: {error}") from None
    return dict(attributes)


def checked_vector(given: object, dimension: int, what: str) -> Matrix:
    """Return a precomputed embedding.

    Raises:
        InputError: if it is no vector of this dimension, or holds what is no number.
    """
    try:
        vector = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        raise InputError(f"{what} is no list of numbers") from None
    if vector.shape != (dimension,):
        raise InputError(f"{what} has shape {vector.shape}: {dimension} numbers are expected")
    if not 0 < float(vector @ vector) < float("inf"):
        raise InputError(f"{what} is not finite, or all zeros")
    return vector
