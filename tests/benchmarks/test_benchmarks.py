"""The benchmarks still run: names in the pipeline that they time are really there."""

from pathlib import Path

from rich.console import Console

from tests.benchmarks import report, scale, writes


async def test_scale_measures_a_small_group_to_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    console = Console(record=True, quiet=True)
    result = report.Report("scale", console)
    await scale.measure(result, scale.Options((600,), runs=1, queries=5))
    result.write()
    written = Path(tmp_path / "scale.json").read_text(encoding="utf-8")
    for title in ("bulk load", "cold open", "hybrid search", "one search"):
        assert f"600 facts: {title}" in written


async def test_writes_measures_a_small_group_to_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    result = report.Report("writes", Console(record=True, quiet=True))
    await writes.measure(result, writes.Options((600,), runs=1))
    result.write()
    written = Path(tmp_path / "writes.json").read_text(encoding="utf-8")
    for title in ("import_facts", "what the rules cost", "add_fact"):
        assert title in written
