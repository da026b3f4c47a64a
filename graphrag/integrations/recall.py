"""What a search recalls, as plain values: a sentence with its time, where it stands, two times."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graphrag.display.cards import lifetime, triple
from graphrag.model.values import JSON, Episode, Fact
from graphrag.search.request import Scope
from graphrag.search.results import Hit, Results
from graphrag.view.view import View


@dataclass(frozen=True, slots=True)
class Recalled:
    """One hit for a framework: a text for its prompt, and everything else as JSON."""

    id: str
    """Of the fact or the episode."""
    text: str
    """A fact in words, names in full, and when it holds; or an episode's words."""
    score: float
    """Relevance, 0 to 1: comparable across searches."""
    metadata: dict[str, JSON]
    """``kind``, ``score`` (the order), ``valid_from``, ``valid_to``, ``known_from``, ``entities``,
    ``episodes``, ``quote``; of facts ``relation`` too, of episodes ``name`` and ``source``."""


SCOPES: Sequence[Scope] = ("facts", "episodes")


async def recall(
    view: View, query: str, *, limit: int = 10, scopes: Sequence[Scope] = ("facts",)
) -> list[Recalled]:
    """Search facts, episodes, or both, and return them best first.

    An episode that a fact found with it quotes whole is left out.

    Raises:
        QueryError: if it cannot be searched so.
    """
    results = await view.search(query, limit=limit, scopes=scopes)
    facts = [of_fact(hit, results) for hit in results.facts]
    quoted = {one.metadata["quote"] for one in facts}
    episodes = [of_episode(hit) for hit in results.episodes if hit.item.content not in quoted]
    found = [*facts, *episodes]
    if len(scopes) > 1:  # the scores of two scopes do not compare, relevance does
        found.sort(key=lambda one: -one.score)
    return found[:limit]


def of_fact(hit: Hit[Fact], results: Results) -> Recalled:
    """Return a fact with its lifetime and the words that state it."""
    fact = hit.item
    return Recalled(
        fact.id,
        f"{triple(fact)} ({lifetime(fact)})",
        hit.relevance,
        {
            "kind": "fact",
            "score": hit.score,
            "valid_from": _iso(fact.valid_at),
            "valid_to": _iso(fact.invalid_at),
            "known_from": _iso(fact.created_at),
            "entities": [fact.subject, fact.object],
            "relation": fact.relation,
            "episodes": list(fact.episodes),
            "quote": results.source_of(fact),
        },
    )


def of_episode(hit: Hit[Episode]) -> Recalled:
    """Return an episode: what it says is its own quote."""
    episode = hit.item
    return Recalled(
        episode.id,
        episode.content,
        hit.relevance,
        {
            "kind": "episode",
            "score": hit.score,
            "valid_from": _iso(episode.valid_at),
            "valid_to": None,
            "known_from": _iso(episode.created_at),
            "entities": [],
            "episodes": [episode.id],
            "quote": episode.content,
            "name": episode.name,
            "source": episode.source_description,
        },
    )


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
