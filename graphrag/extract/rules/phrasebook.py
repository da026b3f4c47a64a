"""What the constructions of a sentence state, by the order of its units (``constructions``)."""

import re
from collections.abc import Iterator, Mapping, Sequence

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.constructions import TABLE, Construction, Fact
from graphrag.extract.rules.lifetime import ALWAYS, GONE, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name, can_be
from graphrag.extract.rules.phrases import Phrase
from graphrag.extract.rules.states import COPULAS, lies
from graphrag.extract.rules.trades import OFFICES, OVER, PASSING, is_title, is_trade, title_of
from graphrag.extract.rules.units import Row, Unit, row_of
from graphrag.extract.rules.verb_frames import MEANT
from graphrag.temporal.period import Period

_TYPES: Mapping[str, tuple[str, str]] = {
    "works_at": ("person", "organization"),
    "plays_for": ("person", "organization"),
    "member_of": ("", "organization"),
    "has_role": ("person", ""),
    "lives_in": ("person", "place"),
    "born_in": ("person", "place"),
    "married_to": ("person", "person"),
    "engaged_to": ("person", "person"),
    "studies_at": ("person", "organization"),
    "responsible_for": ("person", ""),
    "contact_for": ("person", ""),
    "supplies": ("organization", ""),
    "meets_in": ("organization", ""),
    "operates": ("organization", ""),
}
"""What the ends of a relation can be."""
_OF_FIRMS = frozenset(
    "sponsor supplier provider vendor operator contractor partner publisher manufacturer producer "
    "dealer winner owner newcomer tenant carrier distributor insurer broker lender carmaker "
    "chipmaker drugmaker toymaker retailer brewer broadcaster".split()
)
"""What firms are as often as people."""
_NO_ROLES = _OF_FIRMS | lexicon.STUDYING | lexicon.OWNING
_NO_POSTS = lexicon.EMPTY_NOUNS | frozenset(
    "guest visitor patient customer stranger party dinner lunch breakfast meeting event concert "
    "conference home rest peace work war risk stake fault sea school student pupil success".split()
)
"""Nouns that one is ``at`` somewhere and that are no posts."""


def read_constructions(
    line: Line, stated: Sequence[Clause], drafts: Sequence[Draft]
) -> Iterator[Draft]:
    """Yield what the constructions of a sentence state of those whom nothing links there yet."""
    if line.sentence.text.rstrip(" \"')").endswith("?"):
        return  # "with Pim??"
    start = line.offset + line.sentence.start_char
    linked = {_pair(draft) for draft in drafts if draft.start == start and draft.relation in MEANT}
    titled = {
        (id(draft.subject), draft.attributes.get("title"))
        for draft in drafts
        if draft.start == start
    }
    row = row_of(line, {clause.verb.i: clause for clause in stated})
    own: list[Draft] = []
    for draft in (*read_titles(row), *_read(row)):
        title = draft.object.text.split()[-1] if draft.object is not None else ""
        known = draft.relation == "has_role" and (id(draft.subject), title) in titled
        twice = any(_pair(draft) == _pair(one) and draft.life == one.life for one in own)
        if _pair(draft) not in linked and not known and not twice:
            own.append(draft)
    yield from own


def _pair(draft: Draft) -> frozenset[int]:
    return frozenset((id(draft.subject), id(draft.object)))


def _read(row: Row) -> Iterator[Draft]:
    for one in TABLE:
        for found in one.pattern.finditer(row.text):
            if _fits(one, found, row):
                yield from _facts(one, found, row)


def read_titles(row: Row) -> Iterator[Draft]:
    """Yield what somebody is by the nouns before the name: ``stage designer Ann Lee``."""
    for unit in row.units.values():
        words = [word for word in unit.title.split() if word not in PASSING and word.isalnum()]
        noun = unit.head.doc[unit.first : unit.head.i]
        titles = [token for token in noun if token.tag_ == "NN" and token.lower_ in words]
        if not titles or not is_trade(titles[-1]) or titles[-1].lower_ in _OF_FIRMS:
            continue
        name = row.line.name(unit.head)
        if name is None or not name.named or not can_be(name, "person"):
            continue
        if name.text.lower() in OFFICES:
            continue  # "deputy CEO"
        if unit.head.ent_type_ != "PERSON" and (name.text.islower() or not is_title(titles[-1])):
            continue  # "label printer offline"
        if titles[0].text.istitle() and unit.head.doc[unit.first].lower_ == "the":
            continue  # "the Admiral Benbow" is a ship or an inn
        text = " ".join(words)
        phrase = Phrase(text, titles[0].idx, titles[-1].idx + len(titles[-1]), False)
        role = row.line.scene.add(phrase, row.line.offset)
        life = GONE if OVER & set(unit.title.split()) else ALWAYS
        name.votes["person"] += 2
        yield row.line.draft(name, "has_role", role, life)


def _fits(one: Construction, found: re.Match[str], row: Row) -> bool:
    for group, words in one.nouns:
        if row.unit(found[group]).head.lemma_.lower() not in words:
            return False
    if "r" in found.groupdict():
        unit = row.unit(found["r"])
        if not is_trade(unit.head) or unit.head.tag_ != "NN" or unit.head.lower_ in _NO_ROLES:
            return False
    if "k" in found.groupdict() and found["k"][1] == "c":
        noun = row.unit(found["k"]).head
        if noun.tag_ != "NN" or noun.lemma_.lower() in _NO_POSTS or not noun.text.islower():
            return False
    if found[0].startswith("with ") and not one.verb:
        return _is_employer(found, row)
    if one.needs:
        at = row.word_at(found.start())
        near = row.line.sentence.doc[max(0, at - 3) : at + 4]
        timed = row.line.timed()  # "since the strike" is no time
        return any(
            token.lower_ in one.needs and (token.lower_ != "since" or token.i in timed)
            for token in near
        )
    return True


def _is_employer(found: re.Match[str], row: Row) -> bool:
    """Tell whether "with" names where somebody works: of whom was just named, and with a body.

    "Ann, with Bob" is company, "..., with AI tools" a means.
    """
    alone = not any(token.dep_.startswith("nsubj") for token in row.line.sentence)
    after = alone if not found.start() else _named_before(found, row)
    return bool(after) and all(
        unit.head.pos_ == "PROPN" and unit.head.ent_type_ != "PERSON" and not name.votes["person"]
        for name, unit in row.names(found["o"])
    )


def _named_before(found: re.Match[str], row: Row) -> str | None:
    """Return the unit that a construction without a verb says something of, if one is before it."""
    before = re.search(r"(N[ph]\d+) (?:,|-|\() (?:Nc\d+ )?$", row.text[: found.start()])
    return before[1] if before is not None and before[1][1] == "p" else None


def _facts(one: Construction, found: re.Match[str], row: Row) -> Iterator[Draft]:
    clause = row.clauses.get(row.word_at(found.start())) if one.verb else None
    periods = row.periods(found, clause)
    once = clause is not None and clause.past and not periods
    for fact in one.facts:
        if once and fact.relation == "responsible_for" and fact.manner == "state":
            continue  # "handled the situation", "organised my collection": a deed
        for subject, unit in _ends(fact.subject, found, clause, row):
            for other, thing in _ends(fact.object, found, clause, row):
                if subject is not other and _holds(fact, (subject, unit), (other, thing)):
                    yield from _draft(fact, (subject, other), (clause, periods), row.line)


def _draft(
    fact: Fact, ends: tuple[Name, Name], when: tuple[Clause | None, list[Period]], line: Line
) -> Iterator[Draft]:
    clause, periods = when
    manner = fact.manner
    if clause is not None and clause.no_longer and manner in ("state", "start"):
        manner = "end"
    life = lifetime(manner, clause, periods, line.reference)
    if life is None:
        return
    for name, kind in zip(ends, _TYPES.get(fact.relation, ("", "")), strict=True):
        if kind and name.named:
            name.votes[kind] += 3
    relation = fact.relation
    if relation == "works_at" and manner == "end":
        taught = ends[1].text.split()[-1].lower() in lexicon.SCHOOLS
        relation = "studies_at" if taught else relation  # "spent two years at the seminary"
    yield line.draft(ends[0], relation, ends[1], life)


def _ends(
    group: str, found: re.Match[str], clause: Clause | None, row: Row
) -> Iterator[tuple[Name, Unit]]:
    if group == "s":
        yield from _subjects(found, clause, row)
    elif group == "r":
        unit = row.unit(found["r"])
        text, start, end = title_of(unit.head)
        name = row.line.scene.add(Phrase(text.lower(), start, end, False), row.line.offset)
        yield name, unit
    else:
        yield from row.names(found[group])


def _subjects(found: re.Match[str], clause: Clause | None, row: Row) -> Iterator[tuple[Name, Unit]]:
    line = row.line
    if clause is not None:
        tokens = clause.subjects
    else:
        aside = found[0].startswith("after ")  # "took over from Bo, after two years at Acme"
        if not aside and (before := _named_before(found, row)):
            yield from row.names(before)
            return
        root = row.clauses.get(line.sentence.root.i)
        tokens = root.subjects if root is not None else []
        last = row.word_at(found.end() - 2)
        if any(row.word_at(found.start()) <= token.i <= last for token in tokens):
            return  # "The leader of the band flew up": nobody else has that role
        if not tokens and line.scene.implied is not None:
            yield line.scene.implied, Unit(line.sentence.root, line.sentence.root.i)
    for token in tokens:
        name = line.name(token)
        if name is None and token.lower_ in ("i", "we"):
            name = line.scene.implied
        if name is not None:
            yield name, Unit(token, token.i)


def _holds(fact: Fact, one: tuple[Name, Unit], other: tuple[Name, Unit]) -> bool:
    """Tell whether two ends are of the kinds that a relation links, and can be spoken of again."""
    subject, object_ = one[0], other[0]
    kinds = _TYPES.get(fact.relation, ("", ""))
    if not (subject.named or object_.named):
        return False
    for (name, unit), kind in zip((one, other), kinds, strict=True):
        guessed = name is object_ and name.votes["person"] <= 2 and not name.acted
        club = kind == "organization" and name.text.split()[-1].lower() in lexicon.CLUB_NAMES
        body = kind == "organization" and (guessed or club)
        if not can_be(name, kind) and not body:
            return False
        if not name.named and unit.head.lemma_.lower() in lexicon.EMPTY_NOUNS:
            return False
    match fact.relation:
        case "located_in" if one[1].head.head.lemma_ in COPULAS:
            here = object_.votes["place"] >= 1 > subject.votes["person"]
            return subject.named and here and lies(one[1].head.head)
        case "located_in" if not subject.named and one[1].head.lower_ in lexicon.CLUB_WORDS:
            return False  # "our team moved to Linear"
        case "located_in" if object_.named and subject.votes["organization"] >= 2:
            return object_.votes["place"] >= 1  # "Acme is moving to SAP"
        case "funds":
            return subject.named and not subject.votes["thing"] and not object_.votes["thing"]
        case "plays_for" if fact.manner in ("start", "end"):
            clubs = {
                name.text.split()[-1].lower() for name in (subject, object_)
            } & lexicon.CLUB_NAMES
            return subject.plays or object_.plays or bool(clubs)
        case "lives_in" | "located_in" | "born_in":
            person = subject.votes["person"] >= 1 or is_trade(one[1].head)
            fitting = person != (fact.relation == "located_in")
            body = object_.votes["organization"] >= 2 > object_.votes["place"]
            body |= object_.text.lower() in lexicon.CLUB_WORDS
            return object_.votes["person"] < 2 and fitting and not (person and body)
        case "works_at":
            place = other[1].head.ent_type_ in ("GPE", "LOC")
            return not place or object_.votes["organization"] >= 2  # "left Paris for Rome"
        case "member_of":
            played = one[1].head.pos_ in ("PROPN", "PRON") and one[1].head.ent_type_ != "WORK"
            return played and object_.votes["place"] == 0
        case "has_pet":
            return object_.named  # some cats
        case "owned_by":
            kept = one[1].head.head.lemma_ == "take" and not object_.votes
            return object_.named or not kept  # "took the cap from her cupboard"
        case "meets_in":
            return subject.named or one[1].head.tag_ == "NN"  # "the four travelers met in the hall"
        case "uses" | "keeps":
            people = fact.relation == "uses" and object_.votes["person"]  # "I'm with Anna"
            return object_.votes["place"] < 2 and subject.votes["place"] < 2 and not people
        case "contact_for" | "responsible_for":
            return subject.votes["organization"] < 2 and object_.votes["person"] < 2
        case _:
            return True
