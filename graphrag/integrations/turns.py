"""What is said in a conversation, kept as the episodes of a saga.

Who speaks is the author, whom "I" means; the role (``user``, ``assistant``) is the source, so that
``Rules(trust={"assistant": -1})`` keeps a model's own words from overruling what people said.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from graphrag.graph import GraphRAG
from graphrag.model.values import JSON, Episode
from graphrag.temporal.moment import Moment
from graphrag.view.view import View

_TURN = "turn"
_PAGE = 1000
"""Episodes that are read at a time."""


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
    found: list[Episode] = []
    while limit is None or len(found) < limit:
        size = _PAGE if limit is None else min(_PAGE, limit - len(found))
        page = await view.episodes(saga=saga, limit=size, offset=len(found))
        found += page
        if len(page) < size:
            break
    return [(one, one.metadata.get(_TURN)) for one in reversed(found)]


async def drop(graph: GraphRAG, saga: str) -> None:
    """Remove every turn of a saga, with what rests on it alone, the last first."""
    for episode, _ in reversed(await kept(graph, saga)):
        await graph.log.remove_episode(episode, reason=f"{saga} was cleared")


async def keep_new(graph: GraphRAG, saga: str, turns: Sequence[Turn]) -> None:
    """Add turns of a conversation that is given again and again, but none that was removed."""
    gone: dict[str | None, bool] = {}
    offset = 0
    while page := await graph.at(history=True).episodes(saga=saga, limit=_PAGE, offset=offset):
        for one in page:
            gone[one.key] = gone.get(one.key, True) and one.removed_at is not None
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
