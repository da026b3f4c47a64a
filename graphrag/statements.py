"""Claims about names to statements about entities, each with a lifetime.

When the text gives no start, the fact is known to hold from the reference time on: that moment is
its ``valid_at``, marked as observed. A fact that was over when it was told has an unknown start.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime

from graphrag.attributes import told
from graphrag.extraction import Claim, Mention
from graphrag.ids import new_id
from graphrag.invalidate import Statement
from graphrag.models import Episode, Fact, Span


def state(
    claims: Iterable[Claim],
    episode: Episode,
    entity_of: Mapping[Mention, str],
    name_of: Callable[[str], str],
    *,
    now: datetime,
) -> Iterator[Statement]:
    """Yield the statement of each claim whose entities were resolved to two different ones."""
    for claim in claims:
        subject = entity_of.get(claim.subject)
        object_ = entity_of.get(claim.object) if claim.object is not None else None
        if subject is None or subject == object_ or (object_ is None and not claim.ends):
            continue
        valid_at, invalid_at, observed = _lifetime(claim, episode.valid_at)
        attributes, times = told({}, {}, claim.attributes, episode.valid_at)
        fact = Fact(
            id=new_id(),
            group_id=episode.group_id,
            created_at=now,
            subject_id=subject,
            object_id=object_ or "",
            subject=name_of(subject),
            relation=claim.relation,
            object=name_of(object_) if object_ else "",
            fact=claim.text,
            valid_at=valid_at,
            invalid_at=invalid_at,
            reference_time=episode.valid_at,
            observed=observed,
            confidence=claim.confidence,
            origin=claim.origin,
            sources=(Span(episode.id, claim.start, claim.end),),
            attributes=attributes,
            attribute_times=times,
        )
        yield Statement(fact, ends=claim.ends, corrects=claim.corrects)


def _lifetime(
    claim: Claim, reference_time: datetime
) -> tuple[datetime | None, datetime | None, bool]:
    """Return start, end, and whether the start is only the moment of observation."""
    if claim.ends:
        return None, claim.invalid_at or reference_time, False
    if claim.valid_at is None:
        if claim.invalid_at is not None and claim.invalid_at <= reference_time:
            return None, claim.invalid_at, False
        return reference_time, claim.invalid_at, True
    if claim.invalid_at is not None and claim.invalid_at <= claim.valid_at:
        return claim.valid_at, None, False
    return claim.valid_at, claim.invalid_at, False
