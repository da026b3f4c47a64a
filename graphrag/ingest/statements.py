"""Statements about entities with lifetimes, whoever makes them: a text, a table or a person.

A statement is a fact that is not stored yet, with the one assertion that it rests on and the times
that follow from that alone. Without a start in a text, ``valid_at`` is the reference time, marked
as observed; a fact that was over when stated has an unknown start. Who takes the place of somebody
leads from then on what that one leads.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.assertion import Assertion, Date, stored_by
from graphrag.model.attributes import with_given
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.ids import new_id
from graphrag.model.values import JSON, Closing, Episode, Fact, Origin, Span
from graphrag.names.key import name_key
from graphrag.names.words import LEADING
from graphrag.ontology.relations import Relations
from graphrag.protocols import NO_RULING, Ruling
from graphrag.resolve.mentions import Resolution
from graphrag.temporal.moment import to_micros

_POST, _ROLE = "leads", "has_role"
Named = tuple[str, str, str]
"""An entity as a statement has it: id, name, and another name of it by which it was stated."""


def mentions_of(extraction: Extraction) -> Iterable[Mention]:
    """Yield every mention of an extraction, those of its claims too."""
    yield from extraction.mentions
    for claim in extraction.claims:
        yield claim.subject
        if claim.object is not None:
            yield claim.object


def as_fact(
    said: Assertion,
    group: str,
    subject: Named,
    relation: str,
    object_: Named,
    *,
    text: str,
    now: datetime,
    stated_at: datetime,
    origin: Origin,
    attributes: Mapping[str, JSON],
    attribute_times: Mapping[str, JSON] | None = None,
    provenance: tuple[str, ...] = (),
) -> Fact:
    """Return the fact of one assertion, with the times that follow from that alone."""
    valid_at, invalid_at, observed, closed_as = alone(said)
    subject_as, object_as = subject[2], object_[2]
    if subject[0] == object_[0]:
        subject_as = object_as = (
            subject_as or subject[1]
        )  # so it was stated: no merge has made it so
    if subject_as or object_as:
        said = replace(said, subject_as=subject_as, object_as=object_as)
    return Fact(
        id=said.id,
        group_id=group,
        created_at=now,
        subject_id=subject[0],
        object_id=object_[0],
        subject=subject[1],
        relation=relation,
        object=object_[1],
        text=text,
        valid_at=valid_at,
        invalid_at=invalid_at,
        reference_time=stated_at,
        observed=observed,
        confidence=said.confidence,
        origin=origin,
        attributes=attributes,
        attribute_times=attribute_times or {},
        closed_as=closed_as,
        reason=said.reason or None,
        statements=(said,),
        sources=(Span(said.source, said.start, said.end),) if said.source else (),
        provenance=provenance,
        untyped=said.untyped,
    )


def state(
    claims: Iterable[Claim],
    episode: Episode,
    entity_of: Mapping[Mention, str],
    named: Callable[[str, str], Named],
    *,
    now: datetime,
    ruling: Ruling = NO_RULING,
    trust: float = 0.0,
) -> Iterator[Fact]:
    """Yield the statement of each claim whose entities were resolved to two different ones.

    It has what an arbiter found it to exclude. A claim that ends or cancels something may name no
    object. ``named`` gives an entity, by its id and the name that the claim has for it.
    """
    for claim in claims:
        subject = entity_of.get(claim.subject)
        object_ = entity_of.get(claim.object) if claim.object is not None else None
        unnamed = claim.ends or claim.kind == "cancelled"
        if subject is None or subject == object_ or (object_ is None and not unnamed):
            continue
        if claim.kind == "planned" and claim.valid_at is None:
            continue  # nobody knows from when on it is to hold
        decided = (conflict.fact.id for conflict in ruling.exclusive if conflict.claim == claim)
        ruled = dict.fromkeys((*claim.excludes, *decided))
        attributes, times = with_given({}, {}, claim.attributes, episode.valid_at)
        yield as_fact(
            replace(_said(claim, episode, trust), excludes=tuple(ruled)),
            episode.group_id,
            named(subject, claim.subject.name),
            claim.relation,
            named(object_, claim.object.name) if object_ and claim.object else ("", "", ""),
            text=claim.text,
            now=now,
            stated_at=episode.valid_at,
            origin=claim.origin,
            attributes=attributes,
            attribute_times=times,
        )


def alone(said: Assertion) -> tuple[datetime | None, datetime | None, bool, Closing | None]:
    """Return when a state holds of which nothing else is said, as ``settle`` would have it.

    Its start and its end, whether the start is only when it was seen to hold, and how it ends.
    """
    at = said.at
    if said.since is not None:
        end = None if said.until is None else said.until.moment
        return said.since.moment, end, False, None if end is None else "bounded"
    if said.until is None:
        return at, None, at is not None, None
    if at is not None and at < said.until.moment:
        return at, said.until.moment, True, "ended"
    if at == said.until.moment and said.until.precision == "exact":
        return None, at, False, "past"
    return None, said.until.moment, False, "ended"


def other_name(id_: str, name: str, group: GroupIndex) -> str:
    """Return a name if an entity bears it beside the one it is stored by, else nothing.

    That of one that was merged into it is no such name: what is said by it is kept apart.
    """
    called, key = group.names.names.get(id_, ()), name_key(name)
    if len(called) < 2 or name_key(stored_by(called)) == key:
        return ""
    bearers = group.names.keyed(key)
    merged = any(bearer != id_ and group.heirs.of(bearer) == id_ for bearer in bearers)
    return name if id_ in bearers and not merged else ""


def _said(claim: Claim, episode: Episode, trust: float) -> Assertion:
    """Return what an episode says by a claim.

    Where the text gives a start and does not say that it still holds, it is evidence for that start
    alone: "joined in 2015", stated in 2024, does not speak against who was seen elsewhere in 2020.
    """
    reference = episode.valid_at
    since = None if claim.valid_at is None else Date(claim.valid_at, claim.valid_precision)
    until = None if claim.invalid_at is None else Date(claim.invalid_at, claim.invalid_precision)
    if claim.ends:
        since, until = None, until or Date(reference)
    if since is not None and until is not None and until.moment <= since.moment:
        until = None
    kind = claim.kind
    if since is None and kind == "event":
        kind = "was"  # nobody knows when
    if kind == "was" and since is not None and reference <= since.moment:
        kind = "state"
    speaks_of_now = since is None or claim.current or since.moment > reference or kind != "state"
    return Assertion(
        new_id(),
        since,
        until,
        reference if speaks_of_now else None,
        kind,
        trust,
        claim.confidence,
        source=episode.id,
        start=claim.start,
        end=claim.end,
        untyped=claim.untyped,
        corrects=claim.corrects,
    )


@dataclass(frozen=True, slots=True)
class Successions:
    """The claims of a text, and what the group knew before it."""

    claims: Collection[Claim]
    resolution: Resolution
    index: GroupIndex
    relations: Relations
    at: datetime
    """The time of the text."""

    def posts(self) -> Iterator[Claim]:
        """Yield that a successor leads the one thing that the predecessor leads until then."""
        posts = [claim for claim in self.claims if claim.relation == _POST and not claim.ends]
        leading = {claim.subject for claim in posts}
        for claim in self.claims:
            undated = claim.kind == "was" or (claim.kind == "event" and claim.valid_at is None)
            if claim.relation != "succeeds" or claim.object is None or undated:
                continue
            if claim.subject in leading or not self._takes_the_lead(claim.subject):
                continue
            led = self._led_by(claim.object, to_micros(claim.valid_at or self.at, BEGINNING))
            if len(led) == 1:
                post = self._mention(led.pop(), claim)
                leads = replace(claim, relation=_POST, object=post, kind="state")
                yield replace(
                    leads,
                    subject=claim.object,
                    valid_at=None,
                    invalid_at=claim.valid_at,
                    invalid_precision=claim.valid_precision,
                    ends=True,
                    attributes={},
                )
                yield leads

    def _takes_the_lead(self, successor: Mention) -> bool:
        """Tell whether what the text says that a successor becomes, if it does, is such a post."""
        titles = [
            {*name_key(claim.object.name).split()}
            for claim in self.claims
            if (claim.subject, claim.relation) == (successor, _ROLE) and claim.object
        ]
        return not titles or any(LEADING & words for words in titles)

    def _led_by(self, predecessor: Mention, moment: int) -> set[str]:
        """Return what somebody leads at a moment, by the group and by the text."""
        entity_of, facts = self.resolution.entity_of, self.index.facts
        leader, led = entity_of.get(predecessor, ""), set[str]()
        for name in self.relations.same(_POST) if leader in self.index.entities.row_of else ():
            for row in self.index.rows_at(leader, name):
                stands = facts["retracted"][row] == FOREVER and not facts["pending"][row]
                _, subject, object_ = self.relations.line(name, *self.index.ends_of(row))
                if stands and subject == leader:
                    holds = facts["valid"][row] <= moment < facts["invalid"][row]
                    led |= {object_} if holds else set()
        for claim in self.claims:
            goes_on = claim.relation == _POST and not claim.ends and claim.invalid_at is None
            if goes_on and claim.object and entity_of.get(claim.subject) == leader:
                led.add(entity_of.get(claim.object, ""))
        return led

    def _mention(self, entity: str, claim: Claim) -> Mention:
        """Return a mention of an entity that the text need not name."""
        for mention, id_ in self.resolution.entity_of.items():
            if id_ == entity:
                return mention
        mention = Mention(self.index.entity_name(entity), start=claim.start, end=claim.start)
        self.resolution.entity_of[mention] = entity
        return mention
