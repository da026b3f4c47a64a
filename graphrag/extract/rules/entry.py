"""Keys of a record that describe it: name, type, attributes, and dates with their relations."""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from graphrag.extract.rules.keys import CONTACT, LASTING, Link, links_of
from graphrag.extract.rules.register import Fact, Fields, Life, Text, is_name, names, snake
from graphrag.model.values import JSON
from graphrag.temporal.interval import Period
from graphrag.temporal.phrase import resolve_phrase

_BROKEN: Final = re.compile(r"[\ud800-\udfff]")


def _typed(**words: str) -> dict[str, str]:
    return {word: type_ for type_, listed in words.items() for word in listed.split()}


_KINDS: Final = _typed(
    person="person people human player employee student",
    organization="organization organisation company corporation club school hospital newspaper"
    " university college business firm charity agency institution ngo bank museum theatre",
    place="place town city river village region country county valley island lake mountain street",
    event="event concert festival meeting conference match fair",
    work="work book film movie novel song album painting poem article",
    thing="thing object product vehicle vessel",
)
_NAMES: Final = dict.fromkeys(("name", "full_name", "display_name"), "")
_BEARERS: Final = _typed(
    person="person player employee insured tenant patient student pupil teacher lecturer",
    organization="company organization organisation club school hospital newspaper institution"
    " university college firm charity",
)
_TITLED: Final = ("title", "label", "summary")
_OBJECTS: Final = _typed(
    thing="object item product vessel ship boat vehicle building asset device service system app",
    work="book film song album",
    place="venue place town city village region country",
)
_NAMING: Final = {**_NAMES, **_BEARERS, **dict.fromkeys(_TITLED, ""), **_OBJECTS}
"""Keys that carry the name of a record, the surest first, and the type each one tells."""
TOWNS: Final = ("town", "city", "village", "place", "location")
PLACES: Final = frozenset(TOWNS)
POSTAL: Final = frozenset((*CONTACT, "address", "street", "postcode", "zip"))
"""Keys beside which a town is the end of somebody's address."""
SOMEBODY: Final = frozenset("customer client user contact author assignee reviewer".split())
"""Keys of who may be a person or a company, and then lives or is in a place."""

_PERSONAL: Final = frozenset(
    "occupation job_title profession date_of_birth dob birthday born gender nationality first_name"
    " last_name surname given_name family_name maiden_name died date_of_death death_date".split()
)
DEATH: Final = ("died", "date_of_death", "death_date", "died_on", "deceased_on")
"""Keys of the day on which somebody died."""
_SOCIAL: Final = frozenset("attendees participants speakers organizer organiser venue".split())
_DATED: Final = frozenset("date starts_at start_time start_date start doors".split())
_CREATIVE: Final = frozenset("author authors isbn pages genre publisher director editor".split())


def type_of(fields: Mapping[str, object], key: str, expected: str) -> str:
    """Return the type of a record: stated, implied by the key of its name, proved, or expected."""
    for kind in ("type", "kind", "entity_type"):
        stated = fields.get(kind)
        if isinstance(stated, str) and stated.strip():
            if found := _KINDS.get(snake(stated).rpartition("_")[2]):
                return found
    if implied := _NAMING.get(key):
        return implied
    titled, dated = key in ("title", "summary"), fields.keys() & _DATED
    social, placed = fields.keys() & _SOCIAL, fields.keys() & PLACES
    if (social and (titled or dated)) or (titled and dated and placed):
        return "event"
    if titled and fields.keys() & _CREATIVE:
        return "work"
    if fields.keys() & _PERSONAL or ("company" in fields and not fields.keys().isdisjoint(CONTACT)):
        return "person"
    for field in fields:
        for link in links_of(field)[0]:
            if link.proves:
                return link.proves
    return expected or "thing"


ALIASES: Final = frozenset(
    "former_name former_names previous_name previous_names old_name formerly formerly_known_as"
    " renamed_from renamed_to new_name alias aliases aka also_known_as nickname maiden_name"
    " birth_name native_name name_in_passport trading_as".split()
)


def name_of(fields: Fields, expected: str) -> tuple[str, Text | None]:
    """Return the key that carries a record's name, and the name."""
    first, last = (fields.get(key) for key in ("first_name", "last_name"))
    if isinstance(first, Text) and isinstance(last, Text):
        whole = Text.at(f"{first} {last}", min(first.start, last.start), max(first.end, last.end))
        if "name" not in fields and is_name(whole, "person"):
            return "first_name", whole.bare()
    for key in _NAMING:
        implied = _NAMING.get(key, "")
        unsure = expected == "person" and (key in _TITLED or implied not in ("", "person"))
        unsure = unsure or (key == "summary" and type_of(fields, key, "") != "event")
        if key in fields and not unsure:
            if found := names([fields[key]], implied or "thing", whole=True):
                return key, found[0]
    return "", None


def plain(rest: Fields) -> Iterator[tuple[str, JSON]]:
    """Yield the fields that can be attributes."""
    for key, value in rest.items():
        if isinstance(value, str):
            if value.strip() and not _BROKEN.search(value):
                yield key, str(value)
        elif isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
            yield key, value


_FULL_DATE: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ][\d:.]+")
_WHEN: Final = ("date_time", "datetime", "date", "value")
GENERIC: Final = {
    **dict.fromkeys(
        "since from start valid_from start_date effective effective_from".split(), False
    ),
    **dict.fromkeys("until to end valid_until valid_to end_date left".split(), True),
}
"""Keys of dates without a relation of their own, and whether they are ends."""
_SIDES: Final = {key: key in ("until", "to") for key in "since from start on date until to".split()}
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


_LAST: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        "termination_date terminated terminated_at terminated_on resigned resignation_date "
        "exit_date leaving_date last_day last_working_day".split(),
        "works_at",
    ),
    **dict.fromkeys("divorced divorce_date divorced_on divorced_at".split(), "married_to"),
}
"""Keys of dates with which facts of a relation end."""


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
    found = {key: period_of(value, reference_time) for key, value in rest.items() if _is_date(key)}
    dates = {key: period for key, period in found.items() if period}
    stems: dict[str, list[Fact]] = {}
    for fact in facts:
        words = fact.key.split("_")
        for count in range(1, len(words) + 1):
            stems.setdefault("_".join(words[:count]), []).append(fact)
    for key, relation in _LAST.items():
        if period := period_of(rest.get(key), reference_time):
            for life in lives:
                if life.relation == relation and life.end is None:
                    life.end = period.end if relation == "works_at" else period.start
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
                (life.start for life in lives[not holder :] if life.relation == fact.relation), None
            )
    return above


def _datable(facts: list[Fact], entity_type: str) -> list[Life]:
    """Return what a bare "since" can only mean: the one lasting relation, or the residence."""
    if entity_type == "event":
        return [fact for fact in facts if fact.relation == "attends"]
    lasting = (fact for fact in facts if fact.relation in LASTING)
    open_ = [fact for fact in lasting if not (fact.over or fact.start or fact.end)]
    if not open_:
        open_ = [fact for fact in facts if fact.over and not fact.end]
    elif len(open_) > 1:
        homes = [fact for fact in open_ if fact.key in ("resident_in", "lives_in")]
        jobs = [fact for fact in open_ if fact.relation == "works_at"]
        employed = {fact.relation for fact in open_} <= {"works_at", "reports_to"}
        open_ = homes or (jobs if employed else [])
    return [*open_] if len(open_) == 1 else []
