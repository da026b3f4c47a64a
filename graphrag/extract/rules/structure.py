"""Entities and facts of a JSON text from its structure, and records of events such as marriages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from graphrag.extract.rules import entry, keys
from graphrag.extract.rules.register import (
    Entity,
    Fact,
    Fields,
    Life,
    Register,
    Text,
    linked,
    listed,
    names,
    parsed,
    snake,
)
from graphrag.model.extraction import Extraction
from graphrag.model.values import JSON
from graphrag.names.identifiers import identifiers, own_keys, unique
from graphrag.ontology.relations import VITAL

_DEEPEST: Final = 40


def read_structure(content: str, reference_time: datetime) -> Extraction:
    """Return what the records of a JSON text state; nothing if it is no JSON.

    Args:
        content: The JSON.
        reference_time: Aware moment it was written at.
    """
    try:
        root = parsed(content)
    except (ValueError, RecursionError):
        return Extraction()
    reader = _Reader(reference_time)
    reader.read(root, 0)
    return reader.register.extraction(reference_time)


class _Reader:
    """What reads the records of one text into a register."""

    def __init__(self, reference_time: datetime) -> None:
        self.reference_time = reference_time
        self.register = Register()

    def read(self, value: JSON, depth: int) -> None:
        """Read whatever records a value holds."""
        if isinstance(value, list) and depth < _DEEPEST:
            for item in value:
                self.read(item, depth + 1)
        elif isinstance(value, dict):
            self.record(value, depth)

    def record(
        self, fields: Fields, depth: int, under: keys.Link | None = None
    ) -> tuple[Entity, Life] | None:
        """Read one record; return its entity and the dates that it gives to the link above it.

        Args:
            fields: The record.
            depth: How deep it lies.
            under: The link whose value it is.
        """
        if depth > _DEEPEST:
            return None
        expected = under.value if under else ""
        key, name = entry.name_of(fields, expected)
        if name is None:
            for value in fields.values():
                self.read(value, depth + 1)
            return None
        entity_type = entry.type_of(fields, key, expected)
        given = list(identifiers(dict(entry.plain(fields))))
        own = own_keys(given, entity_type).union(unique(given, entity_type, {}))
        entity = self.register.entity(name, entity_type, own)
        facts: list[Fact] = []
        rest: Fields = {}
        for other, value in fields.items():
            made = self._field(entity, key, other, fields, depth) if other != key else []
            if made is None:
                rest[other] = value
            facts += made or ()
        if entity_type == "thing" and under and under.relation in entry.SOMEBODY:
            facts = [fact for fact in facts if fact.relation != "located_in"]
        places = [fact for fact in facts if (fact.relation, fact.key) in keys.HOMES]
        best = min((keys.HOMES[fact.relation, fact.key] for fact in places), default=0)
        lost = {fact.key for fact in places if keys.HOMES[fact.relation, fact.key] > best}
        rest |= {other: fields[other] for other in lost}
        facts = [fact for fact in facts if fact.key not in lost]
        kind, at = entity.entity_type, self.reference_time
        dates = entry.dated(facts, rest, entity_type=kind, reference_time=at, under=under)
        _leave(facts, fields)
        self.register.facts += [*facts, *_implied(facts, fields, self.register)]
        self.register.facts += self._death(entity, fields, facts)
        town = key in entry.PLACES and (under or fields.keys() & entry.POSTAL)
        if not town:
            entity.attributes |= dict(entry.plain(rest))
            self.register.facts += self._figures(entity, rest)
        # {"billing": {"city": ..}} says where, not who.
        return None if town and under and under.value == "thing" else (entity, dates)

    def _field(
        self, entity: Entity, named_by: str, key: str, fields: Fields, depth: int
    ) -> list[Fact] | None:
        """Read one field; None if it is an attribute."""
        value = fields[key]
        items = listed(value)
        if key in entry.ALIASES:
            entity.aliases |= {str(alias): None for alias in names(items, "thing")}
            return []
        found = keys.link_of(key, entity.entity_type, named_by, fields)
        if found is None:
            if not isinstance(value, dict | list) or key in entry.GENERIC:
                return None
            if key in keys.TECHNICAL:
                return []
            if not keys.is_relation(key):
                self.read(value, depth + 1)
                return []
        link, over = found or (keys.Link(key, key), False)
        facts: list[Fact] = []
        for name in names(items, link.value) if found else ():
            other = self.register.entity(name, link.value)
            facts += linked(entity, other, key=key, link=link, at=name)
        for item in items:
            if isinstance(item, dict) and (read := self.record(item, depth + 1, link)):
                other, life = read
                if link.value in (other.entity_type, "thing") or other.entity_type == "thing":
                    for fact in linked(entity, other, key=key, link=link, at=other.name):
                        fact.start, fact.end = life.start, life.end
                        facts.append(fact)
            elif isinstance(item, list):
                self.read(item, depth + 1)
        for fact in facts:
            fact.over = over
        return facts if facts or isinstance(value, dict | list) else None

    def _figures(self, entity: Entity, fields: Fields) -> Iterator[Fact]:
        """Yield the numbers of a record that change with time: its price, its staff, its phone."""
        for key in keys.FIGURES.keys() & fields.keys():
            value, relation, unit = fields[key], keys.FIGURES[key], fields.get("currency")
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                continue
            priced = relation == "costs" and isinstance(unit, str)
            words = f"{value} {unit}".strip() if priced else str(value).strip()
            if any(map(str.isalnum, words)):
                place = value if isinstance(value, Text) else entity.name
                other = self.register.entity(Text.at(words, place.start, place.end), "concept")
                yield from linked(entity, other, key=key, link=keys.Link(relation, key), at=place)

    def _death(self, entity: Entity, fields: Fields, facts: list[Fact]) -> Iterator[Fact]:
        """Yield that somebody is dead, from the day that a field gives on, which ends the rest."""
        for key in entry.DEATH:
            value = fields.get(key)
            period = (
                entry.period_of(value, self.reference_time) if isinstance(value, Text) else None
            )
            if period is None or not isinstance(value, Text) or entity.entity_type != "person":
                continue
            dead = self.register.entity(Text.at("dead", value.start, value.end), "concept")
            for fact in linked(entity, dead, key=key, link=keys.Link(VITAL, key), at=value):
                fact.date(period, late=False)
                yield fact
            for fact in facts:
                if fact.end is None and fact.relation in keys.LASTING:
                    fact.end, fact.over = period.start, fact.start is None


_LEFT: Final = frozenset(
    "resigned terminated dismissed left former inactive fired departed quit".split()
)
"""What the status of somebody is who works somewhere no more."""
_FORMER: Final = re.compile("former_|previous_|ex_|old_")
_TITLES: Final = frozenset("mr mrs ms miss mx dr prof professor sir dame rev".split())
_ROLE: Final = keys.Link("has_role", "role")


def _leave(facts: Sequence[Fact], fields: Fields) -> None:
    """End the job of a record that says that it is left: ``"status": "resigned"``."""
    status = fields.get("status", fields.get("employment_status"))
    gone = isinstance(status, str) and status.strip().casefold() in _LEFT
    if gone or fields.get("active") is False or fields.get("is_active") is False:
        for fact in facts:
            if fact.relation == "works_at" and fact.end is None:
                fact.over = True


def _implied(facts: Sequence[Fact], fields: Fields, register: Register) -> Iterator[Fact]:
    """Yield what a title says besides: a director works there, a head teacher leads the school.

    And as what somebody works there.
    """
    for fact in facts:
        if fact.object.entity_type != "organization":
            continue
        if fact.key in keys.EMPLOYED and fact.relation == "leads" and not fact.over:
            yield replace(fact, relation="works_at", title="", origin="inferred")
        elif fact.relation == "works_at":
            for job in keys.JOBS if not _FORMER.match(fact.key) else ():
                value = fields.get(job)
                if isinstance(value, Text) and value.casefold().strip(".") not in _TITLES:
                    yield from _as_what(fact, job, value, register)


def _as_what(fact: Fact, job: str, value: Text, register: Register) -> Iterator[Fact]:
    if snake(value) in keys.EMPLOYED and not fact.over:
        title = str(value)
        yield replace(fact, relation="leads", start=None, end=None, title=title, origin="inferred")
    role = register.entity(value, "concept") if job in keys.POSTS else None
    for made in linked(fact.subject, role, key=job, link=_ROLE, at=value) if role else ():
        made.start, made.end, made.over = fact.start, fact.end, fact.over
        yield made
