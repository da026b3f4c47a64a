"""Strings of a JSON text with their places, what was read from them, and the words of its facts."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import Final

from graphrag.extract.rules.keys import RELATIONS, Link, base
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import JSON, Origin
from graphrag.names.identifiers import Identifier, apart
from graphrag.names.key import name_key
from graphrag.temporal.interval import Period

_LONGEST: Final = 80
"""Characters of a name; longer strings are prose."""
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_SEVERAL: Final = re.compile(r"\s*;\s*|\s*,\s+(?:and\s+)?|\s+(?:and|&)\s+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_WORD: Final = re.compile(r"[\W_]+")
_NOBODY: Final = frozenset(
    "n/a na none null nil unknown tbd tba yes no true false other self vacant ok success error"
    " self-employed unemployed retired freelance various anonymous everyone present".split()
)
_COMPANY: Final = frozenset(
    "ltd limited inc corp llc plc gmbh group holdings bank council trust foundation university"
    " college company co association media club school ministry department agency office".split()
)
_NAMELESS: Final = re.compile(r"[\x00-\x1f\ud800-\udfff@{}<>|\\]|://|^\W*$|^[\W\d]+$")
_CODE: Final = re.compile(r"[\d_:/#]")

Fields = dict[str, JSON]
"""The fields of an object by snake_cased key, without nulls."""


class Text(str):
    """A string of the JSON, and where it stands in the content."""

    __slots__ = ("end", "start")
    start: int
    end: int

    @classmethod
    def at(cls, value: str, start: int, end: int) -> "Text":
        """Place a string."""
        text = cls(value)
        text.start, text.end = start, end
        return text

    def cut(self, start: int, end: int) -> "Text":
        """Return a part; escapes shift characters, so then it stands where the whole does."""
        escaped = self.end - self.start != len(self)
        first, last = (self.start, self.end) if escaped else (self.start + start, self.start + end)
        return Text.at(self[start:end], first, last)

    def bare(self) -> "Text":
        """Return it without the space around it."""
        start = len(self) - len(self.lstrip())
        return self.cut(start, start + len(self.strip()))


def parsed(content: str) -> JSON:
    """Return the value of a JSON text with its strings as `Text` and its objects as `Fields`.

    Raises:
        ValueError: It is no JSON.
        RecursionError: It is nested too deeply.
    """
    pairs = json.loads(content, object_pairs_hook=tuple, parse_constant=lambda _: None)
    return _located(pairs, _STRING.finditer(content))


def _located(value: JSON, strings: Iterator[re.Match[str]]) -> JSON:
    """Return the value with placed strings; tuples are objects, read in the order of the text."""
    if isinstance(value, str):
        match = next(strings)
        return Text.at(value, match.start() + 1, match.end() - 1)
    if isinstance(value, list):
        return [_located(item, strings) for item in value]
    if not isinstance(value, tuple):
        return value
    fields: Fields = {}
    for key, item in value:
        next(strings)
        placed = _located(item, strings)
        if placed is not None:
            fields.setdefault(snake(key), placed)
    return fields


@lru_cache(maxsize=4096)
def snake(key: str) -> str:
    """Return a key in snake_case: "@type" is type, "jobTitle" is job_title."""
    return _NO_WORD.sub("_", _HUMP.sub("_", key)).strip("_").lower()


def is_name(text: str, entity_type: str) -> bool:
    """Tell whether a string can be the name of something of that type."""
    if _NAMELESS.search(text) or text.casefold() in _NOBODY or not name_key(text):
        return False
    if entity_type not in ("person", "place"):
        return True
    shouted = len(text) <= 3 and text.isascii() and text.isupper()
    if _CODE.search(text) or (shouted and entity_type == "place"):
        return False
    uncapitalised = text == text.lower() != text.upper()
    company = text.rpartition(" ")[2].casefold().rstrip(".") in _COMPANY
    return entity_type == "place" or not (uncapitalised or company)


def names(items: Iterable[JSON], entity_type: str, *, whole: bool = False) -> list[Text]:
    """Return the names among some values; prose, codes, addresses and the like are none."""
    found = []
    for item in items:
        if not isinstance(item, Text) or len(item) > _LONGEST:
            continue
        if entity_type == "place":
            parts = [item.cut(0, len(item.partition(",")[0]))]
        else:
            parts = [item] if whole or entity_type != "person" else _people(item)
        if all(is_name(part, entity_type) for part in parts):
            found += [part.bare() for part in parts]
    return found


def _people(text: Text) -> list[Text]:
    """Return the names in "Ann Lee, Bo Ray and Cy"; "Lee, Ann" is one that we cannot turn."""
    borders = [match.span() for match in _SEVERAL.finditer(text)]
    starts, ends = [0, *(end for _, end in borders)], [*(start for start, _ in borders), len(text)]
    parts = [text.cut(start, end) for start, end in zip(starts, ends, strict=True)]
    if "," in text and any(" " not in part for part in parts):
        return [text]
    return parts


def listed(value: JSON) -> list[JSON]:
    """Return the items of a list, or the value as the only one."""
    return value if isinstance(value, list) else [value]


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
    own: frozenset[Identifier] = frozenset()
    """What identifies it in this text, were it a short number."""


@dataclass(slots=True, eq=False)
class Life:
    """When a relation held."""

    relation: str
    start: datetime | None = None
    end: datetime | None = None

    def date(self, period: Period, *, late: bool) -> None:
        """Take a start, or an end that includes what it names; the first one stated stays."""
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
        mentions: dict[int, Mention] = {}
        for entity in chain.from_iterable(self.entities.values()):
            name, kind = entity.name, entity.entity_type
            aliases = tuple(alias for alias in entity.aliases if alias != name)
            mention = Mention(str(name), kind, name.start, name.end, aliases, entity.attributes)
            mentions[id(entity)] = mention
        claims: dict[object, Claim] = {}
        for fact in self.facts:
            claim = _claim(fact, mentions, reference_time)
            same = (claim.subject, claim.relation, claim.object, claim.ends)
            claims.setdefault((same, claim.valid_at, claim.invalid_at), claim)
        return Extraction(tuple(mentions.values()), tuple(claims.values()))

    def entity(
        self, name: Text, entity_type: str, own: frozenset[Identifier] = frozenset()
    ) -> Entity:
        """Return the entity of that name; an untyped one takes the type it is next called by.

        Two of one name whose records are numbered otherwise (``own``) stay two.
        """
        namesakes = self.entities.setdefault(name_key(name), [])
        known = [namesake for namesake in namesakes if namesake.own & own] or namesakes
        for entity in known:
            if apart(entity.own, own):
                continue
            if "thing" in (entity.entity_type, entity_type) or entity.entity_type == entity_type:
                if entity.entity_type == "thing":
                    entity.entity_type = entity_type
                entity.own |= own
                return entity
        namesakes.append(Entity(name, entity_type, own=own))
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


def linked(entity: Entity, other: Entity, *, key: str, link: Link, at: Text) -> list[Fact]:
    """Return the fact, unless it is about one name and itself."""
    if name_key(entity.name) == name_key(other.name) and not apart(entity.own, other.own):
        return []
    subject, object_ = (other, entity) if link.flipped else (entity, other)
    title = base(key).replace("_", " ") if link.relation == "leads" else ""
    return [Fact(link.relation, key=key, subject=subject, object=object_, at=at, title=title)]
