"""One page of all that was measured: every result that lies in a folder, as Markdown."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.report import shown

PAGE = "README.md"


def write_page(folder: Path) -> Path:
    """Write the page of a folder of results beside them, and return it."""
    results = [
        json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))
    ]
    lines = [
        "# Measured",
        "",
        "Medians unless a column says otherwise; ratios are against a floor or another library in "
        "the same run. Figures of two machines, or of a quiet and a busy one, cannot be compared: "
        "each table names its machine and its load.",
        "",
    ]
    for result in results:
        lines += _chapter(result)
    path = folder / PAGE
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _chapter(result: Mapping[str, Any]) -> list[str]:
    lines = [
        f"## {result['benchmark']}",
        "",
        f"{result['machine']}; {result['load_after']} at the end; {result['seconds']:,.0f} s from "
        f"{result['started']}; commit {result['commit']}.",
        "",
    ]
    for section in result["sections"]:
        columns = list(section["rows"][0])
        lines += [
            f"### {section['title']}",
            "",
            _row(columns),
            _row(["---"] * len(columns)),
            *(_row([shown(row.get(name, "")) for name in columns]) for row in section["rows"]),
            "",
            *(f"- {note}" for note in section["notes"]),
            "",
        ]
    return lines


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
