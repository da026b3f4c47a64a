"""Look at a table of facts without telling any: what is in it, and whether it can be read."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from graphrag.direct.files import Placed
from graphrag.direct.given import GivenFact
from graphrag.direct.table import given_row
from graphrag.names import name_key

_VECTORS = ("embedding", "subject_embedding", "object_embedding")


@dataclass(slots=True)
class Survey:
    """What a table says."""

    rows: int = 0
    names: set[str] = field(default_factory=set)
    """Keys of all that facts are about."""
    relations: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    """The first sentences."""


def survey(facts: Iterable[GivenFact], *, examples: int = 3) -> Survey:
    """Count what facts are about.

    Raises:
        InputError: naming the first that cannot be used.
    """
    found = Survey()
    for fact in facts:
        found.rows += 1
        found.names |= {name_key(fact.subject.mention.name), name_key(fact.object.mention.name)}
        found.relations[fact.relation] += 1
        if len(found.examples) < examples:
            found.examples.append(_told(fact))
    return found


def _told(fact: GivenFact) -> str:
    words = fact.relation.replace("_", " ")
    sentence = fact.fact or f"{fact.subject.mention.name} {words} {fact.object.mention.name}."
    days = [f"{moment:%Y-%m-%d}" if moment else "" for moment in (fact.valid_at, fact.invalid_at)]
    return f"{sentence} ({' to '.join(days).strip()})" if any(days) else sentence


def without_vectors(rows: Iterable[Placed]) -> Iterator[GivenFact]:
    """Yield the facts of rows; vectors are left out, as only a graph knows how long they are."""
    for place, row in rows:
        bare = {name: cell for name, cell in row.items() if name not in _VECTORS}
        yield given_row(bare, place, source=None, dimension=0)
