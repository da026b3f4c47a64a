"""The dates of a record, and the relations that they surely belong to."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from graphrag.models import JSON
from graphrag.rules.links import LASTING, Link
from graphrag.rules.placed import Fields
from graphrag.rules.register import Fact, Life
from graphrag.temporal.phrase import Period, resolve_phrase

_FULL_DATE: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ][\d:.]+")
_WHEN: Final = ("date_time", "datetime", "date", "value")
GENERIC: Final = {
    **dict.fromkeys(
        "since from start valid_from start_date effective effective_from".split(), False
    ),
    **dict.fromkeys("until to end valid_until valid_to end_date left".split(), True),
}
"""Keys of dates without a relation of their own, and whether they are ends."""
_SIDES: Final = {
    **dict.fromkeys("since from start on date".split(), False),
    "until": True,
    "to": True,
}
"""Last words of such keys as "owner_since"."""
_MOMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "founded": ("founded",),
    "established": ("founded",),
    "born": ("born_in",),
    "date_of_birth": ("born_in",),
    "birth_date": ("born_in",),
    "dob": ("born_in",),
    "appointed": ("leads", "works_at"),
    "elected": ("leads",),
    "hired": ("works_at",),
    "hire_date": ("works_at",),
    "enrolled": ("studies_at",),
    "married": ("married_to",),
    "date": ("acquired", "merged_with", "married_to"),
    "joined": ("member_of", "plays_for", "works_at"),
}
"""Keys of dates at which facts of the first of these relations that is there start."""


def _is_date(key: str) -> bool:
    """Tell whether a key may hold a date that dates a relation."""
    return key in GENERIC or key in _MOMENTS or key.rpartition("_")[2] in _SIDES


def period_of(value: JSON, reference_time: datetime) -> Period | None:
    """Return the time that a field names in full."""
    if isinstance(value, dict):
        value = next((value[key] for key in _WHEN if key in value), None)
    if isinstance(value, int) and not isinstance(value, bool) and 1000 <= value <= 2999:
        value = str(value)
    if not isinstance(value, str) or not re.search(r"\d{4}", value):
        return None
    stamp = _FULL_DATE.fullmatch(value)
    period = resolve_phrase(stamp[1] if stamp else str(value), reference_time)
    return period if period and period.bound == "in" else None


def dated(
    facts: list[Fact],
    rest: Fields,
    *,
    entity_type: str,
    reference_time: datetime,
    under: Link | None = None,
) -> Life:
    """Give dates to the facts that they surely belong to; return those of the link above.

    The dates used leave ``rest``; those that are attributes as well ("founded") stay.
    """
    above = Life(under.relation if under else "")
    lives: list[Life] = [above, *(fact for fact in facts if not fact.over)]
    dates = {
        key: period
        for key, value in rest.items()
        if _is_date(key) and (period := period_of(value, reference_time))
    }
    stems: dict[str, list[Fact]] = {}
    for fact in facts:
        words = fact.key.split("_")
        for count in range(1, len(words) + 1):
            stems.setdefault("_".join(words[:count]), []).append(fact)
    for key, period in dates.items():
        stem, _, side = key.rpartition("_")
        for relation in _MOMENTS.get(key, ()):
            if own := [life for life in lives if life.relation == relation]:
                for life in own:
                    life.date(period, late=False)
                break
        for fact in stems.get(stem, ()) if side in _SIDES else ():
            fact.date(period, late=_SIDES[side])
            rest.pop(key, None)
    targets = [above] if under else _datable(facts, entity_type)
    for key, period in dates.items():
        generic = key in GENERIC or (entity_type == "event" and key == "date")
        if generic and key in rest and targets:
            for life in targets:
                life.date(period, late=GENERIC.get(key, False))
            if entity_type != "event":  # its own dates are attributes of an event as well
                del rest[key]
    holder = under is not None and under.flipped
    for fact in facts:
        if fact.over and fact.end is None:
            fact.end = next(
                (life.start for life in lives[not holder :] if life.relation == fact.relation),
                None,
            )
    return above


def _datable(facts: list[Fact], entity_type: str) -> list[Life]:
    """Return what a bare "since" can only mean: the one lasting relation, or the residence."""
    if entity_type == "event":
        return [fact for fact in facts if fact.relation == "attends"]
    open_ = [
        fact
        for fact in facts
        if fact.relation in LASTING and not (fact.over or fact.start or fact.end)
    ]
    if not open_:
        open_ = [fact for fact in facts if fact.over and not fact.end]
    elif len(open_) > 1:
        open_ = [fact for fact in open_ if fact.key in ("resident_in", "lives_in")]
    return [*open_] if len(open_) == 1 else []
