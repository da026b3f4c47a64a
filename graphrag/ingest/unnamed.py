"""What a text ends, keeps or calls off without naming it: "I quit my job", "she stays after all".

Which job is meant, what is known says: the one that there is.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from graphrag.index.group import BEGINNING, FOREVER
from graphrag.ingest.memory import Memory
from graphrag.model.extraction import EVERY, RECORD, Claim
from graphrag.names.key import name_key
from graphrag.ontology.relations import is_away
from graphrag.temporal.moment import to_micros

_JOB, _POST, _ROLE, _CLUB = "works_at", "leads", "has_role", "plays_for"
_UNSURE: Final = 0.35
"""How sure it is that one of several jobs is meant: it waits for a person."""
_WITH: Final = {
    _JOB: (_POST, _ROLE, _CLUB),
    _POST: (_JOB, _ROLE, _CLUB),
    _ROLE: (_JOB, _POST, _CLUB),
    "partner_of": ("engaged_to", "lives_with"),
    "married_to": (),
    "has_status": (),
    "has_condition": (),
    "studies_at": ("studies",),
    "lives_with": (),
}
"""What else is over with what relation, as far as it is known."""
_WITHIN: Final = (_JOB, _POST, "partner_of")
"""What may end in the very text that says that it is so."""
_OF_PLANTS: Final = frozenset({"vegan", "vegetarian", "pescatarian", "plant-based"})
Held = Mapping[str, Mapping[str, int]]
"""What somebody has of some relations, and since when."""


def ended(claim: Claim, stated: Sequence[Claim], memory: Memory) -> Iterator[Claim]:
    """Yield the ends of what somebody has who "quit my job", "stepped down" or "broke up".

    Of several jobs a person says which is meant. Where no job is known yet, all are over.
    """
    held = _held(claim, stated, memory)
    every, record = EVERY in claim.attributes, RECORD in claim.attributes
    claim = replace(claim, attributes={})
    jobs = held[_JOB].keys() | held[_CLUB].keys()
    unsure = len(jobs) > 1 and not every and (claim.relation == _JOB or not held[_POST])
    for relation, entity in _meant(claim.relation, held, record=record):
        meant = replace(claim, relation=relation, object=memory.named(entity, claim))
        yield replace(meant, confidence=_UNSURE) if unsure else meant
    if claim.relation == _JOB and not any(held.values()):
        yield claim


def _held(claim: Claim, stated: Sequence[Claim], memory: Memory) -> Held:
    """Return what somebody has when something of it ends, by what is known and by the text."""
    who, moment = memory.who(claim.subject), memory.end_of(claim)
    held: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for relation in (claim.relation, *_WITH.get(claim.relation, ())):
        for (_, one, other), row in memory.standing(relation, who):
            first, last = memory.life_of(row)
            own = one == who or memory.relations[relation].symmetric
            if relation == "has_diet" and memory.index.entity_name(other) not in _OF_PLANTS:
                continue
            if relation == "has_status" and not is_away(memory.index.entity_name(other)):
                continue
            if own and first <= moment < last:
                held[relation][other if one == who else one] = first
        for said in stated:
            ongoing = (said.kind, said.ends, said.invalid_at) == ("state", False, None)
            if ongoing and said.relation == relation and said.object is not None:
                if memory.who(said.subject) != who:
                    continue
                if claim.relation in _WITHIN:
                    held[relation][memory.who(said.object)] = BEGINNING
                elif relation == claim.relation:  # "my new number is ...", once more
                    held[relation].pop(memory.who(said.object), None)
    return held


_WORKLESS: Final = frozenset({"unemployed", "jobless", "out of work", "between jobs"})


def employed(claim: Claim, memory: Memory) -> Iterator[Claim]:
    """Yield the end of having no job, where somebody has one."""
    if claim.relation != _JOB or claim.ends or claim.kind != "state" or claim.invalid_at:
        return
    moment = to_micros(claim.valid_at or memory.at, BEGINNING)
    for (_, _, status), row in memory.standing("has_status", memory.who(claim.subject)):
        first, last = memory.life_of(row)
        if first < moment < last and memory.index.entity_name(status) in _WORKLESS:
            over = replace(claim, relation="has_status", object=memory.named(status, claim))
            date = claim.valid_at, claim.valid_precision
            yield replace(over, valid_at=None, invalid_at=date[0], ends=True, attributes={})


def _meant(relation: str, held: Held, *, record: bool) -> Iterator[tuple[str, str]]:
    """Yield what is over of what somebody has."""
    if relation == "partner_of":
        partners = held["partner_of"].keys() | held["engaged_to"].keys()
        yield from ((name, one) for name, ones in held.items() for one in ones if one in partners)
    elif relation == _ROLE and len(held[_ROLE]) == 1 and (held[_JOB] or held[_POST]) and not record:
        yield from ((_ROLE, one) for one in held[_ROLE])
    elif relation == _ROLE:
        yield from _roles_since({at for name in _WITH[_ROLE] for at in held[name].values()}, held)
    elif relation not in (_JOB, _POST):
        yield from ((name, one) for name, ones in held.items() for one in ones)
    elif relation == _POST and held[_POST]:
        yield from ((_POST, one) for one in held[_POST])
        yield from _roles_since({*held[_POST].values()}, held)
    elif relation == _POST and len(held[_ROLE]) == 1:
        yield from ((_ROLE, one) for one in held[_ROLE])
        yield from ((_JOB, one) for one in held[_JOB] if len(held[_JOB]) == 1)
    else:
        yield from ((name, one) for name in (_JOB, _POST, _CLUB) for one in held[name])
        yield from _roles_since(
            {at for name in (_JOB, _POST, _CLUB) for at in held[name].values()}, held
        )


def _roles_since(begun: set[int], held: Held) -> Iterator[tuple[str, str]]:
    """Yield the roles that began with a job: what somebody is by calling did not."""
    yield from ((_ROLE, one) for one, at in held[_ROLE].items() if at in begun)


def kept(claim: Claim, memory: Memory) -> Iterator[Claim]:
    """Yield what goes on though an end of it was announced: all jobs if none is named."""
    who, now = memory.who(claim.subject), memory.now
    where = "" if claim.object is None else name_key(claim.object.name)
    for relation in (_JOB, *_WITH[_JOB]):
        for (_, one, other), row in memory.standing(relation, who):
            first, last = memory.life_of(row)
            named = name_key(memory.index.entity_name(other))
            if one == who and first <= now < last < FOREVER:
                if relation == _ROLE or where in ("", named):
                    yield replace(claim, relation=relation, object=memory.named(other, claim))
    for (_, _, status), row in memory.standing("has_status", who):
        if now < memory.life_of(row)[0] and memory.index.entity_name(status) == "retired":
            object_ = memory.named(status, claim)
            yield replace(claim, relation="has_status", object=object_, kind="cancelled")


def called_off(claim: Claim, memory: Memory) -> Iterator[Claim]:
    """Yield the posts that were to begin and will not."""
    who = memory.who(claim.subject)
    for relation in (_POST, _ROLE):
        for (_, one, other), row in memory.standing(relation, who):
            if one == who and memory.now < memory.life_of(row)[0]:
                yield replace(claim, relation=relation, object=memory.named(other, claim))


def with_job(claim: Claim, memory: Memory) -> Iterator[Claim]:
    """Yield what ends, or is called off, with a job: what it was as, and what was led there."""
    if claim.object is None or claim.relation not in _AT or claim.corrects:
        return
    off = claim.kind == "cancelled"
    if not (off or claim.ends):
        return
    who, body = memory.who(claim.subject), memory.who(claim.object)
    moment = memory.now if off else memory.end_of(claim)
    begun = set[int]()
    for relation in (_JOB, _POST):
        lives = [life for life in memory.lives((relation, who, body)) if _is_on(life, moment, off)]
        begun.update(first for first, _ in lives)
        if lives and relation != claim.relation and claim.relation != _POST:
            yield replace(claim, relation=relation)
    for (_, _, role), row in memory.standing(_ROLE, who) if begun else ():
        first, last = memory.life_of(row)
        if first in begun and _is_on((first, last), moment, off):
            yield replace(claim, relation=_ROLE, object=memory.named(role, claim))


_AT: Final = (_JOB, _POST, "studies_at")
"""What one leaves with a body: who left a school may have led it."""


def _is_on(life: tuple[int, int], moment: int, off: bool) -> bool:
    """Tell whether something goes on at a moment, or is still to begin if it is called off."""
    first, last = life
    return moment < first if off else first <= moment < last
