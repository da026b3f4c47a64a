"""What is called off or taken back: ``the merger with Castor is off``, ``not moving after all``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lifetime import Life
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name

if TYPE_CHECKING:
    from spacy.tokens import Token

CANCELLED = Life(kind="cancelled")
_PLANS = {
    "merger": "merged_with",
    "takeover": "owned_by",
    "acquisition": "acquired",
    "wedding": "married_to",
    "engagement": "engaged_to",
    "move": "lives_in",
    "transfer": "plays_for",
}
"""Nouns of what is planned, to the relation that it would begin."""
_OFF = frozenset({"off", "cancelled", "canceled", "dead"})
_CALLED = frozenset({"cancel", "scrap", "abandon", "call"})


def read_cancelling(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield the plans that a clause says will not happen."""
    said = {child.lower_ for child in clause.verb.children}
    off = clause.lemma == "be" and bool(said & _OFF)
    called = (
        clause.lemma in _CALLED and clause.passive and (clause.lemma != "call" or "off" in said)
    )
    fell = clause.lemma == "fall" and "through" in said
    if clause.negated or not (off or called or fell):
        return
    for noun in clause.subjects:
        relation = _PLANS.get(noun.lemma_.lower())
        names = _parties(noun, line) if relation else []
        if relation and names:
            yield line.draft(names[0], relation, names[1] if names[1:] else None, CANCELLED)


def _parties(noun: "Token", line: Line) -> list[Name]:
    """Return whose plan it is, and with or to whom or where."""
    owner = line.scene.possessor_of(noun, line.offset)
    found = [owner] if owner is not None and owner.named else []
    for child in noun.children:
        if child.dep_ == "prep" and child.lower_ in ("with", "to", "of", "between"):
            for target in child.children:
                name = line.name(target) if target.dep_ in ("pobj", "conj") else None
                if name is not None and name.named and name not in found:
                    found.append(name)
    return found
