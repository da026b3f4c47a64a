"""The relations that keys of a record stand for, as a table."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

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


CONTACT: Final = ("email", "phone", "mobile", "telephone")
FIGURES: Final = {
    key: relation
    for relation, keys in {
        "costs": "price cost fee unit_price",
        "earns": "salary wage",
        "has_employees": "employees headcount number_of_employees employee_count",
        "has_population": "population inhabitants",
        "has_version": "version",
        "has_phone": "phone phone_number telephone mobile",
        "has_email": "email e_mail email_address",
    }.items()
    for key in keys.split()
}
"""Keys of numbers that change with time, to the relation by which a text says the same."""
POSTS: Final = ("job_title", "position", "role", "title")
"""Keys of what somebody is where they work; what they are by occupation they are anywhere."""
JOBS: Final = ("occupation", *POSTS, "profession")
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

# A key is read only where it can mean one thing: "city" is a home for a person and a seat for a
# company, "children" are children of people and not of the nodes of a tree. What no table lists
# stays an attribute, because a wrong fact costs more than a missing one.
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
    Link("located_in", "address", "place", (_BODY, "place"), unless=CONTACT),
    Link("located_in", "seat city town village location", "place", _ANY, unless=CONTACT),
    Link("located_in", "place region county country", "place", _ANY, unless=CONTACT),
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
    Link("has_status", "status", "thing", _ANY, unless=CONTACT),
    Link("acquired", "acquired", _BODY, _ORG),
    Link("acquired", "acquired_by", _BODY, _ANY, True),
    Link("merged_with", "merged_with", _BODY, _ANY),
    Link("attends", "attendees participants speakers", _PERSON, ("event",), True),
)
LASTING: Final = frozenset(
    "works_at lives_in located_in married_to leads owned_by part_of member_of plays_for"
    " studies_at reports_to has_status".split()
)
RELATIONS: Final = frozenset(link.relation for link in _LINKS)


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
def links_of(key: str) -> tuple[tuple[Link, ...], bool]:
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
    links, past = links_of(key)
    for link in links:
        fits = not link.of or entity_type in link.of
        if fits and (not link.by or named_by in link.by):
            if not any(other in beside for other in link.unless):
                return link, past or link.ends
    return None


_CONTAINERS: Final = frozenset(
    "residents events records extract items results data rows entries features".split()
)
TECHNICAL: Final = frozenset(
    "meta metadata config settings options links params headers schema properties extra".split()
)


def is_relation(key: str) -> bool:
    """Tell whether an unknown key may name a relation."""
    return 1 < len(key) <= 40 and key not in _CONTAINERS and not any(map(str.isdigit, key))
