"""One server and many clients: errors, lost writes, how long answers take, who sees what when.

The clients are on the same machine and take their share of its cores, so times are worse than those
of a server that has a machine to itself. Each client asks again as soon as it was answered.
"""

import asyncio
import json
import random
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from graphrag import GraphRAG
from tests.benchmarks.report import Report, Section, p50, p95
from tests.conftest import open_graph

_ROOT = Path(__file__).parents[2]
_PLAIN = (
    "from graphrag.cli.app import create_app, run\n"
    "from tests.cli.conftest import opener\n"
    "from tests.conftest import PlainExtractor\n"
    "raise SystemExit(run(app=create_app(opener(PlainExtractor()))))\n"
)
_FIRST = "Ann Bob Cid Dora Eve Finn Gus Hana Ida Jon Kim Lea Max Nell Otto Pia".split()
_LAST = "Adler Brandt Conrad Decker Ebner Falk Gruber Hahn Imhof Jansen Keller Lang".split()
_PEOPLE = [f"{first} {last}" for first in _FIRST for last in _LAST]
"""Nearly two hundred: of eight there would soon be hundreds of jobs each to settle."""
_FIRMS = "Acme Beta Globex Initech".split()
_VERBS = "remember search ask entity timeline context changes path".split()
_SHARES = (20, 30, 15, 15, 5, 5, 5, 5)


@dataclass(frozen=True, slots=True)
class Options:
    """How long and how many."""

    seconds: float = 60
    clients: int = 32
    stops: int = 5
    readers: int = 8
    writers: int = 4
    local: bool = True
    """Whether to measure the models of this machine, too, not only plain ones."""


@dataclass(slots=True)
class Load:
    """What became of the requests of many clients."""

    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)
    unanswered: set[str] = field(default_factory=set)

    @property
    def answered(self) -> int:
        """Count the answers."""
        return sum(map(len, self.seconds.values()))


@dataclass(frozen=True, slots=True)
class Server:
    """A server in a process of its own."""

    url: str
    process: asyncio.subprocess.Process

    async def stop(self) -> float:
        """Stop it as an operator does, and return how many seconds that took."""
        began = time.perf_counter()
        self.process.send_signal(signal.SIGTERM)
        code = await asyncio.wait_for(self.process.wait(), 60)
        if code != 0:
            raise RuntimeError(f"the server ended with code {code}")
        return time.perf_counter() - began


@asynccontextmanager
async def served(store: str, *, plain: bool) -> AsyncIterator[Server]:
    """Start a server on a store, with plain models or those of this machine."""
    start = ["-c", _PLAIN] if plain else ["-m", "graphrag"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *start, "serve", "--port", "0", "--store", store),
        cwd=_ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    try:
        yield Server(line.partition("/: ")[0], process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _request(
    verb: str, number: int, people: list[str], chance: random.Random, plain: bool
) -> dict[str, Any]:
    person, other = chance.sample(people, 2)
    year = 2000 + number % 20
    moment = {"valid_at": f"{year}-06-01"} if chance.random() < 0.3 else {}
    told = (
        f"{person} works_at {chance.choice(_FIRMS)} from {year}-01-01. {person} knows {other}."
        if plain
        else f"{person} joined {chance.choice(_FIRMS)} in March {year}."
    )
    return {
        "remember": {"content": f"{told} It is note {number}.", "key": str(number)},
        "search": {"query": f"Who works at {chance.choice(_FIRMS)}?", **moment},
        "ask": {"question": f"Where does {person} work?", **moment},
        "entity": {"entity": person, **moment},
        "timeline": {"entity": person, "limit": 20},
        "context": {"question": f"What does {person} do?", "max_tokens": 500},
        "changes": {"since": "last week", "limit": 10},
        "path": {"start": person, "end": other},
    }[verb]


async def _client(
    http: httpx2.AsyncClient, number: int, people: list[str], until: float, load: Load, plain: bool
) -> None:
    """Ask one thing after the other, and note what came of it."""
    chance, count = random.Random(number), 0
    while time.monotonic() < until:
        [verb] = chance.choices(_VERBS, _SHARES)
        count += 1
        given = _request(verb, number * 1_000_000 + count, people, chance, plain)
        began = time.perf_counter()
        try:
            answer = await http.post(f"/v1/{verb}", json=given)
        except httpx2.TransportError as error:
            load.unanswered.add(given.get("key", ""))
            load.errors.append(f"{verb}: {type(error).__name__}")
            return
        load.seconds[verb].append(time.perf_counter() - began)
        if answer.status_code != 200:
            load.errors.append(f"{verb}: {answer.status_code} {answer.text[:200]}")
        elif verb == "remember":
            load.acknowledged.add(given["key"])


async def _loaded(server: Server, load: Load, clients: int, seconds: float, plain: bool) -> None:
    limits = httpx2.Limits(max_connections=clients)
    async with httpx2.AsyncClient(base_url=server.url, timeout=120, limits=limits) as http:
        people = _PEOPLE[: 6 * clients]
        for place, person in enumerate(people):
            fact = {"subject": person, "relation": "works_at", "object": _FIRMS[place % 4]}
            given = {"fact": {**fact, "valid_at": "1999", "subject_type": "person"}}
            (await http.post("/v1/remember", json=given)).raise_for_status()
        until = time.monotonic() + seconds
        await asyncio.gather(
            *(_client(http, number, people, until, load, plain) for number in range(clients))
        )


async def _stored(store: str, *, plain: bool = True) -> tuple[set[str], bool]:
    """Return the keys of what a store has, and whether it is sound."""
    async with open_graph(store) if plain else GraphRAG.open(store, workers=0) as graph:
        [keys] = await graph.handle.session.store.query(
            "SELECT VALUE key FROM episode WHERE key IS NOT NONE;"
        )
        return set(keys), (await graph.health.check()).sound


async def mixed(folder: Path, options: Options, *, plain: bool) -> Section:
    """Let many clients ask and tell for a while, and count what is lost."""
    store = f"surrealkv://{folder}/{'plain' if plain else 'local'}"
    async with served(store, plain=plain) as server:
        load = Load()
        await _loaded(server, load, options.clients, options.seconds, plain)
        await server.stop()
    keys, sound = await _stored(store, plain=plain)
    every = [seconds for some in load.seconds.values() for seconds in some]
    rows = [
        {
            "verb": verb,
            "answers": float(len(some)),
            "p50 ms": 1000 * p50(some),
            "p95 ms": 1000 * p95(some),
        }
        for verb, some in [*sorted(load.seconds.items()), ("all", every)]
    ]
    lost = load.acknowledged - keys
    notes = [
        f"{load.answered / options.seconds:.0f} answers a second; {len(load.errors)} errors; "
        f"{len(load.acknowledged)} writes acknowledged, {len(lost)} lost; "
        f"the store is {'sound' if sound else 'NOT sound'}",
        *load.errors[:5],
    ]
    models = "plain" if plain else "local"
    title = f"{options.clients} clients, {options.seconds:g} s, {models} models"
    if lost or not sound:
        raise SystemExit(f"{title}: {notes}")
    return Section(title, rows, notes)


async def stopped(folder: Path, options: Options) -> Section:
    """Stop servers that many clients are asking, and count what is lost."""
    rows: list[dict[str, str | float]] = []
    for number in range(options.stops):
        store = f"surrealkv://{folder}/stop{number}"
        async with served(store, plain=True) as server:
            load = Load()
            loading = asyncio.ensure_future(_loaded(server, load, options.clients, 600, True))
            while not load.acknowledged:
                await asyncio.sleep(0.1)
            await asyncio.sleep(1 + number)
            took = await server.stop()
            await loading
        keys, sound = await _stored(store)
        lost = load.acknowledged - keys
        refused = [error for error in load.errors if not error.endswith(("Error", "Disconnected"))]
        rows.append(
            {
                "stop": float(number + 1),
                "seconds": took,
                "acknowledged": float(len(load.acknowledged)),
                "lost": float(len(lost)),
                "cut connections": float(len(load.errors) - len(refused)),
                "answers of 500 or above": float(len(refused)),
            }
        )
        if lost or not sound:
            raise SystemExit(f"a stop did damage: {rows[-1]}, sound: {sound}")
    return Section(f"SIGTERM while {options.clients} clients ask", rows)


def write(url: str, name: str, seconds: float) -> None:
    """Tell facts about one's name, and print when each was acknowledged."""
    until, number = time.monotonic() + seconds, 0
    with httpx2.Client(base_url=url, timeout=60) as http:
        while time.monotonic() < until:
            number += 1
            fact = {"subject": name, "relation": "likes", "object": f"{name} thing {number}"}
            http.post("/v1/remember", json={"fact": fact}).raise_for_status()
            sys.stdout.write(json.dumps([number, time.monotonic()]) + "\n")
            time.sleep(0.1)


def read(url: str, names: list[str], seconds: float) -> None:
    """Ask about each name in turn, and print when each question began and what was newest."""
    until = time.monotonic() + seconds
    with httpx2.Client(base_url=url, timeout=60) as http:
        while time.monotonic() < until:
            for name in names:
                began = time.monotonic()
                answer = http.post("/v1/entity", json={"entity": name, "facts": 1})
                ended = time.monotonic()
                newest = 0
                if answer.status_code == 200 and (facts := answer.json()["facts"]):
                    newest = int(facts[0]["object"].rpartition(" ")[2])
                sys.stdout.write(json.dumps([name, began, ended, newest]) + "\n")


async def _process(code: str) -> list[Any]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", f"from tests.benchmarks.serving import read, write\n{code}"),
        cwd=_ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"a client ended with code {process.returncode}")
    return [json.loads(line) for line in out.splitlines()]


async def shared(folder: Path, options: Options) -> Section:
    """Let processes write and others read through one server: who sees what when."""
    seconds = options.seconds
    names = [f"Writer{number}" for number in range(options.writers)]
    async with served(f"surrealkv://{folder}/shared", plain=True) as server:
        url = server.url
        reading = [
            _process(f"read({url!r}, {names!r}, {seconds + 3})") for _ in range(options.readers)
        ]
        writing = [_process(f"write({url!r}, {name!r}, {seconds})") for name in names]
        found = await asyncio.gather(*writing, *reading)
        await server.stop()
    written, looks = found[: len(names)], found[len(names) :]
    lags, stale, unseen = [], 0, 0
    for name, acknowledged in zip(names, written, strict=True):
        for looked in looks:
            own = [(began, ended, newest) for who, began, ended, newest in looked if who == name]
            for number, at in acknowledged:
                seen = [ended for _, ended, newest in own if newest >= number]
                unseen += not seen
                lags += [max(0.0, min(seen) - at)] if seen else []
            for began, _, newest in own:
                stale += any(number > newest for number, at in acknowledged if at < began)
    writes, reads = sum(map(len, written)), sum(map(len, looks))
    row = {
        "writes": float(writes),
        "reads": float(reads),
        "never seen": float(unseen),
        "stale reads": float(stale),
        "seen after ms, p50": 1000 * p50(lags),
        "p95": 1000 * p95(lags),
        "most": 1000 * max(lags),
    }
    note = (
        "a stale read began after a write was acknowledged and did not show it; each reader asks "
        "about one writer after the other, so what it has to wait for is its turn"
    )
    title = f"{options.readers} reading and {options.writers} writing processes"
    return Section(title, [row], [note])


async def measure(report: Report, options: Options) -> None:
    """Measure the load, the stops and the processes; end with an error if anything was lost."""
    with tempfile.TemporaryDirectory(prefix="graphrag-serving-") as place:
        folder = Path(place)
        report.add(await mixed(folder, options, plain=True))
        if options.local:
            report.add(await mixed(folder, options, plain=False))
        report.add(await stopped(folder, options))
        report.add(await shared(folder, options))
