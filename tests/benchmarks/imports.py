"""``import``: what ``import graphrag`` costs, in processes of its own."""

import re
import subprocess
import sys
import time

from tests.benchmarks.report import Cell, Report, Section, p50

_MODEL_LIBRARIES = ("torch", "transformers", "sentence_transformers", "spacy", "scipy", "sklearn")
_TIMED = re.compile(r"import time: +(\d+) \| +(\d+) \| ( *)(\S+)")


def measure(report: Report, runs: int = 7) -> None:
    """Time the import, name its dearest parts, and look for libraries that load models."""
    bare = [_seconds("pass") for _ in range(runs)]
    whole = [_seconds("import graphrag") for _ in range(runs)]
    used = [_seconds("from graphrag import GraphRAG") for _ in range(runs)]
    report.add(
        Section(
            "import graphrag, in a fresh process",
            [
                _row("bare interpreter", bare, "baseline"),
                _row("import graphrag", whole, ""),
                _row("the difference", [one - p50(bare) for one in whole], "0.4 s"),
                _row("from graphrag import GraphRAG", used, ""),
                _row("the difference", [one - p50(bare) for one in used], "0.4 s"),
            ],
        )
    )
    # What is named is imported when it is named: this has all that a graph needs.
    loaded = f"[name for name in {_MODEL_LIBRARIES!r} if name in sys.modules]"
    code = f"from graphrag import GraphRAG; import sys; print(*{loaded})"
    found = _run("-c", code).stdout.strip()
    report.add(
        Section(
            "the ten dearest imports, own time",
            _dearest(),
            (f"model libraries loaded: {found or 'none'}",),
        )
    )


def _row(name: str, seconds: list[float], aim: str) -> dict[str, Cell]:
    return {
        "what": name,
        "seconds p50": p50(seconds),
        "lowest": min(seconds),
        "highest": max(seconds),
        "runs": len(seconds),
        "aim": aim,
    }


def _seconds(code: str) -> float:
    started = time.perf_counter()
    _run("-c", code)
    return time.perf_counter() - started


def _dearest(count: int = 10) -> list[dict[str, Cell]]:
    lines = _TIMED.findall(_run("-X", "importtime", "-c", "from graphrag import GraphRAG").stderr)
    rows = [(int(own), int(nested), name) for own, nested, _, name in lines]
    return [
        {"module": name, "own ms": own / 1000, "with what it imports ms": nested / 1000}
        for own, nested, name in sorted(rows, reverse=True)[:count]
    ]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
