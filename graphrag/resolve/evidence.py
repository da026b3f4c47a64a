"""What the attributes of two say of whether they are one, beside their names.

Names that are equal are one only if no attribute speaks against it. To be proposed, a pair needs a
sum of weights: alike names have it alone, and so have an equal birth date and address under another
name; what excludes each other takes it away. The weights are rough logarithms of odds, and only
their order matters: an identifier is worth more than a birth date, which is worth an address and a
half.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from graphrag.names.identifiers import Identifier, unique
from graphrag.names.likeness import ALIKE
from graphrag.names.particulars import Kind, Outcome, compared, particulars, slipped

Declared = Mapping[str, Iterable[str]]
"""Identifier attributes by type of entity."""

_ENOUGH = 6.0
"""What a pair needs to be proposed."""
_NAMES = ((ALIKE, _ENOUGH), (0.8, 4.0), (0.7, 2.0), (0.0, -2.0))
"""The weight of names of at least this likeness."""
_IDENTIFIER: Mapping[Outcome, float] = {"same": 10.0, "slip": 3.0, "other": -4.0}
_WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "born": {"same": 6.0, "like": 1.0, "slip": 3.0, "other": -6.0},
    "died": {"same": 4.0, "like": 1.0, "slip": 2.0, "other": -6.0},
    "address": {"same": 4.0, "like": 2.0, "other": -2.0},
    "phone": {"same": 4.0},
    "people": {"same": 3.0, "like": 1.0, "other": -6.0},
    "year": {"same": 1.0, "slip": 1.0, "other": -4.0},
    "maker": {"same": 1.0, "other": -1.0},
    "model": {"same": 5.0, "other": -5.0},
    "text": {"same": 3.0},
}
_EXCLUDING: Mapping[str, Collection[str]] = {
    "born": ("slip", "other"),
    "died": ("slip", "other"),
    "address": ("other",),
    "people": ("like", "other"),
    "year": ("slip", "other"),
    "model": ("other",),
}
"""With these no rule makes one of two, whatever their names are."""
_CERTAIN: frozenset[Kind] = frozenset({"born", "address", "phone"})
"""What tells which of several bearers of one name is meant."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the attributes of two say; of two without any in common, nothing."""

    weight: float = 0.0
    """Above 0 for one, below 0 for two."""
    excludes: bool = False
    """True if they differ in what one and the same cannot differ in, were it by a slip."""
    certain: bool = False
    """True if they agree in what no two of one name share."""
    two: bool = False
    """True if they were born or died at other times: one identifier may be a family's."""
    same_record: bool = False
    """True if everything that is known of one is known of the other."""

    def score(self, likeness: float) -> float:
        """Return from 0 to 1 how likely two are one whose names are so much alike.

        ``ALIKE`` and above are to be proposed.
        """
        weight = next(weight for least, weight in _NAMES if likeness >= least) + self.weight
        if not self.weight:
            return likeness
        if weight < _ENOUGH:
            return min(likeness, 0.05 * max(weight, 0.0))
        return min(max(likeness, ALIKE) + 0.01 * max(self.weight, 0.0), 0.99)


NOTHING = Evidence()


def evidence(
    one: Collection[Identifier], other: Collection[Identifier], kind: str, declared: Declared
) -> Evidence:
    """Weigh the attributes of two of a type, as ``identifiers`` yields them."""
    if not one or not other:
        return NOTHING
    weight, excludes = 0.0, False
    outcome = _identifiers(set(unique(one, kind, declared)), set(unique(other, kind, declared)))
    if outcome is not None:
        weight, excludes = _IDENTIFIER[outcome], outcome != "same"
    outcomes = compared(particulars(one), particulars(other))
    weight += sum(_WEIGHTS[about].get(how, 0.0) for about, how in outcomes.items())
    excludes |= any(how in _EXCLUDING.get(about, ()) for about, how in outcomes.items())
    certain = outcome == "same" or any(outcomes.get(about) == "same" for about in _CERTAIN)
    two = "other" in (outcomes.get("born"), outcomes.get("died"))
    return Evidence(weight, excludes, certain and not excludes, two, set(one) <= set(other))


def _identifiers(one: set[Identifier], other: set[Identifier]) -> Outcome | None:
    if one & other:
        return "same"
    pairs = [(left[1], right[1]) for left in one for right in other if left[0] == right[0]]
    if not pairs:
        return None
    return "slip" if any(slipped(*pair) for pair in pairs) else "other"
