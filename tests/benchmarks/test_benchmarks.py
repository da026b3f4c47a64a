"""The benchmarks still run: names in the pipeline that they time are really there."""

import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from graphrag.testing import HashEmbedder
from tests.benchmarks import __main__ as benchmarks
from tests.benchmarks import (
    ablation,
    fresh,
    groups,
    loop,
    quality,
    report,
    rivals,
    scale,
    serving,
    speed,
    vectors,
    verbs,
    writes,
)
from tests.benchmarks.__main__ import ALL
from tests.benchmarks.page import write_page
from tests.benchmarks.stand_ins import written as stand_in
from tests.benchmarks.tiny import RUNS, options_of


@pytest.fixture(autouse=True)
def measured(monkeypatch, tmp_path):
    """Let results be written to a folder of the test; give what measures, and returns them."""
    monkeypatch.setattr(report, "RESULTS", tmp_path)

    async def measured(name, measure, *options):
        result = report.Report(name, Console(record=True, quiet=True))
        if waiting := measure(result, *options):
            await waiting
        result.write()
        return (tmp_path / f"{name}.json").read_text(encoding="utf-8")

    return measured


async def test_scale_measures_a_small_group_to_the_end(measured):
    written = await measured("scale", scale.measure, scale.Options((200,), runs=1))
    assert "200 facts: bulk load" in written


async def test_speed_measures_a_small_group_to_the_end(measured, monkeypatch):
    monkeypatch.setattr(speed, "_WARM", 2)
    written = await measured("speed", speed.measure, speed.Options((300,), runs=1, queries=2))
    for title in ("300 facts: cold open", "300 facts: search", "How it grows"):
        assert title in written
    assert "edge_hybrid_search_node_distance" in written


async def test_vectors_measures_a_small_matrix_to_the_end(measured):
    written = await measured("vectors", vectors.measure, vectors.Options((3_000,), queries=3))
    assert "3,000 vectors of 384: best 60" in written
    assert written.count('"3 of 3"') == 2  # no way finds other rows


async def test_verbs_measures_a_small_group_to_the_end(measured):
    written = await measured("verbs", verbs.measure, verbs.Options(300, calls=4))
    assert "300 facts: verbs, about hubs" in written and "search within 2 hops" in written


async def test_writes_measures_a_small_group_to_the_end(measured, monkeypatch):
    for name in ("_SLICE", "_ONE_BY_ONE", "_STATED"):
        monkeypatch.setattr(writes, name, 20)
    written = await measured("writes", writes.measure, writes.Options((100,), runs=1))
    for title in ("import_facts", "what the rules cost", "add_fact"):
        assert title in written


async def test_fresh_measures_a_small_group_to_the_end(measured, monkeypatch):
    monkeypatch.setattr(fresh, "_WARM", 1)
    written = await measured("fresh", fresh.measure, fresh.Options(30, texts=1))
    assert "a search has found it" in written


async def test_groups_measures_a_few_small_groups_and_one_large_to_the_end(measured, monkeypatch):
    monkeypatch.setattr(groups, "_WARM", 3)
    monkeypatch.setattr(groups, "_OPENINGS", 1)
    few = groups.Options(12, queries=14, budgets=(1 << 20,), large=1_000)
    written = json.loads(await measured("groups", groups.measure, few))
    many, one = written["sections"]
    assert {row["the group is"] for row in many["rows"]} == {"in memory", "not in memory"}
    assert [row["after"] for row in one["rows"]][-1] == "asked"


async def test_serving_measures_a_few_clients_to_the_end(measured):
    few = serving.Options(2, clients=2, stops=1, readers=1, writers=1, local=False)
    written = await measured("serving", serving.measure, few)
    assert "0 errors" in written and "stale reads" in written


async def test_the_dearest_and_the_odd_calls_keep_no_small_server_from_answering(measured):
    few = loop.Options((40,), beside=1, fuzz=1, clients=2, chosen=(0, 24, 49))
    written = json.loads(await measured("loop", loop.measure, few))
    dearest, beside, odd = written["sections"]
    assert len(dearest["rows"]) >= 3
    for section in (beside, odd):
        assert section["rows"][0]["errors"] == 0, section["notes"]


def test_all_results_become_one_page(tmp_path, monkeypatch):
    for name, rows in (("b", [{"way": "a|b", "ms": 1234.5}]), ("a", [{"way": "c", "ms": 0.0123}])):
        result = report.Report(name, Console(record=True, quiet=True))
        result.add(report.Section(f"{name} facts", rows, ("floor: 1 ms",)))
        result.write()
    text = write_page(tmp_path).read_text(encoding="utf-8")
    assert text.index("## a") < text.index("### a facts") < text.index("## b")
    assert "| a\\|b | 1,234 |" in text
    assert "| c | 0.0123 |" in text
    assert "- floor: 1 ms" in text


def _a_set(folder: Path) -> Path:
    """Write a conversation of two sessions and a small encyclopedia."""
    spoken = [
        {"id": "m1", "session": "s1", "speaker": "Ann", "text": "Where do you live now?"},
        {"id": "m2", "session": "s1", "speaker": "Bob", "text": "In Ghent, by the canal."},
        {"id": "m3", "session": "s2", "speaker": "Ann", "text": "The cello lessons are great."},
    ]
    pages = [
        {"id": "p1", "title": "Blue Harbour", "text": "Blue Harbour is a film by Ida Stern."},
        {"id": "p2", "title": "Ida Stern", "text": "Ida Stern was born in Lund in 1950."},
    ]
    asked = {
        "locomo": {"text": "Where does Bob live?", "gold": ["m2"], "gold_sessions": ["s1"]},
        "musique_dev80": {"text": "Who made Blue Harbour?", "gold": ["p1", "p2"]},
    }
    for name, rows in (("locomo", spoken), ("musique_dev80", pages)):
        place = folder / name
        place.mkdir(parents=True)
        for row in rows:
            row |= {"time": "2024-03-01"} | ({"group": "chat"} if name == "locomo" else {})
        questions = 2 * [asked[name] | ({"group": "chat"} if name == "locomo" else {})]
        for file, lines in (("corpus", rows), ("queries", questions)):
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (place / f"{file}.jsonl").write_text(text, encoding="utf-8")
    return folder


async def test_quality_and_ablation_measure_small_sets_and_keep_their_stores(
    measured, tmp_path, monkeypatch
):
    monkeypatch.setattr(quality, "OnnxEmbedder", HashEmbedder)
    places = quality.Places(_a_set(tmp_path / "data"), tmp_path / "stores", tmp_path / "vectors")
    for name, benchmark in (("quality", quality), ("ablation", ablation)):
        written = await measured(name, benchmark.measure, places)
        assert "locomo turns" in written
        assert "locomo sessions" in written
        assert "musique_dev80" in written
    assert "- bridge" in written
    assert (tmp_path / "stores" / "locomo.json").is_file()


async def test_quality_says_what_it_skips(tmp_path):
    console = Console(record=True, width=200)
    result = report.Report("quality", console)
    await quality.measure(result, quality.Places(tmp_path / "none", tmp_path, tmp_path))
    assert f"there is no folder {tmp_path / 'none'}: skipped" in console.export_text()


@pytest.mark.parametrize(
    ("rival", "package"),
    [(rivals.GRAPHITI, "graphiti-core falkordblite httpx"), (rivals.LIGHTRAG, "lightrag-hku")],
)
async def test_another_library_says_what_to_install_where_it_is_missing(rival, package):
    console = Console(record=True, width=400)
    result = report.Report(rival.name, console)
    await rivals.measure(result, rival, rivals.Options(Path(sys.executable), (600,), queries=1))
    assert f"pip install {package}" in console.export_text()


@pytest.mark.parametrize("rival", [rivals.GRAPHITI, rivals.LIGHTRAG], ids=["graphiti", "lightrag"])
async def test_a_rival_is_compared_to_the_end(rival, request, measured, tmp_path, monkeypatch):
    """Its child process is the real one; packages of the names it imports stand in for it."""
    name = request.node.callspec.id
    monkeypatch.setenv("PYTHONPATH", str(stand_in(name, tmp_path / "packages")))
    options = rivals.Options(Path(sys.executable), (600,), queries=3)
    [section] = json.loads(await measured(name, rivals.measure, rival, options))["sections"]
    assert [row["meant"] for row in section["rows"]] == ["3, 3"] * len(rival.recipes)


@pytest.mark.parametrize("name", RUNS)
def test_a_command_measures_to_the_end(name, tmp_path, monkeypatch):
    options = options_of(name, tmp_path / "data", monkeypatch)
    monkeypatch.setattr(sys, "argv", ["benchmarks", name, *map(str, options)])  # as a person does
    benchmarks.main()
    sections = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))["sections"]
    assert sections and all(section["rows"] for section in sections)
    for section in sections:
        for row in section["rows"]:
            for column, aim in AIMS.get(name, {}).items():
                assert column not in row or row[column] == aim, (section["title"], row)


AIMS = {
    "ask": {"exact %": 100},
    "consolidation": {"the only value %": 100},
    "dependent": {"right %": 100, "stale %": 0, "worlds that check() finds fault with": 0},
    "updates": {"sound": "True", "closed": 1},
    "yago": {"exact %": 100},
}
"""What tiny data must be answered with."""
TESTED = {
    "ablation", "fresh", "graphiti", "groups", "lightrag", "quality", "scale", "serving", "speed",
    "vectors", "verbs", "writes", *RUNS,
}  # fmt: skip
"""Benchmarks that a test of this module runs to the end."""


def test_every_benchmark_is_run_on_tiny_data():
    assert set(ALL) == TESTED, "run the new benchmark on tiny data: a line of RUNS in tiny.py"
