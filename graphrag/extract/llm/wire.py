"""The shape of a model's reading: what it is to answer, and what is read through in an answer.

Strong models keep to a schema and still write a year as a number, one alias without a list, or
"past" for "was". That is put right here; what is left wrong costs the fact it stands in.
"""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from graphrag.llm.salvage import Lost
from graphrag.llm.schema import AnswerModel
from graphrag.model.values import JSON

_KINDS = {
    "holds": "state", "hold": "state", "current": "state", "ongoing": "state", "active": "state",
    "end": "ended", "over": "ended", "past": "was", "former": "was", "previous": "was",
    "happened": "event", "always": "timeless", "permanent": "timeless", "plan": "planned",
    "future": "planned", "planned event": "planned_event", "event_planned": "planned_event",
    "future_event": "planned_event", "appointment": "planned_event", "canceled": "cancelled",
    "cancellation": "cancelled",
}  # fmt: skip
_EFFECTS = {
    "changed": "replaces", "change": "replaces", "replaced": "replaces", "replaces": "replaces",
    "correction": "corrects", "corrected": "corrects", "corrects": "corrects",
}  # fmt: skip
"""Kinds that say what a fact does to a known one: of such a fact it is a state."""
_CERTAINTIES = {
    "certain": "stated", "explicit": "stated", "high": "stated", "inferred": "likely",
    "implied": "likely", "probable": "likely", "medium": "likely", "uncertain": "guess",
    "low": "guess", "unsure": "guess",
}  # fmt: skip
_TIMES = {"holds": "now", "current": "now", "present": "now", "was": "past", "former": "past"}
_NUMBER = re.compile(r"\bF\s*\d+|^\W*\d+\W*$", re.IGNORECASE)
_SYNONYMS = (("kind", _KINDS), ("certainty", _CERTAINTIES), ("time", _TIMES))
_LISTS = ("aliases", "attributes")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_WORD = re.compile(r"[^\w]+")


_NAMES = {
    "relationships": "facts", "relations": "facts", "edges": "facts", "triples": "facts",
    "statements": "facts", "nodes": "entities", "source": "subject", "head": "subject",
    "target": "object", "tail": "object", "predicate": "relation", "relation_type": "relation",
    "relationship": "relation", "entity_name": "name", "entity_type": "type",
    "evidence": "quote", "description": "fact",
}  # fmt: skip
"""Names that models trained on other prompts give to the fields."""


class Lenient(AnswerModel):
    """An answer in which numbers may stand for words, and one thing for a list of it."""

    @model_validator(mode="before")
    @classmethod
    def _read_through(cls, value: JSON) -> JSON:
        if not isinstance(value, dict):
            return value
        read = {name: _words(given) for name, given in called(value, cls).items()}
        for name in _LISTS:
            given = value.get(name)
            if name == "attributes" and isinstance(given, dict):
                pairs = given.items()
                read[name] = [{"name": key, "value": _words(part)} for key, part in pairs]
            elif isinstance(given, str):
                read[name] = [given] if given.strip() else []
        for name, synonyms in _SYNONYMS:
            if isinstance(word := read.get(name), str):
                read[name] = synonyms.get(word.strip().casefold(), word.strip().casefold())
        return read


def called(value: dict[str, JSON], model: type[AnswerModel]) -> dict[str, JSON]:
    """Return fields under their own names, as far as the model lacks them."""
    fields = model.model_fields.keys()
    others = {_NAMES[name]: name for name in value if name in _NAMES and name not in fields}
    own = {new: value[old] for new, old in others.items() if new in fields and new not in value}
    return {**own, **value}


def _words(value: JSON) -> JSON:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


class ReadAttribute(Lenient):
    """A detail of an entity or a fact."""

    name: str
    value: str


class ReadEntity(Lenient):
    """A person, place, organization or thing that the text names."""

    empty: ClassVar[Mapping[str, JSON]] = {"type": "thing", "aliases": [], "known": ""}
    name: str = Field(min_length=1)
    type: str
    aliases: list[str]
    known: str  # ``E3`` for a known entity, ``new`` for another bearer of a known name, else empty
    attributes: SkipJsonSchema[list[ReadAttribute]] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _former(cls, value: JSON) -> JSON:
        """Read ``meant``, as the field was called up to version 0.2."""
        if isinstance(value, dict) and "known" not in value and "meant" in value:
            return {**value, "known": value["meant"]}
        return value


class ReadFact(Lenient):
    """What the text states about one entity, or about two."""

    empty: ClassVar[Mapping[str, JSON]] = {
        "object": "", "quote": "", "fact": "", "since": "", "until": "", "kind": "state",
        "certainty": "stated",
    }  # fmt: skip
    subject: str
    relation: str = Field(min_length=1)
    object: str
    quote: str
    fact: str
    kind: Literal[
        "state", "ended", "was", "planned", "event", "planned_event", "cancelled", "timeless"
    ]
    since: str
    until: str
    about: str = ""
    """``F3`` for the known fact that this says again, ends or calls off, ``replaces F3``,
    ``corrects F3``; not in ``empty``, so that who left it out was not asked."""
    certainty: Literal["stated", "likely", "guess"]
    attributes: SkipJsonSchema[list[ReadAttribute]] = Field(default_factory=list)
    last: SkipJsonSchema[bool] = True
    """False if ``until`` is the first day without what "ended", as up to version 0.2."""

    @model_validator(mode="before")
    @classmethod
    def _former(cls, value: JSON) -> JSON:
        """Read the fields ``same`` and ``replaces``, and the kinds, of version 0.2."""
        if not isinstance(value, dict):
            return value
        read = dict(value)
        kind = str(value.get("kind") or "").strip().casefold()
        effect = _EFFECTS.get(kind, "")
        if effect:
            read["kind"] = "state"
        read["last"] = "same" not in value and "replaces" not in value
        same, replaced = (str(value.get(name) or "").strip() for name in ("same", "replaces"))
        if "about" not in value and (effect or same or "replaces" in value):
            if replaced or effect:
                read["about"] = f"{effect or 'replaces'} {replaced or same}".strip()
            else:
                read["about"] = same
        elif effect and effect not in str(value.get("about")):
            read["about"] = f"{effect} {value['about'] or ''}".strip()
        return read

    @property
    def effect(self) -> Literal["", "replaces", "corrects"]:
        """Return what it does to a known fact, beside saying it again or ending it."""
        words = self.about.casefold()
        return "replaces" if "replac" in words else "corrects" if "correct" in words else ""

    @property
    def reference(self) -> str:
        """Return the known fact that is meant, as ``F3``, empty if none is."""
        found = _NUMBER.search(self.about)
        return found.group() if found else ""

    def __str__(self) -> str:
        return f"{self.subject} {self.relation} {self.object}".strip()


class DetailedEntity(ReadEntity):
    """An entity with the attributes that an ontology asks for."""

    empty: ClassVar[Mapping[str, JSON]] = {**ReadEntity.empty, "attributes": []}
    attributes: list[ReadAttribute]


class DetailedFact(ReadFact):
    """A fact with the attributes that an ontology asks for."""

    empty: ClassVar[Mapping[str, JSON]] = {**ReadFact.empty, "attributes": []}
    attributes: list[ReadAttribute]


class Reading(AnswerModel):
    """Everything read in one episode."""

    empty: ClassVar[Mapping[str, JSON]] = {"entities": []}
    items: ClassVar[tuple[str, ...]] = ("entities", "facts")
    entities: Sequence[ReadEntity]
    facts: Sequence[ReadFact]

    @classmethod
    def under_own_names(cls, value: dict[str, JSON]) -> dict[str, JSON]:
        """Return a reading with the names that models trained on other prompts give."""
        return called(value, cls)

    @classmethod
    def having(
        cls, entities: list[ReadEntity], facts: list[ReadFact], lost: tuple[Lost, ...]
    ) -> "Reading":
        """Return a reading made of another answer, with what that has lost."""
        reading = cls(entities=entities, facts=facts)
        reading._lost = lost
        return reading


class DetailedReading(Reading):
    """Everything read in one episode, with the attributes that an ontology asks for."""

    entities: Sequence[DetailedEntity]
    facts: Sequence[DetailedFact]


def number_of(given: str, letter: str) -> int | None:
    """Return the number in ``E3``, ``[E3]`` or ``3``, None if there is none."""
    found = re.fullmatch(rf"\W*{letter}?\s*(\d+)\W*", given.strip(), re.IGNORECASE)
    return int(found[1]) if found else None


def relation_name(given: str) -> str:
    """Return a relation as it is stored: ``WorksAt``, ``works-at`` and ``works at`` are one."""
    words = _NO_WORD.sub(" ", _CAMEL.sub(" ", given)).replace("_", " ")
    return "_".join(words.casefold().split())
