"""Reading of an episode: JSON by its keys, a text by its structure and by the network.

What two readings of one text say twice, each pair, each day, each death, is stated once.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from graphrag.extract.neural.dating import Calendar, is_stated, relation_of
from graphrag.extract.neural.named import Names, Source
from graphrag.extract.neural.passage import Passage, Place, Statement, words_of_name
from graphrag.extract.neural.transformer import network
from graphrag.extract.rules import speakers, truth
from graphrag.extract.rules.structure import read_structure
from graphrag.model.extraction import Claim, Extraction
from graphrag.model.values import Episode
from graphrag.names.key import name_key
from graphrag.ontology.relations import FIGURES, Relations
from graphrag.text.split import prose_of

_SEEN = 0.05
"""What a statement must reach to count among others of its family."""
_DENIED = "denials are not extracted: if the fact was stored, retract it with edit.retract"
_OFF = "which plan is off or put off is not read: change it by edit.retract or edit.correct"
_CONFIDENCE: Final = 0.8
"""The most that a statement is believed."""
_NEAR = 20
"""Characters between words that take something back and the sentence that puts it right."""
_DATED = frozenset("born_on died_on takes_place_on due_on valid_until".split())
_FAMILIES: Final = (
    "works_at has_role leads member_of plays_for coaches commands responsible_for represents "
    "works_on substitutes_for succeeds",
    "lives_in located_in meets_in performs_at",
    "owns sells produces",
)
_FAMILY: Final = {name: names for names in _FAMILIES for name in names.split()}
"""Relations of which a text means one between two: the surest."""
_AMOUNTS: Final = FIGURES | {"costs", "has_value", "has_age"}
_RELATIONS: Final = Relations()
_CERTAIN: Final = 0.99


def read(episode: Episode, sure: float) -> Extraction:
    """Return what an episode states with a probability of ``sure`` and more, and whom it names."""
    if episode.source == "json":
        return read_structure(episode.content, episode.valid_at)
    turns = speakers.turns(episode.content, episode.author)
    content = episode.content
    spoken = episode.source == "message" or speakers.is_dialogue(content, turns)
    letter = speakers.Letter(content) if spoken and turns else speakers.letter_of(content)
    author = episode.author or letter.author
    if not author and not turns:
        author = speakers.speaker_of(letter.text)
    prose = prose_of(letter.text)  # marks of Markdown are blanks in it
    words, taken_back = truth.without_retractions(prose)
    lead = f"{author}: " if author else ""
    passage = Passage(lead + words, network(), min(sure, _SEEN), len(lead))
    said = tuple(turns) if spoken else ()
    silent, lost = tuple(speakers.advice_in(turns)) if spoken else (), tuple(taken_back)
    corrects = not spoken and truth.is_correction(prose)
    source = Source(episode.valid_at, len(lead), author, said, silent, corrects, lost)
    found = extraction(passage, source, sure)
    dropped: list[str] = []
    unsigned = 0
    unsaid = not author and not (spoken and turns)
    for (offset, doc), quotes in zip(passage.docs, passage.quotes, strict=True):
        at = offset - len(lead)
        advice = [(start - at, end - at) for start, end in source.silent]
        for sentence in doc.sents:
            if speakers.is_inside(sentence.start_char, sentence.end_char, [*quotes, *advice]):
                continue
            unsigned += unsaid and speakers.is_of_writer(sentence, quotes)
            if truth.is_unreal(sentence.text):
                continue
            if truth.calls_off(sentence.text):
                dropped.append(f"{sentence.text!r}: {_OFF}")
            if truth.denies(sentence):
                dropped.append(f"{sentence.text!r}: {_DENIED}")
    if speakers.advises(episode.author):
        return replace(found, claims=(), dropped=())
    return replace(found, dropped=(*speakers.unsaid(unsigned), *dropped))


def extraction(passage: Passage, source: Source, sure: float) -> Extraction:
    """Return what a passage states with a probability of ``sure`` and more, and whom it names."""
    names = Names(passage, source)
    for name in sorted(passage.names, key=lambda name: -len(passage.words(name).split())):
        if name.start >= source.lead:
            names.mention(name)  # full names first: "Lee" is Ann Lee
    density = passage.density()
    believed = [
        statement
        for statement in surest(passage.statements.values())
        if _surer(statement.sure, density) >= sure
        and not any(
            start <= statement.subject.start - source.lead < end for start, end in source.silent
        )
    ]
    stated = Stated()
    calendar = Calendar(passage, source.written)
    claims: list[Claim] = []
    for statement in sorted(believed, key=lambda statement: -statement.sure):
        claim = _claim(statement, names, calendar, passage, source)
        if claim is not None and stated.takes(claim):
            claims.append(claim)
    return Extraction(names.mentions(), tuple(claims))


def _surer(sure: float, density: float) -> float:
    odds = density * sure / max(1 - sure, 1e-9)
    return odds / (1 + odds)


def _claim(
    statement: Statement, names: Names, calendar: Calendar, passage: Passage, source: Source
) -> Claim | None:
    if statement.object.kind == "date" and statement.relation not in _DATED:
        return None
    if not is_stated(statement, passage):
        return None
    subject = names.subject(statement.subject)
    if statement.object.kind == "date":
        other = names.day(statement.object, calendar.day(statement))
    elif statement.relation == "has_role":
        other = names.role(statement.object)
    elif statement.relation == "has_age":
        other = names.age(statement.object)
    else:
        other = names.mention(statement.object)
    life = calendar.life(statement)
    if (
        subject is None
        or other is None
        or life is None
        or name_key(subject.name) == name_key(other.name)
    ):
        return None
    start, end = source.place(Place(*passage.sentence(statement.later), ""))
    corrects = source.corrects or any(abs(start - back) <= _NEAR for back in source.taken_back)
    return Claim(
        subject=subject,
        relation=relation_of(statement, passage),
        object=other,
        text=source.readable(passage.text[start + source.lead : end + source.lead], start),
        start=start,
        end=end,
        valid_at=life.start,
        invalid_at=life.end,
        ends=life.over,
        corrects=corrects,
        confidence=min(_CONFIDENCE, statement.sure),
        current=life.current,
        kind=life.kind,
        valid_precision=life.start_precision,
        invalid_precision=life.end_precision,
    )


def surest(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield the surest statement of each family of relations between two places, with the sum.

    Of "she joined Acme" the network may not tell a member from an employee, but it knows that the
    text states one of them. A symmetric relation is one in both directions.
    """
    families: dict[tuple[Hashable, str], list[Statement]] = {}
    for statement in statements:
        pair: Hashable = statement.subject, statement.object
        if _RELATIONS[statement.relation].symmetric:
            pair = frozenset((statement.subject, statement.object))
        family = _FAMILY.get(statement.relation, statement.relation)
        families.setdefault((pair, family), []).append(statement)
    for alike in families.values():
        best = max(alike, key=lambda statement: statement.sure)
        yield replace(best, sure=min(_CERTAIN, sum(statement.sure for statement in alike)))


class Stated:
    """What is stated already."""

    def __init__(self) -> None:
        self._families: set[tuple[frozenset[str], str]] = set()
        self._said: list[Claim] = []

    def takes(self, claim: Claim) -> bool:
        """Tell whether a claim says something more, and remember it."""
        key = _pair(claim), _FAMILY.get(claim.relation, claim.relation)
        if key in self._families:
            return False
        if any(_is_same(claim, other) for other in self._said):
            return False
        single = _RELATIONS[_line(claim)[1]].single_valued
        if single and any(_is_rival(claim, other) for other in self._said):
            return False  # "moved to Riga in May. Scratch that, it was Tallinn"
        dated = claim.valid_at or claim.invalid_at or claim.kind != "state"
        if single and not dated and any(_holds_of(claim, other) for other in self._said):
            return False  # a second place would end the first
        self._families.add(key)
        self._said.append(claim)
        return True


def _line(claim: Claim) -> tuple[str, str]:
    """Return whose value a claim states, and of which relation, in its declared direction."""
    relation, turned = _RELATIONS.canonical(claim.relation)
    whose = claim.object if turned and claim.object is not None else claim.subject
    return name_key(whose.name), relation


def _holds_of(claim: Claim, other: Claim) -> bool:
    """Tell whether another claim states a value of the same entity that is not over."""
    over = other.kind == "was" or other.invalid_at is not None
    return not over and _line(claim) == _line(other)


def _is_rival(claim: Claim, other: Claim) -> bool:
    """Tell whether both state a value of one entity from the very same day on."""
    day = claim.valid_at is not None and claim.valid_at == other.valid_at
    return day and _line(claim) == _line(other)


def _is_same(claim: Claim, other: Claim) -> bool:
    """Tell whether one sentence says the same of the same in no more words than the other."""
    if claim.object is None or other.object is None:
        return False
    if claim.relation != other.relation and not {claim.relation, other.relation} <= _AMOUNTS:
        return False
    subjects = words_of_name(claim.subject.name), words_of_name(other.subject.name)
    objects = words_of_name(claim.object.name), words_of_name(other.object.name)
    near = claim.start < other.end and other.start < claim.end
    if claim.relation == "has_status" and claim.valid_at == other.valid_at and near:
        return subjects[0] == subjects[1]  # "will close": closed
    if claim.relation in _AMOUNTS:  # "38" and "38 quid"
        return near and subjects[0] == subjects[1] and bool(objects[0] & objects[1])
    return near and subjects[0] <= subjects[1] and objects[0] <= objects[1]


def _pair(claim: Claim) -> frozenset[str]:
    other = "" if claim.object is None else claim.object.name
    return frozenset((name_key(claim.subject.name), name_key(other)))
