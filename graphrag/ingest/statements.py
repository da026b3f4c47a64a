"""Statements of texts, tables and people as facts with lifetimes.

A statement is a fact that is not stored yet, with the one assertion that it rests on and the times
that follow from that alone. Without a start in a text, ``valid_at`` is the reference time, marked
as observed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from graphrag.index.group import GroupIndex
from graphrag.model.assertion import Assertion, Date, stored_by
from graphrag.model.attributes import with_given
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.ids import new_id
from graphrag.model.values import JSON, Closing, Episode, Fact, Origin, Span
from graphrag.names.key import name_key
from graphrag.protocols import NO_RULING, Ruling
from graphrag.resolve import as_value

Named = tuple[str, str, str]
"""An entity as a statement has it: id, name, and another name of it by which it was stated."""


def mentions_of(extraction: Extraction) -> Iterable[Mention]:
    """Yield every mention of an extraction, those of its claims too."""
    yield from extraction.mentions
    for claim in extraction.claims:
        yield claim.subject
        if claim.object is not None:
            yield claim.object


def with_values(extraction: Extraction) -> Extraction:
    """Return an extraction with its values typed: a name of which something is said is none."""
    subjects = {name_key(claim.subject.name) for claim in extraction.claims}
    # Each once, by identity: mentions compare without attributes, and one that has any is none.
    each = {id(mention): mention for mention in mentions_of(extraction)}
    typed = {key: it if name_key(it.name) in subjects else as_value(it) for key, it in each.items()}
    claims = (replace(it, object=it.object and typed[id(it.object)]) for it in extraction.claims)
    mentions = (typed[id(mention)] for mention in extraction.mentions)
    return replace(extraction, mentions=tuple(mentions), claims=tuple(claims))


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
    if subject[0] == object_[0]:  # so it was stated: no merge has made it so
        subject_as = object_as = subject_as or subject[1]
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
    unused: list[str] | None = None,
) -> Iterator[Fact]:
    """Yield the statement of each claim that makes one; ``unused`` collects why others do not.

    ``named`` gives an entity, by its id and the name that the claim has for it.
    """
    for claim in claims:
        if problem := _unusable(claim, entity_of):
            if unused is not None:
                unused.append(problem)
            continue
        subject, object_ = entity_of[claim.subject], claim.object and entity_of[claim.object]
        decided = (conflict.fact.id for conflict in ruling.exclusive if conflict.claim == claim)
        ruled = dict.fromkeys((*claim.excludes, *decided))
        attributes, times = with_given({}, {}, claim.attributes, episode.valid_at)
        yield as_fact(
            _said(claim, episode, trust, tuple(ruled)),
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


def _unusable(claim: Claim, entity_of: Mapping[Mention, str]) -> str:
    """Return what a claim is that makes no statement, and why; empty if it makes one."""
    ends = [claim.subject] if claim.object is None else [claim.subject, claim.object]
    ids = [entity_of.get(end) for end in ends]
    about = " ".join((claim.subject.name, claim.relation, *(end.name for end in ends[1:])))
    if None in ids:
        return f"the fact {about!r}, whose ends have no usable name"
    if len({*ids}) < len(ids):
        return f"the fact {about!r}, whose ends are one entity"
    if claim.object is None and not claim.ends and claim.kind != "cancelled":
        return f"the fact {about!r}, which names no object"
    return ""


def alone(said: Assertion) -> tuple[datetime | None, datetime | None, bool, Closing | None]:
    """Return when a lone state holds, as ``settle`` would: start, end, if observed, how it ends."""
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


def _said(claim: Claim, episode: Episode, trust: float, excludes: tuple[str, ...]) -> Assertion:
    """Return what an episode says by a claim.

    A start without the word that it still holds is evidence for that start alone: "joined in 2015",
    stated in 2024, does not speak against who was seen elsewhere in 2020.
    """
    reference = episode.valid_at
    since = None if claim.valid_at is None else Date(claim.valid_at, claim.valid_precision)
    until = None if claim.invalid_at is None else Date(claim.invalid_at, claim.invalid_precision)
    if claim.ends:
        since, until = None, until or Date(reference)
    if since is not None and until is not None and until.moment <= since.moment:
        until = None
    kind = claim.kind
    waits = since is None and kind == "planned"  # a person says from when on
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
        pending=waits,
        corrects=claim.corrects,
        excludes=excludes,
    )
