"""Reads of recent moments while others write: each answer is held against that of a group at rest.

``python -m tests.view.writing SECONDS`` goes on for longer than a test may.
"""

import asyncio
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path
from traceback import format_exception

import numpy as np

from graphrag.errors import GraphRAGError, QueryError
from graphrag.search.within import Within
from graphrag.temporal.moment import utc_now
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph

PEOPLE = "Ann Bob Cid Dora Eve Finn Gus Hana Ivo Jana".split()
FIRMS = "Acme Beta Globex Initech".split()
RELATIONS = "works_at knows likes leads lives_in".split()
PINNED = "Pia"
"""Nobody merges, renames or erases her."""


class SlowEmbedder(HashEmbedder):
    """Vectors that take a while, as those of a model do."""

    async def embed(self, texts, *, purpose):
        await asyncio.sleep(random.choice((0, 0.001, 0.004)))
        return await super().embed(texts, purpose=purpose)


async def _file(view, ending):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"group.{ending}"
        await view.export.file(path)
        return sorted(path.read_text(encoding="utf-8").splitlines())


async def _network(view):
    network = await view.export.networkx()
    return [sorted(map(str, network.nodes(data=True))), sorted(map(str, network.edges(data=True)))]


READS = {
    "search": lambda view: view.search("Where does Ann work?"),
    "search, near": lambda view: view.search("Bob knows", recipe="near", centers=[PINNED]),
    "search, mentions": lambda view: view.search(
        "likes tea", recipe="edge_hybrid_search_episode_mentions"
    ),
    "search, mmr": lambda view: view.search("works_at Acme", recipe="diverse", limit=5),
    "search, saga": lambda view: view.search("Ann", saga="diary"),
    "search, within": lambda view: view.search("tea", within=Within(PINNED, hops=2)),
    "search, episodes": lambda view: view.search("Acme Globex", scopes=["episodes"], limit=20),
    "explain": lambda view: view.explain("Where does Ann work?", PINNED),
    "facts": lambda view: view.facts(limit=500),
    "facts about": lambda view: view.facts(PINNED),
    "facts by relation": lambda view: view.facts(relation="works_at", limit=300),
    "entity": lambda view: view.entity(PINNED),
    "entities": lambda view: view.entities(limit=300),
    "episodes": lambda view: view.episodes(limit=300),
    "episodes of a saga": lambda view: view.episodes(saga="diary", limit=300),
    "timeline": lambda view: view.timeline(PINNED),
    "changes": lambda view: view.changes("2000-01-01", "2030-01-01", axis="world"),
    "stats": lambda view: view.stats(),
    "ask": lambda view: view.ask("Where does Pia work?"),
    "answer": lambda view: view.answer("Who knows Pia?"),
    "neighbors": lambda view: view.neighbors(PINNED, depth=2, facts=3),
    "within": lambda view: view.within(PINNED, through=["knows"], hops=2),
    "path": lambda view: view.paths(PINNED, "Acme", k=3),
    "subgraph": lambda view: view.subgraph(PINNED, depth=2),
    "profile": lambda view: view.profile(PINNED),
    "explorer": lambda view: _atlas(view),
    "pandas": lambda view: _frames(view),
    "networkx": _network,
    "csv": lambda view: _file(view, "csv"),
    "communities": lambda view: view.communities.list(),
    "communities, context": lambda view: view.communities.context("Who works where?"),
    "sagas": lambda view: view.sagas.list(),
    "saga": lambda view: view.sagas.get("diary"),
    "hubs": lambda view: view.audit.hubs(),
    "growth": lambda view: view.audit.growth(),
    "orphans": lambda view: view.audit.orphans(),
    "contradictions": lambda view: view.audit.contradictions(),
    "absence": lambda view: view.audit.absence(PINNED, "works_at"),
}  # fmt: skip


async def _atlas(view):
    """Return what is drawn, but not where: what was drawn before stays where it was."""
    atlas = await view.export.atlas(quotes=True)
    shown = atlas.to_dict() | {"quotes": atlas.quotes, "about": atlas.about, "made_at": None}
    shown["nodes"] = {name: cells for name, cells in atlas.nodes.items() if name not in "xy"}
    return shown


async def _frames(view):
    frames = await view.export.pandas()
    return [frames.facts.to_csv(), frames.entities.to_csv()]


def plain(value):
    """Return an answer as what can be compared: no rounding of another order of adding."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, str | int | datetime | timedelta | Enum | None | bytes):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if is_dataclass(value):
        names = {each.name for each in fields(value)} - {"explanation", "made_at"}
        return {name: plain(getattr(value, name)) for name in sorted(names)}
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    try:
        return [plain(each) for each in value]
    except TypeError:
        return str(value)


@dataclass
class Campaign:
    """Writers and readers of one group, and what did not fit."""

    graph: object
    random: random.Random
    answers: list = field(default_factory=list)
    reads: Counter = field(default_factory=Counter)
    writes: Counter = field(default_factory=Counter)
    errors: Counter = field(default_factory=Counter)
    different: Counter = field(default_factory=Counter)
    examples: dict = field(default_factory=dict)
    compared: int = 0
    step: int = 0
    erased_at: datetime | None = None

    async def fill(self):
        """Begin with something of everything."""
        for person in (PINNED, *PEOPLE):
            await self.graph.add_episode(
                f"{person} works_at Acme from 2019-01-01. {person} knows Bob. {person} likes tea.",
                reference_time="2019-02-01",
                saga="diary",
            )
        await self.graph.communities.build()

    async def write(self, kind):
        """Write something of a kind."""
        graph, choose = self.graph, self.random.choice
        self.step += 1
        person, firm = choose((*PEOPLE, PINNED)), choose(FIRMS)
        moment = f"{2020 + self.step % 5}-{1 + self.step % 12:02}-{1 + self.step % 28:02}"
        if kind == "add_episode":
            text = f"{person} works_at {firm} from {moment}. {person} knows {choose(PEOPLE)}."
            saga = choose((None, "diary"))
            await graph.add_episode(f"{text} Note {self.step}.", reference_time=moment, saga=saga)
        elif kind == "add_fact":
            other = choose((firm, *PEOPLE))
            await graph.add_fact(person, choose(RELATIONS), other, valid_at=moment)
        elif kind == "load":
            things = [f"thing {self.step} {number}" for number in range(30)]
            rows = [
                {"subject": f"{choose(PEOPLE)} {place}", "relation": "likes", "object": thing}
                for place, thing in enumerate(things)
            ]
            await graph.load.facts(rows, batch=10)
        elif kind == "communities":
            await graph.communities.update()
        elif kind == "erase":
            entities = await graph.entities(limit=500)
            found = [each for each in entities if each.name.startswith("thing")]
            if found:
                await graph.erase.entity(choose(found).id)
                self.erased_at = utc_now()
        elif kind == "remove_episode":
            found = [each for each in await graph.episodes(limit=50) if "Note" in each.content]
            if len(found) > 5:
                await graph.log.remove_episode(choose(found).id)
        elif kind == "merge":
            found = [each for each in await graph.entities(limit=500) if each.name[-1].isdigit()]
            if len(found) > 4:
                keep, other = self.random.sample(found, 2)
                await graph.identity.merge(keep.id, other.id)
        else:
            found = [each for each in await graph.facts(limit=200) if each.subject != PINNED]
            if found:
                await getattr(graph.edit, kind)(choose(found))
        self.writes[kind] += 1

    async def writer(self, kinds, until):
        """Write until the end."""
        while asyncio.get_running_loop().time() < until:
            kind = self.random.choice(kinds)
            try:
                await self.write(kind)
            except GraphRAGError:  # another writer took away what this one chose
                self.writes[f"{kind}, refused"] += 1
            await asyncio.sleep(self.random.choice((0, 0.002, 0.02)))

    async def reader(self, kinds, until):
        """Read recent moments until the end."""
        while asyncio.get_running_loop().time() < until:
            kind = self.random.choice(kinds)
            began = utc_now()
            moment = began - timedelta(seconds=self.random.choice((0, 0, 0.01, 0.1, 1)))
            if self.random.random() < 0.15:
                moment = None  # of now: it must come, and cannot be asked again
            try:
                found = await READS[kind](self.graph.at(known_at=moment))
            except QueryError as error:
                found = str(error)
            except Exception as error:  # noqa: BLE001 - what is looked for
                place = f"{kind}: {type(error).__name__}"
                self.errors[place] += 1
                self.examples.setdefault(place, (moment, "".join(format_exception(error)), ""))
                continue
            self.reads[kind] += 1
            if moment is not None:
                self.answers.append((kind, moment, began, plain(found)))
            await asyncio.sleep(0)

    async def compare(self):
        """Ask everything again, when nobody writes."""
        engine = self.graph._context.store.profile == "engine"
        for kind, moment, began, found in self.answers:
            if self.erased_at is not None and began <= self.erased_at:
                continue  # what is erased is gone from the past, too
            try:
                again = plain(await READS[kind](self.graph.at(known_at=moment)))
            except QueryError as error:
                again = str(error)
            # MMR chooses by differences of cosines: their last digits depend on what is computed
            # together.
            if (engine and kind.startswith(("search", "explain", "answer"))) or "mmr" in kind:
                found, again = _alike(found, again)  # ranked by the statistics of today
            self.compared += 1
            if again != found:
                self.different[kind] += 1
                self.examples.setdefault(kind, (moment, found, again))
        self.answers.clear()

    def __str__(self):
        head = f"{self.reads.total()} reads, {self.compared} compared, {self.writes.total()} writes"
        lines = [f"{head}, {self.different.total()} different, {self.errors.total()} errors"]
        lines += [f"  {name}: {count}" for name, count in self.writes.most_common()]
        lines += [f"  DIFFERENT {name}: {count}" for name, count in self.different.most_common()]
        lines += [f"  ERROR {name}: {count}" for name, count in self.errors.most_common()]
        return "\n".join(lines)


def _alike(one, other):
    """Return the items that two answers share, by id."""

    def items(answer):
        if not isinstance(answer, dict):
            return {}
        hits = [hit for scope in ("facts", "entities", "episodes") for hit in answer.get(scope, ())]
        return {hit["item"]["id"]: hit["item"] for hit in hits if "item" in hit}

    left, right = items(one), items(other)
    common = left.keys() & right.keys()
    return {key: left[key] for key in common}, {key: right[key] for key in common}


CHANGES = "add_episode add_fact invalidate retract remove_episode merge load communities".split()


async def campaign(seconds, *, profile="process", seed=0, readers=4, kinds=tuple(READS)):
    """Return what came of writing and reading for so long, by turns of a few seconds."""
    loop = asyncio.get_running_loop()
    async with open_graph(profile=profile, embedder=SlowEmbedder()) as graph:
        found, end = Campaign(graph, random.Random(seed)), loop.time() + seconds
        await found.fill()
        while loop.time() < end:
            await found.writer(["erase"], loop.time() + 0.01)
            until = min(end, loop.time() + 3)
            changes = (*CHANGES, "erase") if random.random() < 0.3 else CHANGES
            await asyncio.gather(
                *(found.writer(changes, until) for _ in range(2)),
                *(found.reader(kinds, until) for _ in range(readers)),
            )
            await found.compare()
        assert (await graph.health.check_all()).sound
        return found


def _differing(one, other, path=""):
    if type(one) is type(other) and isinstance(one, list | dict) and len(one) == len(other):
        pairs = one.items() if isinstance(one, dict) else enumerate(one)
        for key, value in pairs:
            if isinstance(one, dict) and key not in other:
                return f"{path}: key {key}"
            if value != other[key]:
                return _differing(value, other[key], f"{path}.{key}")
    return f"{path}: {str(one)[-1500:]} <> {str(other)[:300]}"


if __name__ == "__main__":
    for profile in sys.argv[2:] or ("process", "engine"):
        outcome = asyncio.run(campaign(float(sys.argv[1]), profile=profile))
        print(profile, outcome, flush=True)  # noqa: T201
        for kind, (moment, one, other) in outcome.examples.items():
            print("   ", kind, moment, _differing(one, other), flush=True)  # noqa: T201
