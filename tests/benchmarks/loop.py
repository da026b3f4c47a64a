"""``serving --loop``: the dearest calls of every route and tool, and how long each holds the loop.

The server runs in a process of its own, with a heartbeat in its event loop: the longest gap
between two beats is what every other client waits. ``processor ms`` is the processor time of the
loop's thread in the longest stretch without a beat: on a busy machine it says more than the clock.
"""

import asyncio
import json
import random
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
from mcp import Client

from graphrag import GraphRAG, Models
from graphrag.serve import server
from graphrag.serve.verb_table import VERBS
from graphrag.testing import HashEmbedder
from tests.benchmarks.load import filled
from tests.benchmarks.prepared import DIMENSION, NAME
from tests.benchmarks.report import Report, Section, p50, p95
from tests.benchmarks.synthetic import Synthetic
from tests.conftest import PlainExtractor

_ROOT = Path(__file__).parents[2]
_BEAT = 0.005
_LATE = 0.04
"""Seconds without a beat from which on it is noted, and where the loop's thread was."""
BOUND = 50.0
"""Milliseconds for which a call may hold the loop."""
_JSON = {"content-type": "application/json"}
Given = Mapping[str, Any]


class Words(HashEmbedder):
    """A quick embedder under the name of the one that the synthetic store was made with."""

    def __init__(self) -> None:
        super().__init__(DIMENSION)
        self.name = NAME


@dataclass(slots=True)
class Beats:
    """Gaps between the beats of a loop: when each ended, how long it was, where it came from."""

    loop: str
    last: float = field(default_factory=time.monotonic)
    places: Counter[str] = field(default_factory=Counter)

    def start(self) -> asyncio.Task[None]:
        """Beat in the loop that runs."""
        threading.Thread(target=self.watch, args=[threading.get_ident()], daemon=True).start()
        return asyncio.ensure_future(self.run())

    async def run(self) -> None:
        """Beat until cancelled, and print each gap that is long."""
        while True:
            began, used = time.monotonic(), time.thread_time()
            await asyncio.sleep(_BEAT)
            self.last = time.monotonic()
            gap, processor = self.last - began - _BEAT, time.thread_time() - used
            if gap > _LATE or processor > _LATE:
                where = "; ".join(f"{n}x {place}" for place, n in self.places.most_common(2))
                sys.stdout.write(json.dumps([self.loop, self.last, gap, processor, where]) + "\n")
                sys.stdout.flush()
            self.places.clear()

    def watch(self, thread: int) -> None:
        """Note where the loop's thread is whenever a beat is late; runs in another thread."""
        while True:
            time.sleep(_BEAT)
            if time.monotonic() - self.last > _BEAT + _LATE / 2:
                frame = sys._current_frames().get(thread)
                stack = [] if frame is None else traceback.extract_stack(frame)
                own = [
                    at
                    for at in stack
                    if str(_ROOT) in at.filename and "benchmarks" not in at.filename
                ]
                if own or stack:
                    self.places[
                        " < ".join(
                            f"{Path(at.filename).name}:{at.lineno}" for at in (own or stack)[:-6:-1]
                        )
                    ] += 1


async def _child(url: str, local: bool) -> None:
    """Serve a store, with a heartbeat."""
    models = Models() if local else Models(embedder=Words(), extractor=PlainExtractor())
    async with GraphRAG.open(url, models=models) as graph:
        own = Beats("graph")
        beating = [own.start()]
        application = server.application

        def watched(*given: Any, **how: Any) -> Any:
            app = application(*given, **how)

            async def answer(scope: Any, receive: Any, send: Any) -> None:
                if len(beating) == 1:
                    beating.append(Beats("server").start())
                await app(scope, receive, send)

            return answer

        server.application = watched

        def listening(url: str) -> None:
            sys.stdout.write(url + "\n")
            sys.stdout.flush()

        try:
            await server.serve(graph, port=0, on_start=listening)
        finally:
            beating[0].cancel()


@dataclass(slots=True)
class Watched:
    """A server with a heartbeat, seen from outside."""

    url: str
    gaps: list[tuple[str, float, float, float, str]] = field(default_factory=list)

    async def listen(self, out: asyncio.StreamReader) -> None:
        """Take down the gaps that it prints."""
        async for line in out:
            self.gaps.append(tuple(json.loads(line)))


@asynccontextmanager
async def watched(store: str, *, local: bool = False) -> AsyncIterator[Watched]:
    """Start a server with a heartbeat on a store."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.benchmarks.loop", store, "local" if local else "plain"),
        cwd=_ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    server = Watched((await process.stdout.readline()).decode().strip())
    listening = asyncio.ensure_future(server.listen(process.stdout))
    try:
        yield server
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        await listening


def dearest(
    names: Sequence[str], facts: Sequence[str], then: str, last: int
) -> list[tuple[str, Given]]:
    """Return the dearest calls of every verb.

    Args:
        names: Of entities, the best connected first.
        facts: Ids of facts.
        then: A moment of system time before half of the log.
        last: Number of the last event.
    """
    hub, other, *_ = names
    words = " ".join(names[:400])
    ever = {"valid_at": "2024-01-01", "known_at": then}
    tree = " and ".join(
        f"(relation == relation_{n % 40} or valid_at < 20{n % 90 + 10})" for n in range(30)
    )
    whole = {"scopes": ["facts", "entities", "episodes", "communities"], "limit": 100}
    return [
        ("search", {"query": words[:10_000], **whole}),
        ("search", {"query": words[:10_000], **whole, "history": True}),
        ("search", {"query": words[:9_000], **whole, **ever}),
        ("search", {"query": words[:5_000], **whole, "where": tree[:2000].rpartition(" and ")[0]}),
        ("search", {"query": "a e i o u " * 1000, **whole}),
        ("ask", {"question": words[:2000]}),
        ("ask", {"question": f"Who relation_1 {hub} before 2019 and after 2016 and during 2018?"}),
        ("ask", {"question": words[:1900], **ever}),
        ("answer", {"question": words[:2000], "max_tokens": 32_000}),
        ("entity", {"entity": hub, "facts": 200}),
        ("entity", {"entity": hub, "facts": 200, **ever}),
        ("entity", {"entity": "nobody " * 70}),
        ("timeline", {"entity": hub, "limit": 1000}),
        ("timeline", {"entity": hub, "limit": 1000, **ever}),
        ("changes", {"since": "0001-01-02", "limit": 1000}),
        ("changes", {"since": "0001-01-02", "limit": 1000, "axis": "world"}),
        ("changes", {"since": then, "limit": 1000, "known_at": then}),
        (
            "changes",
            {"since": "0001-01-02", "until": "2020-01-01", "axis": "world", "limit": 1000, **ever},
        ),
        ("path", {"start": names[-1], "end": names[-2], "max_depth": 10, "number": 10}),
        ("path", {"start": hub, "end": names[-1], "max_depth": 10, "number": 10}),
        ("path", {"start": hub, "end": other, "max_depth": 10, "number": 10, **ever}),
        ("context", {"question": words[:10_000], "max_tokens": 32_000}),
        ("context", {"question": words[:10_000], "max_tokens": 32_000, "format": "xml", **ever}),
        ("communities", {"limit": 200}),
        ("communities", {"limit": 200, "valid_at": "2021-01-01"}),
        ("communities", {"limit": 200, "valid_at": "2020-01-01", "known_at": then}),
        ("communities", {"question": words[:10_000], "max_tokens": 32_000, "limit": 200}),
        (
            "communities",
            {"question": words[:9_000], "valid_at": "2019-06-01", "max_tokens": 32_000},
        ),
        ("communities", {"community": "a", "limit": 200, "valid_at": "2021-01-01"}),
        (
            "communities_over_time",
            {"every": "decade", "limit": 200, "events": 1000, "details": True},
        ),
        ("communities_over_time", {"every": "year", "limit": 200, "events": 1000, "details": True}),
        ("communities_over_time", {"every": "month", "start": "2015-01-01", "details": True}),
        ("communities_over_time", {"every": "year", "resolution": 0.001}),
        ("communities_over_time", {"every": "year", "resolution": 1e6, "details": True}),
        ("atlas", {"limit": 10_000}),
        ("atlas", {"limit": 10_000, **ever}),
        ("atlas", {"limit": 1, "valid_at": "2018-01-01"}),
        ("candidates", {"limit": 200, "facts": 50}),
        ("log", {"limit": 500}),
        ("log", {"limit": 500, "entity": hub}),
        ("log", {"limit": 500, "fact": facts[0]}),
        ("review", {"limit": 200}),
        ("forget", {"entity": hub}),
        ("remember", {"content": f"{hub} knows {other}. " * 20_000, "wait": False}),
        ("remember", {"content": " ".join(f"{name} knows {hub}." for name in names[:300])}),
        (
            "remember",
            {"content": {f"key {n}": {"name": f"n{n}", "list": [1, 2, 3]} for n in range(20_000)}},
        ),
        ("remember", {"content": "x" * 1_000_000}),
        ("remember", {"fact": {"subject": hub, "relation": "knows", "object": "z" * 500}}),
        ("correct", {"fact": facts[1], "action": "change", "text": "w " * 499}),
        ("correct", {"fact": facts[2], "action": "end", "invalid_at": "2030-01-01"}),
        ("merge", {"keep": hub, "other": other, "reason": "r" * 1000}),
        ("split", {"entity": hub, "name": "another", "facts": list(facts[3:6])}),
        ("revert", {"event": last, "force": True}),
        ("revert", {"event": 3, "force": True}),
        ("keep_apart", {"one": names[5], "other": names[6]}),
        ("forget", {"entity": names[2], "confirm": names[2]}),
        ("forget", {"entity": names[3], "confirm": names[3], "keep_episodes": True}),
        ("communities_over_time", {"every": "year", "start": "1900-01-01", "details": True}),
        ("search", {"query": "late", **whole, **ever}),
    ]


@dataclass(slots=True)
class Probe:
    """How long ``/health`` takes, asked by a process of its own that is not as busy as this one."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    async def listen(self, out: asyncio.StreamReader) -> None:
        """Take down what the process prints."""
        async for line in out:
            took, error = json.loads(line)
            self.seconds.append(took)
            self.errors += [error] if error else []


@asynccontextmanager
async def probed(server: Watched) -> AsyncIterator[Probe]:
    """Ask for the health of a server again and again."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.benchmarks.loop", server.url, "probe"),
        cwd=_ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    probe = Probe()
    listening = asyncio.ensure_future(probe.listen(process.stdout))
    try:
        while not probe.seconds:
            await asyncio.sleep(0.01)
        yield probe
    finally:
        process.kill()
        await process.wait()
        await listening


def _probe(url: str) -> None:
    """Print how long each answer took, until killed."""
    with httpx2.Client(base_url=url, timeout=60) as http:
        while True:
            began, error = time.perf_counter(), ""
            try:
                answer = http.get("/health")
                error = "" if answer.status_code == 200 else answer.text[:100]
            except httpx2.TransportError as failure:
                error = type(failure).__name__
            sys.stdout.write(json.dumps([time.perf_counter() - began, error]) + "\n")
            sys.stdout.flush()
            time.sleep(0.01)


async def _known(http: httpx2.AsyncClient) -> list[tuple[str, Given]]:
    """Return the dearest calls for the store that is served."""
    atlas = (await http.post("/v1/atlas", json={"limit": 10_000})).raise_for_status().json()
    log = (await http.post("/v1/log", json={"limit": 500})).raise_for_status().json()["events"]
    middle = log[len(log) // 2]
    return dearest(atlas["nodes"]["name"], atlas["facts"]["id"], middle["at"], log[-1]["seq"])


async def _asked(
    server: Watched,
    http: httpx2.AsyncClient,
    probe: Probe,
    number: int,
    verb: str,
    given: Given,
    tool: bool,
) -> dict[str, Any]:
    """Ask for one thing and return what it did to the loop."""
    server.gaps.clear()
    probe.seconds.clear()
    began = time.monotonic()
    if tool:
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": verb, "arguments": given},
        }
        headers = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2025-06-18",
        }
        answer = await http.post("/mcp", json=call, headers=headers)
    else:
        answer = await http.post(f"/v1/{verb}", json=given)
    took = time.monotonic() - began
    await asyncio.sleep(0.1)
    gaps = [gap for gap in server.gaps if gap[1] >= began]
    worst = {
        loop: max(
            (gap for gap in gaps if gap[0] == loop),
            key=lambda gap: gap[3],
            default=("", 0, 0, 0, ""),
        )
        for loop in ("server", "graph")
    }
    refusal = "" if answer.status_code == 200 else answer.text[:160]
    return {
        "call": f"{number} {verb}{' (tool)' if tool else ''}",
        "status": float(answer.status_code),
        "seconds": took,
        "server ms": 1000 * worst["server"][2],
        "processor": 1000 * worst["server"][3],
        "graph ms": 1000 * worst["graph"][2],
        "processor ms": 1000 * worst["graph"][3],
        "health ms": 1000 * max(probe.seconds, default=0.0),
        "where": worst["server"][4] or worst["graph"][4] or refusal,
    }


async def alone(store: str, title: str, chosen: Sequence[int] = ()) -> Section:
    """Ask for the dearest of everything, one after the other, by REST and as tools."""
    rows: list[dict[str, Any]] = []
    async with watched(store) as server, _client(server) as http, probed(server) as probe:
        calls = await _known(http)
        for number, (verb, given) in enumerate(calls):
            ways = (False, True) if VERBS[verb].tool and not VERBS[verb].writes else (False,)
            for tool in ways if not chosen or number in chosen else ():
                rows.append(await _asked(server, http, probe, number, verb, given, tool=tool))
    late = [row for row in rows if max(row["server ms"], row["graph ms"]) > BOUND]
    notes = [f"{len(rows)} calls; {len(late)} held a loop for more than {BOUND:g} ms"]
    notes += [f"{row['call']}: {row['where']}" for row in late]
    return Section(title, [{k: v for k, v in row.items() if k != "where"} for row in rows], notes)


def _client(server: Watched) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=server.url, timeout=120)


@dataclass(slots=True)
class Answers:
    """What came back: how many, and what was neither an answer nor a refusal in a sentence."""

    counts: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def note(self, who: str, verb: str, status: int, text: str) -> None:
        """Count an answer."""
        self.counts[f"{who} {status}"] += 1
        if status == 200:
            return
        try:
            sentence = json.loads(text)["detail"]
        except (ValueError, KeyError, TypeError):
            sentence = ""
        if status == 500 or not sentence or "Traceback" in text:
            self.errors.append(f"{who} {verb}: {status} {text[:200]}")


async def _posted(http: httpx2.AsyncClient, who: str, verb: str, given: Any, to: Answers) -> None:
    try:
        answer = await http.post(f"/v1/{verb}", content=_body(given), headers=_JSON)
        to.note(who, verb, answer.status_code, answer.text)
    except httpx2.TransportError as error:
        to.errors.append(f"{who} {verb}: {type(error).__name__}")


def _body(given: Any) -> str:
    return json.dumps(given)  # half a surrogate pair is escaped, NaN stays


async def beside(store: str, title: str, *, seconds: float, clients: int) -> Section:
    """Let many clients ask for little while one asks for the dearest of everything."""
    answers = Answers()
    async with watched(store) as server, _client(server) as http, probed(server) as probe:
        calls = await _known(http)
        names = calls[0][1]["query"].split(" ")
        until = time.monotonic() + seconds

        async def little(number: int) -> None:
            dice = random.Random(number)
            async with _client(server) as own:
                while time.monotonic() < until:
                    name = " ".join(dice.sample(names, 3))
                    verb = dice.choice(("search", "ask", "context"))
                    asked = "query" if verb == "search" else "question"
                    await _posted(own, "little", verb, {asked: f"Who knows {name}?"}, answers)

        async def much() -> None:
            while time.monotonic() < until:
                for verb, given in calls:
                    if time.monotonic() < until and not VERBS[verb].writes:
                        await _posted(http, "much", verb, given, answers)

        await asyncio.gather(much(), *(little(number) for number in range(clients)))
    return _told(title, probe, answers, server)


async def fuzzed(store: str, title: str, *, seconds: float, clients: int = 4) -> Section:
    """Send every route and every tool what nobody should send."""
    answers = Answers()
    async with watched(store) as server, _client(server) as http, probed(server) as probe:
        calls = await _known(http)
        until = time.monotonic() + seconds

        async def routes(number: int) -> None:
            dice = random.Random(number)
            async with _client(server) as own:
                while time.monotonic() < until:
                    verb, given = _mutated(dice, calls)
                    await _posted(own, "route", verb, given, answers)

        async def tools() -> None:
            dice = random.Random(99)
            async with Client(f"{server.url}/mcp") as client:
                while time.monotonic() < until:
                    verb, given = _mutated(dice, calls)
                    given = given if isinstance(given, dict) else {"value": str(given)}
                    given = json.loads(_body(given).replace("\\ud8", "").replace("NaN", "0"))
                    result = await client.call_tool(verb, given)
                    text = result.content[0].text
                    answers.counts[f"tool {'refused' if result.is_error else 'answered'}"] += 1
                    if result.is_error and ("unexpected" in text or "Traceback" in text):
                        answers.errors.append(f"tool {verb}: {text[:200]}")

        await asyncio.gather(tools(), *(routes(number) for number in range(clients)))
    return _told(title, probe, answers, server)


_ODD = (
    *(
        None,
        True,
        -1,
        0,
        10**30,
        1e308,
        float("nan"),
        "",
        " ",
        "\0",
        "\ud800",
        "x" * 600,
        "0001-01-01",
    ),
    *(
        "9999-12-31",
        [],
        {},
        [[]],
        {"a": {"b": []}},
        "relation ==",
        "(" * 500,
        "a" * 20_000,
        "last week",
    ),
)


def _mutated(dice: random.Random, calls: Sequence[tuple[str, Given]]) -> tuple[str, Any]:
    """Return a call with some of its arguments changed for what nobody should send."""
    verb, given = dice.choice(calls)
    fields = [*VERBS[verb].input.model_fields, "stray"]
    changed = {name: value for name, value in given.items() if len(str(value)) < 3000}
    changed |= {name: dice.choice(_ODD) for name in dice.sample(fields, dice.randint(1, 2))}
    return verb, dice.choice(_ODD) if dice.random() < 0.02 else changed


def _told(title: str, probe: Probe, answers: Answers, server: Watched) -> Section:
    waits = [1000 * seconds for seconds in probe.seconds]
    row: dict[str, Any] = {
        "health p50 ms": p50(waits),
        "health p95 ms": p95(waits),
        "health most ms": max(waits),
        "errors": float(len(answers.errors) + len(probe.errors)),
    }
    counts = ", ".join(f"{who}: {count:,}" for who, count in sorted(answers.counts.items()))
    gaps = sorted((gap for gap in server.gaps if gap[0] == "server"), key=lambda gap: -gap[2])
    held = [
        f"no beat for {1000 * gap[2]:.0f} ms ({1000 * gap[3]:.0f} of processor): {gap[4]}"
        for gap in gaps[:3]
    ]
    return Section(title, [row], [counts, *held, *answers.errors[:10], *probe.errors[:5]])


@dataclass(frozen=True, slots=True)
class Options:
    """How many facts, and how long."""

    facts: tuple[int, ...] = (20_000, 100_000)
    beside: float = 60
    fuzz: float = 300
    clients: int = 64
    chosen: tuple[int, ...] = ()
    """Some of the dearest calls; default: all."""


async def measure(report: Report, options: Options) -> None:
    """Measure the dearest calls alone, beside many clients, and the odd ones."""
    with TemporaryDirectory(prefix="graphrag-loop-") as folder:
        for facts in options.facts:
            url = f"surrealkv://{folder}/{facts}"
            await filled(url, Synthetic(facts))
            size = f"{facts:,} facts"
            report.add(await alone(url, f"{size}: the dearest calls", options.chosen))
            title = f"{size}: {options.clients} clients beside the dearest calls"
            report.add(await beside(url, title, seconds=options.beside, clients=options.clients))
            report.add(await fuzzed(url, f"{size}: odd calls", seconds=options.fuzz))


if __name__ == "__main__":
    if sys.argv[2] == "probe":
        _probe(sys.argv[1])
    else:
        asyncio.run(_child(sys.argv[1], sys.argv[2] == "local"))
