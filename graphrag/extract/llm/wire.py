"""The shape of a model's reading: what it is to answer, and what is read through in an answer.

Strong models keep to a schema and still write a year as a number, one alias without a list, or
"past" for "was". That is put right here; what is left wrong costs the fact it stands in.
"""

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from graphrag.llm.salvage import Lost
from graphrag.llm.schema import AnswerModel
from graphrag.model.values import JSON

_KINDS = {
    "state": "holds", "current": "holds", "ongoing": "holds", "active": "holds", "hold": "holds",
    "change": "changed", "replaced": "changed", "replaces": "changed", "end": "ended",
    "over": "ended", "corrected": "correction", "corrects": "correction", "past": "was",
    "former": "was", "previous": "was", "happened": "event", "always": "timeless",
    "permanent": "timeless", "plan": "planned", "future": "planned", "canceled": "cancelled",
    "cancellation": "cancelled",
}  # fmt: skip
_CERTAINTIES = {
    "certain": "stated", "explicit": "stated", "high": "stated", "inferred": "likely",
    "implied": "likely", "probable": "likely", "medium": "likely", "uncertain": "guess",
    "low": "guess", "unsure": "guess",
}  # fmt: skip
_TIMES = {"holds": "now", "current": "now", "present": "now", "was": "past", "former": "past"}
_SYNONYMS = (("kind", _KINDS), ("certainty", _CERTAINTIES), ("time", _TIMES))
_LISTS = ("aliases", "attributes")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_WORD = re.compile(r"[^\w]+")


class Lenient(AnswerModel):
    """An answer in which numbers may stand for words, and one thing for a list of it."""

    @model_validator(mode="before")
    @classmethod
    def _read_through(cls, value: JSON) -> JSON:
        if not isinstance(value, dict):
            return value
        read = {name: _words(given) for name, given in value.items()}
        for name in _LISTS:
            given = value.get(name)
            if name == "attributes" and isinstance(given, dict):
                pairs = given.items()
                read[name] = [{"name": key, "value": _words(one)} for key, one in pairs]
            elif isinstance(given, str):
                read[name] = [given] if given.strip() else []
        for name, synonyms in _SYNONYMS:
            if isinstance(word := read.get(name), str):
                read[name] = synonyms.get(word.strip().casefold(), word.strip().casefold())
        return read


def _words(value: JSON) -> JSON:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


class ReadAttribute(Lenient):
    """A detail of an entity or a fact."""

    name: str
    value: str


class ReadEntity(Lenient):
    """A person, place, organization or thing that the text names."""

    empty: ClassVar[Mapping[str, JSON]] = {
        "type": "thing", "aliases": [], "attributes": [], "meant": "",
    }  # fmt: skip
    name: str = Field(min_length=1)
    type: str
    aliases: list[str]
    attributes: list[ReadAttribute]
    meant: str  # ``E3`` for a known entity, ``new`` for another bearer of a known name, else empty


class ReadFact(Lenient):
    """What the text states about one entity, or about two."""

    empty: ClassVar[Mapping[str, JSON]] = {
        "object": "", "fact": "", "since": "", "until": "", "kind": "holds", "same": "",
        "certainty": "stated", "attributes": [],
    }  # fmt: skip
    subject: str
    relation: str = Field(min_length=1)
    object: str
    quote: str
    fact: str
    since: str
    until: str
    kind: Literal[
        "holds", "changed", "ended", "correction", "was", "event", "timeless", "planned",
        "cancelled",
    ]  # fmt: skip
    same: str  # ``F3`` for the known fact that this says again, ends or cancels, else empty
    replaces: str = ""
    """``F3`` for the known fact that is not true any more, or never was; not in ``empty``, so that
    who left it out was not asked."""
    certainty: Literal["stated", "likely", "guess"]
    attributes: list[ReadAttribute]

    def __str__(self) -> str:
        return f"{self.subject} {self.relation} {self.object}".strip()


class Reading(AnswerModel):
    """Everything read in one episode."""

    empty: ClassVar[Mapping[str, JSON]] = {"entities": []}
    items: ClassVar[tuple[str, ...]] = ("entities", "facts")
    entities: list[ReadEntity]
    facts: list[ReadFact]

    @classmethod
    def having(
        cls, entities: list[ReadEntity], facts: list[ReadFact], lost: tuple[Lost, ...]
    ) -> "Reading":
        """Return a reading made of another answer, with what that has lost."""
        reading = cls(entities=entities, facts=facts)
        reading._lost = lost
        return reading


def number_of(given: str, letter: str) -> int | None:
    """Return the number in ``E3``, ``[E3]`` or ``3``, None if there is none."""
    found = re.fullmatch(rf"\W*{letter}?\s*(\d+)\W*", given.strip(), re.IGNORECASE)
    return int(found[1]) if found else None


def relation_name(given: str) -> str:
    """Return a relation as it is stored: ``WorksAt``, ``works-at`` and ``works at`` are one."""
    words = _NO_WORD.sub(" ", _CAMEL.sub(" ", given)).replace("_", " ")
    return "_".join(words.casefold().split())
