"""Validation of what a model read: names and quotes must be in the text, dates must be dates.

This is the second wall after the fence. A model that was talked into something by the text, or that
fills gaps from memory, names what no text contains or says what its quote does not. Such facts are
dropped or wait for a person, and all of it is put into words: nothing is lost in silence.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from graphrag.extract.llm.belief_dates import Dating, Tense, tense_of
from graphrag.extract.llm.cast import Cast
from graphrag.extract.llm.grounds import Ground, around, locate, orders, unsupported
from graphrag.extract.llm.wire import ReadFact, Reading, number_of, relation_name
from graphrag.model.assertion import Date
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import Origin
from graphrag.protocols import ExtractionContext, KnownFact

_CERTAINTY: dict[str, tuple[float, Origin]] = {
    "stated": (0.95, "stated"),
    "likely": (0.75, "inferred"),
    "guess": (0.5, "inferred"),
}
"""Confidence and origin; with the default threshold of 0.7 a guess waits for review."""
_WAITS = 0.5  # confidence of what waits for a person whatever the model says of it
_UNGROUNDED = 0.75
_WEAK = 0.8  # the most that a weak model is believed: as much as the rules
_NOTHING = frozenset(("", "new", "none", "null", "replaces", "corrects"))
_LONGEST_RELATION = 100  # characters
_QUOTED = 120  # characters of what a model quoted that are named
_WORD = 4  # letters of a word of a relation that can be looked for


class _Effect(NamedTuple):
    """What a claim does to a known fact: it ends it, replaces it or takes it back."""

    kind: str
    until: Date | None
    words: str
    states: bool
    """Whether the claim states something else as well."""

    def excludes(self, last: "_Effect") -> bool:
        """Tell whether a later one says otherwise: what never was has no end, nor has it two."""
        if self.kind == last.kind == "ends" and self.until and last.until:
            return self.until.end <= last.until.start or last.until.end <= self.until.start
        return self.kind != last.kind and "corrects" in (self.kind, last.kind)


class Belief:
    """The validated readings of one episode."""

    def __init__(
        self, context: ExtractionContext, relations: Collection[str] = (), *, strict: bool = False
    ) -> None:
        """Take the context; dates of a weak model (``strict``) must be in the text."""
        self._context = context
        self._most = _WEAK if strict else 1.0
        self._content = context.episode.content
        self._relations = {*relations, *context.relations}  # these need no ground in the text
        self._cast = Cast(context, self._drop)
        self._dating = Dating(context.episode, strict=strict)
        self._orders = orders(self._content)
        self._claims: dict[Claim, None] = {}
        self._effects = defaultdict[str, list[tuple[Claim, _Effect]]](list)
        """By known fact."""
        self.dropped: list[str] = []
        """What was rejected, in words."""
        self.adjusted: list[str] = []
        """What was changed, or waits for review, in words."""
        self.reasons: Counter[str] = Counter()

    def extraction(self) -> Extraction:
        """Return what was accepted."""
        claims = tuple(self._standing())  # which reports others
        return Extraction(
            self._cast.mentions(),
            claims,
            tuple(self.dropped),
            tuple(dict.fromkeys(self.adjusted)),
            tuple(fact.id for fact in self._context.facts),
        )

    def take(self, reading: Reading, start: int, end: int) -> None:
        """Validate a reading of ``content[start:end]``."""
        for lost in reading.lost:
            self._drop("cut" if lost.cut else "shape", str(lost))
        starting = (fact for fact in reading.facts if fact.kind in ("state", "planned"))
        self._dating.begins |= {fact.since for fact in starting} - {""}
        self._cast.introduce(reading, self._content[start:end], start)
        for entity in reading.entities:
            self._cast.enter(entity)
        for fact in reading.facts:
            self._take_fact(fact, start, end)
        self._cast.leave()

    def _take_fact(self, fact: ReadFact, start: int, end: int) -> None:
        passage = self._content[start:end]
        place = locate(fact.quote, passage) or locate(fact.fact, passage)
        if place is None:
            words = f"the fact {str(fact)!r}, which the text does not say"
            self._drop("quote", f"{words}: {fact.quote[:_QUOTED]!r}" if fact.quote else words)
            return
        first, last = start + place[0], start + place[1]
        subject = self._cast.mention(fact.subject, first)
        object_ = (
            self._cast.mention(fact.object, first, quoted=True) if fact.object.strip() else None
        )
        meant = self._shown(fact, subject, object_)
        denied = self._denied(fact, meant)
        same, replaced = (None, meant) if fact.effect and not denied else (meant, None)
        if fact.kind == "cancelled" and meant is not None and not (denied or meant.planned):
            # What goes on is over: "cancelled the gym".
            over = {"kind": "ended", "until": fact.until or fact.since, "since": ""}
            fact = fact.model_copy(update=over)
        if same is not None:
            subject, object_ = self._cast.stored(same.subject), self._cast.stored(same.object)
        unnamed = not fact.object.strip() and fact.kind in ("ended", "cancelled")
        if subject is None or (object_ is None and not unnamed):
            self._drop("fact", f"the fact {str(fact)!r}, whose ends are not both named")
            return
        relation = relation_name(fact.relation) if same is None else same.relation
        if len(relation) > _LONGEST_RELATION:
            self._drop("fact", f"the fact {str(fact)[:_QUOTED]!r}, whose relation is a text")
            return
        if relation == "named" and object_ is not None:
            subject, object_, relation = self._cast.renamed(fact, subject, object_)
        if subject == object_:
            self._drop("fact", f"the fact {str(fact)!r}, whose ends are one")
            return
        tense = tense_of(
            fact,
            self._dating,
            self._context.episode.valid_at,
            partial(self._drop, "time"),
        )
        text, grounded = self._sentence(fact, subject, object_, first, last)
        confidence, origin = self._certainty(fact, tense, subject, first, grounded)
        attributes = self._cast.attributes(fact.attributes, str(fact))
        if tense.moment:
            attributes = {"date": tense.moment, **attributes}
        claim = Claim(
            subject, relation, object_, text, first, last, ends=tense.ends,
            corrects=denied or fact.effect == "corrects", confidence=confidence, origin=origin,
            attributes=attributes, replaces=fact.effect == "replaces" and replaced is None,
            current=tense.current, kind=tense.kind,
            excludes=tuple(it.id for it in (meant,) if it and (denied or replaced)),
            settled="about" in fact.model_fields_set,
        )  # fmt: skip
        if since := tense.since:
            claim = replace(claim, valid_at=since.moment, valid_precision=since.precision)
        if until := tense.until:
            claim = replace(claim, invalid_at=until.moment, invalid_precision=until.precision)
        if claim in self._claims:
            self._drop("again", f"the fact {str(fact)!r}, said twice")
        self._claims[claim] = None
        if same and same.valid_at and until and until.end <= Date(same.valid_at).start:
            begins = f"{fact.reference} begins ({same.valid_at:%Y-%m-%d}), which it does not end"
            self._drop("time", f"the end of the fact {str(fact)!r} is before {begins}")
        elif meant and (fact.effect or fact.kind in ("ended", "cancelled")):
            kind = "corrects" if denied else fact.effect or "ends"
            words, states = f"{fact} {kind} {fact.reference}", bool(fact.effect) and not denied
            self._effects[meant.id].append((claim, _Effect(kind, until, words, states)))

    def _standing(self) -> Iterator[Claim]:
        """Yield the claims; of effects on one fact that exclude each other the last stands."""
        lost: dict[Claim, _Effect] = {}
        for effects in self._effects.values():
            effects.sort(key=lambda each: each[0].start)
            last = effects[-1][1]
            lost |= {claim: effect for claim, effect in effects if effect.excludes(last)}
        for claim in self._claims:
            if (effect := lost.get(claim)) is None:
                yield claim
                continue
            self._drop("effect", f"that {effect.words!r}: the text says otherwise later")
            if effect.states:
                yield replace(claim, corrects=False, excludes=())

    def _denied(self, fact: ReadFact, known: KnownFact | None) -> bool:
        """Tell whether a fact says that a known one never was, or a plan that is past."""
        if fact.kind != "cancelled" or known is None:
            return False
        past = known.valid_at is not None and known.valid_at <= self._context.episode.valid_at
        return past if known.planned else fact.effect == "corrects"

    def _shown(
        self, fact: ReadFact, subject: Mention | None, object_: Mention | None
    ) -> KnownFact | None:
        """Return the known fact that a model names, if it is about one of the same two."""
        given = fact.reference
        if not given:
            if fact.about.strip().casefold() not in _NOTHING:
                words = f"the fact {str(fact)!r} names {fact.about!r}, which was not shown"
                self.adjusted.append(words)
            return None
        number = number_of(given, "F")
        facts = self._context.facts
        known = facts[number - 1] if number and 0 < number <= len(facts) else None
        if known is None:
            self.adjusted.append(f"the fact {str(fact)!r} names {given!r}, which was not shown")
            return None
        ends = [end for end in (subject, object_) if end is not None]
        meant = [
            any(self._cast.means(end, other) for other in (known.subject, known.object))
            for end in ends
        ]
        # What takes the place of a fact shares one end with it, what says it again has both.
        if not (any(meant) if fact.effect else all(meant)):
            self.adjusted.append(f"the fact {str(fact)!r} names {given!r}, which is about others")
            return None
        return known

    def _sentence(
        self, fact: ReadFact, subject: Mention, object_: Mention | None, first: int, last: int
    ) -> tuple[str, bool]:
        """Return the sentence of a fact, and whether its relation is in the words around it."""
        quoted = self._content[first:last]
        near = Ground((around(self._content, first, last), self._context.episode.name))
        words = relation_name(fact.relation).replace("_", " ")
        ends = [name for end in (subject, object_) if end for name in (end.name, *end.aliases)]
        dates = (fact.since, fact.until, *(attribute.value for attribute in fact.attributes))
        given = (*ends, *self._cast.names, fact.subject, fact.object)
        extra = (*given, words, *dates, f"{self._context.episode.valid_at:%Y}")
        text = fact.fact.strip()
        foreign = unsupported(text, near, extra) if text else ""
        if foreign:
            self.adjusted.append(
                f"the sentence {text[:120]!r} of the fact {str(fact)!r} says more than its words "
                f"({foreign}): they are kept instead"
            )
        known = relation_name(fact.relation) in self._relations or not words.isascii()
        parts = [word for word in words.split() if len(word) >= _WORD]
        says = known or not parts or any(map(near.has, parts))
        return (text if text and not foreign else quoted), says or (bool(text) and not foreign)

    def _certainty(
        self, fact: ReadFact, tense: Tense, subject: Mention, place: int, grounded: bool
    ) -> tuple[float, Origin]:
        """Return confidence and origin: what is doubtful for another reason waits for a person."""
        confidence, origin = _CERTAINTY[fact.certainty]
        confidence = min(confidence, self._most)
        why = ""
        own = self._cast.is_own(subject)
        if not own and any(start <= place < end for start, end in self._orders):
            why = "the text gives orders to its reader, and it is about somebody else"
        elif not own and not self._context.trusted:
            why = "its source is not trusted with what it says of others"
        elif tense.unplaced:
            why = "when it is to begin is not known"
        if why:
            self.adjusted.append(f"the fact {str(fact)!r} waits for a person: {why}")
            return min(confidence, _WAITS), origin
        if not grounded:
            return min(confidence, _UNGROUNDED), "inferred"
        return confidence, origin

    def _drop(self, reason: str, words: str) -> None:
        self.reasons[reason] += 1
        self.dropped.append(words)
