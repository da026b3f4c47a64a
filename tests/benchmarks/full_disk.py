"""Fill a disk in many ways while a process writes; when there is room again, the graph is whole.

A way is a size of the disk, what is written to it, whether the library may see how much is free (it
cannot see a quota), how the process ends, and whether the store is opened while the disk is full.
What was acknowledged must be there then, what was refused must not, and ``health.check_all()`` has
no findings. The disk is a tmpfs where one may be mounted, else a limit of the size of files.
"""

import asyncio
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Literal
from unittest.mock import patch

from graphrag.errors import GraphRAGError, StoreError
from graphrag.store import renewal
from tests.benchmarks.faults import large, story
from tests.benchmarks.report import Report, Section
from tests.conftest import day, open_graph

_ROOT = Path(__file__).parents[2]
_REFUSALS = 6
"""After so many the process ends, or waits to be killed."""
_ENOUGH = 1 << 30
Ending = Literal["close", "exit", "kill"]
Commits = Literal["small", "large", "mixed"]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to fill a disk."""

    number: int
    size: int
    commits: Commits
    ending: Ending
    guarded: bool
    """The library sees how much is free."""
    communities: bool
    again: bool
    """The store is opened, and written to, while the disk is full."""
    limited: bool = False
    """The size of files is limited, not that of the disk."""

    def __str__(self) -> str:
        """Return one line."""
        parts = {"guarded": self.guarded, "communities": self.communities, "again": self.again}
        kind = "files up to" if self.limited else "disk of"
        extra = " ".join(name for name, there in parts.items() if there)
        return f"{kind} {self.size / 1e6:.1f} MB, {self.commits}, {self.ending} {extra}"


@dataclass(slots=True)
class Filled:
    """What became of one way."""

    way: Way
    acknowledged: int = 0
    refused: int = 0
    unopened: int = 0
    """Attempts to open the store that were refused."""
    lost: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    """Episodes that were refused, and are there."""
    findings: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Tell whether all is as it was acknowledged."""
        return not (self.lost or self.back or self.findings)


def ways(count: int, *, seed: int, limited: bool = False) -> list[Way]:
    """Return so many ways, every ending and kind of commit as often as the others."""
    chance = random.Random(seed)
    kinds: tuple[Commits, ...] = ("mixed", "large", "small")
    endings: tuple[Ending, ...] = ("close", "kill", "exit")
    return [
        Way(
            number,
            chance.randint(2_500_000, 6_000_000) & ~4095,
            kinds[number % 3],
            endings[number // 3 % 3],
            guarded=number % 5 == 0,
            communities=number % 2 == 0,
            again=number % 4 < 3,
            limited=limited,
        )
        for number in range(count)
    ]


def text_of(number: int, commits: Commits) -> tuple[str, str]:
    """Return the name and the text of an episode, some of which fill several blocks of the log."""
    name, text = story(number)
    long = commits == "large" or (commits == "mixed" and number % 4 == 0)
    return name, f"{text} " + "So it was, and nobody said more. " * (
        number % 7 * 900 if long else 1
    )


async def _fill(way: Way, url: str, first: int, told: Path) -> None:
    refused, number = 0, first
    with told.open("ab", buffering=0) as note:
        async with open_graph(url) as graph:
            while refused < _REFUSALS:
                # After the first refusal small ones, too: for those there may be room.
                name, text = text_of(number, "mixed" if refused else way.commits)
                note.write(f"begun {name}\n".encode())
                try:
                    when = day("2020-01-01") + timedelta(days=number * 13 % 997)
                    await graph.add_episode(text, name=name, reference_time=when)
                    note.write(f"done {name}\n".encode())
                except StoreError as error:
                    note.write(f"refused {name}\n".encode())
                    if not refused:
                        note.write(f"because {error}\n".encode())
                    refused += 1
                if way.communities and (refused or number % 40 == 0):
                    try:
                        await graph.communities.build()
                    except StoreError:
                        refused += 1
                number += 1
            if way.ending == "exit":
                os._exit(0)
            if way.ending == "kill":
                note.write(b"full\n")
                time.sleep(60)


def child() -> None:
    """Fill the disk as the arguments say."""
    way, url, first, told = json.loads(sys.argv[1])
    way = Way(**way)
    with ExitStack() as stack:
        stack.enter_context(large("files"))
        if way.limited:
            resource.setrlimit(resource.RLIMIT_FSIZE, (way.size, resource.RLIM_INFINITY))
        if not way.guarded:
            usage = type(shutil.disk_usage("/"))(_ENOUGH, 0, _ENOUGH)
            stack.enter_context(patch.object(renewal.shutil, "disk_usage", lambda _: usage))
        try:
            asyncio.run(_fill(way, url, first, Path(told)))
        except GraphRAGError as error:
            with Path(told).open("ab") as note:
                note.write(f"unopened {error}\n".encode())


@contextmanager
def disk(folder: Path, size: int) -> Iterator[None]:
    """Mount a file system of some bytes.

    Raises:
        PermissionError: if this process may not.
    """
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.getuid() or subprocess.run(command, check=False, capture_output=True).returncode:
        raise PermissionError("this process may not mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def _run(way: Way, url: str, first: int, told: Path, chance: random.Random) -> None:
    """Run a process until it ends, or kill it at a random moment after the first refusal."""
    given = json.dumps([asdict(way), url, first, str(told)])
    script = "from tests.benchmarks.full_disk import child; child()"
    before = told.read_bytes().count(b"\nrefused")
    with subprocess.Popen([sys.executable, "-c", script, given], cwd=_ROOT) as process:
        latest = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < latest:
            if way.ending == "kill" and told.read_bytes().count(b"\nrefused") > before:
                time.sleep(chance.uniform(0, 0.2))
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.005)
        else:
            process.kill()


async def fill(way: Way, folder: Path) -> Filled:
    """Fill a disk in one way, make room, and hold the store against what the process was told."""
    filled, chance = Filled(way), random.Random(way.number)
    place = folder / f"disk{way.number}"
    place.mkdir()
    told, url = folder / f"told{way.number}", f"surrealkv://{place}/store"
    told.write_bytes(b"\n")
    with ExitStack() as stack:
        if not way.limited:
            stack.enter_context(disk(place, way.size))
        for round_ in range(2 if way.again else 1):
            await asyncio.to_thread(_run, way, url, 10_000 * round_, told, chance)
        if not way.limited:
            command = ["mount", "-o", f"remount,size={_ENOUGH}", str(place)]
            subprocess.run(command, check=True)
        lines = [line.partition(" ") for line in told.read_text().splitlines()]
        done, refused = (
            {name for kind, _, name in lines if kind == wanted} for wanted in ("done", "refused")
        )
        with large("files"):
            for _ in range(2):  # what the first one wrote is there for the second
                async with open_graph(url) as graph:
                    report = await graph.health.check_all()
                    session = graph.handle.session
                    [stored] = await session.store.query("SELECT VALUE name FROM episode;")
                    filled.findings += map(str, report.findings)
                    filled.lost += sorted(done - {*stored})
                    filled.back += sorted(refused & {*stored})
                    await graph.add_episode("Ann knows Bob.", reference_time="2024-01-01")
    filled.acknowledged, filled.refused = len(done), len(refused)
    filled.unopened = sum(kind == "unopened" for kind, _, _ in lines)
    return filled


async def measure(report: Report, count: int = 30) -> None:
    """Fill a disk in so many ways, and tell what was lost: nothing."""
    folder = Path(tempfile.mkdtemp(prefix="graphrag-full-"))
    try:
        all_filled = [await fill(way, folder) for way in ways(count, seed=count)]
    finally:
        shutil.rmtree(folder)
    report.add(
        Section(
            f"a disk filled in {count} ways",
            [
                {
                    "way": str(filled.way),
                    "acknowledged": filled.acknowledged,
                    "refused": filled.refused,
                    "not opened": filled.unopened,
                    "lost": len(filled.lost),
                    "refused and there": len(filled.back),
                    "findings": len(filled.findings),
                }
                for filled in all_filled
            ],
            [
                f"sound: {Counter(filled.sound for filled in all_filled)[True]} of {count}",
                *(text for filled in all_filled for text in filled.findings[:3]),
            ],
        )
    )
    if not all(filled.sound for filled in all_filled):
        raise SystemExit("a full disk did damage")
