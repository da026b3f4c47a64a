"""Kill a process that adds episodes, again and again: what it acknowledged stays, whole.

This file is both the test and the process that is killed, at a line that it writes: nothing waits.
"""

import asyncio
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from graphrag import Entity, Episode, Fact, NewEpisode
from tests.benchmarks import faults
from tests.conftest import PlainExtractor, day, open_graph, triples

ROOT = Path(__file__).parents[1]
PEOPLE = "Ann Bob Cid Dora Eve Finn Gus Hana Ivo Jo".split()
FIRMS = "Acme Beta Globex Initech".split()
TABLES = ("episode", "entity", "relates_to", "mentions", "passage", "occurred_after")
KILLS = (
    ("open", 1),
    ("read", 1),
    ("new", 1),
    ("sent", 1),
    ("sent", 9),
    ("new", 12),
    ("sent", 12),
)
"""After which line, and the how many-th of its kind; ``sent``: the engine has the transaction."""


def story(number):
    """Tell who works where now, which closes where they worked, and say much at times."""
    person, other = PEOPLE[number % 10], PEOPLE[(number * 7 + 3) % 10]
    text = f"{person} works_at {FIRMS[number % 3]}. {person} likes tea{number % 4}."
    if other != person:
        text += f" {person} knows {other}."
    if number % 11 == 5:
        text += f" {person} ends:works_at {FIRMS[number % 3]}."
    if number % 8 == 3:
        text += " So it was, and nobody said more." * 40
    when = day("2020-01-01") + timedelta(days=number * 13 % 89)
    return NewEpisode(text, when, name=f"story {number}")


STORIES = [story(number) for number in range(60)]


def say(kind, name=""):
    sys.stdout.write(f"{kind}:{name}\n")
    sys.stdout.flush()


class Announcing(PlainExtractor):
    async def extract(self, context):
        say("read", context.episode.name)
        return await super().extract(context)


def announce_transactions(store):
    apply = store.apply

    async def announced(changes, *, after):
        writing = asyncio.create_task(apply(changes, after=after))
        await asyncio.sleep(0)  # the task runs until it waits for the engine
        say("sent")
        return await writing

    store.apply = announced


async def add_all(url):
    async with open_graph(url, extractor=Announcing()) as graph:
        say("open")
        announce_transactions(graph.handle.session.store)
        await graph.add_episodes(
            STORIES,
            on_progress=lambda step: say("new" if step.last.new else "old", step.last.episode.name),
        )


def killed_at(url, kind, count):
    """Run the process until its ``count``-th line of a kind and return what it acknowledged."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.test_crash", url], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    lines, seen = [], Counter()
    with process:
        for line in process.stdout:
            lines.append(line)
            seen[line.partition(":")[0]] += 1
            if seen[kind] == count:
                process.kill()
                break
        lines += process.stdout.readlines()  # it may have gone on until the signal arrived
    assert process.returncode == -9
    parts = [line.rstrip("\n").partition(":") for line in lines]
    return {name for kind, _, name in parts if kind in ("new", "old")}


async def check_whole(graph, acknowledged):
    """Every acknowledged episode is there, and exactly the records that the log tells of."""
    assert (await graph.health.check_all()).findings == ()
    store = graph.handle.session.store
    events = await graph.log.events()
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    told = {}
    for event in events:
        for change in event.changes:
            told[change.record] = change.after is not None
    stored = set()
    for table in TABLES:
        [ids] = await store.query(f"SELECT VALUE record::id(id) FROM {table};")
        stored |= {f"{table}:{id_}" for id_ in ids}
    there = {record for record, exists in told.items() if exists}
    assert stored == {record for record in there if record.partition(":")[0] in TABLES}
    [names] = await store.query("SELECT VALUE name FROM episode;")
    assert len(names) == len(set(names)) == len(events)
    assert acknowledged <= set(names)


async def everything(graph):
    ingestion = graph.handle.session
    index = await ingestion.catalog.group("default")
    facts = await ingestion.store.get(Fact, index.facts.ids)
    entities = await ingestion.store.get(Entity, index.entities.ids)
    episodes = await ingestion.store.get(Episode, index.episodes.ids)
    return (
        triples(facts.values()),
        len(facts),
        sorted((entity.name, entity.entity_type, entity.aliases) for entity in entities.values()),
        sorted((episode.name, episode.content, episode.valid_at) for episode in episodes.values()),
    )


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
async def test_killed_again_and_again_nothing_is_lost_and_nothing_is_half(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    acknowledged = set()
    for kind, count in KILLS:
        acknowledged |= killed_at(url, kind, count)
        async with open_graph(url) as graph:
            await check_whole(graph, acknowledged)
    assert 30 <= len(acknowledged) < len(STORIES)

    async with open_graph(url) as graph, open_graph() as undisturbed:
        report = await graph.add_episodes(STORIES)
        assert report.unchanged >= len(acknowledged)
        await check_whole(graph, {story.name for story in STORIES})
        await undisturbed.add_episodes(STORIES)
        assert await everything(graph) == await everything(undisturbed)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
async def test_killed_at_random_moments_the_graph_stays_whole(tmp_path):
    found = await faults.rounds(tmp_path, 4, seed=6, longest=1.5)
    assert found.lost == found.half == []
    assert found.kills == 4 and found.acknowledged > 0


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
async def test_killed_at_random_moments_files_of_columns_stay_right_or_are_left(tmp_path):
    found = await faults.rounds(tmp_path, 4, seed=7, longest=2.0, kind="files")
    assert found.lost == found.half == []
    assert found.files > 0


if __name__ == "__main__":
    asyncio.run(add_all(sys.argv[1]))
