"""The benchmarks still run: names in the pipeline that they time are really there."""

from pathlib import Path

from rich.console import Console

from tests.benchmarks import report, scale, speed, writes


async def test_scale_measures_a_small_group_to_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    console = Console(record=True, quiet=True)
    result = report.Report("scale", console)
    await scale.measure(result, scale.Options((600,), runs=1))
    result.write()
    written = Path(tmp_path / "scale.json").read_text(encoding="utf-8")
    assert "600 facts: bulk load" in written


async def test_speed_measures_a_small_group_to_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    result = report.Report("speed", Console(record=True, quiet=True))
    await speed.measure(result, speed.Options((600,), runs=1, queries=3))
    result.write()
    written = Path(tmp_path / "speed.json").read_text(encoding="utf-8")
    for title in ("600 facts: cold open", "600 facts: search", "How it grows"):
        assert title in written
    assert "edge_hybrid_search_node_distance" in written


async def test_writes_measures_a_small_group_to_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    result = report.Report("writes", Console(record=True, quiet=True))
    await writes.measure(result, writes.Options((600,), runs=1))
    result.write()
    written = Path(tmp_path / "writes.json").read_text(encoding="utf-8")
    for title in ("import_facts", "what the rules cost", "add_fact"):
        assert title in written
