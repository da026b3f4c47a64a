"""The command as a process of its own: Ctrl-C, a terminal, a closed pipe, ``python -m``."""

import asyncio
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import open_graph
from tests.serving import served

ROOT = Path(__file__).parents[2]
MAIN = """
import asyncio, sys
from graphrag.cli.app import create_app
from graphrag.cli.app import run
from tests.cli.conftest import opener
from tests.conftest import PlainExtractor

class Slow(PlainExtractor):
    async def extract(self, context):
        await asyncio.sleep(0.02)
        print("reading", flush=True)
        return await super().extract(context)

sys.exit(run(app=create_app(opener(Slow()))))
"""


def command(*arguments):
    return [sys.executable, "-c", MAIN, *map(str, arguments)]


@pytest.fixture
def environment():
    return {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "80"}


def test_interrupt_is_one_line_and_the_next_run_continues(cli, tmp_path, environment):
    lines = [f'{{"speaker": "Ann", "text": "P{number} works_at Acme."}}' for number in range(100)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    process = subprocess.Popen(
        command("add", "a.jsonl"),
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(5):
        assert process.stdout.readline() == "reading\n"
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 130
    stopped = re.fullmatch(
        r"stopped: (\d+) of 100 episodes are in the graph; "
        r"run the same command again to continue\n",
        error,
    )
    assert stopped, error
    done = json.loads(cli("add", "a.jsonl", "--json").out)
    assert done["added"] + done["unchanged"] == 100
    # The one that was being written may be in, too.
    assert done["unchanged"] - int(stopped[1]) in (0, 1)
    assert json.loads(cli("stats", "--json").out)["facts"] == 100


INTERRUPTED = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == "%s":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
from graphrag.cli import main
sys.argv = ["surreal-graphrag", "stats"]
main()
"""


@pytest.mark.parametrize("module", ["typer", "graphrag.cli.app", "rich.table", "graphrag.graph"])
def test_interrupt_while_the_command_is_still_being_read_is_quiet(tmp_path, environment, module):
    (tmp_path / "graph-store").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED % module],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert done.stderr in ("", "stopped\n")


def test_progress_is_drawn_on_a_terminal_only(tmp_path, environment):
    (tmp_path / "a.txt").write_text("Ann works_at Acme.")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("add", "a.txt"), cwd=tmp_path, env=environment, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    drawn = b""
    while chunk := _read(ours):
        drawn += chunk
    os.close(ours)
    assert process.wait(timeout=30) == 0
    assert b"0/1" in drawn and "━".encode() in drawn
    piped = subprocess.run(command("stats"), cwd=tmp_path, env=environment, capture_output=True)
    assert piped.returncode == 0
    assert piped.stderr == b""
    assert b"\x1b" not in piped.stdout and b"\r" not in piped.stdout


def _read(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # Linux ends a terminal so when its other side is closed.
        return b""


def test_reader_that_goes_away_is_no_error(cli, tmp_path, environment):
    cli("add", "-", stdin="Ann works_at Acme. " * 50)
    process = subprocess.Popen(
        command("search", "Ann", "--json"),
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=30) in (0, 1)


def test_module_is_the_command(environment, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "graphrag", "stats"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: there is no store at")


async def test_the_log_of_a_server_is_followed_line_by_line(environment):
    async with served() as place, open_graph(url := f"ws://{place}") as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2024-01-01")
        process = await asyncio.create_subprocess_exec(
            *command("log", "--store", url, "--follow", "--json"),
            env=environment,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(30):
                assert json.loads(await process.stdout.readline())["seq"] == 1
                await graph.add_episode("Bob works_at Acme.", reference_time="2024-01-02")
                event = json.loads(await process.stdout.readline())
                assert (event["seq"], event["kind"]) == (2, "add_episode")
                process.send_signal(signal.SIGINT)
                assert await process.wait() == 130
        finally:
            if process.returncode is None:
                process.kill()
