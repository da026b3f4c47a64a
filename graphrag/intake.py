"""What a caller hands in, checked and turned into an episode before anything is touched."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from graphrag.errors import EpisodeError, InputError
from graphrag.ids import new_id
from graphrag.models import DEFAULT_GROUP, JSON, Episode, Source
from graphrag.temporal.moment import parse_moment, utc_now

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_TURN = re.compile(r"[^\W\d_][\w .'’-]{0,40}: +\S")
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I’m|I've|I’ve|my|we|our)\b")
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """An episode to add: text, or a JSON value."""

    content: JSON
    """Kept word for word; a JSON value as JSON text."""
    reference_time: datetime | date | str | None = None
    """When it was said or written; None is now."""
    name: str = ""
    """Its title: it is found by that too, and other episodes that name it are linked to it."""
    source: Source | None = None
    """None guesses: a JSON value is ``json``, lines of ``name: text`` are ``message``."""
    source_description: str = ""
    """Where it comes from, for people."""
    group: str = DEFAULT_GROUP
    """The graph inside the store that it belongs to: 1 to 200 printable characters."""
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    saga: str | None = None
    """Name of the run of episodes that it belongs to, such as one conversation or one book."""


def prepare(new: NewEpisode) -> Episode:
    """Return the episode for an input.

    Raises:
        EpisodeError: if it is empty, binary, or JSON that does not parse.
        InputError: if its group or its saga is no name.
        TimeError: if the reference time is not a moment.
    """
    source, content = _content(new)
    try:
        encoded = content.encode()
    except UnicodeEncodeError as error:
        raise EpisodeError(
            f"{_label(new)} is not text: half a surrogate pair at {error.start}"
        ) from None
    now = utc_now()
    return Episode(
        id=new_id(),
        group_id=checked_group(new.group),
        created_at=now,
        name=new.name,
        content=content,
        source=source,
        valid_at=(
            now
            if new.reference_time is None
            else parse_moment(new.reference_time, what="reference_time")
        ),
        content_hash=hashlib.sha256(encoded).hexdigest(),
        source_description=new.source_description,
        metadata=dict(new.metadata),
        saga=None if new.saga is None else checked_saga(new.saga),
    )


def checked_group(group: str) -> str:
    """Return the name of a group if it can be one.

    Raises:
        InputError: if it is empty, too long, or holds control characters.
    """
    return _checked_name(group, "group")


def checked_saga(saga: str) -> str:
    """Return the name of a saga if it can be one.

    Raises:
        InputError: if it is empty, too long, or holds control characters.
    """
    return _checked_name(saga, "saga")


def _checked_name(name: str, what: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{what} {name!r} is no name: use a non-empty string")
    if len(name) > _LONGEST_NAME or _CONTROL.search(name):
        raise InputError(
            f"{what} {name[:40]!r} is no name: at most {_LONGEST_NAME} printable characters"
        )
    return name


def _label(new: NewEpisode) -> str:
    return f"episode {new.name!r}" if new.name else "the episode"


def _content(new: NewEpisode) -> tuple[Source, str]:
    label = _label(new)
    if not isinstance(new.content, str):
        if new.content is None or new.content in ({}, []):
            raise EpisodeError(f"{label} is empty: give it text or a JSON value")
        try:
            return "json", json.dumps(new.content, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise EpisodeError(f"{label} is no JSON value: {error}") from None
    content = new.content.strip("\ufeff")
    if not content.strip():
        raise EpisodeError(f"{label} is empty: give it text or a JSON value")
    if found := _CONTROL.search(content):
        raise EpisodeError(
            f"{label} is not text: control character {found.group()!r} at {found.start()}"
        )
    if new.source == "json":
        try:
            json.loads(content)
        except json.JSONDecodeError as error:
            raise EpisodeError(f"{label} is no JSON: line {error.lineno}: {error.msg}") from None
    return new.source or ("message" if looks_like_messages(content) else "text"), content


def looks_like_messages(text: str) -> bool:
    """Tell whether every line is ``name: text``; a single line must also speak in first person."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not all(_TURN.match(line) for line in lines):
        return False
    return len(lines) > 1 or bool(_FIRST_PERSON.search(text))
