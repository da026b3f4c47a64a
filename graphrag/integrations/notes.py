"""Named notes that can be replaced, on episodes that cannot: files and items of frameworks.

A note is a saga of its versions. To replace it is to add the next version and to remove the one
before: what only that one said is retracted, and ``known_at`` still shows it. The next comes first,
so that a crash between the two leaves the newer one to be read, and no moment is without either.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

from graphrag.graph import GraphRAG
from graphrag.ingest.intake import checked_saga
from graphrag.model.values import JSON, Episode
from graphrag.view.view import View

_PAGE = 1000
"""Episodes that are read at a time."""
_NOTE, _FIRST, _VALUE = "note", "note_since", "note_value"
"""What the metadata of a version call its name, when there first was one, and its value."""


@dataclass(frozen=True, slots=True)
class Note:
    """The current version of something that has a name."""

    name: str
    text: str
    """What the graph reads."""
    value: JSON
    """What it was stored with."""
    created_at: datetime
    """System time of the first version."""
    updated_at: datetime
    """System time of this one."""
    episode: str
    """Id of the episode that this version is."""


async def note(view: View, name: str) -> Note | None:
    """Return a note as a view has it, or None."""
    return max(await _versions(view, name), key=lambda version: version.episode, default=None)


async def notes(view: View) -> list[Note]:
    """Return every note of a view, in the order in which they were first written."""
    newest: dict[str, Note] = {}
    async for episode in _episodes(view):
        version = note_of(episode)
        if version and (
            version.name not in newest or newest[version.name].episode < version.episode
        ):
            newest[version.name] = version
    return sorted(newest.values(), key=lambda item: (item.created_at, item.name))


async def noted(view: View) -> bool:
    """Tell whether a view has any note."""
    async for episode in _episodes(view):
        if note_of(episode) is not None:
            return True
    return False


def note_of(episode: Episode) -> Note | None:
    """Return the note that an episode is a version of, if it is one."""
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
    """Store a note, in the place of the one that has its name.

    Raises:
        InputError: if the name, the text or the value cannot be stored.
    """
    before = await _versions(graph, checked_saga(name))
    metadata = {_NOTE: name, _VALUE: value}
    if before:
        metadata[_FIRST] = min(version.created_at for version in before).isoformat()
    await graph.add_episode(text, saga=name, metadata=metadata, source_description=source)
    for version in before:
        await graph.log.remove_episode(version.episode, reason=f"{name} was replaced")


async def drop_note(graph: GraphRAG, name: str) -> None:
    """Remove a note, if there is one."""
    for version in await _versions(graph, name):
        await graph.log.remove_episode(version.episode, reason=f"{name} was deleted")


async def _versions(view: View, name: str) -> list[Note]:
    """Return the versions of a note that were not removed: more than one only after a crash."""
    versions = map(note_of, await view.episodes(saga=name, limit=_PAGE))
    return [version for version in versions if version is not None]


async def _episodes(view: View) -> AsyncIterator[Episode]:
    offset = 0
    while page := await view.episodes(limit=_PAGE, offset=offset):
        for episode in page:
            yield episode
        offset += len(page)
