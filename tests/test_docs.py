"""The documentation is run: every snippet, every command, every link.

A ``text`` block right after a ``python`` block is what that block prints. In a ``console`` block,
lines after ``$`` are run, and what stands below a command is what it prints. A ``sql`` block is
asked with ``graph.surreal.query``; its ``text`` block has a row a line. A ``sh`` block is only
checked: its commands, options, extras and make targets must exist. A ``json`` block must be JSON.
"""

import ast
import asyncio
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from datetime import datetime
from io import StringIO
from pathlib import Path

import pytest
import typer

import graphrag
from graphrag import GraphRAG, Models, OnnxEmbedder
from graphrag.cli.app import create_app, run
from graphrag.serve.grants import Quota
from graphrag.serve.openapi import description
from graphrag.serve.verb_table import PROMPTS, VERBS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
BY_NAME = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!\w+:)([^)\s]*)\)")
AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
EMBEDDER = OnnxEmbedder()
APP = create_app(lambda settings: GraphRAG.open(settings.store, models=Models(embedder=EMBEDDER)))
COMMANDS = typer.main.get_command(APP).commands
ROOMS = "load edit identity audit communities sagas queue log health erase export surreal".split()


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int
    shown: str | None
    """What the ``text`` block right below says."""


def blocks(page):
    text = page.read_text(encoding="utf-8")
    found = list(FENCE.finditer(text))
    for place, match in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        beneath = after and after[1] == "text" and not text[match.end() : after.start()].strip()
        yield Block(
            match[1],
            match[2],
            text[: match.start()].count("\n") + 2,
            after[2] if beneath else None,
        )


def printed(text):
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def code_of(page, block):
    # Empty lines before it, so that an error names the line of the page.
    return compile("\n" * (block.line - 1) + block.text, str(page), "exec", flags=AWAIT)


@BY_NAME
def test_every_language_is_one_that_is_checked(page):
    assert {block.language for block in blocks(page)} <= {
        "python", "text", "console", "sh", "sql", "mermaid", "json",
    }  # fmt: skip


@BY_NAME
def test_json_can_be_copied_into_a_file(page):
    for block in blocks(page):
        if block.language == "json":
            json.loads(block.text)


@BY_NAME
def test_python_snippets_run_and_print_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("graphrag.graph.embedder_named", lambda: EMBEDDER)
    names = {"__name__": "__main__"}
    with asyncio.Runner() as runner, ExitStack() as stack:
        for block in blocks(page):
            if block.language not in ("python", "sql"):
                continue
            if "graph" not in names and "open(" not in block.text:
                graph = GraphRAG.open("mem://", models=Models(embedder=EMBEDDER))
                names["graph"] = runner.run(entered(graph))
                stack.callback(lambda graph=graph: runner.run(graph.close()))
            if block.language == "sql":
                answer = runner.run(names["graph"].surreal.query(block.text))
                rows = answer if answer and isinstance(answer, list) else [answer]
                assert [surreal(row) for row in rows] == printed(block.shown), (
                    f"{page.name}:{block.line}"
                )
                continue
            code = code_of(page, block)
            with redirect_stdout(StringIO()) as out:
                waits = code.co_flags & 0x80
                runner.run(awaited(code, names)) if waits else exec(code, names)
            if block.shown is not None:
                assert printed(out.getvalue()) == printed(block.shown), f"{page.name}:{block.line}"


def surreal(value):
    """Return a value as SurrealDB writes it, a day without its midnight."""
    match value:
        case dict():
            return "{ " + ", ".join(f"{key}: {surreal(one)}" for key, one in value.items()) + " }"
        case list():
            return "[" + ", ".join(map(surreal, value)) + "]"
        case datetime():
            return f"{value:%Y-%m-%dT%H:%M:%SZ}".replace("T00:00:00Z", "")
        case str():
            return f"'{value}'"
        case None | bool():
            return {None: "NONE", True: "true", False: "false"}[value]
        case _:
            return str(value)


async def entered(graph):
    """Open the graph that a page speaks of, with the episodes of the tutorial's first snippet."""
    await graph.__aenter__()
    await graph.add_episode(
        "Alice Johnson joined Acme Corp in March 2021.", reference_time="2021-04-02"
    )
    await graph.add_episode(
        "Alice left Acme Corp last month. She now works at Globex.", reference_time="2023-07-10"
    )
    return graph


async def awaited(code, names):
    await eval(code, names)


@BY_NAME
def test_console_sessions_show_what_is_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SURREAL_GRAPHRAG_STORE", raising=False)
    for block in blocks(page):
        if block.language != "console":
            continue
        for session in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, shown = session.partition("\n")
            with redirect_stdout(StringIO()) as out:
                typed(command)
            if shown.strip():
                assert printed(out.getvalue()) == printed(shown), f"{page.name}: $ {command}"


def typed(command):
    program, *arguments = shlex.split(command)
    if program == "echo":
        *words, sign, file = arguments
        assert sign == ">"
        Path(file).write_text(" ".join(words) + "\n", encoding="utf-8")
    else:
        assert program == "surreal-graphrag", command
        assert run(arguments, app=APP) == 0, command


def shell_lines(page):
    for block in blocks(page):
        if block.language == "sh":
            for line in block.text.replace("\\\n", " ").splitlines():
                if line and not line.startswith("#"):
                    yield shlex.split(line, comments=True)


@BY_NAME
def test_shell_lines_name_what_exists(page):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for words in shell_lines(page):
        if words[0] == "make":
            assert set(words[1:]) <= targets, words
        elif words[:2] == ["pip", "install"]:
            extras = re.search(r"\[(.*)\]", words[-1])
            assert extras is None or set(extras[1].split(",")) <= set(
                project["optional-dependencies"]
            ), words
        elif words[0] == "surreal-graphrag":
            command = COMMANDS[words[1]]
            for word in words[2:3]:  # ``index build``
                command = getattr(command, "commands", {}).get(word, command)
            known = {form for option in command.params for form in option.opts}
            given = {word.partition("=")[0] for word in words[2:] if word.startswith("--")}
            assert given <= known, words
        else:
            assert words[0] in ("export", "cp", "cd", "git"), words


@BY_NAME
def test_relative_links_lead_somewhere(page):
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.is_relative_to(ROOT), link
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-")
                              for one in headings}, link  # fmt: skip


def test_every_command_and_public_name_is_documented():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in COMMANDS if f"surreal-graphrag {name}" not in text] == []
    missing = [name for name in graphrag.__all__ if not re.search(rf"\b{name}\b", text)]
    assert missing == []


def test_the_reference_has_every_public_name_and_every_room():
    reference = (ROOT / "docs" / "reference").glob("*.md")
    pages = (page.read_text(encoding="utf-8") for page in reference)
    described = set(re.findall(r"^::: (\S+)$", "\n".join(pages), re.MULTILINE))
    for path in described:
        module, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(module), name), path
    names = {path.rpartition(".")[2] for path in described}
    assert {name for name in graphrag.__all__ if name != "__version__"} <= names
    rooms = {type(getattr(GraphRAG.open("mem://"), name)).__name__ for name in ROOMS}
    assert rooms <= names


def test_the_site_builds_without_a_warning(tmp_path):
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"],
        cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    assert "Where did Alice work before Globex" in (tmp_path / "site" / "tutorial.html").read_text()


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if page not in navigation] == []


def test_every_tool_route_prompt_and_bound_of_a_server_is_documented():
    mcp, serve = ((ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("mcp", "serve"))
    assert [name for name in (*VERBS, *PROMPTS) if f"`{name}`" not in mcp] == []
    paths = description(secured=True)["paths"]
    assert [path for path in (*paths, "/mcp", "/openapi.json") if f"{path}`" not in serve] == []
    assert [name for name in Quota.__slots__ if f"`{name}`" not in serve] == []
