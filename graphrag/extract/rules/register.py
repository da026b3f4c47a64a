"""The entities and facts read from a JSON text so far.

The words of a fact that has none of its own, between its subject and its object.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from graphrag.extract.rules.links import RELATIONS, Link, base
from graphrag.extract.rules.placed import Text
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import JSON, Origin
from graphrag.names.key import name_key
from graphrag.temporal.phrase import Period

_IS: Final = frozenset(
    "married_to owned_by part_of member_of parent_of sibling_of friend_of".split()
)
_PART: Final = re.compile(r"\b(member|parent|sibling|friend) of")
_SAID: Final = {"located_in": "is in", "born_in": "was born in", "has_status": "has the status"}


def phrase(relation: str, *, over: bool = False) -> str:
    """Return the words between subject and object."""
    words = relation.replace("_", " ")
    if relation not in RELATIONS:
        return f"has {words}"
    words = _SAID.get(relation) or (f"is {words}" if relation in _IS else words)
    words = _PART.sub(r"a \1 of", words)
    if not over:
        return words
    return words.replace("is ", "is no longer ", 1) if words[:3] == "is " else f"no longer {words}"


@dataclass(slots=True, eq=False)
class Entity:
    """What a record or a value names."""

    name: Text
    entity_type: str
    aliases: dict[str, None] = field(default_factory=dict)
    attributes: dict[str, JSON] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Life:
    """When a relation held."""

    relation: str
    start: datetime | None = None
    end: datetime | None = None

    def date(self, period: Period, *, late: bool) -> None:
        """Take a start, or an end that includes what it names; the first one told stays."""
        if late:
            last = period.start if period.granularity == "instant" else period.end
            self.end = self.end or last
        else:
            self.start = self.start or period.start


@dataclass(slots=True, eq=False, kw_only=True)
class Fact(Life):
    """A relation that a field states, and the name that stands for it in the text."""

    key: str
    subject: Entity
    object: Entity
    at: Text
    over: bool = False
    title: str = ""
    origin: Origin = "structural"


class Register:
    """What was read so far."""

    def __init__(self) -> None:
        self.entities: dict[str, list[Entity]] = {}
        self.facts: list[Fact] = []

    def extraction(self, reference_time: datetime) -> Extraction:
        """Return each entity and each fact once, worded as at that time."""
        mentions = {
            id(entity): Mention(
                str(entity.name),
                entity.entity_type,
                entity.name.start,
                entity.name.end,
                tuple(alias for alias in entity.aliases if alias != entity.name),
                entity.attributes,
            )
            for namesakes in self.entities.values()
            for entity in namesakes
        }
        claims: dict[object, Claim] = {}
        for fact in self.facts:
            claim = _claim(fact, mentions, reference_time)
            same = (claim.subject, claim.relation, claim.object, claim.ends)
            claims.setdefault((same, claim.valid_at, claim.invalid_at), claim)
        return Extraction(tuple(mentions.values()), tuple(claims.values()))

    def entity(self, name: Text, entity_type: str) -> Entity:
        """Return the entity of that name; an untyped one takes the type it is next called by."""
        namesakes = self.entities.setdefault(name_key(name), [])
        for entity in namesakes:
            if "thing" in (entity.entity_type, entity_type) or entity.entity_type == entity_type:
                if entity.entity_type == "thing":
                    entity.entity_type = entity_type
                return entity
        namesakes.append(Entity(name, entity_type))
        return namesakes[-1]


def _claim(fact: Fact, mentions: Mapping[int, Mention], reference_time: datetime) -> Claim:
    end = fact.end if not (fact.start and fact.end and fact.end <= fact.start) else None
    over = fact.over or (end is not None and end <= reference_time)
    title = f" ({fact.title})" if fact.title else ""
    return Claim(
        subject=mentions[id(fact.subject)],
        relation=fact.relation,
        object=mentions[id(fact.object)],
        text=f"{fact.subject.name} {phrase(fact.relation, over=over)} {fact.object.name}{title}.",
        start=fact.at.start,
        end=fact.at.end,
        valid_at=fact.start,
        invalid_at=end,
        ends=fact.over and not (fact.start and end),
        origin=fact.origin,
        attributes={"title": fact.title} if fact.title else {},
    )


def linked(one: Entity, other: Entity, *, key: str, link: Link, at: Text) -> list[Fact]:
    """Return the fact, unless it is about one name and itself."""
    if name_key(one.name) == name_key(other.name):
        return []
    subject, object_ = (other, one) if link.flipped else (one, other)
    title = base(key).replace("_", " ") if link.relation == "leads" else ""
    return [Fact(link.relation, key=key, subject=subject, object=object_, at=at, title=title)]
