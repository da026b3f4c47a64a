"""Whom and what a text names: its mentions by the places where the network saw them."""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphrag.extract.neural.passage import NAMED, Passage, Place
from graphrag.extract.rules.speakers import INTERVIEW, OF_WRITER, Turn, turn_at
from graphrag.local.parser import SCRIPT
from graphrag.model.extraction import Mention
from graphrag.model.values import CONCEPT
from graphrag.names.key import name_key
from graphrag.names.words import COURTESIES
from graphrag.temporal.interval import Period

_AGE = re.compile(r"\d{1,3}(?=\b)")
_WE: Final = frozenset("i me my mine myself im i'm we us our ours".split())
"""Words for a speaker; ``we`` is who speaks and others."""
_BLANKS = re.compile(r" (?=[.,;:!?)](?: |$))")
"""Left by what stood before a mark, as the end of a link."""
_HALF = 0.5
_OF_KIND: Final = {
    "place": frozenset("lives_in born_in died_in located_in comes_from".split()),
    "organization": frozenset("works_at studies_at plays_for member_of".split()),
}
"""Relations whose object is of a kind."""


@dataclass(frozen=True, slots=True)
class Source:
    """How a text was written: its turns, and what stands in it for the network alone."""

    written: datetime
    lead: int = 0
    """Characters before the text that name its author."""
    author: str = ""
    turns: tuple[Turn, ...] = ()
    silent: tuple[tuple[int, int], ...] = ()
    """Where nothing is stated, such as the words of an assistant."""
    corrects: bool = False
    """Whether all of it corrects another text."""
    taken_back: tuple[int, ...] = ()
    """Where words such as ``scratch that`` end."""

    def place(self, place: Place) -> tuple[int, int]:
        """Return where a place of the passage stands in the text."""
        return max(place.start - self.lead, 0), max(place.end - self.lead, 0)

    def readable(self, words: str, start: int) -> str:
        """Return the words at a place with who says them, so that they can be read alone."""
        words = _BLANKS.sub("", " ".join(words.split()))
        turn = turn_at(self.turns, start)
        speaker = turn.speaker if turn is not None else self.author
        return f"{speaker}: {words}" if speaker and OF_WRITER.search(words) else words


class Names:
    """The mentions of a text, by what names them."""

    def __init__(self, passage: Passage, source: Source) -> None:
        self._passage = passage
        self._source = source
        self._by_key: dict[str, Mention] = {}
        self._kinds = Counter((self._key(name), name.kind) for name in passage.names)
        for statement in passage.statements.values():
            if statement.sure > _HALF and statement.relation in _OF_KIND.get(
                statement.object.kind, ()
            ):
                self._kinds[self._key(statement.object), statement.object.kind] += 1
        self._scripts = {
            name_key(match["name"]): match["alias"].strip()
            for match in SCRIPT.finditer(passage.text)
        }

    def mentions(self) -> tuple[Mention, ...]:
        """Return every mention, in the order of the text."""
        return tuple(sorted(self._by_key.values(), key=lambda mention: mention.start))

    def _enter(self, name: str, kind: str, start: int, end: int) -> Mention:
        key = name_key(name)
        if key not in self._by_key:
            alias = self._scripts.get(key)
            aliases = () if alias is None else (alias,)
            self._by_key[key] = Mention(name, kind, start, end, aliases)
        return self._by_key[key]

    def _speaker(self, place: Place) -> Mention | None:
        """Return who speaks where a place is a word for the speaker."""
        if self._passage.text[place.start : place.end].casefold() not in _WE:
            return None
        turn = turn_at(self._source.turns, place.start - self._source.lead)
        if turn is not None and turn.speaker:
            end = turn.line_start + len(turn.speaker)
            return self._enter(turn.speaker, "person", turn.line_start, end)
        author = self._source.author
        return self._enter(author, "person", 0, 0) if author and turn is None else None

    def day(self, place: Place, named: Period | None) -> Mention | None:
        """Return the day that a place means, by its date: "on Friday" is another one each week."""
        if named is None:
            return self.mention(place)
        words = named.named
        if words is None:
            return None  # "died in spring"
        return self._enter(words, CONCEPT, *self._source.place(place))

    def subject(self, place: Place) -> Mention | None:
        """Return whom a statement is about; None for a pronoun of nobody, or ``the bakery``."""
        named = self._passage.name(place)
        if named is None or named.kind not in ("organization", "place"):
            return self.mention(place)
        common = not self._passage.is_proper(named) and " " not in self._passage.words(named)
        return self._by_key.get(self._key(named)) if common else self.mention(place)

    def mention(self, place: Place) -> Mention | None:
        """Return who or what a place means; None for a pronoun of nobody, or ``a man``."""
        if (speaker := self._speaker(place)) is not None:
            return speaker
        named = self._passage.name(place)
        if named is None:
            return None
        name = self._passage.words(named)
        key = name_key(name)
        if not key or key in COURTESIES or name in INTERVIEW:
            return None
        if named.kind == "person":
            known = self._by_key.get(key)
            if known is not None or not self._passage.is_proper(named):
                return known
            if (longer := self._longer(key)) is not None:
                return longer
        return self._enter(name, self._type(named), *self._source.place(named))

    def _longer(self, key: str) -> Mention | None:
        """Return the only person of whose words these are some: "Lee" is Ann Lee."""
        words = set(key.split()) - COURTESIES
        longer = [
            mention
            for name, mention in self._by_key.items()
            if mention.entity_type == "person" and words <= set(name.split())
        ]
        return longer[0] if words and len(longer) == 1 else None

    def role(self, place: Place) -> Mention | None:
        """Return what one of several is: a violinist of ``the violinists Ann and Bo``."""
        root = self._passage.root(place)
        if root is None or root.tag_ != "NNS":
            return self.mention(place)
        name = self._passage.words(place).removesuffix(root.text) + root.lemma_
        return self._enter(name, CONCEPT, *self._source.place(place))

    def age(self, place: Place) -> Mention | None:
        """Return the number of ``the 24-year-old``."""
        words = self._passage.words(place)
        if (number := _AGE.match(words)) is None:
            return self.mention(place)
        return self._enter(number[0], CONCEPT, *self._source.place(place))

    def _type(self, place: Place) -> str:
        """Return what a place names: a body or a town only if two signs of the text say so.

        Of one place the network often takes a town for a club, and two types are two entities.
        """
        if not self._passage.is_proper(place):
            return CONCEPT
        sure = place.kind == "person" or self._kinds[self._key(place), place.kind] > 1
        if place.kind in NAMED:
            return place.kind if sure else "thing"
        return "thing" if place.kind == "name" else CONCEPT

    def _key(self, place: Place) -> str:
        return name_key(self._passage.words(place))
