"""``import`` of what Graphiti, Zep or Mem0 exported."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from graphrag.cli.forms import plain
from graphrag.cli.preview import Kind
from graphrag.cli.render import line, table
from graphrag.cli.terminal import Session

if TYPE_CHECKING:
    from graphrag.io.memories.portable import Of

_SHOWN = 20
"""Rows that are named one by one; ``--json`` has all."""
_WHOSE: "dict[Kind, Of]" = {Kind.GRAPHITI: "graphiti", Kind.ZEP: "zep", Kind.MEM0: "mem0"}
_ENDINGS = (".json", ".jsonl", ".ndjson", ".gz")


def memory_of(files: Sequence[Path], kind: Kind | None) -> "Of | None":
    """Return whose export files are, as the command line says or else as they look."""
    if kind is not None:
        return _WHOSE.get(kind)
    if not all(file.is_dir() or file.name.casefold().endswith(_ENDINGS) for file in files):
        return None
    from graphrag.io.memories.dump import files_of
    from graphrag.io.memories.recognise import looks_like

    return looks_like(files_of(files))


async def import_memory(
    session: Session,
    files: Sequence[Path],
    of: "Of",
    group: str | None,
    *,
    judge: bool,
    dry_run: bool,
) -> None:
    """Bring an export in; the exit code is 1 if any record stays out."""
    from graphrag.io.memories.portable import NAMES
    from graphrag.io.memories.recognise import groups_of, leave_unfit, read_memory

    if dry_run:
        found = read_memory(files, of)
        one_group = group is not None
        leave_unfit(found, groups_of(found, group or session.group, one_group=one_group))
        if session.json:
            session.show_json({**found.counts, "left_out": plain(found.left_out)})
            _end(found.left_out)
            return
        rows = [(name, str(count)) for name, count in found.counts.items()]
        session.show(table(f"Would come from {NAMES[of]}", "", ">", rows=rows))
        session.show(*map(line, _lines(found.left_out)), line("nothing was written (--dry-run)"))
        _end(found.left_out)
        return
    session = replace(session, group=group or session.group)
    async with session.graph(f"bringing in {NAMES[of]}", create=True) as graph:
        done = await graph.load.memory(list(files), of=of, one_group=group is not None, judge=judge)
    if session.json:
        session.show_json(plain(done))
    else:
        rows = [
            ("groups", ", ".join(done.groups)),
            ("records read", str(done.records)),
            ("new episodes", str(done.episodes)),
            ("new entities", str(done.entities)),
            ("new facts", str(done.facts)),
            ("known before", str(done.repeated)),
            ("left out", str(len(done.left_out))),
            ("seconds", f"{done.seconds:.1f}"),
        ]
        session.show(
            table(f"From {NAMES[of]}", "", ">", rows=rows), *map(line, done.notes[:_SHOWN])
        )
        for words in _lines(done.left_out):
            session.note(f"left out: {words}")
    _end(done.left_out)


def _end(left_out: Sequence[object]) -> None:
    if left_out:
        raise typer.Exit(1)


def _lines(every: Sequence[object]) -> list[str]:
    shown = [str(one) for one in every[:_SHOWN]]
    rest = len(every) - len(shown)
    return [*shown, *([f"and {rest} more: --json names them all"] if rest else [])]
