"""Stores that cannot be opened: one line, code 1, nothing changed."""

import subprocess
import sys
from threading import Timer
from time import monotonic

import pytest
from anyio.to_thread import run_sync

from graphrag.store.store import Store
from graphrag.store.target import Target

COMMANDS = [("add", "-"), ("search", "Alice"), ("show", "Alice"), ("stats",), ("stats", "--json")]
by_command = pytest.mark.parametrize("command", COMMANDS, ids=" ".join)

HOLD = """
import asyncio, sys
from graphrag import GraphRAG, Models
from graphrag.testing import HashEmbedder, ScriptedExtractor

async def hold():
    async with GraphRAG.open(
        "surrealkv://graph-store",
        models=Models(embedder=HashEmbedder(), extractor=ScriptedExtractor({})),
    ):
        print("open", flush=True)
        sys.stdin.read()

asyncio.run(hold())
"""


def hold(folder):
    """Start a process that has the store open until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "open\n"
    return process


@pytest.fixture
def held(told, tmp_path):
    process = hold(tmp_path)
    yield told
    process.communicate("")


def test_store_that_another_process_has_open(held):
    for command in COMMANDS:
        done = held(*command, stdin="Carl works_at Acme.")
        assert done.code == 1
        assert "is open in another process" in done.error


@pytest.mark.parametrize(
    "command",
    [("add", "-"), ("stats", "--json"), ("copy", "surrealkv://graph-store", "mem://"),
     ("replay", "mem://"), ("index", "check")],
    ids=lambda command: command[0],
)  # fmt: skip
def test_waiting_for_a_store_until_the_other_process_closes_it(told, tmp_path, command):
    if command[0] == "index":  # only the other profile has any
        assert (
            told("copy", "surrealkv://graph-store", "surrealkv://e", "--profile", "engine").code
            == 0
        )
        (tmp_path / "graph-store").rename(tmp_path / "old")
        (tmp_path / "e").rename(tmp_path / "graph-store")
    process = hold(tmp_path)
    # Its input ends, and so it closes the store, while the command waits.
    closing = Timer(1, process.stdin.close)
    closing.start()
    done = told(*command, "--wait", 60, stdin="Carl works_at Acme.")
    closing.join()
    assert process.wait(timeout=30) == 0
    process.stdout.close()
    assert (done.code, "error" in done.err) == (0, False)


def test_waiting_for_a_store_ends(held):
    began = monotonic()
    done = held("stats", "--wait", 0.5)
    assert monotonic() - began >= 0.5
    assert done.code == 1
    assert "is open in another process" in done.error
    assert done.error.endswith("; waited 0.5 s for it")
    assert held("stats", "--wait", -1).code == 2


@by_command
def test_store_that_is_damaged(told, tmp_path, command):
    for file in (tmp_path / "graph-store").rglob("*"):
        if file.is_file() and file.stat().st_size:
            file.write_bytes(b"\x55" * file.stat().st_size)
    done = told(*command, stdin="Carl works_at Acme.")
    assert done.code == 1
    assert "is damaged" in done.error


@by_command
async def test_store_of_a_newer_version(told, tmp_path, command):
    target = Target.parse(f"surrealkv://{tmp_path}/graph-store")
    async with await Store.open(target, embedder="hash-64", dimension=64) as store:
        await store.query("UPDATE meta:schema SET applied += 9999;")
    done = await run_sync(lambda: told(*command, stdin="Carl works_at Acme."))
    assert done.code == 1
    assert "upgrade surreal-graphrag" in done.error


@by_command
def test_store_that_lost_a_file(told, tmp_path, command):
    for table in (tmp_path / "graph-store" / "sstables").iterdir():
        table.unlink()
    done = told(*command, stdin="Carl works_at Acme.")
    assert done.code == 1
    assert "is damaged" in done.error


@by_command
async def test_store_of_another_embedder(told, tmp_path, command):
    target = Target.parse(f"surrealkv://{tmp_path}/other")
    async with await Store.open(target, embedder="other", dimension=3):
        pass
    done = await run_sync(
        lambda: told(*command, "--store", "surrealkv://other", stdin="Carl works_at Acme.")
    )
    assert done.code == 1
    assert "was built with embedder 'other' (3 dimensions)" in done.error


@pytest.mark.parametrize(
    "url",
    [
        "ws://root:s3cret@127.0.0.1:9",
        "ws://root:s3cret@",
        "ws://root:s3cret@host:port",
        "ws://root:s3cret/x@host",
        "sqlite://root:s3cret@host",
        "root:s3cret@host",
        "surrealkv://here?password=s3cret",
    ],
)
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_password_in_a_url_is_never_shown(cli, url, flags):
    done = cli("stats", "--store", url, *flags)
    assert done.code in (1, 2)
    assert done.error
    assert done.out == ""
    assert "s3c" not in done.err


def test_place_that_cannot_be_written(cli):
    done = cli("add", "-", "--store", "surrealkv:///dev/null/store", stdin="Carl works_at Acme.")
    assert done.code == 2
    assert "cannot open surrealkv:///dev/null/store" in done.error


def test_server_that_does_not_answer(cli):
    done = cli("stats", "--store", "ws://127.0.0.1:9", "--user", "me", "--password", "s3cret-word")
    assert done.code == 1
    assert "no SurrealDB server answers at ws://127.0.0.1:9" in done.error
    assert "s3cret" not in done.err + done.out


def test_environment_names_the_store_and_the_option_wins(told, tmp_path, monkeypatch):
    monkeypatch.setenv("SURREAL_GRAPHRAG_STORE", "surrealkv://elsewhere")
    assert "elsewhere" in told("stats").error
    assert told("stats", "--store", "surrealkv://graph-store").code == 0


def test_folder_that_is_no_store(cli, tmp_path):
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.txt").write_text("mine")
    done = cli("add", "-", "--store", "surrealkv://documents", stdin="Alice works_at Acme.")
    assert done.code == 2
    assert "holds other files" in done.error
    assert [file.name for file in (tmp_path / "documents").iterdir()] == ["a.txt"]
