"""Entities and facts of a JSON episode, from its structure alone.

Records become entities, what their keys say (`fields`) becomes facts, and a date beside a relation
dates it if it is certain which one. Every string keeps its place in the content, so spans are exact
and the time is linear.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from graphrag.extraction import Claim, Extraction, Mention
from graphrag.models import JSON, Origin
from graphrag.names import name_key
from graphrag.rules import fields as keys
from graphrag.temporal.phrase import Period, resolve_phrase

_DEEPEST: Final = 40
_LONGEST: Final = 80
"""Characters of a name; longer strings are prose."""
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_BROKEN: Final = re.compile(r"[\ud800-\udfff]")
_SEVERAL: Final = re.compile(r"\s*;\s*|\s*,\s+(?:and\s+)?|\s+(?:and|&)\s+")
_FULL_DATE: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ][\d:.]+")
_WHEN: Final = ("date_time", "datetime", "date", "value")


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


@dataclass(slots=True, eq=False)
class _Entity:
    name: Text
    entity_type: str
    aliases: dict[str, None] = field(default_factory=dict)
    attributes: dict[str, JSON] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Life:
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
class _Fact(_Life):
    key: str
    subject: _Entity
    object: _Entity
    at: Text
    over: bool = False
    title: str = ""
    origin: Origin = "structural"


Fields = dict[str, JSON]
"""The fields of an object by snake_cased key, without nulls."""


def read_structure(content: str, reference_time: datetime) -> Extraction:
    """Return what the records of a JSON text state; nothing if it is no JSON.

    Args:
        content: The JSON.
        reference_time: Aware moment it was written at.
    """
    try:
        pairs = json.loads(content, object_pairs_hook=tuple, parse_constant=lambda _: None)
        root = _located(pairs, _STRING.finditer(content))
    except (ValueError, RecursionError):
        return Extraction()
    reader = _Reader(reference_time)
    reader.read(root, 0)
    return reader.extraction()


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
            fields.setdefault(keys.snake(key), placed)
    return fields


class _Reader:
    """What was read so far."""

    def __init__(self, reference_time: datetime) -> None:
        self.reference_time = reference_time
        self.entities: dict[str, list[_Entity]] = {}
        self.facts: list[_Fact] = []

    def read(self, value: JSON, depth: int) -> None:
        """Read whatever records a value holds."""
        if isinstance(value, list) and depth < _DEEPEST:
            for item in value:
                self.read(item, depth + 1)
        elif isinstance(value, dict):
            self.record(value, depth)

    def extraction(self) -> Extraction:
        """Return each entity and each fact once."""
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
            claim = self._claim(fact, mentions)
            same = (claim.subject, claim.relation, claim.object, claim.ends)
            claims.setdefault((same, claim.valid_at, claim.invalid_at), claim)
        return Extraction(tuple(mentions.values()), tuple(claims.values()))

    def _claim(self, fact: _Fact, mentions: Mapping[int, Mention]) -> Claim:
        end = fact.end if not (fact.start and fact.end and fact.end <= fact.start) else None
        over = fact.over or (end is not None and end <= self.reference_time)
        title = f" ({fact.title})" if fact.title else ""
        return Claim(
            subject=mentions[id(fact.subject)],
            relation=fact.relation,
            object=mentions[id(fact.object)],
            text=f"{fact.subject.name} {keys.phrase(fact.relation, over=over)}"
            f" {fact.object.name}{title}.",
            start=fact.at.start,
            end=fact.at.end,
            valid_at=fact.start,
            invalid_at=end,
            ends=fact.over and not (fact.start and end),
            origin=fact.origin,
            attributes={"title": fact.title} if fact.title else {},
        )

    def record(
        self,
        fields: Fields,
        depth: int,
        under: keys.Link | None = None,
        act: keys.Act | None = None,
    ) -> tuple[_Entity, _Life] | None:
        """Read one record; return its entity and the dates that it gives to the link above it.

        Args:
            fields: The record.
            depth: How deep it lies.
            under: The link whose value it is.
            act: The act whose subject it describes.
        """
        if depth > _DEEPEST:
            return None
        fields = _unwrapped(fields)
        if "venue" in fields:
            self._meet(fields)
        if not (under or act) and (recorded := keys.act_of(fields)):
            self._act(fields, depth, recorded)
            return None
        expected = under.value if under else act.party if act else ""
        key, name = _naming(fields, expected, act.subject if act else "")
        if name is None:
            for value in fields.values():
                self.read(value, depth + 1)
            return None
        told = keys.type_of(fields, key, expected)
        entity = self._entity(name, told)
        facts: list[_Fact] = []
        rest: Fields = {}
        for other, value in fields.items():
            made = self._field(entity, key, other, fields, depth) if other != key else []
            if made is None:
                rest[other] = value
            facts += made or ()
        if told == "thing" and under and under.relation in keys.SOMEBODY:
            facts = [fact for fact in facts if fact.relation != "located_in"]
        places = [fact for fact in facts if (fact.relation, fact.key) in keys.HOMES]
        best = min((keys.HOMES[fact.relation, fact.key] for fact in places), default=0)
        lost = {fact.key for fact in places if keys.HOMES[fact.relation, fact.key] > best}
        rest |= {other: fields[other] for other in lost}
        facts = [fact for fact in facts if fact.key not in lost]
        dates = self._dated(facts, rest, entity.entity_type, under)
        self.facts += [*facts, *_implied(facts, rest)]
        town = key in keys.PLACES and (under or fields.keys() & keys.POSTAL)
        if not (act or town):
            entity.attributes |= {other: plain for other, plain in _plain(rest)}
        # {"billing": {"city": ..}} says where, not who.
        return None if town and under and under.value == "thing" else (entity, dates)

    def _field(
        self, entity: _Entity, named_by: str, key: str, fields: Fields, depth: int
    ) -> list[_Fact] | None:
        """Read one field; None if it is an attribute."""
        value = fields[key]
        items = _listed(value)
        if key in keys.ALIASES:
            entity.aliases |= {str(alias): None for alias in _names(items, "thing")}
            return []
        found = keys.link_of(key, entity.entity_type, named_by, fields)
        if found is None:
            if not isinstance(value, dict | list) or key in keys.GENERIC:
                return None
            if key in keys.TECHNICAL:
                return []
            if not keys.is_relation(key):
                self.read(value, depth + 1)
                return []
        link, over = found or (keys.Link(key, key), False)
        facts: list[_Fact] = []
        for name in _names(items, link.value) if found else ():
            facts += self._fact(key, link, entity, self._entity(name, link.value), name)
        for item in items:
            if isinstance(item, dict) and (read := self.record(item, depth + 1, link)):
                other, life = read
                if link.value in (other.entity_type, "thing") or other.entity_type == "thing":
                    for fact in self._fact(key, link, entity, other, other.name):
                        fact.start, fact.end = life.start, life.end
                        facts.append(fact)
            elif isinstance(item, list):
                self.read(item, depth + 1)
        for fact in facts:
            fact.over = over
        return facts if facts or isinstance(value, dict | list) else None

    def _entity(self, name: Text, entity_type: str) -> _Entity:
        """Return the entity of that name; an untyped one takes the type it is next called by."""
        namesakes = self.entities.setdefault(name_key(name), [])
        for entity in namesakes:
            if "thing" in (entity.entity_type, entity_type) or entity.entity_type == entity_type:
                if entity.entity_type == "thing":
                    entity.entity_type = entity_type
                return entity
        namesakes.append(_Entity(name, entity_type))
        return namesakes[-1]

    def _fact(
        self, key: str, link: keys.Link, one: _Entity, other: _Entity, at: Text
    ) -> list[_Fact]:
        """Return the fact, unless it is about one name and itself."""
        if name_key(one.name) == name_key(other.name):
            return []
        subject, object_ = (other, one) if link.flipped else (one, other)
        title = keys.base(key).replace("_", " ") if link.relation == "leads" else ""
        return [_Fact(link.relation, key=key, subject=subject, object=object_, at=at, title=title)]

    def _meet(self, fields: Fields) -> None:
        """Place a venue in the town named beside it."""
        venue = _names([fields["venue"]], "place")
        towns = [name for key in keys.TOWNS for name in _names([fields.get(key)], "place")]
        if venue and towns:
            one, other = self._entity(venue[0], "place"), self._entity(towns[0], "place")
            link = keys.Link("located_in", "venue")
            self.facts += self._fact("venue", link, one, other, towns[0])

    def _act(self, fields: Fields, depth: int, act: keys.Act) -> None:
        """Read a marriage, a divorce, a merger or a birth."""
        when = next(filter(None, (self._period(fields.get(key)) for key in keys.ACT_DATES)), None)
        start = when.start if when else None
        found = [fields[key] for key in keys.PARTY_KEYS if key in fields]
        parties = [name for value in found for name in _names(_listed(value), act.party)]
        if act.relation and len(parties) == 2:
            one, other = (self._entity(name, act.party) for name in parties)
            link = keys.Link(act.relation, act.relation)
            for fact in self._fact(act.relation, link, one, other, parties[0]):
                fact.over = act.ends
                fact.start, fact.end = (None, start) if act.ends else (start, None)
                self._dated([fact], dict(fields), "act", None)
                self.facts.append(fact)
        first = len(self.facts)
        if act.subject in fields:
            self.record(fields, depth + 1, act=act)
        for fact in self.facts[first:]:
            if fact.relation in act.dates:
                fact.start = fact.start or start

    def _period(self, value: JSON) -> Period | None:
        """Return the time that a field names in full."""
        if isinstance(value, dict):
            value = next((value[key] for key in _WHEN if key in value), None)
        if isinstance(value, int) and not isinstance(value, bool) and 1000 <= value <= 2999:
            value = str(value)
        if not isinstance(value, str) or not re.search(r"\d{4}", value):
            return None
        stamp = _FULL_DATE.fullmatch(value)
        period = resolve_phrase(stamp[1] if stamp else str(value), self.reference_time)
        return period if period and period.bound == "in" else None

    def _dated(
        self, facts: list[_Fact], rest: Fields, entity_type: str, under: keys.Link | None
    ) -> _Life:
        """Give dates to the facts that they surely belong to; return those of the link above.

        The dates used leave ``rest``; those that are attributes as well ("founded") stay.
        """
        above = _Life(under.relation if under else "")
        lives: list[_Life] = [above, *(fact for fact in facts if not fact.over)]
        dates = {
            key: period
            for key, value in rest.items()
            if keys.is_date(key) and (period := self._period(value))
        }
        stems: dict[str, list[_Fact]] = {}
        for fact in facts:
            words = fact.key.split("_")
            for count in range(1, len(words) + 1):
                stems.setdefault("_".join(words[:count]), []).append(fact)
        for key, period in dates.items():
            stem, _, side = key.rpartition("_")
            for relation in keys.MOMENTS.get(key, ()):
                if own := [life for life in lives if life.relation == relation]:
                    for life in own:
                        life.date(period, late=False)
                    break
            for fact in stems.get(stem, ()) if side in keys.SIDES else ():
                fact.date(period, late=keys.SIDES[side])
                rest.pop(key, None)
        targets = [above] if under else _datable(facts, entity_type)
        for key, period in dates.items():
            generic = key in keys.GENERIC or (entity_type == "event" and key == "date")
            if generic and key in rest and targets:
                for life in targets:
                    life.date(period, late=keys.GENERIC.get(key, False))
                if entity_type != "event":  # its own dates are attributes of an event as well
                    del rest[key]
        holder = under is not None and under.flipped
        for fact in facts:
            if fact.over and fact.end is None:
                fact.end = next(
                    (life.start for life in lives[not holder :] if life.relation == fact.relation),
                    None,
                )
        return above


def _datable(facts: list[_Fact], entity_type: str) -> list[_Life]:
    """Return what a bare "since" can only mean: the one lasting relation, or the residence."""
    if entity_type == "event":
        return [fact for fact in facts if fact.relation == "attends"]
    open_ = [
        fact
        for fact in facts
        if fact.relation in keys.LASTING and not (fact.over or fact.start or fact.end)
    ]
    if not open_:
        open_ = [fact for fact in facts if fact.over and not fact.end]
    elif len(open_) > 1:
        open_ = [fact for fact in open_ if fact.key in ("resident_in", "lives_in")]
    return [*open_] if len(open_) == 1 else []


def _implied(facts: list[_Fact], fields: Fields) -> Iterator[_Fact]:
    """Yield what a title says besides: a director works there, a head teacher leads the school."""
    for fact in facts:
        if fact.over or fact.object.entity_type != "organization":
            continue
        if fact.key in keys.EMPLOYED and fact.relation == "leads":
            yield replace(fact, relation="works_at", title="", origin="inferred")
        elif fact.relation == "works_at":
            jobs = (fields[job] for job in keys.JOBS if isinstance(fields.get(job), str))
            for job in jobs:
                if keys.snake(job) in keys.EMPLOYED:
                    yield replace(
                        fact,
                        relation="leads",
                        start=None,
                        end=None,
                        title=str(job),
                        origin="inferred",
                    )


def _unwrapped(fields: Fields) -> Fields:
    """Return a record whose name is inside an object ("employee": {"name": ..}) as a flat one."""
    key = next((key for key in keys.NAMING if key in fields), "")
    inner = fields.get(key)
    if key not in keys.BEARERS or not isinstance(inner, dict):
        return fields
    named_by, name = _naming(inner, "", "")
    if name is None:
        return fields
    rest = {other: value for other, value in inner.items() if other != named_by}
    return {**rest, **fields, key: name}


def _naming(fields: Fields, expected: str, named: str) -> tuple[str, Text | None]:
    """Return the key that carries a record's name, and the name."""
    first, last = (fields.get(key) for key in ("first_name", "last_name"))
    if not named and isinstance(first, Text) and isinstance(last, Text):
        whole = Text.at(f"{first} {last}", min(first.start, last.start), max(first.end, last.end))
        if "name" not in fields and keys.is_name(whole, "person"):
            return "first_name", whole.bare()
    for key in (named,) if named else keys.NAMING:
        told = keys.NAMING.get(key, "")
        unsure = expected == "person" and (key in keys.TITLED or told not in ("", "person"))
        unsure = unsure or (key == "summary" and keys.type_of(fields, key, "") != "event")
        if key in fields and not unsure:
            if found := _names([fields[key]], told or "thing", whole=True):
                return key, found[0]
    return "", None


def _names(items: Iterable[JSON], entity_type: str, *, whole: bool = False) -> list[Text]:
    """Return the names among some values; prose, codes, addresses and the like are none."""
    found = []
    for item in items:
        if not isinstance(item, Text) or len(item) > _LONGEST:
            continue
        if entity_type == "place":
            parts = [item.cut(0, len(item.partition(",")[0]))]
        else:
            parts = [item] if whole or entity_type != "person" else _people(item)
        if all(keys.is_name(part, entity_type) for part in parts):
            found += [part.bare() for part in parts]
    return found


def _people(names: Text) -> list[Text]:
    """Return the names in "Ann Lee, Bo Ray and Cy"; "Lee, Ann" is one that we cannot turn."""
    borders = [match.span() for match in _SEVERAL.finditer(names)]
    starts, ends = [0, *(end for _, end in borders)], [*(start for start, _ in borders), len(names)]
    parts = [names.cut(start, end) for start, end in zip(starts, ends, strict=True)]
    if "," in names and any(" " not in part for part in parts):
        return [names]
    return parts


def _listed(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else [value]


def _plain(rest: Fields) -> Iterator[tuple[str, JSON]]:
    """Yield the fields that can be attributes."""
    for key, value in rest.items():
        if isinstance(value, str):
            if value.strip() and not _BROKEN.search(value):
                yield key, str(value)
        elif isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
            yield key, value
