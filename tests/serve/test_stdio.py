"""The tools over standard input and output, by the command that a client starts."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.conftest import open_graph
from tests.serve.test_tools import called, every_tool

ROOT = Path(__file__).parents[2]
COMMAND = (
    "from graphrag.cli.app import create_app, run\n"
    "from tests.cli.conftest import opener\n"
    "from tests.conftest import PlainExtractor\n"
    "raise SystemExit(run(app=create_app(opener(PlainExtractor()))))\n"
)


def arguments(*given):
    return ["-c", COMMAND, "serve", *map(str, given)]


async def test_every_tool_answers_over_stdio_and_what_was_told_stays(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        for text in ("Alice works_at Globex from 2023-06-01.", "Bob knows Alice."):
            await graph.add_episode(text, reference_time="2023-07-01")
    server = StdioServerParameters(
        command=sys.executable, args=arguments("--mcp", "--store", url), cwd=ROOT
    )
    async with Client(server) as client:
        await every_tool(client)
        await called(client, "remember", content="Alice likes tea.", reference_time="2024-01-01")
    async with open_graph(url) as graph:
        assert "tea" in {fact.object for fact in await graph.facts("Alice")}


def test_it_ends_at_a_signal_and_leaves_the_store_free(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    with subprocess.Popen(
        [sys.executable, *arguments("--mcp", "--store", url)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        hello = (
            b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":'
            b'"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
        )
        process.stdin.write(hello)
        process.stdin.flush()
        assert b'"serverInfo"' in process.stdout.readline()
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(10) == -signal.SIGTERM
        assert b"Traceback" not in process.stderr.read()
