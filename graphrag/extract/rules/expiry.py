"""When what somebody has by contract runs out: ``his contract with Acme ends in August``."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lifetime import Life, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.phrases import phrase_of
from graphrag.extract.rules.when import looks_ahead
from graphrag.temporal.period import Unit, floor, shift, unit_from
from graphrag.temporal.phrase import resolve_phrase
from graphrag.temporal.vocabulary import NUMBERS, any_of, number

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

ENDING = frozenset("end expire finish lapse terminate".split())
_JOBS = frozenset("contract job internship apprenticeship secondment placement employment".split())
_SOMEBODYS = frozenset({"his", "her", "their", "my"})
_TERMS = frozenset("term mandate".split())
_COUNT = rf"(?P<count>\d{{1,3}}|{any_of(NUMBERS)})"
_LENGTH = re.compile(
    rf"\b{_COUNT}[- ](?P<unit>year|month|week)\b[\w ,-]{{0,20}}? "
    r"(?:contract|deal|lease|loan|secondment|internship|apprenticeship|agreement|term|mandate)\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    rf"\b(?:for|(?P<after>after)) (?:an? (?:term|period|spell) of |the next )?{_COUNT} "
    r"(?P<unit>year|month|week)s?\b",
    re.IGNORECASE,
)
_IN_THAT = re.compile(r" (?:as|at|with|in|of|there)\b")
_AT_LAST = re.compile(
    r"\bat the end of (?:the|this) (?:\w+ )?(?:season|term|campaign|run)\b", re.IGNORECASE
)
_PERFECT = re.compile(r"\b(?:has|have|had)\b|[’']ve\b", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:and|but)\b|;")
_UNITS: Final[dict[str, Unit]] = {"year": "year", "month": "month", "week": "week"}
_LIMITED = frozenset(
    "works_at plays_for signed_to signed_with rents coaches has_role leads subscribed_to "
    "studies_at has_contract_with supplies insured_with".split()
)
_LASTS = frozenset("lives_in located_in member_of uses operates owned_by sponsors".split())


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
    attributes = clause.arguments.get("attr", [])
    noun = next(one for one in (*clause.subjects, *attributes) if one.lemma_.lower() == "day")
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
    """Give what lasts a stated time the end that follows from its start, or the other way round.

    ``a three-year contract from 1 May``, ``was chair for four years from 2010``, ``worked at Acme
    for two years, until 2012``.
    """
    lengths = list(_LENGTH.finditer(sentence.text))
    lasting = list(_LASTING.finditer(sentence.text))
    if len(lengths) + len(lasting) != 1:
        return
    [length] = lengths or lasting
    for draft in drafts:
        life = draft.life
        if life.kind != "state" or (life.over and life.end is None):
            continue
        if lasting and not _is_beside(length, draft, sentence.text):
            continue  # "worked there for ten years and has led Acme since 2010"
        if lasting and life.current and _PERFECT.search(sentence.text, 0, length.start()):
            continue  # "has worked there for ten years, since 2010"
        if draft.relation not in _LIMITED and (lengths or draft.relation not in _LASTS):
            continue
        after = bool(lasting and length["after"])
        if life.end is None and not after and (lengths or life.start is not None):
            draft.life = _until(length, life, said)
        elif life.start is None and life.end is not None and lasting:
            words = f"{length['count']} {length['unit']}s ago"
            begun = resolve_phrase(words, life.end, prefer="past")
            draft.life = life if begun is None else replace(life.beginning(begun), over=False)


def is_open(draft: Draft, sentence: "Span") -> bool:
    """Tell whether something ends at a time to come that nobody can date: of a season."""
    undated = draft.life.end is None and draft.life.start is None
    ending = undated and (draft.life.over or draft.relation == "has_status")
    return ending and bool(_AT_LAST.search(sentence.text)) and looks_ahead(sentence)


def _is_beside(length: re.Match[str], draft: Draft, text: str) -> bool:
    at = text.rfind(draft.object.text) if draft.object is not None else -1
    if length["after"] and not _IN_THAT.match(text, length.end()):
        return False  # "after five years, leaving Acme"
    between = text[length.end() : at] if at > length.end() else text[at : length.start()]
    return at >= 0 and not _JOINED.search(between)


def _until(length: re.Match[str], life: Life, said: datetime) -> Life:
    """Return a life with the end that a length gives it, as finely as its start is known."""
    unit = _UNITS[length["unit"].lower()]
    count = number(length["count"].lower())
    last = shift(life.start or said, unit, count)
    if life.start is None or life.start_precision == "year":
        return life.ending(unit_from(floor(last, unit), unit).bounded("until"))
    return replace(life, end=last, end_precision=life.start_precision, current=False)
