"""Kill a process that adds episodes at random moments; what it acknowledged stays, whole.

Each process is a fork of a clean one that has imported everything, so that the moments fall on the
opening, on the migration of a new store, and on the transactions, not on imports. A store is used
for several kills and then replaced by a new one.
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
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from tests.benchmarks.report import Report, Section, p50, p95
from tests.conftest import day, open_graph

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
    """Findings of ``check()``."""
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


async def _add(url: str, first: int, told: Path) -> None:
    """Add episodes without end and note each in a file, which outlives the process."""
    with told.open("ab", buffering=0) as note:
        async with open_graph(url) as graph:
            note.write(b"open\n")
            number = first
            while True:
                name, text = story(number)
                when = day("2020-01-01") + timedelta(days=number * 13 % 997)
                await graph.add_episode(text, name=name, reference_time=when)
                note.write(f"{name}\n".encode())
                number += 1


def serve() -> None:
    """Fork a process for each line of a url, a number and a file; say its id, then its end."""
    for line in sys.stdin:
        url, first, told = json.loads(line)
        if (child := os.fork()) == 0:
            asyncio.run(_add(url, first, Path(told)))
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
    server: "subprocess.Popen[str]", url: str, first: int, told: Path, seconds: float
) -> tuple[str, set[str]]:
    """Start a process, kill it after so long, and return how far it came and what it told."""
    assert server.stdin is not None and server.stdout is not None
    told.write_bytes(b"")
    server.stdin.write(json.dumps([url, first, str(told)]) + "\n")
    server.stdin.flush()
    child = int(server.stdout.readline())
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    if (code := int(server.stdout.readline())) != -signal.SIGKILL:
        raise RuntimeError(f"the process ended by itself with code {code}")
    # The last line may be half written.
    opened, *names = told.read_text(encoding="utf-8").split("\n")[:-1] or [""]
    return "adding" if opened else "opening", set(names)


async def rounds(folder: Path, kills: int, *, seed: int, longest: float = 0.5) -> Faults:
    """Kill processes at random moments, evenly spread, and check the store after each."""
    with _forking() as server:
        return await _rounds(server, folder, kills, seed=seed, longest=longest)


async def _rounds(
    server: "subprocess.Popen[str]", folder: Path, kills: int, *, seed: int, longest: float
) -> Faults:
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
            killed, server, url, number, folder / "told", waits[kill]
        )
        told |= names
        async with open_graph(url) as graph:
            report = await graph.check()
            [stored] = await graph._open().store.query("SELECT VALUE name FROM episode;")
        found.kills += 1
        found.phases[phase] += 1
        found.acknowledged += len(names)
        found.unacknowledged += len(set(stored) - told)
        found.lost += sorted(told - set(stored))
        found.half += [f"kill {kill}: {finding}" for finding in report.findings]
        if len(stored) != len(set(stored)) or len(stored) != report.events:
            found.half.append(f"kill {kill}: {len(stored)} episodes, {report.events} events")
        told |= set(stored)
        number = len(told)
        found.seconds.append(time.perf_counter() - began)
    return found


async def measure(report: Report, kills: int) -> None:
    """Kill so often, and tell what was lost: nothing."""
    folder = Path(tempfile.mkdtemp(prefix="graphrag-faults-"))
    try:
        found = await rounds(folder, kills, seed=kills)
    finally:
        shutil.rmtree(folder)
    report.add(
        Section(
            f"{kills} processes killed at random moments of ingestion",
            [
                {"what": "killed while opening the store", "count": found.phases["opening"]},
                {"what": "killed while adding episodes", "count": found.phases["adding"]},
                {"what": "episodes acknowledged", "count": found.acknowledged},
                {"what": "committed, but not yet acknowledged", "count": found.unacknowledged},
                {"what": "acknowledged and lost", "count": len(found.lost)},
                {"what": "findings of check()", "count": len(found.half)},
            ],
            [
                f"a round: {p50(found.seconds):.2f} s (p50), {p95(found.seconds):.2f} s (p95)",
                *found.lost[:10],
                *found.half[:10],
            ],
        )
    )
    if found.lost or found.half:
        raise SystemExit("a kill did damage")
