"""The relations that the graph knows by meaning, and how their facts exclude each other.

Any other relation name is welcome and holds any number of objects at once ("likes tea" and "likes
coffee" both stay). Those listed here say more: ``single_valued`` (one object per subject at a time:
a new job ends the old one), ``single_holder`` (one subject per object at a time: a new mayor ends
the old one's term) and ``symmetric`` (``married_to`` reads the same both ways). Pass your own
``Relations`` to override them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Relation:
    """How the facts of one relation behave."""

    name: str
    single_valued: bool = False
    """One object for a subject at a time."""
    single_holder: bool = False
    """One subject for an object at a time."""
    symmetric: bool = False
    """Reads the same both ways."""
    exclusive_with: tuple[str, ...] = ()
    """Relations that the same pair of entities cannot have at the same time."""


_DEFAULT = (
    Relation("works_at", single_valued=True),
    Relation("employed_by", single_valued=True),
    Relation("lives_in", single_valued=True),
    Relation("located_in", single_valued=True),
    Relation("married_to", single_valued=True, symmetric=True),
    Relation("engaged_to", single_valued=True, symmetric=True),
    Relation("reports_to", single_valued=True),
    Relation("has_status", single_valued=True),
    Relation("owned_by", single_valued=True),
    Relation("studies_at", single_valued=True),
    Relation("plays_for", single_valued=True),
    Relation("named", single_valued=True),
    Relation("has_role", single_valued=True),
    Relation("leads", single_holder=True),
    Relation("born_in", single_valued=True),
    Relation("sibling_of", symmetric=True),
    Relation("friend_of", symmetric=True),
    Relation("partner_of", symmetric=True),
    Relation("merged_with", symmetric=True),
    Relation("travels_with", symmetric=True),
    Relation("likes", exclusive_with=("dislikes",)),
    Relation("dislikes", exclusive_with=("likes",)),
)


class Relations(Mapping[str, Relation]):
    """Relations by name; an unknown name gives a relation without constraints.

    ``Relations()`` are the built-in ones, ``Relations([...])`` only those given, and
    ``Relations().having(...)`` the built-in ones with some added or replaced.
    """

    def __init__(self, relations: Iterable[Relation] = _DEFAULT) -> None:
        self._by_name = {relation.name: relation for relation in relations}

    def __getitem__(self, name: str) -> Relation:
        """Return the relation, or an unconstrained one of that name."""
        return self._by_name.get(name) or Relation(name)

    def __contains__(self, name: object) -> bool:
        """Tell whether the relation was declared."""
        return name in self._by_name

    def __iter__(self) -> Iterator[str]:
        """Iterate over the declared names."""
        return iter(self._by_name)

    def __len__(self) -> int:
        """Count the declared relations."""
        return len(self._by_name)

    def __repr__(self) -> str:
        """Show how many are declared."""
        return f"Relations({len(self)} declared)"

    def having(self, *relations: Relation) -> "Relations":
        """Return these relations with some added or replaced."""
        return Relations((*self._by_name.values(), *relations))
