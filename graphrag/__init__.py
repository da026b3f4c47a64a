"""Temporal GraphRAG on SurrealDB: add episodes, and query the graph as of any moment.

Start with ``GraphRAG``; ``graphrag.sync.GraphRAG`` is its blocking equivalent.

Names are imported on first use, so that a program loads only the modules it needs and a command
starts quickly. ``__init__.pyi`` is the table of names.
"""

import importlib
import pathlib

__version__ = "0.2.0"

_TABLE = pathlib.Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_ROWS = (line.split() for line in _TABLE.splitlines() if line.startswith("from "))
_MODULE = {name: module for _, module, _, _, _, name in _ROWS}

__all__ = sorted([*_MODULE, "__version__"])


def __getattr__(name: str) -> object:
    if name in _MODULE:
        globals()[name] = value = getattr(importlib.import_module(_MODULE[name]), name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
