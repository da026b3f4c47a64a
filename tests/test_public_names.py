"""What ``import graphrag`` offers, and what it costs."""

import subprocess
import sys
from pathlib import Path

import graphrag

ROOT = Path(__file__).parents[1]
MODEL_LIBRARIES = {"torch", "spacy", "sentence_transformers", "transformers"}


def test_all_is_sorted_and_complete():
    public = {
        name
        for name in {*vars(graphrag), *graphrag._MODULE}
        if not name.startswith("_")
        and getattr(getattr(graphrag, name), "__module__", "").startswith("graphrag")
    }
    assert set(graphrag.__all__) == public | {"__version__"}
    assert graphrag.__all__ == sorted(graphrag.__all__)


def test_import_loads_no_model_library():
    code = "import sys, graphrag; print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not MODEL_LIBRARIES & set(modules)


def test_commands_are_known_before_anything_heavy_is_read():
    code = "import sys; from graphrag.cli.app import create_app; create_app(); print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not (MODEL_LIBRARIES | {"numpy", "pydantic", "graphrag.graph"}) & set(modules)


def test_version_is_the_one_of_the_distribution():
    assert f'version = "{graphrag.__version__}"' in (ROOT / "pyproject.toml").read_text()


def test_every_error_is_drawn_in_the_tree():
    import graphrag.errors as errors

    for name in vars(errors):
        if name.endswith("Error") and name != "GraphRAGError":
            assert name in (errors.__doc__ or "")
