"""What the keys of a record mean: names, types, relations and dates, as tables.

A key is read only where it can mean one thing: "city" is a home for a person and a seat for a
company, "children" are children of people and not of the nodes of a tree. What no table lists
stays an attribute, because a wrong fact costs more than a missing one.
"""

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from graphrag.names import name_key

Types = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A relation that keys stand for: from the record to the value, or back if ``flipped``."""

    relation: str
    keys: str
    """Separated by spaces."""
    value: str = "thing"
    """Type of what the value names."""
    of: Types = ()
    """Types of record that may say it; any if empty."""
    flipped: bool = False
    proves: str = ""
    """Type that a record with such a key must have."""
    by: Types = ()
    """Keys one of which must carry the record's name, if any."""
    unless: Types = ()
    """Keys beside which it means something else."""
    ends: bool = False


_CONTACT: Final = ("email", "phone", "mobile", "telephone")
JOBS: Final = ("occupation", "job_title", "position", "role", "title", "profession")
_HEADS: Final = (
    "managing_director ceo chief_executive head_coach coach principal head_teacher headteacher"
)
EMPLOYED: Final = frozenset(_HEADS.split())
"""Titles whose holder works for what they lead, and leads what they work for."""
_FILM: Final = ("genre", "year", "release_date", "runtime", "isbn")
_STAFF: Final = ("teacher", "lecturer", "employee")
_STUDY: Final = "school university college"
_BODY: Final = "organization"
_PERSON: Final = "person"
_ORG: Final = (_BODY,)
_ONE: Final = (_PERSON,)
_ANY: Final = ("organization", "place", "thing")

# Of the places where a record is or lives, the first one in this order counts.
_LINKS: Final = (
    Link(
        "works_at", "employer works_at works_for workplace employed_by", _BODY, _ONE, proves=_PERSON
    ),
    Link("works_at", f"{_STUDY} hospital", _BODY, _ONE, by=_STAFF),
    Link("works_at", "company organization organisation firm", _BODY, _ONE),
    Link("works_at", "employees staff", _PERSON, _ORG, True, _BODY),
    Link("lives_in", "resident_in lives_in", "place", _ONE, proves=_PERSON),
    Link("lives_in", "residence place_of_residence home moved_to", "place", _ONE),
    Link("lives_in", "city town village home_address address", "place", _ONE),
    Link("lives_in", "residents inhabitants", _PERSON, ("place",), True),
    Link("lives_in", "moved_from", "place", _ONE, ends=True),
    Link("located_in", "located_in", "place", _ANY),
    Link("located_in", "registered_office headquarters head_office", "place", _ANY, proves=_BODY),
    Link("located_in", "address", "place", (_BODY, "place"), unless=_CONTACT),
    Link("located_in", "seat city town village location", "place", _ANY, unless=_CONTACT),
    Link("located_in", "place region county country", "place", _ANY, unless=_CONTACT),
    Link("located_in", "moved_from", "place", _ANY, ends=True),
    Link("married_to", "spouse husband wife married_to", _PERSON, _ONE, proves=_PERSON),
    Link("leads", f"{_HEADS} chair chairman chairwoman chairperson", _PERSON, _ANY, True, _BODY),
    Link("leads", "mayor", _PERSON, _ANY, True, "place"),
    Link("reports_to", "manager line_manager supervisor boss reports_to", _PERSON, _ONE),
    Link("leads", "head president manager", _PERSON, _ANY, True),
    Link("leads", "director editor", _PERSON, _ANY, True, unless=_FILM),
    Link("founded", "founder founders founded_by co_founder co_founders", _PERSON, _ANY, True),
    Link("founded", "founded", _BODY, _ONE),
    Link("owned_by", "owner owners owned_by proprietor", "thing", (*_ANY, "work")),
    Link("part_of", "parent_company parent_organization subsidiary_of", _BODY, _ANY),
    Link("part_of", "part_of", "thing", (*_ANY, "event", "work")),
    Link("part_of", "subsidiaries", _BODY, _ORG, True),
    Link("member_of", "member_of", _BODY),
    Link("member_of", "members", "thing", (_BODY, "thing"), True),
    Link("plays_for", "plays_for", _BODY, _ONE, proves=_PERSON),
    Link("plays_for", "club team", _BODY, _ONE, by=("player",)),
    Link("plays_for", "squad players", _PERSON, _ORG, True),
    Link("studies_at", "pupil_at student_at studies_at enrolled_at", _BODY, _ONE, proves=_PERSON),
    Link("studies_at", _STUDY, _BODY, _ONE, unless=(*JOBS, *_STAFF, "employer")),
    Link("studies_at", "students pupils", _PERSON, _ORG, True),
    Link("parent_of", "son sons daughter daughters", _PERSON, _ONE, proves=_PERSON),
    Link("parent_of", "child children", _PERSON, _ONE),
    Link("parent_of", "mother father", _PERSON, _ONE, True, _PERSON),
    Link("parent_of", "parent parents", _PERSON, _ONE, True),
    Link("sibling_of", "brother brothers sister sisters", _PERSON, _ONE, proves=_PERSON),
    Link("sibling_of", "sibling siblings", _PERSON, _ONE),
    Link("friend_of", "friend friends friend_of", _PERSON, _ONE),
    Link("born_in", "born_in birthplace birth_place place_of_birth", "place", _ONE, proves=_PERSON),
    Link("likes", "likes", "thing", _ONE),
    Link("has_status", "status", "thing", _ANY, unless=_CONTACT),
    Link("acquired", "acquired", _BODY, _ORG),
    Link("acquired", "acquired_by", _BODY, _ANY, True),
    Link("merged_with", "merged_with", _BODY, _ANY),
    Link("attends", "attendees participants speakers", _PERSON, ("event",), True),
)
LASTING: Final = frozenset(
    "works_at lives_in located_in married_to leads owned_by part_of member_of plays_for"
    " studies_at reports_to has_status".split()
)
_IS: Final = frozenset(
    "married_to owned_by part_of member_of parent_of sibling_of friend_of".split()
)
_PART: Final = re.compile(r"\b(member|parent|sibling|friend) of")
_RELATIONS: Final = frozenset(link.relation for link in _LINKS)
_SAID: Final = {"located_in": "is in", "born_in": "was born in", "has_status": "has the status"}


def phrase(relation: str, *, over: bool = False) -> str:
    """Return the words between subject and object."""
    words = relation.replace("_", " ")
    if relation not in _RELATIONS:
        return f"has {words}"
    words = _SAID.get(relation) or (f"is {words}" if relation in _IS else words)
    words = _PART.sub(r"a \1 of", words)
    if not over:
        return words
    return words.replace("is ", "is no longer ", 1) if words[:3] == "is " else f"no longer {words}"


def _by_key(links: Iterable[Link]) -> dict[str, tuple[Link, ...]]:
    table: dict[str, tuple[Link, ...]] = {}
    for link in links:
        for key in link.keys.split():
            table[key] = (*table.get(key, ()), link)
    return table


_LINKS_OF: Final = _by_key(_LINKS)
HOMES: Final[Mapping[tuple[str, str], int]] = {
    (link.relation, key): number * 10 + place
    for number, link in enumerate(_LINKS)
    for place, key in enumerate(link.keys.split())
    if link.relation in ("lives_in", "located_in") and not link.flipped and not link.ends
}
"""Rank of each relation and key that says where a record is."""
_TENSES: Final = {"former_": True, "previous_": True, "ex_": True, "old_": True} | dict.fromkeys(
    ("current_", "present_", "new_"), False
)
_MOVES: Final = {"from_": True, "to_": False}
_MOVING: Final = ("works_at", "plays_for", "studies_at")


@lru_cache(maxsize=4096)
def _links_of(key: str) -> tuple[tuple[Link, ...], bool]:
    """Return what a key may stand for, and whether it speaks of the past ("former_employer")."""
    if found := _LINKS_OF.get(key):
        return found, False
    for prefix, past in (_TENSES | _MOVES).items():
        if key.startswith(prefix) and (found := _LINKS_OF.get(key.removeprefix(prefix))):
            kept = (link for link in found if prefix in _TENSES or link.relation in _MOVING)
            return tuple(kept), past
    return (), False


def base(key: str) -> str:
    """Return a key without its tense: "previous_ceo" is ceo."""
    prefix = next((prefix for prefix in _TENSES if key.startswith(prefix)), "")
    return key.removeprefix(prefix)


def link_of(
    key: str, entity_type: str, named_by: str, beside: Container[str]
) -> tuple[Link, bool] | None:
    """Return what a key says in a record of that type, and whether that is over."""
    links, past = _links_of(key)
    for link in links:
        fits = not link.of or entity_type in link.of
        if fits and (not link.by or named_by in link.by):
            if not any(other in beside for other in link.unless):
                return link, past or link.ends
    return None


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
BEARERS: Final = _typed(
    person="person player employee insured tenant patient student pupil teacher lecturer",
    organization="company organization organisation club school hospital newspaper institution"
    " university college firm charity",
)
TITLED: Final = ("title", "label", "summary")
_OBJECTS: Final = _typed(
    thing="object item product vessel ship boat vehicle building asset device",
    work="book film song album",
    place="venue place town city village region country",
)
NAMING: Final = {**_NAMES, **BEARERS, **dict.fromkeys(TITLED, ""), **_OBJECTS}
"""Keys that carry the name of a record, the surest first, and the type each one tells."""
TOWNS: Final = ("town", "city", "village", "place", "location")
PLACES: Final = frozenset(TOWNS)
POSTAL: Final = frozenset((*_CONTACT, "address", "street", "postcode", "zip"))
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
    if told := NAMING.get(key):
        return told
    titled, dated = key in ("title", "summary"), fields.keys() & _DATED
    social, placed = fields.keys() & _SOCIAL, fields.keys() & PLACES
    if (social and (titled or dated)) or (titled and dated and placed):
        return "event"
    if titled and fields.keys() & _CREATIVE:
        return "work"
    if fields.keys() & _PERSONAL or (
        "company" in fields and not fields.keys().isdisjoint(_CONTACT)
    ):
        return "person"
    for field in fields:
        for link in _links_of(field)[0]:
            if link.proves:
                return link.proves
    return expected or "thing"


ALIASES: Final = frozenset(
    "former_name former_names previous_name previous_names old_name formerly formerly_known_as"
    " renamed_from renamed_to new_name alias aliases aka also_known_as nickname maiden_name"
    " birth_name native_name name_in_passport trading_as".split()
)

GENERIC: Final = {
    **dict.fromkeys(
        "since from start valid_from start_date effective effective_from".split(), False
    ),
    **dict.fromkeys("until to end valid_until valid_to end_date left".split(), True),
}
"""Keys of dates without a relation of their own, and whether they are ends."""
SIDES: Final = {
    **dict.fromkeys("since from start on date".split(), False),
    "until": True,
    "to": True,
}
"""Last words of such keys as "owner_since"."""
MOMENTS: Final[Mapping[str, tuple[str, ...]]] = {
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


def is_date(key: str) -> bool:
    """Tell whether a key may hold a date that dates a relation."""
    return key in GENERIC or key in MOMENTS or key.rpartition("_")[2] in SIDES


@dataclass(frozen=True, slots=True)
class Act:
    """A record of something that happened to people or companies, not of a thing with a name."""

    relation: str = ""
    """Relation between its two parties."""
    party: str = "person"
    ends: bool = False
    subject: str = ""
    """Key of the one it happened to."""
    dates: Types = ()
    """Relations of the subject that begin with it."""


ACTS: Final = {
    "marriage": Act("married_to"),
    "wedding": Act("married_to"),
    "divorce": Act("married_to", ends=True),
    "merger": Act("merged_with", "organization", subject="continuing_name"),
    "birth": Act(subject="child", dates=("born_in", "parent_of")),
}
PARTY_KEYS: Final = ("parties", "spouses", "couple", "companies", "partners")
ACT_DATES: Final = ("effective", "date", "effective_date")


def act_of(fields: Mapping[str, object]) -> Act | None:
    """Return the act that a record records, if it also says of whom."""
    for key in ("record", "event", "act", "type", "kind"):
        kind = fields.get(key)
        act = ACTS.get(snake(kind)) if isinstance(kind, str) else None
        if act and (act.subject in fields or not fields.keys().isdisjoint(PARTY_KEYS)):
            return act
    return None


_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_WORD: Final = re.compile(r"[\W_]+")


@lru_cache(maxsize=4096)
def snake(key: str) -> str:
    """Return a key in snake_case: "@type" is type, "jobTitle" is job_title."""
    return _NO_WORD.sub("_", _HUMP.sub("_", key)).strip("_").lower()


_NOBODY: Final = frozenset(
    "n/a na none null nil unknown tbd tba yes no true false other self vacant ok success error"
    " self-employed unemployed retired freelance various anonymous everyone present".split()
)
_COMPANY: Final = frozenset(
    "ltd limited inc corp llc plc gmbh group holdings bank council trust foundation university"
    " college company co association media club school ministry department agency office".split()
)
_NAMELESS: Final = re.compile(r"[\x00-\x1f\ud800-\udfff@{}<>|\\]|://|^\W*$|^[\W\d]+$")
_CODE: Final = re.compile(r"[\d_:/#]")


def is_name(text: str, entity_type: str) -> bool:
    """Tell whether a string can be the name of something of that type."""
    if _NAMELESS.search(text) or text.casefold() in _NOBODY or not name_key(text):
        return False
    if entity_type not in ("person", "place"):
        return True
    shouted = len(text) <= 3 and text.isascii() and text.isupper()
    if _CODE.search(text) or (shouted and entity_type == "place"):
        return False
    uncapitalised = text == text.lower() != text.upper()
    company = text.rpartition(" ")[2].casefold().rstrip(".") in _COMPANY
    return entity_type == "place" or not (uncapitalised or company)


_CONTAINERS: Final = frozenset(
    "residents events records extract items results data rows entries features".split()
)
TECHNICAL: Final = frozenset(
    "meta metadata config settings options links params headers schema properties extra".split()
)


def is_relation(key: str) -> bool:
    """Tell whether an unknown key may name a relation."""
    return 1 < len(key) <= 40 and key not in _CONTAINERS and not any(map(str.isdigit, key))
