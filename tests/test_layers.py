"""Layers point one way: no module imports one above it."""

import ast
from glob import glob
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "graphrag"

LAYERS = (
    {"errors", "public"},
    {"models", "attributes", "temporal", "names", "naming", "identifiers", "ids", "passages"}
    | {"events", "relations", "settings", "stated", "token_count", "bars", "cards", "listed"}
    | {"by_hand"},
    {"groups"},
    {"extraction", "ontology", "explanation", "context", "display", "results"},
    {"protocols"},
    {"schema"},
    {"store"},
    {"index"},
    {"engine"},
    {"embed", "rerank", "intake", "extract", "llm", "spotting", "rules", "identity", "resolve"}
    | {"invalidate", "statements", "testing", "moving"},
    {"plausible"},
    {"ambiguity", "review", "edits", "ends", "sources"},
    {"search", "community", "plan", "stats", "summaries", "demo"}
    | {"reading", "timeline", "differences"},
    {"planner", "asof", "views", "walks", "sagas", "overview", "merge", "release", "twins"}
    | {"audit", "exchange"},
    {"policy", "invariants", "returning"},
    {"live"},
    {"writer"},
    {"ingest"},
    {"ahead", "batch", "queue", "reads", "windows", "direct", "readers", "editor", "health"}
    | {"split", "unmerge"},
    {"history", "jsonl"},
    {"facade"},
    {"graph"},
    {"__init__"},
    {"sync"},
    {"cli", "__main__"},
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# glob follows the links of the rooms, rglob does not.
MODULES = sorted(ROOT / path for path in glob("**/*.py", root_dir=ROOT, recursive=True))


def room(dotted: str) -> str:
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("graphrag"):
            yield room(node.module)
        if isinstance(node, ast.Import):
            yield from (
                room(alias.name) for alias in node.names if alias.name.startswith("graphrag")
            )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_imports_only_its_own_layer_or_lower_ones(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    own = parts[0]
    assert own in LEVEL, f"give {own} a layer"
    above = {name for name in imports(path) if LEVEL[name] > LEVEL[own]}
    assert not above


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_fits_a_reading(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_only_the_store_speaks_to_surrealdb():
    users = {
        path.relative_to(ROOT).parts[0]
        for path in MODULES
        if "import surrealdb" in (text := path.read_text(encoding="utf-8"))
        or "from surrealdb" in text
    }
    assert users == {"store"}
