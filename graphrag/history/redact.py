"""Take names and words out of rows and out of the log: what was erased leaves a mark.

An erased record leaves ``ERASED`` in place of its images. What stays loses the names, the sentences
that only erased texts had, and in its images what it knew from those texts alone.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from graphrag.ingest.summaries import without
from graphrag.protocols import in_turns
from graphrag.store.assertions import joined, parts

MARK = "[erased]"
ERASED = {"erased": True}
"""Stands in the log for the image of an erased record."""
QUOTING = frozenset({"text", "reason"})
"""Columns that repeat the words of a text."""
_BEGUN = 12
"""Characters at the beginning of a sentence by which it is found."""
_VERBATIM = frozenset({"episode", "passage", "saga"})
"""Tables of what people said, which a graph that keeps its texts keeps."""

_UNSPACED = re.compile("[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that put no space around a name, or tie endings to it."""
_WRITTEN = {"'": "['’]", "’": "['’]", "\\ ": r"\s+", "\\-": "[-‐‑–]"}
_VARIANTS = re.compile("|".join(map(re.escape, _WRITTEN)))

Attribute = tuple[str, str]
"""The name of an attribute and its value as JSON."""


@dataclass(frozen=True)
class Names:
    """Names wherever they stand as words."""

    names: tuple[str, ...]
    spared: tuple[str, ...] = ()
    """Longer names that contain one of them and mean somebody else."""

    def names_it(self, text: str) -> bool:
        """Tell whether a text has one of the names."""
        pattern = self._pattern if self.may_be_in(text) else None
        return pattern is not None and any(not match["spared"] for match in pattern.finditer(text))

    def named_in(self, item: Any) -> bool:
        """Tell whether any text of a value of any shape has one of the names."""
        if isinstance(item, str):
            return self.names_it(item)
        if isinstance(item, Mapping):
            return any(map(self.named_in, (*item.keys(), *item.values())))
        return isinstance(item, list | tuple) and any(map(self.named_in, item))

    def cleaned(self, text: str) -> str:
        """Return a text with a mark in place of each name."""
        pattern = self._pattern if self.may_be_in(text) else None
        if pattern is None:
            return text
        return pattern.sub(lambda match: match[0] if match["spared"] else MARK, text)

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
    def _pattern(self) -> re.Pattern[str] | None:
        if not self.names:
            return None
        spared, names = (_either(some) for some in (self.spared, self.names))
        either = rf"(?P<spared>{spared or '(?!)'})|{names}"
        return re.compile(either, re.IGNORECASE)


class Sentences:
    """Sentences that are looked for in a text all at once."""

    def __init__(self, sentences: Iterable[str] = ()) -> None:
        self._all = frozenset(sentences)
        self._begun = min([_BEGUN, *map(len, self._all)])
        self._lengths: dict[str, set[int]] = defaultdict(set)
        for sentence in self._all:
            self._lengths[sentence[: self._begun]].add(len(sentence))

    def __contains__(self, text: str) -> bool:
        """Tell whether a text is one of them."""
        return text in self._all

    def within(self, text: str) -> list[str]:
        """Return those that stand in a text, the longest first."""
        lengths, begun = self._lengths, self._begun
        within = {
            part
            for at in range(len(text) - begun + 1 if lengths else 0)
            for length in lengths.get(text[at : at + begun], ())
            if (part := text[at : at + length]) in self._all
        }
        return sorted(within, key=lambda sentence: (-len(sentence), sentence))


@dataclass(frozen=True)
class Eraser:
    """What to erase."""

    names: Names
    records: frozenset[str] = frozenset()
    """Erased records, as ``table:id``."""
    episodes: frozenset[str] = frozenset()
    """Ids of those that are episodes."""
    sentences: Sentences = field(default_factory=Sentences)
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
        return {
            "id": event["id"],
            "changes": json.dumps(cleaned, ensure_ascii=False),
            "note": note or None,
            "actor": actor,
        }

    def change(self, change: dict[str, Any]) -> dict[str, Any]:
        """Return one change of an event without what is erased."""
        record, gone = change["record"], self._goes(change)
        return {
            "record": record,
            **{
                side: None
                if change[side] is None
                else ERASED
                if gone
                else self.image(record, change[side])
                for side in ("before", "after")
            },
        }

    def _goes(self, change: Mapping[str, Any]) -> bool:
        """Tell whether a change is of an erased record, or of a link that leads to one."""
        return change["record"] in self.records or not self.records.isdisjoint(_ends(change))

    def image(self, record: str, image: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns of one record without what is erased."""
        if record in self.sagas and "summary" in image:
            image = {**image, "summary": ""}
        if self.keeps_texts and record.partition(":")[0] in _VERBATIM:
            return dict(image)
        clean: dict[str, Any] = {}
        for column, item in image.items():
            if item is None:
                clean[column] = None
                continue
            if column == "summary":
                item = without(item, {*self.names.names, *self.neighbours.get(record, ())})
            elif column == "attributes":
                item = self._attributes(record, item)
            elif column == "aliases":
                gone = self.called.get(record, ())
                item = [name for name in item if name not in gone and not self.names.names_it(name)]
            elif column == "distinct_from":
                item = [id_ for id_ in item if f"entity:{id_}" not in self.records]
            elif column == "sources":
                item = [span for span in item if span["episode"] not in self.episodes]
            elif column in ("rivals", "derived_from"):
                item = [id_ for id_ in item if f"relates_to:{id_}" not in self.records]
            elif column in ("statements", "endings"):
                stay = [self._without(part) for part in parts(item) if self._stays(part)]
                clean[column] = joined(self.anything(stay)) if stay else None
                continue
            elif column == "names":
                item = [self._without(name) for name in item if self._stays(name)]
            elif column in QUOTING:
                item = self.text(item)
            clean[column] = self.anything(item)
        return clean

    def text(self, text: str) -> str:
        """Return words, in which anything may be quoted, without what is erased."""
        if text in self.sentences:
            return MARK
        for sentence in self.sentences.within(text):
            text = text.replace(sentence, MARK)
        return self.names.cleaned(text)

    def anything(self, item: Any) -> Any:
        """Return a value of any shape without the names."""
        if isinstance(item, str):
            return self.names.cleaned(item)
        if isinstance(item, Mapping):
            return {self.anything(name): self.anything(part) for name, part in item.items()}
        if isinstance(item, list | tuple):
            return [self.anything(part) for part in item]
        return item

    def _stays(self, one: Mapping[str, Any]) -> bool:
        return bool(one.get("manual")) or one.get("source", "") not in self.episodes

    def _without(self, one: Mapping[str, Any]) -> dict[str, Any]:
        """Return a statement without the words and the places of what is erased."""
        clean = dict(one)
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

    def _attributes(self, record: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
        gone = self.given.get(record, ())
        return {
            name: value for name, value in attributes.items() if comparable(name, value) not in gone
        }


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


def _ends(change: Mapping[str, Any]) -> Collection[str]:
    images: list[Mapping[str, Any]] = [change["before"] or {}, change["after"] or {}]
    return {str(image[end]) for image in images for end in ("in", "out") if end in image}
