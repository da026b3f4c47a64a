"""Generate ``graphrag/sync.py`` from the async classes: ``python -m tests.sync_twin``."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1] / "graphrag"
TARGET = ROOT / "sync.py"
CLASSES = {
    "CommunityReads": "view/communities.py",
    "CommunityWrites": "view/communities.py",
    "SagaReads": "view/sagas.py",
    "SagaWrites": "view/sagas.py",
    "Audit": "view/audit.py",
    "SurrealQL": "view/surreal.py",
    "Exports": "view/exports.py",
    "GroupExports": "view/exports.py",
    "ManualEdits": "edit/by_hand.py",
    "Identity": "edit/identity.py",
    "EventLog": "history/__init__.py",
    "Erase": "history/erase.py",
    "Load": "io/loading.py",
    "QueueControl": "health/health.py",
    "Health": "health/health.py",
    "Reads": "view/reads.py",
    "Walks": "view/walks.py",
    "Streams": "view/view.py",
    "View": "view/view.py",
    "GroupSet": "graph.py",
    "Writes": "view/writes.py",
    "GraphRAG": "graph.py",
}
"""The async classes, what others refer to first, by where they are."""

HEADER = '''"""The blocking twin of the graph: the same methods, without ``await``.

The graph itself runs on an event loop in a background thread, so this works in a script, in a
thread, and inside a running event loop (Jupyter)::

    from graphrag.sync import GraphRAG

    with GraphRAG.open("surrealkv://./memory") as graph:
        graph.add_episode("Alice joined Acme Corp in March 2021.", reference_time="2021-04-02")
        graph.search("where does Alice work?")

Threads may share one graph. Generated from the async classes by ``python -m tests.sync_twin``.
"""
'''


def main() -> None:
    """Write the twin."""
    TARGET.write_text(generated(), encoding="utf-8")


def generated() -> str:
    """Return the source of the twin, formatted."""
    trees = {path: ast.parse((ROOT / path).read_text("utf-8")) for path in CLASSES.values()}
    body = "\n\n".join(_twin(name, _class(trees[path], name)) for name, path in CLASSES.items())
    source = f"{HEADER}\n{_imports(trees)}\n\n{body}\n"
    for arguments in (
        ["check", "--quiet", "--fix", "--select", "F401,I001"],
        ["format", "--quiet"],
    ):
        command = [sys.executable, "-m", "ruff", *arguments, "--stdin-filename", str(TARGET), "-"]
        done = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
        source = done.stdout
    return source


def _module(path: str) -> str:
    return "graphrag." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _class(tree: ast.Module, name: str) -> ast.ClassDef:
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def _imports(trees: dict[str, ast.Module]) -> str:
    """Return every import of the async modules, their own names, and what types stand for."""
    lines = {"from graphrag._portal import Portal, feed", "from types import TracebackType"}
    late: set[str] = set()
    for path, tree in trees.items():
        module = _module(path)
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                lines.add(ast.unparse(node))
            if isinstance(node, ast.If):  # TYPE_CHECKING
                late |= {
                    ast.unparse(one)
                    for one in node.body
                    if isinstance(one, ast.ImportFrom)
                    and not {alias.name for alias in one.names} & CLASSES.keys()
                }
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if not name.startswith("_") and name[0].isupper() and not name.isupper():
                    lines.add(f"from {module} import {name}")
    for name, path in CLASSES.items():
        module = _module(path)
        # Only the graph is made here, the others come from it.
        (lines if name == "GraphRAG" else late).add(f"from {module} import {name} as Async{name}")
    lines |= {"from collections.abc import Iterable, Iterator", "from functools import partial"}
    lines |= {
        "from graphrag.model.arguments import named",
        "from graphrag.graph import OPENED",
    }
    # No signature has it: those of files take what is like a path, and one class is called so.
    lines.discard("from pathlib import Path")
    names = {
        line
        for line in lines
        if not any(line.endswith(f"import {name}") for name in CLASSES)
        and not any(
            line.startswith(f"from {_module(CLASSES[name])} ")
            and " as " not in line
            and name in line.split(" import ")[1].split(", ")
            for name in CLASSES
        )
    }
    types = "".join(f"    {line}\n" for line in sorted(late))
    return (
        "from __future__ import annotations\n"
        + "\n".join(sorted(names | {"from typing import TYPE_CHECKING"}))
        + f"\n\nif TYPE_CHECKING:\n{types}"
    )


def _twin(name: str, node: ast.ClassDef) -> str:
    bases = [ast.unparse(base) for base in node.bases if ast.unparse(base) in CLASSES]
    head = f"({', '.join(bases)})" if bases else ""
    doc = (ast.get_docstring(node) or "").splitlines()[0]
    parts = [f'@named({_door(node)})\nclass {name}{head}:\n    """{doc}"""\n']
    optional = " | None = None" if name == "GraphRAG" else ""
    parts.append(
        f"    _twin: Async{name}\n\n    def __init__(\n"
        f"        self, twin: Async{name}{optional}, portal: Portal{optional}\n    ) -> None:\n"
        + (
            "        if twin is None or portal is None:\n            raise TypeError(OPENED)\n"
            if optional
            else ""
        )
        + (
            "        super().__init__(twin, portal)\n"
            if bases
            else "        self._portal = portal\n"
        )
        + "        self._twin = twin\n"
    )
    for item in node.body:
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            if made := _method(name, item):
                parts.append(made)
    if name == "GraphRAG":
        parts.append(LIFE)
    return "\n".join(parts)


def _door(node: ast.ClassDef) -> str:
    """Return how users come by an object of the class, as its own decorator says."""
    for mark in node.decorator_list:
        for given in mark.keywords if isinstance(mark, ast.Call) else ():
            if given.arg == "door":
                return ast.unparse(given.value)
    return ""


LIFE = '''    def __enter__(self) -> Self:
        """Open the store, creating or migrating it if needed."""
        self._portal.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close the store; closing twice is fine."""
        self._portal.close()
'''


def _method(owner: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    name, decorators = node.name, [ast.unparse(one) for one in node.decorator_list]
    if name == "__repr__":
        return "    def __repr__(self) -> str:\n        return repr(self._twin)\n"
    if name.startswith("_") or name == "close":
        return None
    answer = ast.unparse(node.returns) if node.returns else "None"
    if answer.strip("'\"") in CLASSES:
        answer = answer.strip("'\"")
    if name == "open":
        call = (
            f"twin = Async{owner}.open({_passed(node)})\n"
            "        return cls(twin, Portal(twin.handle))"
        )
        return _defined(node, _parameters(node), answer, call, decorators)
    if (owner, name) == ("Writes", "add_episodes"):
        parameters = _parameters(node).replace(
            "episodes: Episodes", "episodes: Iterable[NewEpisode]"
        )
        call = (
            "add = partial(self._twin.add_episodes, on_error=on_error)\n"
            "        return feed(self._portal, add, episodes, on_progress)"
        )
        return _defined(node, parameters, answer, call, decorators)
    if answer.startswith("AsyncIterator["):
        call = f"return self._portal.follow(lambda: self._twin.{name}({_passed(node)}))"
        return _defined(node, _parameters(node), answer.removeprefix("Async"), call, decorators)
    called = f"self._twin.{name}"
    if "property" not in decorators:
        called = f"{called}({_passed(node)})"
    if isinstance(node, ast.AsyncFunctionDef):
        called = f"self._portal.wait({called})"
    if answer in CLASSES:
        called = f"{answer}({called}, self._portal)"
    return _defined(node, _parameters(node), answer, f"return {called}", decorators)


def _defined(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    parameters: str,
    answer: str,
    call: str,
    decorators: list[str],
) -> str:
    marks = "".join(f"    @{one}\n" for one in decorators)
    doc = ast.get_docstring(node) or ""
    lines = doc.splitlines()
    shown = "\n".join([lines[0], *(f"        {one}" if one else "" for one in lines[1:])])
    end = "\n        " if len(lines) > 1 else ""
    return (
        f"{marks}    def {node.name}({parameters}) -> {answer}:\n"
        f'        """{shown}{end}"""\n        {call}\n'
    )


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return ast.unparse(node.args)


def _passed(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    arguments = node.args
    plain = [one.arg for one in (*arguments.posonlyargs, *arguments.args)[1:]]
    if arguments.vararg is not None:
        plain.append(f"*{arguments.vararg.arg}")
    named = [f"{one.arg}={one.arg}" for one in arguments.kwonlyargs]
    rest = [] if arguments.kwarg is None else [f"**{arguments.kwarg.arg}"]
    return ", ".join([*plain, *named, *rest])


if __name__ == "__main__":
    main()
