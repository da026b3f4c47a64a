"""``copy``, ``index build`` and ``index check``."""

import json

import pytest

from graphrag.cli.app import create_app, run

COPY = ("copy", "surrealkv://./graph-store")
ENGINE = ("surrealkv://./engine", "--profile", "engine")


def test_a_store_is_copied_into_the_engine_profile_and_back(told):
    copied = told(
        "copy", "surrealkv://./graph-store", "surrealkv://./engine", "--profile", "engine"
    )
    assert copied.code == 0, copied.err
    assert "profile engine" in copied.out
    back = told("copy", "surrealkv://./engine", "surrealkv://./back", "--json")
    assert json.loads(back.out)["checksum"] in copied.out
    found = told("search", "where does Alice work", "--store", "surrealkv://./engine")
    assert "Globex" in found.out


def test_a_target_that_holds_something_is_refused(told):
    outcome = told(*COPY, "surrealkv://./graph-store?sync=never")
    assert "cannot be copied into itself" in outcome.error
    assert told(*COPY, "surrealkv://./other").code == 0
    outcome = told(*COPY, "surrealkv://./other")
    assert outcome.code == 1
    assert "is not empty" in outcome.error


def test_a_store_that_is_not_there_is_not_made(told, tmp_path):
    outcome = told("copy", "surrealkv://./nowhere", "surrealkv://./other")
    assert "there is no graph at" in outcome.error
    assert not (tmp_path / "nowhere").exists()
    assert not (tmp_path / "other").exists()


def test_indexes_are_built_and_checked(told):
    told(*COPY, *ENGINE)
    assert told("index", "check", "--store", "surrealkv://./engine").code == 0
    built = told("index", "build", "--store", "surrealkv://./engine", "--keep-rows")
    assert built.code == 0
    assert "relates_to_vectors" in built.err
    report = json.loads(told("index", "check", "--store", "surrealkv://./engine", "--json").out)
    assert report["sound"]
    names = {one["name"] for one in report["indexes"]}
    assert names >= {"relates_to_vector_default", "relates_to_words_default"}


def test_a_store_of_the_process_profile_has_such_indexes_when_they_are_asked_for(told):
    outcome = told("index", "check")
    assert outcome.code == 1
    assert "surreal-graphrag index native" in outcome.error
    assert told("index", "native").code == 0
    assert told("index", "check").code == 0


def test_the_embedder_is_changed_and_commands_are_told_how_to_use_it(told, monkeypatch):
    done = told("index", "embed", "--model", "32")
    assert done.code == 0, done.err
    assert "vectors of hash-32" in done.out
    assert "export SURREAL_GRAPHRAG_EMBEDDER=32" in done.out
    assert "surreal-graphrag index embed" in told("search", "Alice").error
    monkeypatch.setenv("SURREAL_GRAPHRAG_EMBEDDER", "32")
    assert "Globex" in told("search", "where does Alice work").out
    assert json.loads(told("index", "embed", "--json").out)["made"] == 0


def test_the_embedder_is_not_changed_unless_a_model_is_named(told):
    assert told("index", "embed", "--model", "32").code == 0
    outcome = told("index", "embed")
    assert outcome.code == 2
    assert "from 'hash-32' to 'hash-64'" in outcome.error and "--model" in outcome.error


@pytest.mark.parametrize("setting", ["--model", "$SURREAL_GRAPHRAG_EMBEDDER"])
def test_a_model_that_is_none_is_named_with_the_setting_it_is_from(
    told, tmp_path, monkeypatch, capsys, setting
):
    pytest.importorskip("sentence_transformers")
    (tmp_path / "nomodel").mkdir()
    (tmp_path / "nomodel" / "modules.json").write_text("none")
    line = ["index", "embed", "--model", "./nomodel"]
    if setting != "--model":
        monkeypatch.setenv("SURREAL_GRAPHRAG_EMBEDDER", "./nomodel")
        line = ["search", "Alice"]
    assert run(line, app=create_app()) == 2
    error = capsys.readouterr().err
    assert "embedder './nomodel' cannot be loaded" in error
    assert f"it is named by {setting}" in error
