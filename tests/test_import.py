"""What importing costs, and what is installed."""

import json
import subprocess
import sys
import tomllib
from glob import glob
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODELS = {"sentence_transformers", "spacy", "torch", "transformers"}
ENGINES = {"igraph", "surrealdb", "surrealdb_embedded"}
DOORS = {"rich", "typer"}
SERVERS = {"mcp", "starlette", "uvicorn", "graphrag.serve"}
FRAMEWORKS = {
    "agent_framework", "agents", "anthropic", "crewai", "google", "langchain_core", "langgraph",
    "llama_index", "openai", "pydantic_ai",
}  # fmt: skip


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("graphrag", MODELS | ENGINES | DOORS | SERVERS | FRAMEWORKS),
        ("graphrag.sync", MODELS | ENGINES | DOORS | SERVERS | FRAMEWORKS),
        ("graphrag.cli.app", MODELS | ENGINES | SERVERS | FRAMEWORKS),
    ],
)
def test_import_loads_nothing_heavy(module, unwanted):
    script = f"import {module}, json, sys; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, check=True)
    assert unwanted.isdisjoint(json.loads(done.stdout))
    assert done.stderr == b""


def test_the_first_fact_loads_nothing_that_only_others_need():
    script = """
import asyncio, json, sys
from graphrag import GraphRAG, Models
from graphrag.testing import HashEmbedder, ScriptedExtractor

async def main():
    models = Models(embedder=HashEmbedder(), extractor=ScriptedExtractor({}))
    async with GraphRAG.open("mem://", models=models) as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")

asyncio.run(main())
print(json.dumps(list(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, check=True)
    rooms = {".".join(name.split(".")[:2]) for name in json.loads(done.stdout)}
    unneeded = {f"graphrag.{room}" for room in ("analysis", "community", "edit", "io")}
    assert unneeded.isdisjoint(rooms)


def test_every_package_is_installed():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    # glob follows the links of the rooms, rglob does not.
    found = [
        Path(one).parent for one in glob("graphrag/**/__init__.py", root_dir=ROOT, recursive=True)
    ]
    assert sorted(listed) == sorted(".".join(folder.parts) for folder in found)
