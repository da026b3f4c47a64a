"""The jobs of a record: as what, until when, and those of a list of them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from graphrag.extract.rules.key_relations import EMPLOYED, JOBS, POSTS, Link
from graphrag.extract.rules.register import Fact, Fields, Register, Text, linked, snake
from graphrag.model.values import JSON

CAREER: Final = frozenset(
    "jobs positions employment employments employment_history career experience work_experience "
    "work_history job_history".split()
)
"""Keys of a list of jobs."""
_BODIES: Final = frozenset(
    "employer company organization organisation org firm institution workplace".split()
)
_LEFT: Final = frozenset(
    "resigned terminated dismissed left former inactive fired departed quit".split()
)
"""What the status of somebody is who works somewhere no more."""
_FORMER: Final = re.compile("former_|previous_|ex_|old_")
_TITLES: Final = frozenset("mr mrs ms miss mx dr prof professor sir dame rev".split())
_ROLE: Final = Link("has_role", "role")


def spell_of(name: Text, item: JSON) -> Fields:
    """Return a job of a list as a record of whose it is; nothing if it is none."""
    if not isinstance(item, dict) or not _BODIES & item.keys():
        return {}
    own = {"employer" if key in _BODIES else key: value for key, value in item.items()}
    return {"name": name, **{key: value for key, value in own.items() if key != "name"}}


def leave(facts: Sequence[Fact], fields: Fields) -> None:
    """End the job of a record that says that it is left: ``"status": "resigned"``."""
    status = fields.get("status", fields.get("employment_status"))
    gone = isinstance(status, str) and status.strip().casefold() in _LEFT
    if gone or fields.get("active") is False or fields.get("is_active") is False:
        for fact in facts:
            if fact.relation == "works_at" and fact.end is None:
                fact.over = True


def implied(facts: Sequence[Fact], fields: Fields, register: Register) -> Iterator[Fact]:
    """Yield what a title says besides: a director works there, a head teacher leads the school.

    And as what somebody works there.
    """
    for fact in facts:
        if fact.object.entity_type != "organization":
            continue
        if fact.key in EMPLOYED and fact.relation == "leads" and not fact.over:
            yield replace(fact, relation="works_at", title="", origin="inferred")
        elif fact.relation == "works_at":
            for job in JOBS if not _FORMER.match(fact.key) else ():
                value = fields.get(job)
                if isinstance(value, Text) and value.casefold().strip(".") not in _TITLES:
                    yield from _as_what(fact, job, value, register)


def _as_what(fact: Fact, job: str, value: Text, register: Register) -> Iterator[Fact]:
    if snake(value) in EMPLOYED and not fact.over:
        title = str(value)
        yield replace(fact, relation="leads", start=None, end=None, title=title, origin="inferred")
    role = register.entity(value, "concept") if job in POSTS else None
    for made in linked(fact.subject, role, key=job, link=_ROLE, at=value) if role else ():
        made.start, made.end, made.over = fact.start, fact.end, fact.over
        yield made
