"""``import`` and ``export``: tables and other files, whole graphs, and other memories."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer import Argument, Option

from graphrag.cli.command import PANEL, DryRun, Moments, Source
from graphrag.cli.progress import CopyBar
from graphrag.cli.render import line, plain, tally
from graphrag.cli.tables import NOT_WRITTEN, FileOptions, Kind, OnError, import_tables, show_surveys
from graphrag.cli.terminal import Session
from graphrag.errors import InputError
from graphrag.io.files import Format, format_of

if TYPE_CHECKING:
    from graphrag.io.memories.portable import Of

_KINDS: dict[str, Kind] = {".vcf": "contacts", ".ics": "calendar"}
_MEMORIES = (".json", ".jsonl", ".ndjson", ".gz")
_SHOWN = 20
"""Records that are named one by one; ``--json`` has all."""


async def import_files(
    session: Session,
    files: list[Path] = Argument(
        metavar="FILE...",
        help="Facts as .csv, .tsv, .json, .jsonl or .graphml; contacts as .vcf; meetings as "
        ".ics; a whole graph as `export` writes it to .jsonl; what Graphiti, Zep or Mem0 "
        "exported as JSON, or a folder of that.",
    ),
    kind: Kind | None = Option(
        None,
        "--as",
        "--from",
        help="What the files hold, or whose they are. Default: as they look.",
    ),
    column: list[str] | None = Option(
        None,
        metavar="OURS=THEIRS",
        help="What the table calls a column, such as subject=Employee. Other "
        "columns are then left out.",
    ),
    relation: str | None = Option(
        None, metavar="NAME", help="Relation of every row that names none, such as works_at."
    ),
    default: list[str] | None = Option(
        None,
        metavar="OURS=VALUE",
        help="What stands where a row has nothing, such as object_type=organization; may be "
        "repeated.",
    ),
    source: Source = None,
    judge: bool | None = Option(
        None,
        "--judge/--as-given",
        help="Let new facts end older ones (default for tables), or take every lifetime as "
        "right (default for exports of other memories).",
    ),
    batch: int = Option(1000, metavar="N", help="Rows of one transaction."),
    on_error: OnError = Option("stop", help="Stop at a row that cannot be used, or leave it out."),
    reference_time: datetime | None = Option(None, help="When the contacts were so."),
    since: datetime | None = Option(None, help="The earliest repeated meeting."),
    until: datetime | None = Option(
        None, help="No repeated meeting from here on; default: in a year."
    ),
    time_zone: str | None = Option(None, metavar="ZONE", help="Of meetings that name none."),
    group: str | None = Option(
        None,
        help="Graph inside the store. Default: default, and of a whole graph or another memory "
        "as it is called there.",
        rich_help_panel=PANEL,
    ),
    dry_run: DryRun = False,
) -> None:
    """Tell facts, contacts or meetings from files, or bring in what another memory exported.

    The same files again change nothing. A record that cannot come in is named, with the reason.
    """
    options = FileOptions(
        _pairs(column or [], "--column", "OURS=THEIRS, such as subject=Employee"),
        _pairs(default or [], "--default", "OURS=VALUE, such as object_type=organization")
        | ({} if relation is None else {"relation": relation}),
        judge is not False,
        batch,
        on_error,
        source,
        reference_time,
        since,
        until,
        time_zone,
    )
    kinds = {file: kind or _KINDS.get(file.suffix.casefold(), "facts") for file in files}
    for option, given in (("--column", column), ("--relation", relation), ("--default", default)):
        if given and set(kinds.values()) != {"facts"}:
            raise InputError(
                f"{option} is for tables of facts: import the other files on their own"
            )
    for file in files:
        if not file.exists():
            raise InputError(f"there is no file {file}")
    if kind is None and (whole := [file for file in files if _is_whole(file)]):
        if len(files) > 1:
            raise InputError(f"{whole[0]} is a whole graph: import it on its own")
        await _import_whole(session, whole[0], group, dry_run=dry_run)
    elif of := _memory_of(files, kind):
        await _import_memory(session, files, of, group, judge=judge is True, dry_run=dry_run)
    elif dry_run:
        show_surveys(session, kinds, options)
    else:
        await import_tables(replace(session, group=group or session.group), kinds, options)


def _is_whole(file: Path) -> bool:
    from graphrag.io.jsonl.lines import is_whole_group

    return is_whole_group(file)


def _pairs(given: Iterable[str], option: str, form: str) -> dict[str, str]:
    pairs = {}
    for text in given:
        ours, mark, theirs = text.partition("=")
        if not mark or not ours.strip() or not theirs.strip():
            raise InputError(f"{option} {text!r} is no {form}")
        pairs[ours.strip()] = theirs.strip()
    return pairs


def _memory_of(files: list[Path], kind: Kind | None) -> "Of | None":
    """Return whose export files are, as the command line says or else as they look."""
    match kind:
        case "graphiti" | "zep" | "mem0":
            return kind
        case None if all(
            file.is_dir() or file.name.casefold().endswith(_MEMORIES) for file in files
        ):
            from graphrag.io.memories.dump import files_of
            from graphrag.io.memories.recognise import looks_like

            return looks_like(files_of(files))
    return None


async def _import_memory(
    session: Session,
    files: Sequence[Path],
    of: "Of",
    group: str | None,
    *,
    judge: bool,
    dry_run: bool,
) -> None:
    """Bring in what Graphiti, Zep or Mem0 exported; the exit code is 1 if a record stays out."""
    from graphrag.io.memories.portable import NAMES
    from graphrag.io.memories.recognise import groups_of, leave_unfit, read_memory

    one_group = group is not None
    session = replace(session, group=group or session.group)
    left_out: Sequence[object]
    if dry_run:
        memory = read_memory(files, of)
        leave_unfit(memory, groups_of(memory, session.group, one_group=one_group))
        left_out = memory.left_out
        session.answer(
            {**memory.counts, "left_out": plain(left_out)},
            tally(f"Would come from {NAMES[of]}", memory.counts),
            *map(line, _shortened(left_out)),
            line(NOT_WRITTEN),
        )
    else:
        async with session.graph(f"bringing in {NAMES[of]}", create=True) as graph:
            done = await graph.load.memory(list(files), of=of, one_group=one_group, judge=judge)
        left_out = done.left_out
        rows = {
            "groups": ", ".join(done.groups),
            "records read": done.records,
            "new episodes": done.episodes,
            "new entities": done.entities,
            "new facts": done.facts,
            "known before": done.repeated,
            "left out": len(left_out),
            "seconds": f"{done.seconds:.1f}",
        }
        shown = tally(f"From {NAMES[of]}", rows)
        session.answer(done, shown, *map(line, done.notes[:_SHOWN]))
        for words in () if session.json else _shortened(left_out):
            session.note(f"left out: {words}")
    if left_out:
        raise typer.Exit(1)


def _shortened(records: Sequence[object]) -> list[str]:
    rest = len(records) - _SHOWN
    more = [f"and {rest} more: --json names them all"] if rest > 0 else []
    return [*map(str, records[:_SHOWN]), *more]


async def export(
    session: Session,
    view: Moments,
    file: Path = Argument(
        help="Where to: .jsonl (the whole graph), .csv (facts), .graphml, .ttl, or .html (a "
        "page to explore it); .gz after it compresses."
    ),
    format: Format | None = Option(None, help="Default: by the ending of the file."),
    vectors: bool = Option(
        True,
        "--vectors/--no-vectors",
        help="Whether .jsonl has the vectors, or importing it makes them anew.",
    ),
) -> None:
    """Write a graph to a file: .jsonl for `import` to make it again, others for other programs.

    Facts of all times are written, each with its lifetime; with --at those that held then. A file
    that is there already is replaced when all is written.
    """
    given = format_of(file, format)
    with _copy_bar(session) as bar:
        async with session.graph() as graph:
            if view.valid_at is None and view.known_at is None:
                done = await graph.export.file(file, format=given, vectors=vectors, on_progress=bar)
            elif not vectors:
                raise InputError("--no-vectors is for a whole graph, without --at or --known-at")
            else:
                ever = replace(view, history=view.valid_at is None)
                done = await ever.of(graph).export.file(file, format=given)
    session.answer(
        plain(done) | {"file": str(done.file)},
        tally(f"Exported group {done.group}", done.records),
        line(f"{done.file}: {done.bytes / 1e6:.1f} MB, {done.seconds:.1f} s"),
    )


def _copy_bar(session: Session) -> CopyBar:
    return CopyBar(session.err, "copying", quiet=session.json or not session.err.is_terminal)


async def _import_whole(session: Session, file: Path, name: str | None, *, dry_run: bool) -> None:
    """Make a group of the name that is given, or of the one that it had."""
    if dry_run:
        from graphrag.io.jsonl.survey import survey
        from graphrag.io.transfer import Pace

        header = (await survey(file, Pace(None))).header
        group, records = name or header.group, dict(header.counts)
        shown = tally(f"Would be group {group}", records)
        session.answer({"group": group, "records": records}, shown, line(NOT_WRITTEN))
        return
    with _copy_bar(session) as bar:
        async with session.graph(create=True) as graph:
            done = await graph.load.group(file, name, on_progress=bar)
    session.answer(
        done,
        tally(f"Imported group {done.group}", done.records),
        line(f"{done.embedded} vectors were made anew") if done.embedded else None,
        line("it has ids of its own: the store holds those of the file already")
        if done.renewed
        else None,
    )
