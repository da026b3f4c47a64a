"""Records of something that happened to people, companies or places: a marriage, a merger."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graphrag.rules.dating import dated, period_of
from graphrag.rules.fields import TOWNS
from graphrag.rules.links import Link, Types
from graphrag.rules.placed import Fields, listed, names, snake
from graphrag.rules.register import Register, linked


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


_ACTS: Final = {
    "marriage": Act("married_to"),
    "wedding": Act("married_to"),
    "divorce": Act("married_to", ends=True),
    "merger": Act("merged_with", "organization", subject="continuing_name"),
    "birth": Act(subject="child", dates=("born_in", "parent_of")),
}
_PARTIES: Final = ("parties", "spouses", "couple", "companies", "partners")
_DATES: Final = ("effective", "date", "effective_date")


def act_of(fields: Mapping[str, object]) -> Act | None:
    """Return the act that a record records, if it also says of whom."""
    for key in ("record", "event", "act", "type", "kind"):
        kind = fields.get(key)
        act = _ACTS.get(snake(kind)) if isinstance(kind, str) else None
        if act and (act.subject in fields or not fields.keys().isdisjoint(_PARTIES)):
            return act
    return None


def record_act(
    register: Register, fields: Fields, *, act: Act, reference_time: datetime
) -> datetime | None:
    """Register what an act did to its two parties; return the time of it."""
    periods = (period_of(fields.get(key), reference_time) for key in _DATES)
    when = next(filter(None, periods), None)
    start = when.start if when else None
    found = [fields[key] for key in _PARTIES if key in fields]
    parties = [name for value in found for name in names(listed(value), act.party)]
    if act.relation and len(parties) == 2:
        one, other = (register.entity(name, act.party) for name in parties)
        link = Link(act.relation, act.relation)
        for fact in linked(one, other, key=act.relation, link=link, at=parties[0]):
            fact.over = act.ends
            fact.start, fact.end = (None, start) if act.ends else (start, None)
            dated([fact], dict(fields), entity_type="act", reference_time=reference_time)
            register.facts.append(fact)
    return start


def record_venue(register: Register, fields: Fields) -> None:
    """Place a venue in the town named beside it."""
    venue = names([fields["venue"]], "place")
    towns = [name for key in TOWNS for name in names([fields.get(key)], "place")]
    if venue and towns:
        one, other = register.entity(venue[0], "place"), register.entity(towns[0], "place")
        link = Link("located_in", "venue")
        register.facts += linked(one, other, key="venue", link=link, at=towns[0])
