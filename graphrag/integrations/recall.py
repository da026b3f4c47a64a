"""What a framework recalls from a graph, and the turns of a conversation that it keeps there.

Who speaks is the author, whom "I" means; the role (``user``, ``assistant``) is the source, so that
``Rules(trust={"assistant": -1})`` keeps a model's own words from overruling what people said.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graphrag.display.cards import lifetime, triple
from graphrag.graph import GraphRAG
from graphrag.model.values import JSON, Episode, Fact
from graphrag.search.request import Scope
from graphrag.search.results import Hit, Results
from graphrag.temporal.moment import Moment
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
_ASKED = 1000
"""Characters of a message that memory is searched by."""
_TURN = "turn"
_PAGE = 1000
"""Episodes that are read at a time."""


async def recall(
    view: View, query: str, *, limit: int = 10, scopes: Sequence[Scope] = ("facts",)
) -> list[Recalled]:
    """Search facts, episodes, or both, and return them best first.

    An episode that a fact found with it quotes whole is left out.

    Raises:
        QueryError: if it cannot be searched so.
    """
    results = await view.search(query, limit=limit, scopes=scopes)
    facts = [_of_fact(hit, results) for hit in results.facts]
    quoted = {fact.metadata["quote"] for fact in facts}
    episodes = [_of_episode(hit) for hit in results.episodes if hit.item.content not in quoted]
    recalled = [*facts, *episodes]
    if len(scopes) > 1:  # the scores of two scopes do not compare, relevance does
        recalled.sort(key=lambda item: -item.score)
    return recalled[:limit]


async def recall_text(view: View, message: str, *, limit: int, max_tokens: int) -> str:
    """Return what is known about a message as one text; nothing for an empty message."""
    if not message.strip():
        return ""
    results = await view.search(message[:_ASKED], limit=limit, scopes=SCOPES)
    return str(results.context(max_tokens=max_tokens))


def _of_fact(hit: Hit[Fact], results: Results) -> Recalled:
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


def _of_episode(hit: Hit[Episode]) -> Recalled:
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


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    text: str
    role: str = "user"
    author: str | None = None
    """Name of who speaks; None where nobody knows it."""
    said_at: Moment | None = None
    """None is now."""
    key: str | None = None
    """The framework's own id of it."""
    item: JSON = None
    """The message as the framework has it."""


async def keep(graph: GraphRAG, saga: str | None, turns: Sequence[Turn]) -> None:
    """Add the turns that say anything, in order; one with a known key changes nothing.

    Raises:
        InputError: if something in one cannot be kept.
    """
    for turn in turns:
        if turn.text.strip():
            await graph.add_episode(
                turn.text,
                reference_time=turn.said_at,
                source_description=turn.role,
                metadata={_TURN: turn.item},
                saga=saga,
                key=turn.key,
                author=turn.author,
            )


async def kept(view: View, saga: str, limit: int | None = None) -> list[tuple[Episode, JSON]]:
    """Return the last turns of a saga, or all, in order, each with the item it was kept with."""
    episodes: list[Episode] = []
    while limit is None or len(episodes) < limit:
        size = _PAGE if limit is None else min(_PAGE, limit - len(episodes))
        page = await view.episodes(saga=saga, limit=size, offset=len(episodes))
        episodes += page
        if len(page) < size:
            break
    return [(episode, episode.metadata.get(_TURN)) for episode in reversed(episodes)]


async def drop(graph: GraphRAG, saga: str) -> None:
    """Remove every turn of a saga, with what rests on it alone, the last first."""
    for episode, _ in reversed(await kept(graph, saga)):
        await graph.log.remove_episode(episode, reason=f"{saga} was cleared")


async def keep_new(graph: GraphRAG, saga: str, turns: Sequence[Turn]) -> None:
    """Add turns of a conversation that is given again and again, but none that was removed."""
    gone: dict[str | None, bool] = {}
    offset = 0
    while page := await graph.at(history=True).episodes(saga=saga, limit=_PAGE, offset=offset):
        for episode in page:
            gone[episode.key] = gone.get(episode.key, True) and episode.removed_at is not None
        offset += len(page)
    await keep(graph, saga, [turn for turn in turns if not (turn.key and gone.get(turn.key))])


async def take_back(graph: GraphRAG, id_: str) -> None:
    """Remove an episode, or retract a fact.

    Raises:
        InputError: if there is neither.
    """
    if await graph.episodes([id_]):
        await graph.log.remove_episode(id_, reason="deleted by its id")
    else:
        await graph.edit.retract(id_, "deleted by its id")
