"""Kill a process that adds or queues episodes at random moments; what it acknowledged stays, whole.

Each process is a fork of a clean one that has imported everything, so that the moments fall on the
opening, on the migration of a new store, and on the transactions, not on imports. A store is used
for several kills and then replaced by a new one. Queued episodes are killed with the worker that
reads them; at the end of a store the queue is drained, and the graph is that of adding in order.
With ``files`` columns are kept in a file beside the store from a few rows on, instead of ten
thousand, and written, mapped and read by rows as those of a large group are.
"""

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Literal, get_args
from unittest.mock import patch

from graphrag import GraphRAG
from graphrag.index import checkpoints, columns
from graphrag.index.vectors import Vectors
from tests.benchmarks.report import Report, Section, p50, p95
from tests.conftest import day, open_graph

Kind = Literal["adding", "queueing", "files"]
_ROOT = Path(__file__).parents[2]
_KILLS_A_STORE = 20
_PEOPLE = "Ann Bob Cid Dora Eve Finn Gus Hana".split()
_FIRMS = "Acme Beta Globex Initech".split()


@dataclass(slots=True)
class Faults:
    """What became of the killed processes."""

    kills: int = 0
    acknowledged: int = 0
    unacknowledged: int = 0
    """Episodes that were committed, but whose process died before it could say so."""
    lost: list[str] = field(default_factory=list)
    half: list[str] = field(default_factory=list)
    """Findings of ``health.check_all()``."""
    pending: int = 0
    """Queued episodes that a kill found waiting."""
    drained: int = 0
    """Stores whose queue was drained and gave the graph of adding in order."""
    files: int = 0
    """Stores whose columns were taken from a file."""
    phases: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)


def story(number: int) -> tuple[str, str]:
    """Tell of a job, which closes another, of a taste and, at times, at length."""
    person, other = _PEOPLE[number % 8], _PEOPLE[(number * 5 + 3) % 8]
    text = f"{person} works_at {_FIRMS[number // 8 % 4]}. {person} likes tea{number}."
    if other != person:
        text += f" {person} knows {other}."
    if number % 5 == 3:
        text += " So it was, and nobody said more." * 40
    return f"story {number}", text


async def tell(graph: GraphRAG, number: int, *, queued: bool) -> str:
    """Tell a story, or queue it, and return its name."""
    name, text = story(number)
    # What is queued is read in the order of its times, in whatever process.
    days = number if queued else number * 13 % 997
    when = day("2020-01-01") + timedelta(days=days)
    await graph.add_episode(text, name=name, reference_time=when, wait=not queued)
    return name


@contextmanager
def large(kind: Kind) -> Iterator[None]:
    """Treat small groups as large ones are, if the files beside a store are what is looked at."""
    with ExitStack() as stack:
        if kind == "files":
            stack.enter_context(patch.multiple(checkpoints, LARGE=8, LEAVING=8, MANY=8))
            stack.enter_context(patch.object(columns, "_WORTH_READING", 1))
            few = {"worth_codes": 4}
            stack.enter_context(patch.object(Vectors.__init__, "__kwdefaults__", few))
        yield


async def _add(url: str, first: int, told: Path, kind: Kind) -> None:
    """Add episodes without end and note each in a file, which outlives the process."""
    queued = kind == "queueing"
    with large(kind), told.open("ab", buffering=0) as note:
        async with open_graph(url) as graph:
            note.write(b"open\n")
            number = first
            while True:
                name = await tell(graph, number, queued=queued)
                note.write(f"{name}\n".encode())
                number += 1


def serve() -> None:
    """Fork a process for each line of standard input; say its id, then how it ended."""
    for line in sys.stdin:
        url, first, told, kind = json.loads(line)
        if (child := os.fork()) == 0:
            asyncio.run(_add(url, first, Path(told), kind))
            os._exit(0)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


@contextmanager
def _forking() -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", "from tests.benchmarks.faults import serve; serve()"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=_ROOT, stdin=pipe, stdout=pipe, text=True) as server:
        yield server


def killed(
    server: "subprocess.Popen[str]",
    url: str,
    first: int,
    told: Path,
    seconds: float,
    *,
    opened: bool,
    kind: Kind,
) -> tuple[str, set[str]]:
    """Start a process, kill it after so long, and return how far it came and what it told.

    The time counts from its start, or, with ``opened``, from when its store was open.
    """
    assert server.stdin is not None and server.stdout is not None
    told.write_bytes(b"")
    server.stdin.write(json.dumps([url, first, str(told), kind]) + "\n")
    server.stdin.flush()
    child = int(server.stdout.readline())
    latest = time.monotonic() + 60
    while opened and not told.stat().st_size and time.monotonic() < latest:
        time.sleep(0.002)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    if (code := int(server.stdout.readline())) != -signal.SIGKILL:
        raise RuntimeError(f"the process ended by itself with code {code}")
    # The last line may be half written.
    opened, *names = told.read_text(encoding="utf-8").split("\n")[:-1] or [""]
    return "adding" if opened else "opening", set(names)


async def rounds(
    folder: Path, kills: int, *, seed: int, longest: float = 0.5, kind: Kind = "adding"
) -> Faults:
    """Kill processes at random moments, evenly spread, and check the store after each."""
    with _forking() as server, large(kind):
        return await _rounds(server, folder, kills, seed, longest, kind)


async def _rounds(
    server: "subprocess.Popen[str]",
    folder: Path,
    kills: int,
    seed: int,
    longest: float,
    kind: Kind,
) -> Faults:
    queued = kind == "queueing"
    chance = random.Random(seed)
    waits = [longest * (place + chance.random()) / kills for place in range(kills)]
    chance.shuffle(waits)
    found = Faults()
    told: set[str] = set()
    url, number = "", 0
    for kill in range(kills):
        if kill % _KILLS_A_STORE == 0:
            url, told, number = f"surrealkv://{folder}/store{kill}", set(), 0
        began = time.perf_counter()
        phase, names = await asyncio.to_thread(
            partial(killed, opened=kill % 3 > 0, kind=kind),
            *(server, url, number, folder / "told", waits[kill]),
        )
        told |= names
        async with open_graph(url, workers=0) as graph:
            await graph.stats()
            index = await graph.handle.session.catalog.group("default")
            found.files += index.facts.vectors._units._file is not None
            report = await graph.health.check_all()
            [stored] = await graph.handle.session.store.query("SELECT VALUE name FROM episode;")
            found.pending += (await graph.queue.status()).pending
            if queued and (kill + 1 == kills or (kill + 1) % _KILLS_A_STORE == 0):
                await graph.queue.drain_all()
                found.half += [f"kill {kill}: {what}" for what in await _differences(graph)]
                found.drained += 1
        found.kills += 1
        found.phases[phase] += 1
        found.acknowledged += len(names)
        found.unacknowledged += len(set(stored) - told)
        found.lost += sorted(told - set(stored))
        found.half += [f"kill {kill}: {finding}" for finding in report.findings]
        events = len(stored) if queued else report.events
        if len(stored) != len(set(stored)) or len(stored) != events:
            found.half.append(f"kill {kill}: {len(stored)} episodes, {report.events} events")
        told |= set(stored)
        number = len(told)
        found.seconds.append(time.perf_counter() - began)
    return found


async def _differences(graph: GraphRAG) -> list[str]:
    """Compare a graph with one to which the same stories are added in order."""
    status = await graph.queue.status()
    async with open_graph() as undisturbed:
        for number in range(status.done):
            await tell(undisturbed, number, queued=True)
        await undisturbed.queue.drain_all()
        expected, found = await facts_of(undisturbed), await facts_of(graph)
    waiting = status.pending + status.failed
    return [
        *([f"{waiting} episodes are not done"] if waiting else []),
        *(f"{fact} is missing" for fact in sorted(expected - found, key=str)),
        *(f"{fact} is too much" for fact in sorted(found - expected, key=str)),
    ]


async def facts_of(graph: GraphRAG) -> set[tuple[object, ...]]:
    """Return every fact with its interval, retracted or not, and how often it was told."""
    [rows] = await graph.handle.session.store.query(
        "SELECT VALUE [subject, name, object, valid_at, invalid_at, retracted_at IS NONE, "
        "array::len(sources)] FROM relates_to;"
    )
    assert len(rows) == len({*map(tuple, rows)})
    return {*map(tuple, rows)}


async def measure(report: Report, kills: int) -> None:
    """Kill so often in each way, and tell what was lost: nothing."""
    damage = False
    for kind in get_args(Kind):
        folder = Path(tempfile.mkdtemp(prefix="graphrag-faults-"))
        try:
            found = await rounds(folder, kills, seed=kills, kind=kind)
        finally:
            shutil.rmtree(folder)
        report.add(_section(found, kills, kind))
        damage = damage or bool(found.lost or found.half)
    if damage:
        raise SystemExit("a kill did damage")


def _section(found: Faults, kills: int, kind: Kind) -> Section:
    doing = {"files": "adding, with files of columns"}.get(kind, kind)
    queue = [
        {"what": "found waiting after a kill, in all", "count": found.pending},
        {"what": "queues drained to the graph of adding in order", "count": found.drained},
    ]
    return Section(
        f"{kills} processes killed at random moments of {doing}",
        [
            {"what": "killed while opening the store", "count": found.phases["opening"]},
            {"what": f"killed while {doing} episodes", "count": found.phases["adding"]},
            {"what": "episodes acknowledged", "count": found.acknowledged},
            {"what": "committed, but not yet acknowledged", "count": found.unacknowledged},
            {"what": "acknowledged and lost", "count": len(found.lost)},
            {"what": "files of columns that were opened after a kill", "count": found.files},
            *(queue if kind == "queueing" else ()),
            {"what": "findings of health.check_all()", "count": len(found.half)},
        ],
        [
            f"a round: {p50(found.seconds):.2f} s (p50), {p95(found.seconds):.2f} s (p95)",
            *found.lost[:10],
            *found.half[:10],
        ],
    )
