"""How much each method counts in each scope, as chosen on data."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite

from graphrag.errors import QueryError


def checked_weights(weights: Mapping[str, float]) -> None:
    """Refuse weights that cannot mean anything.

    Raises:
        QueryError: if one is below 0 or not finite, or if all are 0.
    """
    given = ", ".join(f"{name}={weight!r}" for name, weight in weights.items())
    if not all(isfinite(weight) and weight >= 0 for weight in weights.values()):
        raise QueryError(f"weights {given}: weights are finite, 0 or more")
    if not any(weights.values()):
        raise QueryError(f"weights {given}: at least one is above 0")


@dataclass(frozen=True, slots=True)
class FactWeights:
    """Weights of the methods that rank facts; 0 leaves a method out."""

    vector: float = 0.65
    """Meaning: cosine of query and fact."""
    fulltext: float = 0.35
    """Words: BM25."""
    graph: float = 0.2
    """Closeness to the entities that the query names or finds, or to given ones; less, the more of
    the facts are about those."""
    time: float = 0.5
    """Holding at a time that the question speaks of; counts only if it does."""
    relation: float = 0.15
    """Being of a relation that the question names, as ``works_at`` by "work": a word that too many
    facts have to be rare in the group. Counts only if it names one that is used."""

    def __post_init__(self) -> None:
        """Refuse what cannot be weights."""
        checked_weights(asdict(self))


@dataclass(frozen=True, slots=True)
class EntityWeights:
    """Weights of the methods that rank entities; 0 leaves a method out."""

    vector: float = 0.65
    """Meaning: cosine of query and name."""
    fulltext: float = 0.35
    """Words: BM25 of the names."""
    graph: float = 0.2
    """Closeness to the entities that the query names or finds, or to given ones."""
    name: float = 1.0
    """Being named in the query, word for word."""
    facts: float = 1.0
    """Being part of a good fact."""

    def __post_init__(self) -> None:
        """Refuse what cannot be weights."""
        checked_weights(asdict(self))


@dataclass(frozen=True, slots=True)
class CommunityWeights:
    """Weights of the methods that rank communities; 0 leaves a method out."""

    vector: float = 0.6
    """Meaning: cosine of the query and the community's name and summary."""
    fulltext: float = 0.4
    """Words: BM25 of the same."""

    def __post_init__(self) -> None:
        """Refuse what cannot be weights."""
        checked_weights(asdict(self))


@dataclass(frozen=True, slots=True)
class EpisodeWeights:
    """Weights of the methods that rank episodes; 0 leaves a method out.

    ``vector`` and ``fulltext`` are shares of one score. What follows adds to it, each as that much
    of the best score that there could be. With ``Recipe(fusion="rrf")`` only the first two count.
    """

    vector: float = 0.6
    """Meaning: cosine of the query and the episode, or its best passage; of a text of many passages
    a part of this weight goes to words."""
    fulltext: float = 0.4
    """Words: BM25 of the best piece."""
    previous: float = 0.3
    """Score of the message before, in the same session."""
    following: float = 0.3
    """Score of the message after: often the reply to a question."""
    answer: float = 0.2
    """Share of its own score that a question in a chat hands on to the message after it."""
    session: float = 0.5
    """Words of the whole session."""
    own: float = 0.1
    """Being said by the user of an assistant, if the question is about the one who asks."""
    newer: float = 1.0
    """Telling other numbers than an earlier message of the user's that says nearly the same: 1 is
    what it takes to come right above that. Not where the query speaks of a time."""
    time: float = 0.3
    """Saying, or being said at, a time that the query speaks of."""
    titles: float = 0.6
    """Being linked by titles to what else is found, where episodes name each other by them."""
    mentions: float = 0.2
    """Speaking of the same entities as what else is found, where they do not."""
    bridge: float = 1.0
    """Answering the query together with one of the first three: the second hop, along titles. Along
    entities a third of it."""
