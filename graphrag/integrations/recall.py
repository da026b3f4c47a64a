"""Memory for frameworks: search hits, turns of a conversation, and named notes.

The speaker of a turn is its author, whom "I" means. The role (``user``, ``assistant``) is its
source, so that ``Rules(trust={"assistant": -1})`` keeps a model's words from overruling people.

A note is a saga of its versions. To replace it, the next version is added and the last one removed:
facts that only the old one stated are retracted, and ``known_at`` still shows them. A crash between
the two steps leaves the newer version valid.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphrag.display.cards import lifetime, triple
from graphrag.graph import GraphRAG
from graphrag.ingest.intake import checked_saga
from graphrag.model.values import JSON, Episode, Fact
from graphrag.search.recipe import Scope
from graphrag.search.results import Hit, Results
from graphrag.temporal.moment import Moment
from graphrag.view.view import View


@dataclass(frozen=True, slots=True)
class Recalled:
    """One hit for a framework: a text for its prompt, and its other fields as JSON."""

    id: str  # of the fact or the episode
    text: str  # a fact in words, names in full, and when it holds; or an episode's words
    score: float  # relevance, 0 to 1: comparable across searches
    metadata: dict[str, JSON]
    """``kind``, ``score`` (for the order), ``valid_from``, ``valid_to``, ``known_from``,
    ``entities``, ``episodes``, ``quote``; for facts also ``relation``, for episodes ``name`` and
    ``source``."""


SCOPES: Sequence[Scope] = ("facts", "episodes")
_ASKED = 1000  # characters of a message that memory is searched by
_TURN = "turn"
_PAGE = 1000  # episodes that are read at a time, and versions of a note that are looked at


async def recall(
    view: View, query: str, *, limit: int = 10, scopes: Sequence[Scope] = ("facts",)
) -> list[Recalled]:
    """Search facts, episodes or both, best first, without episodes that a fact quotes entirely."""
    results = await view.search(query, limit=limit, scopes=scopes)
    facts = [_of_fact(hit, results) for hit in results.facts]
    quoted = {fact.metadata["quote"] for fact in facts}
    episodes = [_of_episode(hit) for hit in results.episodes if hit.item.content not in quoted]
    recalled = [*facts, *episodes]
    if len(scopes) > 1:  # the scores of two scopes do not compare, relevance does
        recalled.sort(key=lambda item: -item.score)
    return recalled[:limit]


async def recall_text(view: View, message: str, *, limit: int, max_tokens: int) -> str:
    """Return context for a message as one text; empty for an empty message."""
    if not message.strip():
        return ""
    results = await view.search(message[:_ASKED], limit=limit, scopes=SCOPES)
    return str(results.context(max_tokens=max_tokens))


def _of_fact(hit: Hit[Fact], results: Results) -> Recalled:
    fact = hit.item
    own = {
        "kind": "fact",
        "valid_to": _iso(fact.invalid_at),
        "entities": [fact.subject, fact.object],
        "relation": fact.relation,
        "episodes": list(fact.episodes),
        "quote": results.source_of(fact),
    }
    return _recalled(hit, f"{triple(fact)} ({lifetime(fact)})", own)


def _of_episode(hit: Hit[Episode]) -> Recalled:
    episode = hit.item
    own = {
        "kind": "episode",
        "valid_to": None,
        "entities": [],
        "episodes": [episode.id],
        "quote": episode.content,
        "name": episode.name,
        "source": episode.source_description,
    }
    return _recalled(hit, episode.content, own)


def _recalled(hit: Hit[Fact] | Hit[Episode], text: str, own: dict[str, JSON]) -> Recalled:
    item = hit.item
    times = {"valid_from": _iso(item.valid_at), "known_from": _iso(item.created_at)}
    return Recalled(item.id, text, hit.relevance, {"score": hit.score, **times, **own})


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    text: str
    role: str = "user"
    author: str | None = None  # name of who speaks; None where nobody knows it
    said_at: Moment | None = None  # None is now
    key: str | None = None  # the framework's own id of it
    item: JSON = None  # the message as the framework has it


async def keep(graph: GraphRAG, saga: str | None, turns: Sequence[Turn]) -> None:
    """Add the turns that have a text, in order; a known key changes nothing."""
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
    """Return the last turns of a saga, or all, in order, each with its stored item."""
    episodes: list[Episode] = []
    while limit is None or len(episodes) < limit:
        size = _PAGE if limit is None else min(_PAGE, limit - len(episodes))
        page = await view.episodes(saga=saga, limit=size, offset=len(episodes))
        episodes += page
        if len(page) < size:
            break
    return [(episode, episode.metadata.get(_TURN)) for episode in reversed(episodes)]


async def drop(graph: GraphRAG, saga: str) -> None:
    """Remove every turn of a saga with the facts that only it states, last turn first."""
    for episode, _ in reversed(await kept(graph, saga)):
        await graph.log.remove_episode(episode, reason=f"{saga} was cleared")


async def keep_new(graph: GraphRAG, saga: str, turns: Sequence[Turn]) -> None:
    """Add the new turns of a conversation that is passed repeatedly, without removed ones."""
    gone: dict[str | None, bool] = {}
    async for episode in episodes_of(graph.at(history=True), saga):
        gone[episode.key] = gone.get(episode.key, True) and episode.removed_at is not None
    await keep(graph, saga, [turn for turn in turns if not (turn.key and gone.get(turn.key))])


async def episodes_of(view: View, saga: str | None = None) -> AsyncIterator[Episode]:
    """Yield the episodes of a view or of a saga, latest first."""
    offset = 0
    while page := await view.episodes(saga=saga, limit=_PAGE, offset=offset):
        for episode in page:
            yield episode
        offset += len(page)


async def take_back(graph: GraphRAG, id_: str) -> None:
    """Remove the episode, or retract the fact, with this id."""
    if await graph.episodes([id_]):
        await graph.log.remove_episode(id_, reason="deleted by its id")
    else:
        await graph.edit.retract(id_, "deleted by its id")


_NOTE, _FIRST, _VALUE = "note", "note_since", "note_value"
"""What the metadata of a version call its name, when there first was one, and its value."""


@dataclass(frozen=True, slots=True)
class Note:
    """Current version of a named note."""

    name: str
    text: str  # what the graph reads
    value: JSON  # what it was stored with
    created_at: datetime  # system time of the first version
    updated_at: datetime  # system time of this one
    episode: str  # id of the episode that this version is


async def note(view: View, name: str) -> Note | None:
    """Return the note of this name in a view, or None."""
    return max(await _versions(view, name), key=lambda version: version.episode, default=None)


async def notes(view: View) -> list[Note]:
    """Return all notes of a view, in the order of their first versions."""
    newest: dict[str, Note] = {}
    async for episode in episodes_of(view):
        if (version := note_of(episode)) is not None:
            known = newest.get(version.name, version)
            newest[version.name] = max(known, version, key=lambda it: it.episode)
    return sorted(newest.values(), key=lambda item: (item.created_at, item.name))


async def noted(view: View) -> bool:
    """Tell whether a view has any note."""
    async for episode in episodes_of(view):
        if note_of(episode) is not None:
            return True
    return False


def note_of(episode: Episode) -> Note | None:
    """Return the note of which the episode is a version, or None."""
    name, first = episode.metadata.get(_NOTE), episode.metadata.get(_FIRST)
    if name is None:
        return None
    return Note(
        name,
        episode.content,
        episode.metadata.get(_VALUE),
        episode.created_at if first is None else datetime.fromisoformat(first),
        episode.created_at,
        episode.id,
    )


async def write_note(
    graph: GraphRAG, name: str, text: str, *, value: JSON = None, source: str = ""
) -> None:
    """Store a note, replacing the one with the same name."""
    before = await _versions(graph, checked_saga(name))
    metadata = {_NOTE: name, _VALUE: value}
    if before:
        metadata[_FIRST] = min(version.created_at for version in before).isoformat()
    await graph.add_episode(text, saga=name, metadata=metadata, source_description=source)
    for version in before:
        await graph.log.remove_episode(version.episode, reason=f"{name} was replaced")


async def drop_note(graph: GraphRAG, name: str) -> None:
    """Remove a note if it exists."""
    for version in await _versions(graph, name):
        await graph.log.remove_episode(version.episode, reason=f"{name} was deleted")


async def _versions(view: View, name: str) -> list[Note]:
    """Return the versions of a note that were not removed: more than one only after a crash."""
    episodes = await view.episodes(saga=name, limit=_PAGE)
    return [version for version in map(note_of, episodes) if version is not None]
