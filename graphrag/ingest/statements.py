"""Statements about entities with lifetimes, made from claims about names.

Without a start in the text, ``valid_at`` is the reference time, marked as observed; a fact that was
over when stated has an unknown start. Extractors and arbiters are called here; failures name them
and the episode, and results are checked (``trust``).
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

from graphrag.errors import ExtractionError, GraphRAGError, InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.trust import checked_extraction, checked_ruling
from graphrag.model.assertion import Assertion, Date, stored_by
from graphrag.model.attributes import with_given
from graphrag.model.checks import printable
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.ids import new_id
from graphrag.model.values import Closing, Episode, Fact, Span
from graphrag.names.key import name_key
from graphrag.protocols import NO_RULING, Arbiter, Case, ExtractionContext, Extractor, Ruling, call
from graphrag.resolve.enrich import NAMING, with_named_mentions, with_source_named
from graphrag.resolve.mentions import Resolution

REVIEW_BELOW = 0.7
"""Rules give 0.8; a model's own figure below this has been a guess more often than not."""
_THIS = "this "
_SHOWN = 60
"""Characters of a text in an error or a note."""


def mentions_of(extraction: Extraction) -> Iterable[Mention]:
    """Yield every mention of an extraction, those of its claims too."""
    yield from extraction.mentions
    for claim in extraction.claims:
        yield claim.subject
        if claim.object is not None:
            yield claim.object


def entity_name(resolution: Resolution, index: GroupIndex, id_: str) -> str:
    """Return the name of an entity, a new or a stored one."""
    created = resolution.created.get(id_)
    return created.name if created else index.entity_name(id_)


def state(
    claims: Iterable[Claim],
    episode: Episode,
    entity_of: Mapping[Mention, str],
    name_of: Callable[[str], str],
    *,
    now: datetime,
    ruling: Ruling = NO_RULING,
    trust: float = 0.0,
    alias: Callable[[str, str], str] = lambda id_, name: "",
) -> Iterator[Fact]:
    """Yield the fact of each claim whose entities were resolved to two different ones.

    It has one statement, with what an arbiter found it to exclude, and the times that follow from
    that alone. A claim that ends or cancels something may name no object. ``alias`` tells whether
    an entity, by id, bears a name only beside its own, and returns it then.
    """
    for claim in claims:
        subject = entity_of.get(claim.subject)
        object_ = entity_of.get(claim.object) if claim.object is not None else None
        unnamed = claim.ends or claim.kind == "cancelled"
        if subject is None or subject == object_ or (object_ is None and not unnamed):
            continue
        if claim.kind == "planned" and claim.valid_at is None:
            continue  # nobody knows from when on it is to hold
        id_ = new_id()
        decided = (conflict.fact.id for conflict in ruling.exclusive if conflict.claim == claim)
        ruled = dict.fromkeys((*claim.excludes, *decided))
        said = replace(
            _said(claim, episode, id_, trust),
            excludes=tuple(ruled),
            subject_as=alias(subject, claim.subject.name),
            object_as=alias(object_, claim.object.name) if object_ and claim.object else "",
        )
        valid_at, invalid_at, observed, closed_as = alone(said)
        attributes, times = with_given({}, {}, claim.attributes, episode.valid_at)
        yield Fact(
            id=id_,
            group_id=episode.group_id,
            created_at=now,
            subject_id=subject,
            object_id=object_ or "",
            subject=name_of(subject),
            relation=claim.relation,
            object=name_of(object_) if object_ else "",
            text=claim.text,
            valid_at=valid_at,
            invalid_at=invalid_at,
            reference_time=episode.valid_at,
            observed=observed,
            confidence=claim.confidence,
            origin=claim.origin,
            statements=(said,),
            sources=(Span(episode.id, claim.start, claim.end),),
            attributes=attributes,
            attribute_times=times,
            closed_as=closed_as,
            untyped=claim.untyped,
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


def _said(claim: Claim, episode: Episode, id_: str, trust: float) -> Assertion:
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
        id_,
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


async def extract(extractor: Extractor, context: ExtractionContext) -> Extraction:
    """Return what an episode states, every span inside its content.

    Raises:
        ExtractionError: naming the episode, whatever went wrong inside the extractor.
    """
    episode = context.episode
    try:
        extraction = await call(partial(extractor.extract, context))
        if not isinstance(extraction, Extraction):
            raise _failed("extractor", extractor, episode, _no("Extraction", extraction))
        placed = await asyncio.to_thread(checked_extraction, extraction, episode)
        named = any(claim.relation in NAMING for claim in placed.claims)
        said = (claim.subject.name for claim in placed.claims)
        others = (claim.object.name for claim in placed.claims if claim.object is not None)
        names = (*(mention.name for mention in placed.mentions), *said, *others)
        if any(name[: len(_THIS)].lower() == _THIS for name in names):
            placed = with_source_named(placed, episode)
        return with_named_mentions(placed) if named else placed
    except GraphRAGError:
        raise
    except Exception as error:  # an extractor is anybody's code
        raise _failed("extractor", extractor, episode, str(error)) from error


async def decide(arbiter: Arbiter, case: Case) -> Ruling:
    """Return what an arbiter finds about what is open.

    Raises:
        ExtractionError: naming the episode, whatever went wrong inside the arbiter.
    """
    try:
        ruling = await call(partial(arbiter.decide, case))
        if not isinstance(ruling, Ruling):
            raise _failed("arbiter", arbiter, case.episode, _no("Ruling", ruling))
        return checked_ruling(ruling, case)
    except GraphRAGError:
        raise
    except Exception as error:  # an arbiter is anybody's code
        raise _failed("arbiter", arbiter, case.episode, str(error)) from error


def checked_threshold(value: float) -> float:
    """Return the threshold, or say that it is none."""
    if not 0 <= value <= 1:
        raise InputError(f"review_below is {value!r}: give a confidence from 0 to 1")
    return value


def _no(expected: str, given: object) -> str:
    return f"it gave {type(given).__name__}; expected {expected}"


def _failed(role: str, part: Extractor | Arbiter, episode: Episode, reason: str) -> ExtractionError:
    label, name = episode.name or episode.content[:_SHOWN], type(part).__name__
    return ExtractionError(f"the {role} {name} failed on episode {label!r}: {printable(reason)}")
