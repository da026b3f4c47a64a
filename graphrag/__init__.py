"""Temporal GraphRAG on SurrealDB: tell it episodes, ask it questions, now or as of any moment.

Start with ``GraphRAG``; ``graphrag.sync.GraphRAG`` is the same, blocking.

Every name is imported when it is first asked for: a program pays for what it uses, and the command
answers, or is stopped, before anything heavy is read. The table of names is ``__init__.pyi``.
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
