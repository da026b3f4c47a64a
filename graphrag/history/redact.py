"""Redaction of names and texts in rows and in the log; a marker replaces erased data.

In the log, ``ERASED`` replaces the images of an erased record. Remaining records lose the names,
the sentences that only erased texts contained, and the values that only those texts gave.
"""

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from graphrag.ingest.summaries import without
from graphrag.model.values import Entity, Event, Fact
from graphrag.protocols import in_turns
from graphrag.store.assertions import joined, parts
from graphrag.store.changes import image_of
from graphrag.store.rows import TABLES, from_image

MARK = "[erased]"
ERASED = {"erased": True}
"""Stands in the log for the image of an erased record."""
_VERBATIM = frozenset({"episode", "passage", "saga"})
"""Tables of what people said, which a graph that keeps its texts keeps."""

_UNSPACED = re.compile("[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that put no space around a name, or tie endings to it."""
_WRITTEN = {"'": "['’]", "’": "['’]", "\\ ": r"\s+", "\\-": "[-‐‑–]"}
_VARIANTS = re.compile("|".join(map(re.escape, _WRITTEN)))

_REDACTED: Mapping[type, tuple[str, ...]] = {
    Fact: (
        *("text", "subject", "object", "reason", "statements", "attributes", "provenance"),
        *("sources", "rivals"),
    ),
    Entity: tuple("name key aliases summary attributes distinct_from endings names".split()),
}
"""Fields that may repeat what is erased, or lead to it."""
Value = TypeVar("Value", Fact, Entity)
Attribute = tuple[str, str]
"""The name of an attribute and its value as JSON."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Result of an erasure."""

    group: str
    records: Mapping[str, int]
    """Number of erased rows by table; for a whole group also its ``event`` rows."""
    event: Event | None = None
    """The event that records the erasure and its time in the log. None for a whole group and for a
    dry run."""


@dataclass(frozen=True)
class Names:
    """Names wherever they stand as words."""

    names: tuple[str, ...]
    spared: tuple[str, ...] = ()
    """Longer names that contain one of them and mean somebody else."""

    def cleaned(self, item: Any) -> Any:
        """Return a text, or a value of any shape that has texts, with a mark for each name."""
        if isinstance(item, str):
            if not self.may_be_in(item):
                return item
            return self._pattern.sub(lambda match: match[0] if match["spared"] else MARK, item)
        if isinstance(item, Mapping):
            return {self.cleaned(name): self.cleaned(part) for name, part in item.items()}
        if isinstance(item, list):
            return [self.cleaned(part) for part in item]
        return item

    def named_in(self, item: Any) -> bool:
        """Tell whether a text, or any text of a value of any shape, has one of the names."""
        return bool(self.cleaned(item) != item)

    def may_be_in(self, text: str) -> bool:
        """Tell whether a text, JSON too, may have one of the names: most lack a word of each."""
        if not self.names:
            return False
        if self._plain is not None and text.isascii():  # other letters may be alike in other ways
            lowered = text.lower()
            return any(word in lowered for word in self._plain)
        return self._words is None or self._words.search(text) is not None

    @cached_property
    def _plain(self) -> tuple[str, ...] | None:
        """Return the longest word of each name in small letters, None if one is not ASCII."""
        words = tuple(map(_longest_word, self.names))
        return tuple(map(str.lower, words)) if "".join(self.names).isascii() else None

    @cached_property
    def _words(self) -> re.Pattern[str] | None:
        """Return what finds the longest word of each name, None if one has no letters."""
        words = {_longest_word(form) for name in self.names for form in _forms(name)}
        return None if "" in words else re.compile("|".join(map(re.escape, words)), re.IGNORECASE)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        spared, names = map(_either, (self.spared, self.names))
        return re.compile(rf"(?P<spared>{spared or '(?!)'})|{names}", re.IGNORECASE)


@dataclass(frozen=True)
class Eraser:
    """What to erase."""

    names: Names
    records: frozenset[str] = frozenset()
    """Erased records, as ``table:id``."""
    episodes: frozenset[str] = frozenset()
    """Ids of those that are episodes."""
    sentences: Set[str] = frozenset()
    """What only erased texts said."""
    neighbours: Mapping[str, Collection[str]] = field(default_factory=dict)
    """By entity record: names at the other ends of its erased facts."""
    given: Mapping[str, Collection[Attribute]] = field(default_factory=dict)
    """By record: attributes that only erased texts gave it."""
    called: Mapping[str, Collection[str]] = field(default_factory=dict)
    """By entity record: aliases that only erased texts gave it."""
    sagas: frozenset[str] = frozenset()
    """Records of sagas whose summaries may tell of what is erased."""
    touched: frozenset[str] = frozenset()
    """Records that stay and may speak of what is erased: in the log only these are looked at."""
    keeps_texts: bool = False
    """Whether what people said stays as they said it."""

    async def event(self, event: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the columns of an event that are to change, None if it has nothing to hide."""
        changes = json.loads(event["changes"])
        cleaned = [
            self.change(change)
            if change["record"] in self.touched or self._goes(change)
            else change
            async for change in in_turns(changes)
        ]
        note, actor = self.text(event.get("note") or ""), self.names.cleaned(event["actor"])
        if cleaned == changes and note == (event.get("note") or "") and actor == event["actor"]:
            return None
        words = json.dumps(cleaned, ensure_ascii=False)
        return {"id": event["id"], "changes": words, "note": note or None, "actor": actor}

    def change(self, change: dict[str, Any]) -> dict[str, Any]:
        """Return one change of an event without what is erased."""
        record, gone = change["record"], self._goes(change)
        sides = {side: change[side] for side in ("before", "after")}
        for side, image in sides.items():
            if image is not None:
                sides[side] = ERASED if gone else self.image(record, image)
        return {"record": record, **sides}

    def _goes(self, change: Mapping[str, Any]) -> bool:
        """Tell whether a change is of an erased record, or of a link that leads to one."""
        images: list[Mapping[str, Any]] = [change["before"] or {}, change["after"] or {}]
        ends = {str(image[end]) for image in images for end in ("in", "out") if end in image}
        return not self.records.isdisjoint({change["record"], *ends})

    def image(self, record: str, image: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns of one record without what is erased."""
        if record in self.sagas and "summary" in image:
            image = {**image, "summary": ""}
        if self.keeps_texts and record.partition(":")[0] in _VERBATIM:
            return dict(image)
        return {
            column: None if item is None else self._column(record, column, item)
            for column, item in image.items()
        }

    def _column(self, record: str, column: str, item: Any) -> Any:
        match column:
            case "summary":
                item = without(item, {*self.names.names, *self.neighbours.get(record, ())})
            case "attributes":
                gone = self.given.get(record, ())
                item = {name: it for name, it in item.items() if comparable(name, it) not in gone}
            case "aliases":
                called = self.called.get(record, ())
                item = [it for it in item if it not in called and not self.names.named_in(it)]
            case "distinct_from":
                item = [id_ for id_ in item if f"entity:{id_}" not in self.records]
            case "sources":
                item = [span for span in item if span["episode"] not in self.episodes]
            case "rivals" | "derived_from":
                item = [id_ for id_ in item if f"relates_to:{id_}" not in self.records]
            case "statements" | "endings":
                stay = [self._without(part) for part in parts(item) if self._stays(part)]
                return joined(self.names.cleaned(stay)) if stay else None
            case "names":
                item = [self._without(name) for name in item if self._stays(name)]
            case "text" | "reason":  # they repeat the words of a text
                item = self.text(item)
        return self.names.cleaned(item)

    def text(self, text: str) -> str:
        """Return words, in which anything may be quoted, without what is erased."""
        if text in self.sentences:
            return MARK
        quoted = [sentence for sentence in self.sentences if sentence in text]
        for sentence in sorted(quoted, key=lambda sentence: (-len(sentence), sentence)):
            text = text.replace(sentence, MARK)
        return str(self.names.cleaned(text))

    def _stays(self, statement: Mapping[str, Any]) -> bool:
        return bool(statement.get("manual")) or statement.get("source", "") not in self.episodes

    def _without(self, statement: Mapping[str, Any]) -> dict[str, Any]:
        """Return a statement without the words and the places of what is erased."""
        clean = dict(statement)
        if clean.get("source") in self.episodes:
            for name in ("source", "start", "end"):
                clean.pop(name, None)
        for name in ("reason", "text", "subject_as", "object_as"):
            if name in clean:
                clean[name] = self.text(clean[name])
        if "void" in clean:
            clean["void"] = self._without(clean["void"])
            if f"relates_to:{clean['void'].get('fact')}" in self.records:
                del clean["void"]["fact"]
        return clean


def redacted(value: Value, eraser: Eraser) -> Value:
    """Return a value without what is erased from its words and its links."""
    image = json.loads(image_of(value))
    clean = from_image(
        type(value), value.id, eraser.image(f"{TABLES[type(value)]}:{value.id}", image)
    )
    return replace(value, **{name: getattr(clean, name) for name in _REDACTED[type(value)]})


def comparable(name: str, value: Any) -> Attribute:
    """Return an attribute as it can be compared."""
    return name, json.dumps(value, sort_keys=True, ensure_ascii=False)


def _either(names: Iterable[str]) -> str:
    # A text may be written in another normal form than the name, and with other marks.
    forms = {form for name in names for form in _forms(name)}
    return "|".join(_as_words(name) for name in sorted(forms, key=len, reverse=True))


def _forms(name: str) -> set[str]:
    return {unicodedata.normalize(form, name) for form in ("NFC", "NFD")}


def _longest_word(name: str) -> str:
    return max(re.findall(r"\w+", name), key=len, default="")


def _as_words(name: str) -> str:
    words = _VARIANTS.sub(lambda match: _WRITTEN[match[0]], re.escape(name))
    before = "" if _UNSPACED.match(name[0]) else r"(?<!\w)"
    return before + words + ("" if _UNSPACED.match(name[-1]) else r"(?!\w)")
