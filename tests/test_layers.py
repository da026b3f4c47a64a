"""Layers point one way, and each room imports only the rooms that are listed for it."""

import ast
from glob import glob
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "graphrag"

LAYERS = (
    ("errors", "settings", "schema", "model", "text", "names", "temporal"),
    ("ontology", "protocols", "display"),
    ("store", "llm", "local"),
    ("index",),
    ("engine", "resolve"),
    ("search", "ingest", "testing"),
    ("session",),
    ("extract", "edit", "analysis", "ask", "community", "io"),
    ("sagas", "health", "history", "explorer"),
    ("view", "graph", "__init__", "_portal", "sync"),
    ("serve", "integrations"),
    ("cli", "__main__"),
)
_BASE = "errors model"
ROOMS = {
    "errors": "",
    "settings": "",
    "schema": "",
    "model": "errors",
    "text": "model",
    "names": "",
    "temporal": _BASE,
    "ontology": _BASE,
    "protocols": "model",
    "display": f"{_BASE} temporal",
    "store": f"{_BASE} schema protocols temporal display",
    "llm": f"{_BASE} settings protocols text",
    "local": f"{_BASE} protocols",
    "index": f"{_BASE} names protocols temporal text display store",
    "engine": "errors schema names text store index",
    "resolve": "model names protocols text store index",
    "search": f"{_BASE} names ontology protocols temporal text display store index engine",
    "ingest": f"{_BASE} names ontology protocols temporal text store local index resolve",
    "testing": f"{_BASE} protocols",
    "session": "errors ontology protocols store local index engine search ingest",
    "extract": f"{_BASE} names ontology protocols temporal text llm local ingest",
    "edit": f"{_BASE} names ontology protocols temporal store index resolve ingest session search",
    "analysis": f"{_BASE} ontology temporal text display store index search ingest edit",
    "ask": f"{_BASE} names ontology protocols temporal text display llm index search extract",
    "community": f"{_BASE} protocols temporal display store llm index search",
    "io": f"{_BASE} schema names ontology protocols temporal text store index engine search ingest"
    " session",
    "sagas": f"{_BASE} protocols temporal text display store llm index search analysis",
    "health": f"{_BASE} names ontology protocols temporal store index engine resolve ingest session"
    " analysis",
    "history": f"{_BASE} names ontology protocols temporal display store index engine ingest"
    " session edit analysis io health",
    "explorer": f"{_BASE} display index search community",
    "serve": f"{_BASE} temporal display edit search ingest ask explorer view graph",
}
"""Which rooms each room may import, itself apart; a door without a line here may import all."""
HOOK = ("model/values.py", "display")
"""Values are shown by a room above them, which they import when somebody looks."""

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# glob follows the links of the rooms, rglob does not.
MODULES = sorted(ROOT / path for path in glob("**/*.py", root_dir=ROOT, recursive=True))


def room(dotted: str) -> str:
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports(path: Path):
    """Yield the rooms that a module imports anywhere, types and late imports too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("graphrag"):
            yield room(node.module)
        if isinstance(node, ast.Import):
            yield from (
                room(alias.name) for alias in node.names if alias.name.startswith("graphrag")
            )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_imports_only_the_rooms_listed_for_its_own(path):
    relative = path.relative_to(ROOT)
    own = relative.with_suffix("").parts[0]
    assert own in LEVEL, f"give {own} a layer"
    if own not in ROOMS and LEVEL[own] >= LEVEL["view"]:
        return
    strangers = set(imports(path)) - set(ROOMS[own].split()) - {own}
    assert {(relative.as_posix(), name) for name in strangers} <= {HOOK}


@pytest.mark.parametrize("own", ROOMS)
def test_a_room_may_import_only_its_own_layer_or_lower_ones(own):
    assert not {name for name in ROOMS[own].split() if LEVEL[name] > LEVEL[own]}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_fits_a_reading(path):
    if path.name == "sync.py":
        return  # generated, see tests/sync_twin.py
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_only_the_store_speaks_to_surrealdb():
    users = {
        path.relative_to(ROOT).parts[0]
        for path in MODULES
        if "import surrealdb" in (text := path.read_text(encoding="utf-8"))
        or "from surrealdb" in text
    }
    assert users == {"store"}
