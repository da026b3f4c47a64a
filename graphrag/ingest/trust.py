"""Trust in sources, and validation of what extractors return.

A less trusted source neither ends nor replaces what a more trusted one said, in any order; its fact
is kept as contested until a person confirms it. Trust is a number per source name:
``source_description`` of an episode, ``source`` of a table or fact.

Claims that cannot be stored are dropped and reported; spans outside of the text are corrected.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import isfinite
from numbers import Real
from operator import index
from typing import TypeVar, get_args

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
"""Characters of a text in a note."""
_LONGEST_NOTE = 2000
_MOST_NOTES = 1000
"""Notes of one extraction: the event of its episode keeps them all."""


@dataclass(frozen=True, slots=True)
class Trust:
    """The trust of each source; one that is not named has 0, and so does what names none."""

    by_source: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            InputError: naming the source whose trust is none.
        """
        for source, trust in self.by_source.items():
            number = isinstance(trust, int | float) and not isinstance(trust, bool)
            if not isinstance(source, str) or not number or not isfinite(trust):
                raise InputError(
                    f"trust of source {source!r} is {trust!r}: give a number by the name of the "
                    "source, above 0 for one that outweighs the others, below 0 for one that may "
                    "not change what they said"
                )

    def __bool__(self) -> bool:
        """Tell whether any source has another trust than the others."""
        return bool(self.by_source)

    def of(self, source: str) -> float:
        """Return the trust of a source."""
        return float(self.by_source.get(source, 0.0))


FULL_TRUST = Trust()
"""All sources count the same."""


def limited(extraction: Extraction, source: str) -> Extraction:
    """Return what a distrusted source says without what would change entities of others.

    It gives nobody another name, type or attribute; what that leaves out is among the dropped.
    """
    notes: dict[str, None] = {}

    def plain(mention: Mention) -> Mention:
        given = [*mention.aliases, *(name.name for name in mention.names)]
        given += (f"{key}: {item}" for key, item in mention.attributes.items())
        for one in given:
            notes[f"{one!r} of {mention.name!r}: source {source!r} has a trust below 0"] = None
        return replace(mention, aliases=(), attributes={}, names=()) if given else mention

    def modest(claim: Claim) -> Claim:
        object_ = None if claim.object is None else plain(claim.object)
        return replace(claim, subject=plain(claim.subject), object=object_)

    mentions, claims = map(plain, extraction.mentions), map(modest, extraction.claims)
    kept = replace(extraction, mentions=tuple(mentions), claims=tuple(claims))
    return replace(kept, dropped=(*extraction.dropped, *notes))


def checked_extraction(given: Extraction, episode: Episode) -> Extraction:
    """Return what of an extraction can be stored; ``dropped`` says what cannot, and why."""
    checking = _Checking(episode)
    mentions = tuple(checking.each("mentions", given.mentions, checking.mention))
    claims = tuple(checking.each("claims", given.claims, checking.claim))
    shown_ids = tuple(checking.each("shown", given.shown, _text))
    dropped, adjusted = (
        list(checking.each(name, words, lambda name, text: checked_text(name, text)))
        for name, words in (("dropped", given.dropped), ("adjusted", given.adjusted))
    )
    return Extraction(
        mentions, claims, _notes((*dropped, *checking.notes)), _notes(adjusted), shown_ids
    )


def checked_ruling(given: Ruling, case: Case) -> Ruling:
    """Return what of a ruling answers the case; anything else in it is left out."""
    choices = {doubt.mention: {entity.id for entity in doubt.candidates} for doubt in case.doubts}

    def answers(pairs: Mapping[Mention, object]) -> Iterator[tuple[Mention, tuple[str, ...]]]:
        for mention, ids in pairs.items() if isinstance(pairs, Mapping) else ():
            named = [ids] if isinstance(ids, str) else ids if isinstance(ids, Collection) else ()
            known = [id_ for id_ in named if isinstance(id_, str)]
            kept = dict.fromkeys(id_ for id_ in known if id_ in choices.get(mention, ()))
            if kept:
                yield mention, tuple(kept)

    meant = {mention: ids[0] for mention, ids in answers(given.entity_of) if len(ids) == 1}
    distinct = {
        mention: rest
        for mention, ids in answers(given.distinct)
        if (rest := tuple(id_ for id_ in ids if id_ != meant.get(mention)))
    }
    exclusive = given.exclusive if isinstance(given.exclusive, Collection) else ()
    return Ruling(
        meant, distinct, tuple(conflict for conflict in case.conflicts if conflict in exclusive)
    )


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
        checked = Mention(
            text,
            kind,
            *self._place("mention", text, given.start, given.end),
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
        confidence = given.confidence
        is_number = isinstance(confidence, Real) and not isinstance(confidence, bool)
        if not is_number or not 0 <= confidence <= 1:
            raise InputError(f"confidence is {shown(confidence)}: give a number from 0 to 1")
        return Claim(
            subject,
            relation,
            object_,
            text if text.strip() else content[start:end],
            start,
            end,
            self._moment("valid_at", given.valid_at),
            self._moment("invalid_at", given.invalid_at),
            _flag("ends", given.ends),
            _flag("corrects", given.corrects),
            float(confidence),
            _choice("origin", given.origin, get_args(Origin)),
            checked_attributes(given.attributes, shown(text)),
            _flag("replaces", given.replaces),
            _flag("untyped", given.untyped),
            _flag("current", given.current),
            _choice("kind", given.kind, get_args(Kind)),
            _choice("valid_precision", given.valid_precision, get_args(Precision)),
            _choice("invalid_precision", given.invalid_precision, get_args(Precision)),
            _texts("excludes", given.excludes),
            _flag("settled", given.settled),
        )

    def _moment(self, name: str, given: datetime | None) -> datetime | None:
        if given is None:
            return None
        return parse_moment(given, what=name, reference=self._episode.valid_at)

    def _date(self, name: str, given: Date | None) -> Date | None:
        if given is None:
            return None
        if not isinstance(given, Date):
            raise InputError(f"{name} is {shown(given)}; expected Date")
        precision = _choice(name, given.precision, get_args(Precision))
        return Date(parse_moment(given.moment, what=name), precision)

    def _entity_name(self, given: EntityName) -> EntityName:
        if not isinstance(given, EntityName):
            raise InputError(f"a name is {shown(given)}; expected EntityName")
        return EntityName(
            _text("a name", given.name),
            _choice("kind", given.kind, get_args(Naming)),
            self._date("since", given.since),
            self._date("until", given.until),
            self._moment("at", given.at),
            _text("source", given.source),
        )

    def _place(self, kind: str, words: str, first: int, last: int) -> tuple[int, int]:
        """Return where something stands: as given, else where its words are, else nearest."""
        what = f"{kind} {words[:_SHOWN]!r}"
        try:
            start, end = int(index(first)), int(index(last))  # a number of numpy is not stored
        except TypeError:
            places = f"{shown(first)} to {shown(last)}"
            raise InputError(f"{what} is at {places}: expected whole numbers") from None
        content = self._episode.content
        size = len(content)
        if 0 <= start <= end <= size:
            return start, end
        at = content.find(words) if words else -1
        if at >= 0:
            place = at, at + len(words)
        else:
            place = min(max(start, 0), size), min(max(end, 0), size)
            if place[0] >= place[1]:  # nothing of it is in the text: a claim rests on all of it
                place = (0, 0) if kind == "mention" else (0, size)
        note = f"{what} is not at {start} to {end} of {size} characters: it was put at {place[0]} "
        self.notes[f"{note}to {place[1]}"] = None
        return place


def _text(name: str, given: str, *, longest: int = LONGEST) -> str:
    text = checked_text(name, given, longest=longest)
    if found := CONTROL.search(text):
        raise InputError(f"{name} {shown(text)} holds the control character {found.group()!r}")
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


def _choice(name: str, given: Part, choices: tuple[Part, ...]) -> Part:
    if not isinstance(given, str) or given not in choices:
        raise InputError(f"{name} is {shown(given)}: choose from {', '.join(map(str, choices))}")
    return choices[choices.index(given)]
