"""Notes as people keep them: folders of files, and the date that a file says it was written.

In a folder only files that hold text by their names are read, none that is hidden, and no link is
followed out of it: whoever gives a folder to be read does not give the machine. A file that cannot
be read is named with its reason and keeps out no other.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TypeVar

from graphrag.errors import EpisodeError, TimeError
from graphrag.ingest.reports import Failed
from graphrag.model.checks import printable
from graphrag.temporal.moment import parse_moment, utc_now
from graphrag.text.split import fields_of, front_matter

Read = TypeVar("Read")
READABLE = frozenset({".md", ".markdown", ".txt", ".text", ".json", ".jsonl", ".ndjson"})
"""Endings of the files of a folder that are read; a file that is named may have any."""
_WRITTEN = ("date", "created", "created_at", "day", "published")
"""Fields of front matter that say when."""
_DAY = re.compile(r"(?<!\d)(\d{4})([-_.]?)(\d\d)\2(\d\d)(?!\d)", re.ASCII)
_LABEL = re.compile(r"(?:[\s#>*_=-]|date:|written:|created:)*", re.IGNORECASE)
_AFTER = re.compile(r"[\s*_]*(?:$|[-–—:|,(.;])")
_YEAR = re.compile(r"\d{4}")
_LONGEST_LINE = 200
_AHEAD = timedelta(days=1)  # tolerance for dates of another time zone


def read_files(
    paths: Iterable[Path | str], read: Callable[[Path | str, Path | None], Read]
) -> tuple[list[Read], list[Failed]]:
    """Read files, and those of folders in the order of their names; also say which cannot be read.

    ``read`` is given a file, and the folder that it was found in; a link that is named itself is
    the caller's choice and is followed, one in a folder only if it stays there.
    """
    done: list[Read] = []
    unread: list[Failed] = []

    def refuse(path: object, reason: str) -> None:
        unread.append(Failed(0, printable(str(path)), EpisodeError(reason)))

    for path in paths:
        folder = Path(path) if str(path) != "-" and _is_folder(Path(path)) else None
        before = len(unread)
        files = [path] if folder is None else sorted(_files_of(folder, refuse))
        if not files and len(unread) == before:
            kinds = ", ".join(sorted(READABLE))
            refuse(path, f"{printable(str(path))} is a folder without files to read ({kinds})")
        for file in files:
            try:
                done.append(read(file, folder))
            except EpisodeError as error:
                unread.append(Failed(0, printable(str(file)), error))
    if unread and not done:
        first = unread[0].error
        for other in unread[1:]:
            first.add_note(str(other.error))
        raise first
    return done, unread


def _is_folder(path: Path) -> bool:
    with suppress(OSError, ValueError):  # what cannot be asked for is a file that cannot be read
        return path.is_dir()
    return False


def _files_of(folder: Path, refuse: Callable[[object, str], None]) -> Iterator[Path]:
    def note(error: OSError) -> None:
        name = printable(str(error.filename))
        refuse(name, f"cannot read {name}: {error.strerror}")

    walked = {folder.resolve()}

    def is_inside(path: Path) -> bool:
        if stays_in(path, folder):
            return True
        refuse(path, leads_out(path, folder))
        return False

    def is_new(path: Path) -> bool:
        """Tell whether a folder was not walked yet: a link to a parent makes a ring."""
        fresh = (real := path.resolve()) not in walked
        walked.add(real)
        return fresh

    for place, folders, names in os.walk(folder, onerror=note, followlinks=True):
        shown = sorted(name for name in folders if not name.startswith("."))
        inside = [name for name in shown if is_inside(Path(place, name))]
        folders[:] = [name for name in inside if is_new(Path(place, name))]
        for name in names:
            is_text = not name.startswith(".") and Path(name).suffix.lower() in READABLE
            if is_text and is_inside(file := Path(place, name)):
                if file.is_file():
                    yield file
                else:  # reading it would wait for whoever writes
                    refuse(file, f"{printable(str(file))} is a pipe or a device")


def stays_in(path: Path, folder: Path) -> bool:
    """Tell whether a path in a folder is no link, or one to something else in that folder."""
    if not path.is_symlink():
        return True
    with suppress(OSError, RuntimeError):  # a link to itself, or through what may not be read
        return path.resolve(strict=True).is_relative_to(folder.resolve())
    return False


def leads_out(path: Path, folder: Path) -> str:
    """Return why a link in a folder is not followed."""
    name, of = printable(str(path)), printable(str(folder))
    return f"{name} is a link out of {of}, or to nothing: copy the file into the folder"


def written_at(text: str, name: str) -> datetime | None:
    """Return when a document was written: by front matter, mail header, name or first line.

    A moment that is yet to come is none.
    """
    start, fields = front_matter(text)
    dated = (_moment(fields[field]) for field in _WRITTEN if field in fields)
    first = next((line for line in text[start:].splitlines() if line.strip()), "")
    latest = utc_now() + _AHEAD
    for found in (*dated, _mailed(text), _day_in(Path(name).stem), _beginning(first)):
        if found is not None and found <= latest:
            return found
    return None


def _mailed(text: str) -> datetime | None:
    """Return when a mail was sent: ``Date: Fri, 1 Mar 2024 10:00:00 +0000`` in its header."""
    head = re.split(r"\n[ \t]*\n", text.lstrip(), maxsplit=1)[0]
    fields = fields_of(head)
    if "date" not in fields or fields.keys().isdisjoint(("from", "to", "subject")):
        return None
    with suppress(ValueError):
        sent = parsedate_to_datetime(fields["date"])
        return (sent if sent.tzinfo else sent.replace(tzinfo=UTC)).astimezone(UTC)
    return _beginning(fields["date"])


def _moment(value: str) -> datetime | None:
    with suppress(TimeError):
        return parse_moment(value)
    return _day_in(value)


def _day_in(text: str) -> datetime | None:
    for match in _DAY.finditer(text):
        with suppress(ValueError):
            return datetime(int(match[1]), int(match[3]), int(match[4]), tzinfo=UTC)
    return None


def _beginning(line: str) -> datetime | None:
    """Return the day that a line begins with, if the year is there and nothing is said of it."""
    label = _LABEL.match(line[:_LONGEST_LINE])
    rest = line[label.end() if label else 0 : _LONGEST_LINE]
    if (iso := _DAY.match(rest)) and iso[2] == "-":
        return _day_in(iso[0])
    from graphrag.temporal.find import find_times

    for found in find_times(rest, utc_now()):
        period, words = found.period, rest[: found.end]
        if found.start == 0 and (period.granularity, period.bound) == ("day", "in"):
            dated = _YEAR.search(words) is not None and _AFTER.match(rest, found.end) is not None
            return period.start if dated else None
    return None
