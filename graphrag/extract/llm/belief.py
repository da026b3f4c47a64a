"""From what a model read to what is believed: named in the text, quoted from it, dated by it.

Where a text says what a model quoted: exactly, then but for case and spacing, then nearly.

Whether a name was read or invented: a model may only name what stands in what it was given.

This is the second wall after the fence. A model that was talked into something by the text, or that
fills gaps from memory, names what no text contains; such names are dropped, and counted.
"""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from rapidfuzz import fuzz

from graphrag.errors import TimeError
from graphrag.extract.llm.belief_dates import Dating
from graphrag.extract.llm.prompt import ReadAttribute, ReadEntity, ReadFact, Reading
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import JSON, Origin
from graphrag.names.key import name_key
from graphrag.protocols import ExtractionContext

_ALIKE = 85
"""Of 100, by the best matching stretch: a word changed in a sentence of eight, not two."""
_SHORTEST = 12
"""Characters below which a near match says nothing."""
_BEFORE, _AFTER = " \t\n.,;:!?", " \t\n,;:"
"""What a near match may have caught of the words before and after it."""
_WORD = re.compile(r"\S+")


def locate(quote: str, content: str) -> tuple[int, int] | None:
    """Return ``start, end`` of the words that a quote stands for, or None if they are not there."""
    quote = quote.strip().strip('"“”„«»…').strip()
    if not quote:
        return None
    at = content.find(quote)
    if at >= 0:
        return at, at + len(quote)
    words = [re.escape(word) for word in _WORD.findall(quote)]
    if found := re.search(r"\s+".join(words), content, re.IGNORECASE):
        return found.span()
    if len(quote) < _SHORTEST or len(quote) > 2 * len(content):
        return None
    near = fuzz.partial_ratio_alignment(quote, content, score_cutoff=_ALIKE)
    if near is None or near.dest_end <= near.dest_start:
        return None
    start, end = _whole_words(content, near.dest_start, near.dest_end)
    return (start, end) if start < end else None


def locate_name(name: str, content: str) -> tuple[int, int] | None:
    """Return the first place of a name in a text, or None."""
    words = [re.escape(word) for word in _WORD.findall(name)]
    found = re.search(r"(?<!\w)" + r"\s+".join(words), content, re.IGNORECASE) if words else None
    return found.span() if found else None


def _whole_words(content: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and content[start - 1].isalnum() and content[start].isalnum():
        start -= 1
    while end < len(content) and content[end - 1].isalnum() and content[end].isalnum():
        end += 1
    piece = content[start:end]
    return start + len(piece) - len(piece.lstrip(_BEFORE)), start + len(piece.rstrip(_AFTER))


_PRONOUNS = frozenset(
    "i me my we us our you your he him his she her it its they them their this that someone "
    "ich mich mir mein wir uns unser du dich dir dein er ihn ihm sein sie ihr es ihnen man jemand "
    "user assistant speaker narrator".split()
)
_SHORT = 4
"""Letters from which on a word may go on in the text: "Müller" in "Müllers", not "AI" in "aim"."""
_ENDING = 2
"""Letters that a longer word may have too much, for languages that decline names."""
_NAME_PART = re.compile(r"[^\s\-/,;:()\"']+")


class Ground:
    """The texts that a model was given."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text = name_key("\n".join(texts).replace("\\", " "))
        self._believed: dict[str, bool] = {}

    def bears(self, name: str) -> bool:
        """Tell whether every word of a name stands in the texts, but for its ending."""
        key = name_key(name)
        if key not in self._believed:
            words = _NAME_PART.findall(key)
            self._believed[key] = (
                bool(words) and key not in _PRONOUNS and all(self._has(word) for word in words)
            )
        return self._believed[key]

    def _has(self, word: str) -> bool:
        if _spaceless(word):
            return word in self._text
        if len(word) < _SHORT:
            return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", self._text) is not None
        stem = word[:-_ENDING] if len(word) > _SHORT + _ENDING else word
        return re.search(rf"(?<!\w){re.escape(stem)}", self._text) is not None


def _spaceless(word: str) -> bool:
    """Tell whether a word is of a script that puts no spaces between words."""
    return any("\u3040" <= c <= "\u9fff" or "\u0e00" <= c <= "\u0eff" for c in word)


_CERTAINTY: dict[str, tuple[float, Origin]] = {
    "stated": (0.95, "stated"),
    "likely": (0.75, "inferred"),
    "guess": (0.5, "inferred"),
}
"""Confidence and origin; with the default threshold of 0.7 a guess waits for review."""
_LONGEST_NAME = 200


class Belief:
    """What is believed of the readings of one episode."""

    def __init__(self, context: ExtractionContext) -> None:
        episode = context.episode
        self._content = episode.content
        self._ground = Ground(
            (
                episode.content,
                episode.name,
                *(other.content for other in context.previous),
                *(known.name for known in context.known),
            )
        )
        self._types = {name_key(known.name): known.entity_type for known in context.known}
        self._dating = Dating(episode)
        self._mentions: dict[str, Mention] = {}
        self._claims: dict[Claim, None] = {}
        self.dropped: list[str] = []
        """What is not believed, in words."""
        self.reasons: Counter[str] = Counter()

    def extraction(self) -> Extraction:
        """Return what is believed."""
        mentions = tuple(dict.fromkeys(self._mentions.values()))
        return Extraction(mentions, tuple(self._claims), tuple(self.dropped))

    def take(self, reading: Reading, start: int, end: int) -> None:
        """Take over what is credible of a reading of ``content[start:end]``."""
        for entity in reading.entities:
            self._take_entity(entity)
        for fact in reading.facts:
            self._take_fact(fact, start, end)

    def _take_entity(self, entity: ReadEntity) -> None:
        mention = self._mention(entity.name, entity.type)
        if mention is None:
            return
        aliases = [
            alias.strip()
            for alias in entity.aliases
            if name_key(alias) != name_key(mention.name) and self._ground.bears(alias)
        ]
        if len(aliases) < len(entity.aliases):
            self._count("alias", f"an alias of {mention.name!r} that the text does not give")
        attributes = self._attributes(entity.attributes)
        if aliases or attributes:
            mention = Mention(
                mention.name,
                mention.entity_type,
                mention.start,
                mention.end,
                tuple(dict.fromkeys((*mention.aliases, *aliases))),
                {**mention.attributes, **attributes},
            )
        for name in (mention.name, *mention.aliases):
            self._mentions[name_key(name)] = mention

    def _mention(self, name: str, kind: str = "") -> Mention | None:
        key = name_key(name)
        if known := self._mentions.get(key):
            return known
        if not key or len(name) > _LONGEST_NAME or not self._ground.bears(name):
            self._count("entity", f"the entity {name[:80]!r}, which no text names")
            return None
        place = locate_name(name.strip(), self._content) or (0, 0)
        kind = kind.strip().casefold() or self._types.get(key, "thing")
        self._mentions[key] = Mention(name.strip(), kind, *place)
        return self._mentions[key]

    def _take_fact(self, fact: ReadFact, start: int, end: int) -> None:
        relation = "_".join(fact.relation.casefold().replace("-", " ").split())
        ends = fact.kind == "ended"
        subject = self._mention(fact.subject)
        object_ = self._mention(fact.object) if fact.object.strip() else None
        if subject is None or (object_ is None and (fact.object.strip() or not ends)):
            self._count("fact", f"the fact {_shown(fact)}, whose ends are not both named")
            return
        place = locate(fact.quote, self._content[start:end])
        if place is None:
            self._count("quote", f"the fact {_shown(fact)}, which the text does not say")
            return
        confidence, origin = _CERTAINTY[fact.certainty]
        claim = Claim(
            subject,
            relation,
            object_,
            fact.fact.strip() or fact.quote.strip(),
            start + place[0],
            start + place[1],
            valid_at=None if ends else self._time(fact, fact.since),
            invalid_at=self._time(fact, fact.until or (fact.since if ends else ""), stop=True),
            ends=ends,
            corrects=fact.kind == "correction",
            replaces=fact.kind == "changed",
            confidence=confidence,
            origin=origin,
            attributes=self._attributes(fact.attributes),
        )
        self._claims[claim] = None

    def _time(self, fact: ReadFact, given: str, *, stop: bool = False) -> datetime | None:
        read = self._dating.stop if stop else self._dating.start
        try:
            return read(given, fact.quote)
        except TimeError as error:
            self._count("time", f"a time of the fact {_shown(fact)}: {error}")
            return None

    def _attributes(self, read: list[ReadAttribute]) -> dict[str, JSON]:
        kept = {one.name: one.value for one in read if one.name and self._ground.bears(one.value)}
        if len(kept) < len(read):
            self._count("attribute", "an attribute that the text does not give")
        return kept

    def _count(self, reason: str, words: str) -> None:
        self.reasons[reason] += 1
        self.dropped.append(words)


def _shown(fact: ReadFact) -> str:
    return repr(f"{fact.subject} {fact.relation} {fact.object}"[:120])
