"""What follows from the claims of a text for known facts: a role ends with the job it began with.

A successor leads what the predecessor led, and a record with another title ends the former one.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.extraction import Claim, Mention
from graphrag.names.key import name_key
from graphrag.names.words import LEADING
from graphrag.ontology.relations import Relations
from graphrag.resolve.mentions import Resolution
from graphrag.temporal.moment import to_micros

_JOB, _POST, _ROLE, _STUDY = "works_at", "leads", "has_role", "studies_at"
_ENGAGEMENTS: Final = (_JOB, _POST, "plays_for")
"""Relations that a role may have begun with."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A known fact that stands, with its interval in microseconds."""

    subject: str
    object: str
    valid: int
    invalid: int

    def is_on(self, moment: int, *, ahead: bool = False) -> bool:
        """Tell whether it holds at a moment, or is still to begin then if ``ahead``."""
        return moment < self.valid if ahead else self.valid <= moment < self.invalid


@dataclass(frozen=True, slots=True)
class _Known:
    """A group as it stands before a text, and the entities of the text."""

    resolution: Resolution
    index: GroupIndex
    relations: Relations
    at: datetime

    def moment(self, said: datetime | None) -> int:
        """Return a stated time in microseconds; the time of the text if none is stated."""
        return to_micros(said or self.at, BEGINNING)

    def entity(self, mention: Mention | None) -> str:
        """Return the entity of a mention; nothing for one that has none."""
        return "" if mention is None else self.resolution.entity_of.get(mention, "")

    def of_subject(self, relation: str, entity: str, other: str | None = None) -> Iterator[_Row]:
        """Yield the facts of a subject that stand, by any name of a relation."""
        facts = self.index.facts
        for name in self.relations.same(relation) if entity and other != "" else ():
            for row in self.index.rows_at(entity, name, other):
                if facts["retracted"][row] == FOREVER and not facts["pending"][row]:
                    _, subject, object_ = self.relations.line(name, *self.index.ends_of(row))
                    if subject == entity:
                        valid, invalid = int(facts["valid"][row]), int(facts["invalid"][row])
                        yield _Row(subject, object_, valid, invalid)

    def mention(self, entity: str, claim: Claim) -> Mention:
        """Return a mention of an entity that the text need not name."""
        for mention, known in self.resolution.entity_of.items():
            if known == entity:
                return mention
        mention = Mention(self.index.entity_name(entity), start=claim.start, end=claim.start)
        self.resolution.entity_of[mention] = entity
        return mention


def with_implied(
    claims: tuple[Claim, ...],
    resolution: Resolution,
    index: GroupIndex,
    relations: Relations,
    *,
    at: datetime,
) -> tuple[Claim, ...]:
    """Return the claims of a text with what follows from them for what is known.

    Args:
        claims: What the text states.
        resolution: The entities of its mentions.
        index: What is known.
        relations: Their properties.
        at: The time of the text.
    """
    known = _Known(resolution, index, relations, at)
    leading = {claim.subject for claim in claims if claim.relation == _POST and not claim.ends}
    implied = list[Claim]()
    for claim in claims:
        if claim.relation == "succeeds" and claim.subject not in leading:
            implied += _inherited(claim, claims, known)
        if _titles(claim):
            implied += _former_titles(claim, claims, known)
    stated = (*claims, *implied)
    over = {_key(claim, known) for claim in stated if claim.ends or claim.kind == "cancelled"}
    for claim in stated:
        implied += [more for more in _with_job(claim, known) if _key(more, known) not in over]
    return (*claims, *implied)


def _key(claim: Claim, known: _Known) -> tuple[str, str, str]:
    return known.entity(claim.subject), claim.relation, known.entity(claim.object)


def _with_job(claim: Claim, known: _Known) -> Iterator[Claim]:
    """Yield what ends, or is called off, with a job: its role, and the post at the same body."""
    off = claim.kind == "cancelled"
    if claim.object is None or claim.relation not in (_JOB, _POST, _STUDY) or claim.corrects:
        return
    if not (off or claim.ends):
        return
    who, body = known.entity(claim.subject), known.entity(claim.object)
    moment = known.moment(None if off else claim.invalid_at)
    begun = set[int]()
    for relation in (_JOB, _POST):
        rows = [
            row for row in known.of_subject(relation, who, body) if row.is_on(moment, ahead=off)
        ]
        begun |= {row.valid for row in rows}
        if rows and relation != claim.relation and claim.relation != _POST:
            yield replace(claim, relation=relation)
    for row in known.of_subject(_ROLE, who) if begun else ():
        if row.valid in begun and row.is_on(moment, ahead=off):
            yield replace(claim, relation=_ROLE, object=known.mention(row.object, claim))


def _titles(claim: Claim) -> bool:
    """Tell whether a record gives somebody a title where they work."""
    current = claim.kind == "state" and not claim.ends and claim.invalid_at is None
    return claim.origin == "structural" and claim.relation == _ROLE and current


def _former_titles(claim: Claim, claims: Collection[Claim], known: _Known) -> Iterator[Claim]:
    """Yield the ends of the titles that somebody got with the job; a calling stays."""
    who, moment = known.entity(claim.subject), known.moment(claim.valid_at)
    begun = {
        row.valid
        for relation in _ENGAGEMENTS
        for row in known.of_subject(relation, who)
        if row.is_on(moment)
    }
    again = {_key(other, known) for other in claims}
    for row in known.of_subject(_ROLE, who):
        if row.valid in begun and row.is_on(moment) and (who, _ROLE, row.object) not in again:
            yield _ended(replace(claim, object=known.mention(row.object, claim)))


def _inherited(claim: Claim, claims: Collection[Claim], known: _Known) -> Iterator[Claim]:
    """Yield that a successor leads the one thing that the predecessor leads until then."""
    undated = claim.kind == "was" or (claim.kind == "event" and claim.valid_at is None)
    if claim.object is None or undated or not _takes_the_lead(claim, claims):
        return
    old, moment = known.entity(claim.object), known.moment(claim.valid_at)
    led = {row.object for row in known.of_subject(_POST, old) if row.is_on(moment)}
    for other in claims:
        if other.relation == _POST and other.object and known.entity(other.subject) == old:
            led |= set() if other.ends or other.invalid_at else {known.entity(other.object)}
    if len(led) == 1:
        leads = replace(claim, relation=_POST, object=known.mention(led.pop(), claim), kind="state")
        yield _ended(replace(leads, subject=claim.object))
        yield leads


def _takes_the_lead(claim: Claim, claims: Collection[Claim]) -> bool:
    """Tell whether what a text says that a successor becomes, if it does, is a post that leads."""
    titles = [
        {*name_key(other.object.name).split()}
        for other in claims
        if (other.subject, other.relation) == (claim.subject, _ROLE) and other.object
    ]
    return not titles or any(LEADING & words for words in titles)


def _ended(claim: Claim) -> Claim:
    """Return the end of a state at what was its start."""
    end, precision = claim.valid_at, claim.valid_precision
    return replace(
        claim, valid_at=None, invalid_at=end, invalid_precision=precision, ends=True, attributes={}
    )
