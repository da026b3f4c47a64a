"""``demo``: the whole chronicle through the command line, read by an extractor that knows it."""

import json

import pytest

from graphrag.cli.demo_world import chronicle
from tests.cli.conftest import TruthfulExtractor
from tests.demo_truth import truth


@pytest.fixture(scope="module")
def reader():
    return TruthfulExtractor()


def test_demo_counts_answers_and_cleans_up(cli, tmp_path, monkeypatch, reader):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    done = cli("demo", extractor=reader)
    assert done.code == 0
    assert done.err == ""
    assert list(scratch.iterdir()) == []
    assert "Most connected" in done.out
    assert done.out.count("expected: ") == 8
    assert done.out.count("✓") == done.out.count(", found at ") >= 4
    assert "(now)" in done.out and "(as of 20" in done.out
    assert "of all 40 questions have their answer in the first 3 facts" in done.out
    assert "MB" in done.out
    commands = done.out.partition("Try next:\n")[2].splitlines()
    assert len(commands) == 4
    assert all(command.strip().startswith("surreal-graphrag ") for command in commands)


def test_demo_as_json_keeps_its_folder(cli, reader):
    done = cli("demo", "--keep", "kept", "--json", extractor=reader)
    shown = json.loads(done.out)
    assert shown["stats"]["episodes"] == len(chronicle())
    assert shown["questions"] == len(shown["answers"]) == len(truth().questions)
    # With every fact read right, only the ranking is between a question and its answer.
    assert shown["answered_in_top_3"] >= shown["questions"] // 2
    assert shown["bytes"] > 0
    assert len(shown["most_connected"]) == 10
    assert {answer["place"] for answer in shown["answers"]} <= {None, 1, 2, 3}
    kept = cli("stats", "--store", "surrealkv://kept", "--json")
    assert json.loads(kept.out)["episodes"] == len(chronicle())
    again = cli("demo", "--keep", "kept", extractor=reader)
    assert again.code == 2
    assert "has a group 'default' already" in again.error


def test_demo_uses_the_store_it_is_given_and_no_other(cli, tmp_path, monkeypatch, reader):
    monkeypatch.setenv("SURREAL_GRAPHRAG_STORE", "surrealkv://mine")
    done = cli("demo", "--store", "surrealkv://here", "--json", extractor=reader)
    assert done.code == 0
    assert (tmp_path / "here").exists()
    assert not (tmp_path / "mine").exists()


def test_keep_and_store_exclude_each_other(cli):
    done = cli("demo", "--store", "surrealkv://here", "--keep", "there")
    assert done.code == 2
    assert "use one of them" in done.error
