"""What a benchmark found: tables for people, and the same as JSON for comparison."""

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
from rich.console import Console

from graphrag.cli.render import line, table

RESULTS = Path("bench-results")

Cell = str | float


@dataclass(frozen=True, slots=True)
class Section:
    """One table; the columns are the keys of its first row, with their unit."""

    title: str
    rows: Sequence[Mapping[str, Cell]]
    notes: Sequence[str] = ()


class Report:
    """Print sections as they come and write them all at the end."""

    def __init__(self, name: str, console: Console) -> None:
        self._name = name
        self._console = console
        self._sections: list[Section] = []
        self._started = datetime.now(UTC)
        self._machine = machine()
        console.print(line(f"\n{name}: {self._machine}", "bold cyan"))

    def add(self, section: Section) -> None:
        """Show a section."""
        self._sections.append(section)
        columns = list(section.rows[0])
        numeric = [not isinstance(section.rows[0][column], str) for column in columns]
        heads = [
            f">{column}" if right else column
            for column, right in zip(columns, numeric, strict=True)
        ]
        rows = [[shown(row.get(column, "")) for column in columns] for row in section.rows]
        self._console.print()
        self._console.print(table(section.title, *heads, rows=rows))
        for note in section.notes:
            self._console.print(line(note, "dim"))

    def say(self, text: str) -> None:
        """Show one line that is no result."""
        self._console.print(line(text, "dim"))

    def write(self) -> None:
        """Write ``bench-results/NAME.json``, unless there is nothing to write."""
        if not self._sections:
            return
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{self._name}.json"
        content = {
            "benchmark": self._name,
            "commit": _commit(),
            "started": self._started.isoformat(timespec="seconds"),
            "seconds": round((datetime.now(UTC) - self._started).total_seconds(), 1),
            "machine": self._machine,
            "load_after": load(),
            "sections": [asdict(section) for section in self._sections],
        }
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        self._console.print(line(f"\n{load()} at the end; written to {path}", "dim"))


def machine() -> str:
    """Describe the machine in a line: a figure without it cannot be compared."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "surrealdb-embedded"))
    return (
        f"{len(os.sched_getaffinity(0))} cores ({_processor()}), {load()}, "
        f"Python {platform.python_version()}, {packages}"
    )


def load() -> str:
    """Return the load averages of 1 and 5 minutes."""
    one, five, _ = os.getloadavg()
    return f"load {one:.2f} {five:.2f}"


def p50(values: Sequence[float]) -> float:
    """Return the median."""
    return float(np.percentile(values, 50))


def p95(values: Sequence[float]) -> float:
    """Return the value that one in twenty exceeds."""
    return float(np.percentile(values, 95))


def shown(cell: Cell) -> str:
    """Return a cell as a table shows it: three digits, or whole numbers."""
    if isinstance(cell, str):
        return cell
    return f"{cell:,.0f}" if abs(cell) >= 100 or cell == int(cell) else f"{cell:.3g}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [text.partition(":")[2].strip() for text in lines if text.startswith("model name")]
    return names[0] if names else platform.machine()


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()
