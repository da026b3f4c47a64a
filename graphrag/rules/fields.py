"""What the keys of a record say of the record itself: its name, its type and its attributes."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

from graphrag.models import JSON
from graphrag.rules.links import CONTACT, links_of
from graphrag.rules.placed import Fields, Text, is_name, names, snake

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
    thing="object item product vessel ship boat vehicle building asset device",
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
    " last_name surname given_name family_name maiden_name".split()
)
_SOCIAL: Final = frozenset("attendees participants speakers organizer organiser venue".split())
_DATED: Final = frozenset("date starts_at start_time start_date start doors".split())
_CREATIVE: Final = frozenset("author authors isbn pages genre publisher director editor".split())


def type_of(fields: Mapping[str, object], key: str, expected: str) -> str:
    """Return the type of a record: stated, told by the key of its name, proved, or expected."""
    for kind in ("type", "kind", "entity_type"):
        stated = fields.get(kind)
        if isinstance(stated, str) and stated.strip():
            if found := _KINDS.get(snake(stated).rpartition("_")[2]):
                return found
    if told := _NAMING.get(key):
        return told
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


def unwrapped(fields: Fields) -> Fields:
    """Return a record whose name is inside an object ("employee": {"name": ..}) as a flat one."""
    key = next((key for key in _NAMING if key in fields), "")
    inner = fields.get(key)
    if key not in _BEARERS or not isinstance(inner, dict):
        return fields
    named_by, name = name_of(inner, "", "")
    if name is None:
        return fields
    rest = {other: value for other, value in inner.items() if other != named_by}
    return {**rest, **fields, key: name}


def name_of(fields: Fields, expected: str, named: str) -> tuple[str, Text | None]:
    """Return the key that carries a record's name, and the name."""
    first, last = (fields.get(key) for key in ("first_name", "last_name"))
    if not named and isinstance(first, Text) and isinstance(last, Text):
        whole = Text.at(f"{first} {last}", min(first.start, last.start), max(first.end, last.end))
        if "name" not in fields and is_name(whole, "person"):
            return "first_name", whole.bare()
    for key in (named,) if named else _NAMING:
        told = _NAMING.get(key, "")
        unsure = expected == "person" and (key in _TITLED or told not in ("", "person"))
        unsure = unsure or (key == "summary" and type_of(fields, key, "") != "event")
        if key in fields and not unsure:
            if found := names([fields[key]], told or "thing", whole=True):
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
