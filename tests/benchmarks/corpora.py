"""Sets of episodes and questions with known answers, read from a folder of data.

Each set is a folder with ``corpus.jsonl`` (id, text; title, speaker, session, group, time,
image_caption if there are) and ``queries.jsonl`` (text, gold ids; group). How such rows become
episodes is how any user would put them in:

- a conversation is a ``group``, and each message an episode ``speaker: text`` in the ``saga`` of
  its session;
- a page of an encyclopedia or a chapter is an episode whose ``name`` is its title;
- a whole chat or any other text is an episode without a name.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from graphrag import NewEpisode

Row = dict[str, Any]
POOL = "all"
"""The group of a set that is searched as a whole."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the ids of what answers it."""

    text: str
    group: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is told and what is asked."""

    name: str
    episodes: Sequence[NewEpisode]
    """With their id in the metadata."""
    questions: Sequence[Asked]
    """In the order of the file, those without an answer left out."""
    store: str
    """Name of the store that holds it: two sets that tell the same share one."""
    sagas: bool = False
    """Sagas are asked for."""


@dataclass(frozen=True, slots=True)
class Set:
    """How one set is read."""

    name: str
    folder: str
    asked: Literal["episodes", "sagas"] = "episodes"
    """What is to be found: episodes, or the sagas that those found belong to."""
    whole: bool = False
    """Whole sessions are told, not single messages."""
    pooled: bool = False
    """Groups are searched together."""


SETS = (
    Set("locomo turns", "locomo"),
    Set("locomo sessions", "locomo", asked="sagas"),
    Set("locomo sessions, whole", "locomo", whole=True),
    Set("beam100k", "beam100k"),
    Set("lihua_world", "lihua_world"),
    Set("longmemeval_mini", "longmemeval_mini"),
    Set("musique_train100", "musique_train100"),
    Set("musique_dev80", "musique_dev80"),
    Set("hotpot_train100", "hotpot_train100"),
    Set("hotpot_dev150", "hotpot_dev150"),
    Set("twowiki_train500", "twowiki_train500"),
    Set("timeqa_train", "timeqa_train", pooled=True),
)


def read(folder: Path, kind: Set) -> Corpus | None:
    """Return a set, None if its files are not there."""
    place = folder / kind.folder
    if not (place / "corpus.jsonl").is_file() or not (place / "queries.jsonl").is_file():
        return None
    rows, asked = list(_lines(place / "corpus.jsonl")), list(_lines(place / "queries.jsonl"))
    questions = [
        Asked(
            question["text"],
            POOL if kind.pooled else str(question.get("group") or POOL),
            frozenset(_gold(question, kind)),
        )
        for question in asked
        if question["gold"]
    ]
    told = _sessions(rows) if kind.whole else [_episode(row, kind) for row in rows]
    store = kind.folder + "_whole" * kind.whole
    return Corpus(kind.name, told, questions, store, kind.asked == "sagas")


def _gold(question: Row, kind: Set) -> Sequence[str]:
    if kind.whole:
        return [f"{question['group']}/{session}" for session in question["gold_sessions"]]
    return list(question["gold_sessions" if kind.asked == "sagas" else "gold"])


def _episode(row: Row, kind: Set) -> NewEpisode:
    spoken = "speaker" in row
    return NewEpisode(
        _line(row) if spoken else row["text"],
        reference_time=_time(row),
        name=str(row.get("title") or ""),
        source="message" if spoken else None,
        group=POOL if kind.pooled else str(row.get("group") or POOL),
        saga=str(row["session"]) if spoken and "session" in row else None,
        metadata={"id": row["id"]},
    )


def _line(row: Row) -> str:
    shown = f" [{row['image_caption']}]" if row.get("image_caption") else ""
    return f"{row['speaker']}: {row['text']}{shown}"


def _sessions(rows: Sequence[Row]) -> list[NewEpisode]:
    said: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        said[row["group"], row["session"]].append(row)
    return [
        NewEpisode(
            "\n".join(map(_line, session)),
            reference_time=_time(session[0]),
            source="message",
            group=group,
            metadata={"id": f"{group}/{name}"},
        )
        for (group, name), session in said.items()
    ]


def _time(row: Row) -> str | None:
    time = row.get("time")
    return None if time is None else f"{time}Z" if "T" in str(time) else str(time)


def _lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
