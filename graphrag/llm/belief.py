"""From what a model read to what is believed: named in the text, quoted from it, dated by it."""

from collections import Counter
from datetime import datetime

from graphrag.errors import TimeError
from graphrag.extraction import Claim, Extraction, Mention
from graphrag.llm.dating import Dating
from graphrag.llm.grounding import Ground
from graphrag.llm.locate import locate, locate_name
from graphrag.llm.reading import ReadAttribute, ReadEntity, ReadFact, Reading
from graphrag.models import JSON, Origin
from graphrag.names import name_key
from graphrag.protocols import ExtractionContext

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
