"""The network's statements as claims beside those of the rules."""

import re
from dataclasses import replace
from typing import Final

from graphrag.extract.neural.dating import Calendar
from graphrag.extract.neural.grammar import FIRST_PERSON, is_stated, relation_of, suits
from graphrag.extract.neural.passage import Linked, Passage, Place, Statement
from graphrag.extract.neural.repeats import Stated, dated_once
from graphrag.extract.rules.lexicon import ORG_WORDS, PERSON_TITLES
from graphrag.extract.rules.speakers import Turn, advice_in, is_dialogue, speaker_at, turns
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import CONCEPT, Episode
from graphrag.names.key import name_key
from graphrag.temporal.period import Period

_AGE = re.compile(r"\d{1,3}(?=\b)")
_CONFIDENCE: Final = 0.8
"""The most that it is believed: as much as the rules."""
_DENSE: Final = 0.5
"""Share of that from which on the network judges what the rules read."""
_NAMED: Final = frozenset({"person", "organization", "place", "thing"})
"""Kinds of spans that have names of their own; all others are common nouns."""


class _Cast:
    """The mentions of a text, by what names them."""

    def __init__(self, read: Extraction, passage: Passage, said: list[Turn], shift: int) -> None:
        self._passage = passage
        self._turns = said
        self._shift = shift
        self._by_key: dict[str, Mention] = {}
        for mention in read.mentions:
            for name in (mention.name, *mention.aliases):
                self._by_key.setdefault(name_key(name), mention)
        self.new: dict[str, Mention] = {}

    def day(self, place: Place, named: Period | None) -> Mention | None:
        """Return the day that a place means, by its date: "on Friday" is another one each week."""
        if named is None:
            return self.mention(place)
        words = named.named
        if words is None:
            return None  # "died in spring"
        start, end = (max(at - self._shift, 0) for at in (place.start, place.end))
        return self.new.setdefault(name_key(words), Mention(words, CONCEPT, start, end))

    def mention(self, place: Place) -> Mention | None:
        """Return who or what a place means; None if that is a pronoun of nobody."""
        named = self._passage.name(place)
        if named is None:
            return None
        spoken = self._passage.text[place.start : place.end].casefold() in FIRST_PERSON
        speaker = speaker_at(self._turns, place.start - self._shift) if spoken else None
        if speaker is not None:
            return self._by_key.get(name_key(speaker))
        name = self._passage.words(named)
        key = name_key(name)
        if not key:
            return None
        title, _, untitled = key.partition(" ")
        plain = untitled if title in PERSON_TITLES else key
        found = self._by_key.get(key) or self._by_key.get(plain) or self.new.get(key)
        if found is None and self._passage.is_proper(named):
            found = self._longer(key)
        if found is None and not self._is_unnamed(named):
            start, end = (max(at - self._shift, 0) for at in (named.start, named.end))
            found = self.new[key] = Mention(name, self._type(named), start, end)
        return found

    def role(self, place: Place) -> Mention | None:
        """Return what one of several is: a violinist of ``the violinists Ann and Bo``."""
        root = self._passage.root(place)
        if root is None or root.tag_ != "NNS":
            return self.mention(place)
        name = self._passage.words(place).removesuffix(root.text) + root.lemma_
        start, end = (max(at - self._shift, 0) for at in (place.start, place.end))
        return self._by_key.get(name_key(name)) or self.new.setdefault(
            name_key(name), Mention(name, CONCEPT, start, end)
        )

    def age(self, place: Place) -> Mention | None:
        """Return the number of ``the 24-year-old``."""
        words = self._passage.words(place)
        if (number := _AGE.match(words)) is None:
            return self.mention(place)
        start, end = (max(at - self._shift, 0) for at in (place.start, place.end))
        years = number[0]
        return self._by_key.get(years) or self.new.setdefault(
            years, Mention(years, CONCEPT, start, end)
        )

    def _type(self, place: Place) -> str:
        return place.kind if place.kind in _NAMED and self._passage.is_proper(place) else CONCEPT

    def _is_unnamed(self, place: Place) -> bool:
        """Tell whether a place means somebody, or a body by one word, whose name is not said."""
        if self._passage.is_proper(place):
            return False
        alone = " " not in self._passage.words(place).removeprefix("one ")  # "one family"
        return place.kind == "person" or (alone and place.kind in ("organization", "place"))

    def _longer(self, key: str) -> Mention | None:
        """Return the only mention of whose words these are some."""
        words = set(key.split()) - PERSON_TITLES
        found = {
            id(mention): mention
            for other, mention in (*self._by_key.items(), *self.new.items())
            if words <= set(other.split()) and mention.entity_type != CONCEPT
        }
        return next(iter(found.values())) if words and len(found) == 1 else None


def merged(
    passage: Passage,
    read: Extraction,
    episode: Episode,
    shift: int,
    *,
    sure: float = 0.0,
    doubt: float = 0.0,
) -> Extraction:
    """Return what the rules read with what the network states besides.

    Args:
        passage: What the network read.
        read: What the rules read.
        episode: The text.
        shift: Characters that stand before it in the passage.
        sure: What a statement must reach to be believed.
        doubt: What the network must give two, in whatever relation, for a claim of the rules to be
            believed that links them by a word of its own.
    """
    said = turns(episode.content, episode.author)
    cast = _Cast(read, passage, said, shift)
    spoken = episode.source == "message" or is_dialogue(episode.content, said)
    silent = advice_in(said) if spoken else []
    labels = {name_key(turn.speaker) for turn in said}
    author = episode.author or ""
    if author.casefold() in FIRST_PERSON:  # "me" names nobody in the text
        labels.add(name_key(author))
    linked = Linked(passage, labels, author)
    density = passage.density()
    # Where it sees little at all, that it sees nothing between two says nothing.
    doubted = [claim for claim in read.claims if density > _DENSE and linked.sure(claim) < doubt]
    claims = [claim for claim in read.claims if claim not in doubted]
    believed = [
        statement
        for statement in passage.statements.values()
        if _surer(statement.sure, density) >= sure
        and not any(start <= statement.subject.start - shift < end for start, end in silent)
    ]
    stated = Stated(claims)
    calendar = Calendar(passage, episode.valid_at)
    for statement in sorted(believed, key=lambda statement: -statement.sure):
        claim = _claim(statement, cast, calendar, passage, shift)
        if claim is not None and stated.takes(claim):
            claims.append(claim)
    used = {id(end) for claim in claims for end in (claim.subject, claim.object)}
    mentions = (*read.mentions, *(mention for mention in cast.new.values() if id(mention) in used))
    lost = (
        f"{claim.subject.name} {claim.relation} {claim.object.name if claim.object else ''}: "
        "the rules read it, and the network sees nothing between the two"
        for claim in doubted
    )
    return replace(
        read,
        mentions=tuple(dict.fromkeys(mentions)),
        claims=dated_once(claims),
        dropped=(*read.dropped, *lost),
    )


def _surer(sure: float, density: float) -> float:
    odds = density * sure / max(1 - sure, 1e-9)
    return odds / (1 + odds)


def _claim(
    statement: Statement, cast: _Cast, calendar: Calendar, passage: Passage, shift: int
) -> Claim | None:
    if statement.object.kind == "date" and statement.relation not in _DATED:
        return None
    if not (is_stated(statement, passage) and suits(statement, passage)):
        return None
    subject = cast.mention(statement.subject)
    if statement.object.kind == "date":
        other = cast.day(statement.object, calendar.day(statement))
    elif statement.relation == "has_role":
        other = cast.role(statement.object)
    elif statement.relation == "has_age":
        other = cast.age(statement.object)
    else:
        other = cast.mention(statement.object)
    life = calendar.life(statement)
    if (
        subject is None
        or other is None
        or life is None
        or (statement.relation == "has_version" and other.name in subject.name)
        or (statement.relation == "takes_place_on" and subject.name == "birthday")
        or name_key(subject.name) == name_key(other.name)
    ):
        return None
    if any(_is_pair(end.name) for end in (subject, other)):
        return None
    start, end = passage.sentence(statement.later)
    return Claim(
        subject=subject,
        relation=relation_of(statement, passage),
        object=other,
        text=" ".join(passage.text[start:end].split()),
        start=max(start - shift, 0),
        end=max(end - shift, 0),
        valid_at=life.start,
        invalid_at=life.end,
        ends=life.over,
        confidence=min(_CONFIDENCE, statement.sure),
        current=life.current,
        kind=life.kind,
        valid_precision=life.start_precision,
        invalid_precision=life.end_precision,
    )


def _is_pair(name: str) -> bool:
    """Tell whether a name is two: ``Friars School and Leeds University``."""
    ends = [half.split()[-1].lower() for half in name.split(" and ") if half.split()]
    return len(ends) > 1 and all(word in ORG_WORDS for word in ends)


_DATED = frozenset("born_on died_on takes_place_on due_on valid_until".split())
