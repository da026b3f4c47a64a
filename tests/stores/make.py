"""Make the small stores that later versions must open: ``python -m tests.stores.make VERSION``.

Run once a released version, never again: a store made by newer code proves nothing. Each store goes
into an archive, beside the answers that this version gave.
"""

import asyncio
import json
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

from graphrag import NewEpisode
from tests.conftest import open_graph

HERE = Path(__file__).parent
MOMENTS = ("2018-06-01", "2020-06-01", "2021-06-01", "2023-06-01")
STORY = [
    NewEpisode("Alice works_at Acme from 2019. Alice lives_in Paris from 2018.", "2019-02-01"),
    NewEpisode("Alice works_at Globex from 2021. Bob leads Acme from 2020.", "2021-03-01"),
    NewEpisode("Carol knows Alice. Carol lives_in Rome from 2017 to 2020.", "2022-01-05"),
    NewEpisode("Bob: Alice lives_in Berlin from 2022.", "2022-08-01", saga="letters"),
    NewEpisode("Ally knows Bob. Dora likes tea.", "2023-01-01", saga="letters"),
]


async def tell(graph):
    """Tell the story, a table of facts, and a correction; return a moment in between."""
    await graph.add_episodes(STORY[:2])
    between = (await graph.log.events())[-1].at
    await graph.add_episodes(STORY[2:])
    await graph.load.facts(
        [
            {"subject": "Dora", "relation": "works_at", "object": "Beta", "valid_at": "2015"},
            {"subject": "Dora", "relation": "works_at", "object": "Initech", "valid_at": "2021-05"},
        ],
        source="staff.csv",
    )
    [job] = [fact for fact in await graph.facts("Bob") if fact.relation == "leads"]
    await graph.edit.correct(job, object="Beta", reason="it was Beta", actor="ann")
    await graph.communities.build()
    return between


async def merge_and_forget(graph):
    """Merge two people, take one merge back, retract a fact, forget somebody."""
    between = await tell(graph)
    merged = await graph.identity.merge("Alice", "Ally", reason="a nickname")
    await graph.identity.unmerge(merged.seq)
    await graph.identity.merge("Alice", "Ally", reason="a nickname after all")
    [tea] = [fact for fact in await graph.facts("Dora") if fact.relation == "likes"]
    await graph.edit.retract(tea, reason="a namesake")
    await graph.erase.entity("Carol")
    return between


STORES = {
    "folder": ({}, tell),
    "engine": ({"profile": "engine"}, tell),
    "edited": ({}, merge_and_forget),
}


def lines(facts):
    """Return facts as text, sorted."""
    return sorted(
        " | ".join((one.subject, one.relation, one.object, str(one.valid_at), str(one.invalid_at)))
        for one in facts
    )


async def answers(graph, between):
    """Return what a graph says, now and as of other moments, as JSON values."""
    views = {
        "now": graph,
        "ever": graph.at(history=True),
        "known before": graph.at(known_at=between, history=True),
        **{moment: graph.at(valid_at=moment) for moment in MOMENTS},
    }
    said = {}
    for name, view in views.items():
        found = await view.search("Where does Alice work?", scopes=("facts",), limit=5)
        said[name] = {
            "facts": lines(await view.facts()),
            "entities": sorted(one.name for one in await view.entities()),
            "found": [hit.item.object for hit in found.facts][:1],
        }
    said["events"] = [event.kind for event in await graph.log.events()]
    said["sagas"] = [saga.name for saga in await graph.sagas.list()]
    return json.loads(json.dumps(said))


async def make(name, folder):
    options, story = STORES[name]
    url = f"surrealkv://{folder / name}"
    async with open_graph(url, **options) as graph:
        between = await story(graph)
        said = await answers(graph, between)
    with tarfile.open(HERE / f"{sys.argv[1]}-{name}.tar.xz", "w:xz") as archive:
        archive.add(folder / name, name)
    return {"between": between.isoformat(), "answers": said}


async def main():
    folder = Path(tempfile.mkdtemp())
    try:
        made = {name: await make(name, folder) for name in STORES}
    finally:
        shutil.rmtree(folder)
    text = json.dumps(made, indent=1, ensure_ascii=False)
    (HERE / f"{sys.argv[1]}.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(main())
