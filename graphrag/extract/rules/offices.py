"""Who holds which office or job, since when and until when.

A title is found first, wherever it stands: ``Ann is the mayor``, ``the mayor, Ann,``,
``Mayor Ann``, ``Ann (mayor)``, ``elected mayor``, ``works as a nurse``, ``stepped down as chair``;
then its holder, and what it is held for.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lexicon import Manner
from graphrag.extract.rules.lifetime import GONE, Life, lifetime
from graphrag.extract.rules.name import CandidateClaim, Name
from graphrag.extract.rules.phrases import Phrase, is_name
from graphrag.extract.rules.sentence import Sentence
from graphrag.extract.rules.trades import (
    LEADING,
    bodies_of,
    heads,
    is_former,
    is_job,
    is_office,
    is_title,
    relation_of,
    title_of,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

_BEING: dict[str, Manner] = {"be": "state", "remain": "state", "stay": "state", "become": "start"}
_HOLDING = frozenset("work serve act continue stay remain play".split())
_CHOOSING = frozenset(
    "appoint elect name make promote choose hire recruit crown ordain swear inaugurate".split()
)
_ENDING = frozenset(
    "resign retire step stand leave quit dismiss remove fire oust sack recall depose unseat".split()
)
_OF_SOMETHING = frozenset("member boss leader ruler founder".split())  # says nothing alone
_PARTS_OF_NAMES = frozenset("king queen head chief prince princess emperor duke father".split())
_TAKING = frozenset("take start begin join return".split())
_SUCCEEDING = frozenset({"succeed", "replace", "follow"})


@dataclass(slots=True)
class Office:
    """A title with its holders, and the clause that says so, if one does."""

    noun: "Token"
    holders: list["Token"]
    manner: Manner = "state"
    clause: Clause | None = None


def read_offices(stated: Sequence[Clause], line: Sentence) -> Iterator[CandidateClaim]:
    """Yield who holds which title in a sentence, and who holds one no more."""
    by_verb = {clause.verb.i: clause for clause in stated if not clause.after_all}
    for noun in line.sentence:
        if is_office(noun):
            office = _office(noun, by_verb)
            if office is not None:
                yield from _held(office, line)


def _office(noun: "Token", clauses: dict[int, Clause]) -> Office | None:
    head = noun.head
    if noun.dep_ == "conj" and is_title(head) and noun.tag_ == head.tag_:
        first = _office(head, clauses)
        clause = first.clause if first else None
        instead = clause is not None and clause.no_longer and not clause.is_over_with(noun)
        return first and Office(noun, first.holders, "state" if instead else first.manner, clause)
    if noun.dep_ == "pobj" and head.lower_ == "as":
        verb = head.head
        while verb.pos_ not in ("VERB", "AUX") and verb.dep_ in ("pobj", "prep", "dobj"):
            verb = verb.head  # "retired after nine years as chair"
        clause = clauses.get(verb.i)
        return None if clause is None else _as(noun, clause)
    if noun.dep_ in ("attr", "acomp", "oprd", "dobj", "dep", "ccomp") and (
        noun.pos_ != "PROPN" or noun.text.isupper() or noun.dep_ == "attr"
    ):
        clause = clauses.get(head.i)
        if clause is not None and noun.dep_ in ("attr", "acomp") and clause.lemma in _BEING:
            manner: Manner = "end" if clause.is_over_with(noun) else _BEING[clause.lemma]
            return Office(noun, clause.subjects, manner, clause)
        if clause is not None and clause.lemma in _CHOOSING:
            return _chosen(noun, clause)
    return _beside(noun)


def _as(noun: "Token", clause: Clause) -> Office | None:
    """Return ``works as a nurse``, ``stepped down as chair``."""
    if clause.lemma in _ENDING:
        people = clause.subjects if not _acts_on(clause) else clause.arguments.get("dobj", [])
        return Office(noun, people, "end", clause)
    if clause.lemma in _SUCCEEDING:  # "replaces Bob as chair", "was replaced as chair"
        return Office(noun, clause.subjects, "end" if clause.passive else "start", clause)
    if clause.lemma in _CHOOSING or clause.lemma in _TAKING:
        return Office(noun, clause.subjects, "start", clause)
    if clause.lemma in _HOLDING or clause.passive:
        manner: Manner = "end" if clause.is_over_with(noun) else "state"
        return Office(noun, clause.subjects, manner, clause)
    return None


def _acts_on(clause: Clause) -> bool:
    return bool(clause.arguments.get("dobj")) and not clause.passive


def _chosen(noun: "Token", clause: Clause) -> Office | None:
    """Return ``elected treasurer``; of ``named Ann Lee chief executive`` the parse varies."""
    if clause.passive:
        return Office(noun, clause.subjects, "start", clause)
    between = [
        token
        for token in noun.doc[clause.verb.i + 1 : noun.i]
        if token.pos_ == "PROPN" and (token.dep_ != "compound" or token.head == noun)
    ]
    named = between[-1:]
    return Office(noun, named, "start", clause) if named else None


def _beside(noun: "Token") -> Office | None:
    """Return what stands next to a name: ``Ann, a nurse``, ``the painter Ann``, ``Ann (chair)``."""
    if noun.dep_ in ("compound", "nmod", "amod") and is_name(noun.head) and noun.pos_ != "ADJ":
        head = noun.head
        while head.dep_ == "compound" and is_name(head.head):
            head = head.head
        after = list(noun.doc[noun.i + 1 : head.i + 1])
        if not all(map(is_name, after)):
            return None
        if head.ent_type_ != "PERSON" and noun.lemma_.lower() not in lexicon.PLAYING:
            return None
        inside = noun.text.istitle() and noun.i and is_name(noun.nbor(-1))  # "Steve Miller Band"
        if inside or is_title(head) or noun.lower_ in _PARTS_OF_NAMES:
            return None
        return Office(noun, [head])
    if noun.dep_ == "appos" and noun.head.pos_ == "PROPN" and noun.tag_ in ("NN", "NNP"):
        called = noun.doc[max(0, noun.head.left_edge.i - 1)].lower_ in ("hey", "hi", "hello")
        called |= ";" in noun.doc[noun.head.i : noun.i].text  # "Ann, pilot; Bob, astronomer"
        return None if called else Office(noun, [noun.head])
    following = [
        child
        for child in noun.children
        if child.dep_ == "appos" and child.pos_ == "PROPN" and child.i > noun.i
    ]
    return Office(noun, following[:1]) if following and noun.tag_ == "NN" else None


def _held(office: Office, line: Sentence) -> Iterator[CandidateClaim]:
    noun = office.noun
    bodies = bodies_of(noun, office.clause, line)
    owners = [noun] if office.clause is None else [noun, office.clause.verb]
    if office.clause is None:
        owners += [child for child in noun.children if child.dep_ == "acl"]
        owners += [c for holder in office.holders for c in holder.children if c.dep_ == "acl"]
    life = lifetime(office.manner, office.clause, line.periods(*owners), line.reference)
    if is_former(noun) and office.manner == "state":
        life = GONE
    if life is None:
        return
    for token in office.holders:
        holder = _holder(token, line)
        if holder is None:
            continue
        for draft in _stated(holder, noun, bodies, line):
            draft.life = Life(kind="timeless") if draft.relation == "author_of" else life
            yield draft


def _holder(token: "Token", line: Sentence) -> Name | None:
    holder = line.name(token)
    if holder is None or not holder.named or token.lower_ in ("it", "you", "we"):
        return None
    if token.pos_ == "PROPN" and token.text.islower():
        return None  # a noun that the tagger does not know
    acronym = re.fullmatch("[A-Z]{3,}", holder.text)
    body = max(holder.votes["organization"], holder.votes["place"]) > 2 > holder.votes["person"]
    return None if acronym or body else holder


def _stated(
    holder: Name, noun: "Token", bodies: list[tuple[Name, str]], line: Sentence
) -> Iterator[CandidateClaim]:
    word = noun.lemma_.lower()
    holder.plays |= word in lexicon.PLAYING
    title, start, end = title_of(noun)
    text = title.lower()
    related, whole = False, heads(noun)
    for body, preposition in bodies:
        relation = relation_of(word, preposition, body)
        if relation == "leads" and not whole:
            relation = "works_at" if body.votes["organization"] >= body.votes["place"] else None
        if relation is None or body is holder:
            continue
        related = whole or relation != "works_at"
        holder.votes["person"] += 2
        if relation in ("works_at", "studies_at", "plays_for", "member_of") and body.named:
            body.votes["organization"] += 2
        ends = (body, holder) if relation == "owned_by" else (holder, body)
        draft = line.draft(ends[0], relation, ends[1])
        draft.attributes["title"] = word
        yield draft
    if related and (not is_job(word) or word in LEADING):
        return
    if word in lexicon.STUDYING or word in lexicon.OWNING or word in _OF_SOMETHING:
        return
    holder.votes["person"] += 2
    role = line.scene.add(Phrase(text, start, end, False), line.offset)
    yield line.draft(holder, "has_role", role)
