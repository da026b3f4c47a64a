"""When what somebody has by contract runs out: ``his contract with Acme ends in August``."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lifetime import Life, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.phrases import phrase_of
from graphrag.temporal.phrase import resolve_phrase

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

ENDING = frozenset("end expire finish lapse terminate".split())
_JOBS = frozenset("contract job internship apprenticeship secondment placement employment".split())
_SOMEBODYS = frozenset({"his", "her", "their", "my"})
_TERMS = frozenset("term mandate".split())
_LENGTH = re.compile(
    r"\b(?P<count>\w+)-(?P<unit>year|month|week)\b[\w ,-]{0,20}? "
    r"(?:contract|deal|lease|loan|secondment|internship|apprenticeship|agreement)\b",
    re.IGNORECASE,
)
_LIMITED = frozenset("works_at plays_for signed_to signed_with rents coaches".split())


def read_expiry(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield the end of a job, a contract or a term of office."""
    runs_out = clause.lemma == "run" and "out" in clause.particles
    if clause.negated or not (clause.lemma in ENDING or runs_out):
        return
    life = lifetime("end", clause, line.periods(clause.verb), line.reference)
    if life is None or life.end is None:
        return
    for noun in clause.subjects:
        word = noun.lemma_.lower()
        owner = line.scene.possessor_of(noun, line.offset)
        person = owner if owner is not None and owner.named and _is_somebody(owner) else None
        body = _partner(noun, line)
        if word in _JOBS and body is not None and person is not None:
            yield line.draft(person, "works_at", body, life)
        elif any(child.lower_ in _SOMEBODYS for child in noun.children):
            continue  # whose that is, is not clear
        elif word in _JOBS and body is not None and (phrase := phrase_of(noun)) is not None:
            thing = line.scene.add(phrase, line.offset)
            if thing is not body:
                yield line.draft(body, "holds_contract", thing, life)
        elif word in _TERMS and person is not None and line.scene.body is not None:
            yield line.draft(person, "member_of", line.scene.body, life)


def _is_somebody(name: Name) -> bool:
    return name.votes["organization"] < 2 and name.votes["place"] < 2


def _partner(noun: "Token", line: Line) -> Name | None:
    for child in noun.children:
        if child.dep_ == "prep" and child.lower_ in ("with", "at", "for"):
            for target in child.children:
                if target.dep_ == "pobj" and target.pos_ == "PROPN":
                    return line.name(target)
    return None


def last_day(clause: Clause, line: Line) -> tuple[Name, list[tuple[Name, str, Name]], Life] | None:
    """Return whose job ends in ``her last day at Acme is Friday``, or begins, where, and when.

    Without ``at Acme`` it is the job that the text gave before.
    """
    noun = clause.subjects[0]
    which = {child.lower_ for child in noun.children} & {"last", "first"}
    owner = line.scene.possessor_of(noun, line.offset)
    if not which or owner is None or not owner.named:
        return None
    times = [p for word, p in line.times if word in (clause.verb, noun) or word.head == clause.verb]
    life = lifetime("end" if "last" in which else "start", clause, times, line.reference)
    body = _partner(noun, line)
    if life is None or not times or (body is None and "first" in which):
        return None
    return owner, [] if body is None else [(owner, "works_at", body)], life


def limit(drafts: Iterable[Draft], sentence: "Span", said: datetime) -> None:
    """Give what somebody is under ``a three-year contract`` the end that follows from its start."""
    lengths = list(_LENGTH.finditer(sentence.text))
    if len(lengths) != 1:
        return
    words = f"in {lengths[0]['count']} {lengths[0]['unit']}s"
    for draft in drafts:
        life = draft.life
        if draft.relation in _LIMITED and not life.over and life.end is None:
            end = resolve_phrase(words, life.start or said, prefer="future")
            if end is not None and life.kind == "state":
                draft.life = life.ending(end.bounded("until"))
