"""Load one LoCoMo conversation and ask about it: a turn is an episode, with its speaker and time.

    python examples/load_locomo.py locomo10.json conv-26 "What did Caroline paint?"

The file is the published ``locomo10.json`` (github.com/snap-research/locomo, non-commercial), or
JSON lines with ``group``, ``session``, ``time``, ``speaker`` and ``text``. Run it again with the
same ``--store`` and it continues where it stopped.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from graphrag import GraphRAGError, NewEpisode, Progress
from graphrag.sync import GraphRAG

PUBLISHED_TIME = "%I:%M %p on %d %B, %Y"


def turns(file: Path, conversation: str) -> Iterator[NewEpisode]:
    """Yield the turns of a conversation; LoCoMo names no time zone, so its times are UTC."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".jsonl":
        for row in map(json.loads, text.splitlines()):
            if row["group"] == conversation:
                at = datetime.fromisoformat(row["time"]).replace(tzinfo=UTC)
                yield turn(row, at, conversation, row["session"])
        return
    samples = {sample["sample_id"]: sample["conversation"] for sample in json.loads(text)}
    sessions = samples.get(conversation, {})
    for name in (name for name, value in sessions.items() if isinstance(value, list)):
        told = sessions[f"{name}_date_time"]
        start = datetime.strptime(told, PUBLISHED_TIME).replace(tzinfo=UTC)
        for number, row in enumerate(sessions[name]):
            yield turn(row, start + timedelta(seconds=number), conversation, name)


def turn(row: dict[str, Any], at: datetime, conversation: str, session: str) -> NewEpisode:
    """Return one turn as an episode of the group that is named after the conversation."""
    return NewEpisode(
        f"{row['speaker']}: {row['text']}",
        reference_time=at,
        name=session,
        source="message",
        group=conversation,
    )


def show_progress(progress: Progress) -> None:
    """Count on one line, on a terminal only."""
    if sys.stderr.isatty():
        end = "\n" if progress.done == progress.total else ""
        print(f"\r{progress.done}/{progress.total} turns", end=end, file=sys.stderr, flush=True)


def main() -> None:
    """Load, count, ask."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("file", type=Path, help="locomo10.json, or JSON lines")
    parser.add_argument("conversation", help="such as conv-26")
    parser.add_argument("questions", nargs="*", help="default: what each speaker likes")
    parser.add_argument("--store", default="mem://", help="default: in memory only")
    given = parser.parse_args()
    try:
        episodes = list(turns(given.file, given.conversation))
    except OSError as error:
        sys.exit(f"cannot read {given.file}: {error.strerror}")
    except (ValueError, KeyError, TypeError) as error:
        sys.exit(f"{given.file} is no LoCoMo file: {error!r}")
    if not episodes:
        sys.exit(f"{given.file} has no conversation {given.conversation!r}")
    speakers = dict.fromkeys(str(episode.content).partition(":")[0] for episode in episodes)
    with GraphRAG.open(given.store) as graph:
        started = time.perf_counter()
        added = graph.add_episodes(episodes, on_progress=show_progress).added
        seconds = time.perf_counter() - started
        stats = graph.group(given.conversation).stats()
        print(f"{added} turns added in {seconds:.1f} s: {stats.entities} entities, ", end="")
        print(f"{stats.facts} facts, {stats.first} to {stats.last}")
        for question in given.questions or [f"What does {name} like?" for name in speakers]:
            print(f"\n{question}")
            results = graph.group(given.conversation).search(question, limit=3)
            for hit in results:
                since = hit.item.valid_at
                print(f"  {since.date() if since else 'unknown'}  {hit.item.text}")
            for said in (passage.item for passage in results.episodes):
                print(f"  {said.valid_at.date()}  {said.content} ({said.name})")


if __name__ == "__main__":
    try:
        main()
    except GraphRAGError as error:
        sys.exit(f"error: {error}")
