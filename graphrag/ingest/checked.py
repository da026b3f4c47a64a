"""Validation of what extractors and arbiters return.

Claims that cannot be stored are dropped and reported; spans outside of the text are corrected.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from functools import partial
from numbers import Real
from operator import index
from typing import Any, Final, TypeVar, get_args

from graphrag.errors import InputError
from graphrag.ingest.intake import CONTROL
from graphrag.model.assertion import Date, EntityName, Kind, Naming, Precision
from graphrag.model.checks import LONGEST, checked_attributes, checked_text, printable, shown
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import Episode, Origin
from graphrag.protocols import Case, Ruling
from graphrag.temporal.moment import parse_moment

Part = TypeVar("Part")
_SHOWN = 60
_LONGEST_NOTE = 2000
_MOST_NOTES = 1000
"""Notes of one extraction: the event of its episode keeps them all."""


def checked_extraction(given: Extraction, episode: Episode) -> Extraction:
    """Return what of an extraction can be stored; ``dropped`` says what cannot, and why."""
    checking = _Checking(episode)
    mentions = tuple(checking.each("mentions", given.mentions, checking.mention))
    claims = tuple(checking.each("claims", given.claims, checking.claim))
    shown_ids = tuple(checking.each("shown", given.shown, _text))
    dropped = [*checking.each("dropped", given.dropped, checked_text)]
    adjusted = [*checking.each("adjusted", given.adjusted, checked_text)]
    notes = _notes([*dropped, *checking.notes])
    return Extraction(mentions, claims, notes, _notes(adjusted), shown_ids)


def checked_ruling(given: Ruling, case: Case) -> Ruling:
    """Return what of a ruling answers the case; anything else in it is left out."""
    choices = {doubt.mention: {entity.id for entity in doubt.candidates} for doubt in case.doubts}

    def answers(pairs: Mapping[Mention, object]) -> Iterator[tuple[Mention, tuple[str, ...]]]:
        for mention, ids in pairs.items() if isinstance(pairs, Mapping) else ():
            named = [ids] if isinstance(ids, str) else ids if isinstance(ids, Collection) else ()
            known = [id_ for id_ in named if isinstance(id_, str)]
            kept = dict.fromkeys(id_ for id_ in known if id_ in choices.get(mention, ()))
            yield mention, tuple(kept)

    meant = {mention: ids[0] for mention, ids in answers(given.entity_of) if len(ids) == 1}
    distinct = {
        mention: rest
        for mention, ids in answers(given.distinct)
        if (rest := tuple(id_ for id_ in ids if id_ != meant.get(mention)))
    }
    exclusive = given.exclusive if isinstance(given.exclusive, Collection) else ()
    return Ruling(meant, distinct, tuple(each for each in case.conflicts if each in exclusive))


def _notes(notes: Collection[str]) -> tuple[str, ...]:
    kept = [note[:_LONGEST_NOTE] for note in notes][:_MOST_NOTES]
    rest = len(notes) - len(kept)
    return (*kept, f"and {rest:,} more that are not listed") if rest else tuple(kept)


class _Checking:
    """What is left out of one extraction, and what was put right in it."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._mentions: dict[int, tuple[Mention, Mention]] = {}
        """By identity, with what each was: most claims share their ends."""
        self.notes: dict[str, None] = {}

    def each(
        self, name: str, given: Collection[Part], check: Callable[[str, Part], Part]
    ) -> Iterator[Part]:
        """Yield what is valid of a list of the extraction."""
        try:
            parts = _collection(name, given)
        except Exception as error:  # noqa: BLE001 - a value of anybody's code
            self.notes[f"{printable(str(error))}; nothing of it was used"] = None
            return
        for number, part in enumerate(parts, start=1):
            try:
                yield check(name, part)
            except Exception as error:  # noqa: BLE001 - a value of anybody's code
                self.notes[f"{name} {number} is not used: {printable(str(error))}"] = None

    def mention(self, name: str, given: Mention) -> Mention:
        """Return a mention as it can be stored."""
        if id(given) in self._mentions:
            return self._mentions[id(given)][1]
        if not isinstance(given, Mention):
            raise InputError(f"it is {shown(given)}; expected Mention")
        kind = "thing" if given.entity_type is None else _text("entity_type", given.entity_type)
        if not kind.strip():
            raise InputError(f"entity_type of {shown(given.name)} is empty: leave it out")
        text = _text("the name of a mention", given.name)
        start, end = self._place("mention", text, given.start, given.end)
        checked = Mention(
            text,
            kind,
            start,
            end,
            aliases=_texts("aliases", given.aliases),
            attributes=checked_attributes(given.attributes, shown(text)),
            entity_id=None if given.entity_id is None else _text("entity_id", given.entity_id),
            distinct_from=_texts("distinct_from", given.distinct_from),
            names=tuple(map(self._entity_name, _collection("names", given.names))),
        )
        self._mentions[id(given)] = given, checked
        return checked

    def claim(self, name: str, given: Claim) -> Claim:
        """Return a claim as it can be stored."""
        if not isinstance(given, Claim):
            raise InputError(f"it is {shown(given)}; expected Claim")
        subject = self.mention(name, given.subject)
        object_ = None if given.object is None else self.mention(name, given.object)
        relation = "_".join(_text("relation", given.relation).split())
        if not relation:
            raise InputError(f"relation {shown(given.relation)} is no name: give one as 'works_at'")
        content = self._episode.content
        text = _text("text", given.text, longest=max(LONGEST, len(content)))
        start, end = self._place("claim", text, given.start, given.end)
        return Claim(
            subject,
            relation,
            object_,
            text if text.strip() else content[start:end],
            start,
            end,
            self._moment("valid_at", given.valid_at),
            self._moment("invalid_at", given.invalid_at),
            confidence=checked_share("confidence", given.confidence),
            attributes=checked_attributes(given.attributes, shown(text)),
            **{field: check(field, getattr(given, field)) for field, check in _FIELDS.items()},
        )

    def _moment(self, name: str, given: datetime | None) -> datetime | None:
        reference = self._episode.valid_at
        return None if given is None else parse_moment(given, what=name, reference=reference)

    def _entity_name(self, given: EntityName) -> EntityName:
        if not isinstance(given, EntityName):
            raise InputError(f"a name is {shown(given)}; expected EntityName")
        name, kind = _text("a name", given.name), _choice(get_args(Naming), "kind", given.kind)
        since, until = _date("since", given.since), _date("until", given.until)
        at, source = self._moment("at", given.at), _text("source", given.source)
        return EntityName(name, kind, since, until, at, source)

    def _place(self, kind: str, words: str, first: int, last: int) -> tuple[int, int]:
        """Return where something stands: as given, else where its words are, else nearest."""
        what = f"{kind} {words[:_SHOWN]!r}"
        try:
            start, end = int(index(first)), int(index(last))  # a number of numpy is not stored
        except TypeError:
            places = f"{shown(first)} to {shown(last)}"
            raise InputError(f"{what} is at {places}: expected whole numbers") from None
        content, size = self._episode.content, len(self._episode.content)
        if 0 <= start <= end <= size:
            return start, end
        at = content.find(words) if words else -1
        first, last = (at, at + len(words)) if at >= 0 else (max(start, 0), min(end, size))
        if first >= last:  # nothing of it is in the text: a claim rests on all of it
            first, last = 0, 0 if kind == "mention" else size
        note = f"{what} is not at {start} to {end} of {size} characters: "
        self.notes[f"{note}it was put at {first} to {last}"] = None
        return first, last


def _date(name: str, given: Date | None) -> Date | None:
    if given is not None and not isinstance(given, Date):
        raise InputError(f"{name} is {shown(given)}; expected Date")
    return given and Date(parse_moment(given.moment, what=name), _precision(name, given.precision))


def _text(name: str, given: str, *, longest: int = LONGEST) -> str:
    text = checked_text(name, given, longest=longest)
    if control := CONTROL.search(text):
        raise InputError(f"{name} {shown(text)} holds the control character {control.group()!r}")
    return text


def _collection(name: str, given: Collection[Part]) -> Collection[Part]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Collection):
        raise InputError(f"{name} is {shown(given)}: give a tuple")
    return given


def _texts(name: str, given: Collection[str]) -> tuple[str, ...]:
    return tuple(_text(name, text) for text in _collection(name, given))


def _flag(name: str, given: bool) -> bool:
    if given not in (True, False):
        raise InputError(f"{name} is {shown(given)}: give True or False")
    return bool(given)


def checked_share(name: str, given: float) -> float:
    """Return a number from 0 to 1 as Python's own, checked."""
    is_number = isinstance(given, Real) and not isinstance(given, bool)
    if not is_number or not 0 <= given <= 1:
        raise InputError(f"{name} is {shown(given)}: give a number from 0 to 1")
    return float(given)


def _choice(choices: tuple[Part, ...], name: str, given: Part) -> Part:
    if not isinstance(given, str) or given not in choices:
        raise InputError(f"{name} is {shown(given)}: choose from {', '.join(map(str, choices))}")
    return choices[choices.index(given)]


_precision = partial(_choice, get_args(Precision))
_FIELDS: Final[Mapping[str, Callable[[str, Any], Any]]] = {
    **dict.fromkeys(("ends", "corrects", "replaces", "untyped", "current", "settled"), _flag),
    "origin": partial(_choice, get_args(Origin)),
    "kind": partial(_choice, get_args(Kind)),
    "valid_precision": _precision,
    "invalid_precision": _precision,
    "excludes": _texts,
}
"""How the fields of a claim are checked that say nothing of a place or a moment."""
