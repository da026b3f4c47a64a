"""Random calls of every public method, with ordinary and hostile arguments, one after another.

A call gives a value, or an error of ``graphrag.errors`` that says something; whoever passes a wrong
number of arguments may get a ``TypeError``. The graph stays sound.

``python -m tests.view.fuzz CALLS [SEED]`` goes on for longer than a test may.
"""

import asyncio
import inspect
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from traceback import format_exception

from graphrag.errors import GraphRAGError
from graphrag.graph import GraphRAG
from graphrag.search.filters import Filter
from graphrag.search.within import Within
from tests.conftest import open_graph
from tests.surface import parameters, verbs

SLOW = 20
"""Seconds after which a call hangs."""
BATCH = 100
"""Calls after which the graph is checked, and what arguments are taken from is read anew."""
PEOPLE = "Ann Bob Cid Dora Eve".split()
RELATIONS = "works_at knows likes leads married_to parent_of".split()
LEFT_OUT = {"close", "open", "log.follow"}
"""Methods that end the graph, open another, or wait for events on purpose."""
HOSTILE = (
    None, -1, 0, 2**70, float("nan"), float("-inf"), True, "", " ", "a\0b", "half \ud83d",
    "x" * 500, "9999-12-31", "0000-01-01", "99999999-01-01", b"raw", [], ["a"], [[]], {},
    {"a": 1}, {1: {2}}, {"a": float("inf")}, {"ends"}, object(), int,
    datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC), timedelta.max, "*", "%",
    "'; REMOVE TABLE entity; --", "relates_to:⟨a⟩", "\N{RIGHT-TO-LEFT OVERRIDE}x",
)  # fmt: skip
MOMENTS = ("2019", "2020-06", "2021-03-04", "2022-01-01T10:00:00Z", "2025-02-03", "2020-13-45")
WORDS = (
    "Where does Ann work?", "Who knows Bob?", "tea", "Ann", "When did Cid marry?", "Acme Beta", "?",
    "How many people like tea?", "Who worked at Acme before Bob?", "a b c d", "Ann's boss in 2020",
)  # fmt: skip
KEPT = {
    "axis": ("world", "system"), "across": ("saga", "group"), "by": ("day", "month", "year"),
    "every": ("month", "year", timedelta(days=30)), "format": ("csv", "jsonl", "html", "turtle"),
    "kind": ("state", "event", "was"), "kinds": (["orphan"], ["entity"]), "of": ("mem0", "zep"),
    "on_error": ("skip", "raise"), "source": ("text", "message", "json", "import"),
    "scopes": (["facts"], ["entities"], ["episodes"], ["communities"], ["facts", "episodes"]),
    "recipe": ("near", "diverse", "edge_hybrid_search_rrf", "edge_hybrid_search_node_distance"),
    "where": (Filter.parse("relation = works_at"), Filter.parse("valid_at > 2020")),
    "within": (Within("Ann", hops=2), Within("Nobody")), "share": (0.1, 0.5), "change": (0.2, 1.0),
    "coupling": (0.5, 1.0), "resolution": (0.5, 1.0, 2.0), "confidence": (0.0, 0.5, 1.0),
    "content": (
        "Ann works_at Beta from 2021-01-01. Bob knows Cid.", "Eve likes tea.", {"a": [1, "b"]},
        "Dora leads Acme to 2022.", "Nothing is said.",
    ),
    "count": (len,), "time_zone": ("Europe/Berlin", "Nowhere/At_all"), "name": (*PEOPLE, "diary"),
    "outcomes": (["closed"], ["open"]), "entity_type": ("person", "organization"),
    "rows": (
        [{"subject": "Ann", "relation": "knows", "object": "Eve", "valid_at": "2020"}],
        [{"subject": "Ann"}], [{}], {"subject": ["Bob"], "relation": ["likes"], "object": ["tea"]},
    ),
    "contacts": ([{"name": "Zed", "email": "z@example.org"}], [{}]),
    "calendar": ([{"name": "Lunch", "start": "2024-01-01T10:00Z"}], [{"name": "x"}]),
    "known": ({"Ann": {"likes": "tea"}}, {"Ann": {}}), "batch": (1, 10), "workers": (1,),
    "attributes": ({"age": 3}, {"a": {"b": [None]}}), "metadata": ({"page": 1},),
    "aliases": (["Annie"], []), "group": ("default", "second", "none"),
    "names": ("default", "second", "none"), "confirm": ("default", "second", None),
    "text": ("Ann worked there.",), "reason": ("a mistake", ""),
    "defaults": ({"relation": "knows"},), "columns": ({"who": "subject"},),
    "paths": ("notes.txt", ["none.md"]), "key": ("k1", "k2"),
}  # fmt: skip
"""Ordinary values of arguments, by name."""
ENTITIES = (
    "subject",
    "object",
    "entity",
    "one",
    "other",
    "keep",
    "start",
    "end",
    "center",
    "centers",
)


@dataclass
class Fuzz:
    """A series of calls, and what came of them."""

    graph: GraphRAG
    random: random.Random
    folder: Path
    outcomes: Counter = field(default_factory=Counter)
    methods: Counter = field(default_factory=Counter)
    findings: dict = field(default_factory=dict)
    slowest: tuple = (0.0, "")
    pool: dict = field(default_factory=dict)

    async def fill(self):
        """Begin with something of everything."""
        for place, person in enumerate(PEOPLE):
            await self.graph.add_episode(
                f"{person} works_at Acme from 2019-0{1 + place}-01. {person} knows Bob.",
                reference_time="2019-08-01",
                saga="diary",
                name=f"note {place}",
            )
            await self.graph.add_fact(person, self.random.choice(RELATIONS), "Zoe", valid_at="2020")
        await self.graph.group("second").add_fact("Ann", "likes", "tea")
        await self.graph.communities.build()

    async def look(self):
        """Read what arguments are taken from."""
        ever = self.graph.at(history=True)
        lists = {
            "entity": await ever.entities(limit=30),
            "fact": await ever.facts(limit=50),
            "episode": await ever.episodes(limit=30),
            "event": await self.graph.log.events(limit=30),
            "community": await self.graph.communities.list(),
        }
        self.pool = {
            kind: [*found, *(each.seq if kind == "event" else each.id for each in found)]
            for kind, found in lists.items()
        }
        self.pool["entity"] += [*PEOPLE, "Acme", "tea", "Nobody"]
        self.pool["saga"] = [each.name for each in await self.graph.sagas.list()] or ["diary"]

    async def run(self, calls):
        """Call so often."""
        for number in range(calls):
            if number % BATCH == 0:
                await self.check()
            await self.call(*self.chosen())
        await self.check()

    async def check(self):
        """Find fault with the graph as it is, and look at it anew."""
        report = await self.graph.health.check_all()
        if not report.sound:
            self.findings[f"unsound after {self.outcomes.total()} calls"] = str(report.findings)
        await self.look()

    def chosen(self):
        """Return a method by its name."""
        choose = self.random.choice
        views = {
            "graph": self.graph,
            "second": self.graph.group("second"),
            "at": self.graph.at(valid_at=choose(MOMENTS[:4]), history=choose((True, False))),
            "then": self.graph.at(
                known_at=datetime.now(UTC) - timedelta(seconds=choose((0, 1, 5)))
            ),
            "groups": self.graph.groups("default", "second"),
        }
        name = choose(("graph", "graph", "graph", *views))
        found = {
            verb: method for verb, method in verbs(views[name]).items() if verb not in LEFT_OUT
        }
        verb = choose(sorted(found))
        return f"{name}.{verb}", found[verb]

    def arguments(self, method):
        """Return what is passed."""
        given = {}
        for name, parameter in parameters(method).items():
            if parameter.kind is parameter.VAR_POSITIONAL:
                continue
            if parameter.default is parameter.empty or self.random.random() < 0.3:
                given[name] = self.value(name, str(parameter.annotation))
        if given and self.random.random() < 0.02:
            given.pop(self.random.choice([*given]))
        elif self.random.random() < 0.02:
            given["nothing_of_this_name"] = 1
        return given

    def value(self, name, annotation):
        """Return an argument of a name: ordinary, for something else, or hostile."""
        choose, chance = self.random.choice, self.random.random()
        if chance < 0.15:
            return choose(HOSTILE)
        if chance < 0.2:
            return choose(self.pool[choose(sorted(self.pool))] or [None])
        found = self.ordinary(name, annotation)
        if "Sequence" in annotation or "Iterable" in annotation:
            wrong = isinstance(found, list) or chance < 0.25
            return (
                found if wrong else [found, *([self.ordinary(name, annotation)] * choose((0, 1)))]
            )
        return found

    def ordinary(self, name, annotation):
        """Return an ordinary argument of a name."""
        choose = self.random.choice
        kind = next(
            (k for k in ("community", "episode", "event", "fact") if name.startswith(k)), ""
        )
        kind = "entity" if name in ENTITIES and "Entity" in annotation else kind
        kind = {"saga": "saga", "item": choose(("fact", "entity", "episode"))}.get(name, kind)
        kind = "episode" if name == "ids" else kind
        if annotation == "bool":
            return choose((True, False))
        if kind and self.pool.get(kind) and annotation != "int":
            return choose(self.pool[kind])
        if name in KEPT:
            return choose(KEPT[name])
        if name in ("query", "question"):
            return choose(WORDS)
        if name in ("file", "path"):
            return self.folder / choose(
                ("group.jsonl", "group.csv", "group.html", "none/group.csv")
            )
        if name.startswith("relation") or name == "through":
            return choose(RELATIONS)
        if "Moment" in annotation:
            return choose((*MOMENTS, datetime.now(UTC), datetime.now(UTC) - timedelta(seconds=1)))
        if "int" in annotation:
            return choose((0, 1, 2, 3, 5, 40, 200))
        if name.startswith("on_"):
            return lambda *_: None
        if name == "into":
            return open_graph()
        return choose((*WORDS, *PEOPLE, "diary"))

    async def call(self, path, method):
        """Call it, and note what came of it."""
        given = self.arguments(method)
        began = time.perf_counter()
        try:
            async with asyncio.timeout(SLOW):
                await _done(method(**given))
            outcome = "value"
        except GraphRAGError as error:
            outcome = type(error).__name__
            if len(str(error).split()) < 3:
                self.note(path, error, given)
        except TypeError as error:
            try:
                inspect.signature(method).bind(**given)
            except TypeError:
                outcome = "TypeError of a wrong number"
            else:
                outcome = self.note(path, error, given)
        except Exception as error:  # noqa: BLE001 - what is looked for
            outcome = self.note(path, error, given)
        seconds = time.perf_counter() - began
        self.slowest = max(self.slowest, (seconds, path))
        if seconds > SLOW:
            self.findings[f"{path}: {seconds:.0f} s"] = _shown(given)
        self.methods[path.partition(".")[2]] += 1
        self.outcomes[outcome] += 1

    def note(self, path, error, given):
        """Keep the first of each kind of finding."""
        kind = f"{path.partition('.')[2]}: {type(error).__name__}: {str(error)[:60]}"
        text = "".join(format_exception(error))[-2500:]
        self.findings.setdefault(kind, f"{_shown(given)}\n{text}")
        return f"WRONG {type(error).__name__}"

    def __str__(self):
        head = f"{self.outcomes.total()} calls of {len(self.methods)} methods"
        lines = [f"{head}, slowest {self.slowest[0]:.1f} s ({self.slowest[1]})"]
        lines += [f"  {name}: {count}" for name, count in self.outcomes.most_common()]
        lines += [f"FINDING {kind}\n{text}" for kind, text in self.findings.items()]
        return "\n".join(lines)


async def _done(result):
    """Await a call, and take what streams to its third item."""
    if isinstance(result, AsyncIterator):
        async with aclosing(result) as stream:
            for _ in range(3):
                if await anext(stream, None) is None:
                    break
        return
    if inspect.isawaitable(result):
        result = await result
    repr(result)


def _shown(given):
    return ", ".join(f"{name}={ascii(value)[:120]}" for name, value in given.items())


async def fuzz(calls, seed, *, filled, folder, profile="process"):
    """Return what came of so many calls of a fresh or a filled graph."""
    async with open_graph(profile=profile) as graph:
        found = Fuzz(graph, random.Random(seed), folder)
        if filled:
            await found.fill()
        await found.run(calls)
        return found


if __name__ == "__main__":
    every = int(sys.argv[1])
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed, filled in ((start, True), (start + 1, False)):
        for profile in ("process", "engine"):
            with tempfile.TemporaryDirectory() as folder:
                how = {"filled": filled, "folder": Path(folder), "profile": profile}
                outcome = asyncio.run(fuzz(every // 4, seed, **how))
            print(profile, "filled" if filled else "fresh", outcome, flush=True)  # noqa: T201
