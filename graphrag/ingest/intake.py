"""Input from callers: streams that are read in windows, and episodes, validated and deduplicated.

Items that have arrived from a stream are processed without waiting for further ones.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Mapping,
)
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, TypeVar, get_args

from graphrag.errors import EpisodeError, InputError
from graphrag.index.group import BEGINNING
from graphrag.model.checks import checked_json, checked_name, checked_text, parsed_json, shown
from graphrag.model.ids import new_id
from graphrag.model.values import DEFAULT_GROUP, JSON, Episode, Source
from graphrag.temporal.moment import parse_moment, to_micros, utc_now

if TYPE_CHECKING:
    from graphrag.ingest.ingestion import Ingestion

CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_TURN = re.compile(r"[^\W\d_][\w .'’-]{0,40}: +\S")
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I’m|I've|I’ve|my|we|our)\b")
_LONGEST_NAME = 200
_SHOWN = 60
_LONGEST_KEY = 1000
"""Ids of e-mails have up to 998 characters."""
_DEEPEST = 200
"""Levels of a JSON value whose text is the content: its reader calls itself for each."""

T = TypeVar("T")
Stream = Iterable[T] | AsyncIterable[T]
_PATIENCE = 0.05
"""Seconds that a window waits for the next item of a slow stream."""


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """An episode to add: a text or a JSON value."""

    content: JSON
    """The content, stored unchanged; a JSON value is stored as JSON text."""
    reference_time: datetime | date | str | None = None
    """When the content was said or written; None is now."""
    name: str = ""
    """Title of the episode. Searches use it, and other episodes that mention it are linked."""
    source: Source | None = None
    """None detects it: a JSON value is ``json``, lines of ``name: text`` are ``message``."""
    source_description: str = ""
    """Description of the origin, for people."""
    group: str | None = None
    """Name of the group, 1 to 200 printable characters; None for the group it is added to."""
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    saga: str | None = None
    """Name of the sequence of episodes it belongs to, such as one conversation or one book."""
    key: str | None = None
    """Your own id, such as that of a message, by which a repeated episode is recognised."""
    author: str | None = None
    """Name of the author: the person that "I" means in a text without speakers."""


def prepare(new: NewEpisode, group: str = DEFAULT_GROUP) -> Episode:
    """Return the episode for an input, checked, in ``group`` if it names none."""
    if not isinstance(new, NewEpisode):
        raise EpisodeError(f"{shown(new)} is no episode: pass NewEpisode(...)")
    name = checked_name("the name of an episode", new.name)
    description = checked_name("source_description", new.source_description)
    if not isinstance(new.metadata, Mapping):
        raise InputError(f"metadata of {_label(new)} is {shown(new.metadata)}: give a mapping")
    metadata = checked_json(f"metadata of {_label(new)}", new.metadata)
    source, content = _content(new)
    try:
        encoded = content.encode()
    except UnicodeEncodeError as error:
        raise EpisodeError(
            f"{_label(new)} is not text: half a surrogate pair at {error.start}"
        ) from None
    now, reference = utc_now(), new.reference_time
    return Episode(
        id=new_id(),
        group_id=checked_group(group if new.group is None else new.group),
        created_at=now,
        name=name,
        content=content,
        source=source,
        valid_at=now if reference is None else parse_moment(reference, what="reference_time"),
        content_hash=hashlib.sha256(encoded).hexdigest(),
        source_description=description,
        metadata=metadata,
        saga=None if new.saga is None else checked_saga(new.saga),
        key=None if new.key is None else _checked_name(new.key, "key", _LONGEST_KEY),
        author=None if new.author is None else _checked_name(new.author, "author"),
    )


def checked_group(group: str) -> str:
    """Return the name of a group, checked."""
    return _checked_name(group, "group")


def checked_saga(saga: str) -> str:
    """Return the name of a saga, checked."""
    return _checked_name(saga, "saga")


def _checked_name(name: str, what: str, longest: int = _LONGEST_NAME) -> str:
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{what} {shown(name)} is no name: use a non-empty string")
    if len(name) > longest or CONTROL.search(name):
        raise InputError(f"{what} {name[:40]!r} is no name: at most {longest} printable characters")
    return checked_text(what, name)


def _label(new: NewEpisode) -> str:
    return f"episode {shown(new.name)}" if new.name else "the episode"


def _content(new: NewEpisode) -> tuple[Source, str]:
    label = _label(new)
    named = new.source is None or isinstance(new.source, str)
    if not named or new.source not in (None, *get_args(Source)):
        raise EpisodeError(
            f"{label} has source {shown(new.source)}: choose from {', '.join(get_args(Source))}"
        )
    if not isinstance(new.content, str):
        try:
            value = checked_json(label, new.content, deepest=_DEEPEST)
        except InputError as error:
            raise EpisodeError(f"{label} is no JSON value: {error}") from None
        if value is None or value in ({}, []):
            raise EpisodeError(f"{label} is empty: give it text or a JSON value")
        return "json", json.dumps(value, ensure_ascii=False)
    content = str.__str__(new.content).strip("\ufeff")
    if not content.strip():
        raise EpisodeError(f"{label} is empty: give it text or a JSON value")
    if control := CONTROL.search(content):
        raise EpisodeError(
            f"{label} is not text: control character {control.group()!r} at {control.start()}"
        )
    if new.source == "json":
        try:
            checked_json(label, parsed_json(label, content), deepest=_DEEPEST)
        except InputError as error:
            raise EpisodeError(str(error)) from None
    return new.source or ("message" if looks_like_messages(content) else "text"), content


async def known(ingestion: "Ingestion", episode: Episode) -> Episode | None:
    """Return the stored episode that this one tells again, if any.

    That is the one with its key; else one of the same content, reference time and group, if not
    both have a key, and not both a saga of their own; by its author, if it has one.
    """
    index = await ingestion.catalog.group(episode.group_id)
    if episode.key is not None and (id_ := index.timeline.keyed(episode.key)) is not None:
        stored = (await ingestion.store.get(Episode, [id_]))[id_]
        if stored.content_hash != episode.content_hash:
            raise InputError(
                f"key {episode.key!r} is that of episode {id_}, which says "
                f"{stored.content[:_SHOWN]!r}, not {episode.content[:_SHOWN]!r}: give another "
                "key, or remove_episode() that one first"
            )
        return stored
    ids = index.timeline.known(episode.content_hash, to_micros(episode.valid_at, BEGINNING))
    alike = [
        stored
        for stored in (await ingestion.store.get(Episode, ids)).values()
        if episode.author in (None, stored.author)
        and (episode.key is None or stored.key is None)
        and (episode.saga is None or stored.saga in (None, episode.saga))
    ]
    return min(alike, key=lambda stored: (stored.saga != episode.saga, stored.id), default=None)


def looks_like_messages(text: str) -> bool:
    """Tell whether every line is ``name: text``; a single line must also speak in first person."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not all(_TURN.match(line) for line in lines):
        return False
    return len(lines) > 1 or bool(_FIRST_PERSON.search(text))


class _End:
    """What comes after the last item."""


async def windows(
    items: Stream[T], *, many: int, size: Callable[[T], int], longest: int
) -> AsyncGenerator[list[T], None]:
    """Yield lists of up to ``many`` items, of about ``longest`` in size, in order.

    If the stream fails, what came before is yielded first and then the error is raised.
    """
    source = aiter(items) if isinstance(items, AsyncIterable) else _stream(items)
    coming: asyncio.Future[T | _End] | None = None
    window, weight = list[T](), 0
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(source, _End()))
            if window:
                await asyncio.wait([coming], timeout=_PATIENCE)
                if not coming.done():
                    yield window
                    window, weight = [], 0
            try:
                item = await coming
            except Exception:  # raised again, after what came before it
                if window:
                    yield window
                raise
            coming = None
            if isinstance(item, _End):
                break
            window.append(item)
            weight += size(item)
            if len(window) >= many or weight >= longest:
                yield window
                window, weight = [], 0
        if window:
            yield window
    finally:
        if coming is not None and not coming.done():
            coming.cancel()
            await asyncio.wait([coming])


async def _stream(items: Iterable[T]) -> AsyncIterator[T]:
    for item in items:
        yield item
