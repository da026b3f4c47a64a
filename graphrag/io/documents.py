"""A file, or standard input, as a stream of episodes.

A document is checked from its first to its last line before it hands out the first episode, so a
broken one leaves the store untouched; it is read again when its turn comes, so a thousand files
need the memory of one. Times make it repeatable: parts without a time of their own get that of the
document plus their number in microseconds, so the same file added twice is the same episodes.
"""

import json
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path

from graphrag.errors import EpisodeError
from graphrag.ingest.intake import NewEpisode, looks_like_messages, prepare
from graphrag.io.folders import written_at
from graphrag.io.prose import split_prose
from graphrag.io.records import Draft, json_drafts, jsonl_drafts
from graphrag.model.checks import printable
from graphrag.model.values import Source
from graphrag.temporal.moment import from_micros, parse_moment, utc_now
from graphrag.text.split import front_matter

STDIN = "-"
_MICRO = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Document:
    """A checked document; iterate over it for its episodes, as often as you like."""

    name: str
    count: int
    _episodes: Callable[[], Iterable[NewEpisode]]

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[NewEpisode]:
        return iter(self._episodes())

    def __repr__(self) -> str:
        return f"Document({self.name!r}, {self.count} episodes)"


def read_document(
    path: Path | str,
    folder: Path | None = None,
    *,
    reference_time: datetime | date | str | None = None,
    source_description: str | None = None,
    name: str | None = None,
    author: str | None = None,
) -> Document:
    """Check a document (``-`` for standard input) and return its episodes, cut by its format."""
    given = None if reference_time is None else parse_moment(reference_time, what="reference_time")
    if str(path) == STDIN:
        label = title = place = "standard input"
        changed, text = utc_now(), _decoded(sys.stdin.buffer.read(), title)
        load: Callable[[], str] = partial(str, text)
        read = _reader_of(text)
    else:
        file = Path(path)
        label, title, changed = printable(str(file)), printable(file.name), _changed(file)
        place = title if folder is None else printable(file.relative_to(folder).as_posix())
        load = partial(_text_of, file)
        read = _READERS.get(file.suffix.lower(), _text)

    def episodes() -> Iterator[NewEpisode]:
        content = load()
        start = given or written_at(content if read in _PROSE else "", title) or changed
        for number, draft in enumerate(read(content, None if given else start)):
            yield NewEpisode(
                draft.content,
                draft.time or start + number * _MICRO,
                f"{name or title}{draft.label}",
                draft.source,
                place if source_description is None else source_description,
                metadata={"document": title, **draft.metadata},
                author=author,
            )

    try:
        count = sum(bool(prepare(episode)) for episode in episodes())
    except EpisodeError as error:
        raise EpisodeError(str(error) if label in str(error) else f"{label}: {error}") from None
    return Document(name or title, count, episodes)


def _text(text: str, base: datetime | None, *, headings: bool = False) -> list[Draft]:
    begin, fields = front_matter(text)
    if not (body := text[begin:]).strip():
        begin, fields, body = 0, {}, text
    parts = split_prose(body, headings=headings)
    source: Source = "message" if looks_like_messages(body) else "text"
    front = {"front_matter": dict(fields)} if fields else {}
    return [
        Draft(
            body[part.start : part.end],
            f" [{number}/{len(parts)}] {part.section}".rstrip() if len(parts) > 1 else "",
            source=source,
            metadata={
                "part": number,
                "parts": len(parts),
                "start": begin + part.start,
                "end": begin + part.end,
                "section": part.section,
                **front,
            },
        )
        for number, part in enumerate(parts, start=1)
    ]


_markdown = partial(_text, headings=True)
Reader = Callable[[str, datetime | None], Iterable[Draft]]
_PROSE: tuple[Reader, ...] = (_text, _markdown)
_READERS: dict[str, Reader] = {
    ".md": _markdown,
    ".markdown": _markdown,
    ".json": json_drafts,
    ".jsonl": jsonl_drafts,
    ".ndjson": jsonl_drafts,
}


def _reader_of(text: str) -> Reader:
    """Tell what standard input holds: a JSON value, lines of JSON objects, or text."""
    bare = text.strip()
    if bare[:1] in ("{", "["):
        for piece, reader in ((bare, json_drafts), (bare.partition("\n")[0], jsonl_drafts)):
            try:
                json.loads(piece)
            except (ValueError, RecursionError):
                continue
            return reader
    return _text


def _changed(file: Path) -> datetime:
    try:
        status = file.stat()
    except (OSError, ValueError) as error:
        raise EpisodeError(f"cannot read {printable(str(file))}: {_reason(error)}") from None
    if stat.S_ISDIR(status.st_mode):
        raise EpisodeError(
            f"{printable(str(file))} is a folder: read_document takes one file of it"
        )
    return from_micros(status.st_mtime_ns // 1000)


def _text_of(file: Path) -> str:
    try:
        return _decoded(file.read_bytes(), printable(str(file)))
    except OSError as error:
        raise EpisodeError(f"cannot read {printable(str(file))}: {_reason(error)}") from None


def _decoded(data: bytes, label: str) -> str:
    if b"\0" in data:
        raise EpisodeError(f"{label} is binary, or text in UTF-16: save it as UTF-8 text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EpisodeError(
            f"{label} is no UTF-8 text: byte {data[error.start]:#04x} at {error.start}; "
            "convert it to UTF-8 text"
        ) from None
    if not text.strip():
        raise EpisodeError(f"{label} is empty")
    return text


def _reason(error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):  # a null character
        return f"it is no name of a file: {error}"
    return "there is no such file" if isinstance(error, FileNotFoundError) else str(error.strerror)
