"""``import``: tables and other files, whole graphs, and other memories."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

from graphrag.cli.add import FileOptions, Kind, OnError, import_tables, shortened
from graphrag.cli.command import PANEL, DryRun, Source
from graphrag.cli.render import day, line, plain, table, tally
from graphrag.cli.terminal import Bar, CommandRun
from graphrag.errors import InputError
from graphrag.names.key import name_key

if TYPE_CHECKING:
    from graphrag.ingest.given import GivenFact
    from graphrag.io.memories import Of

_KINDS: dict[str, Kind] = {".vcf": "contacts", ".ics": "calendar"}
_WHAT = {"facts": "tables of facts", "contacts": "contacts", "calendar": "meetings"}
_MEMORIES = (".json", ".jsonl", ".ndjson", ".gz")
_EXAMPLES = 3
NOT_WRITTEN = "nothing was written (--dry-run)"


async def import_files(
    session: CommandRun,
    files: list[Path] = Argument(
        metavar="FILE...",
        help="Facts as .csv, .tsv, .json, .jsonl or .graphml; contacts as .vcf; meetings as "
        ".ics; a whole graph as a .jsonl file of `export`; a JSON export of Graphiti, Zep or "
        "Mem0, or a folder of such files.",
    ),
    kind: Kind | None = Option(
        None,
        "--as",
        "--from",
        help="Kind or origin of the files. Default: detected.",
    ),
    column: list[str] | None = Option(
        None,
        metavar="OURS=THEIRS",
        help="Name of a column in the table, such as subject=Employee. Other "
        "columns are then ignored.",
    ),
    relation: str | None = Option(
        None, metavar="NAME", help="Relation of rows without one, such as works_at."
    ),
    default: list[str] | None = Option(
        None,
        metavar="OURS=VALUE",
        help="Value for missing cells, such as object_type=organization.",
    ),
    source: Source = None,
    judge: bool | None = Option(
        None,
        "--judge/--as-given",
        help="Whether new facts may end older ones (default for tables), or all lifetimes are "
        "stored as given (default for exports of other memories).",
    ),
    batch: int = Option(1000, metavar="N", help="Number of rows in a transaction."),
    on_error: OnError = Option("stop", help="Stop at an invalid row, or skip it."),
    reference_time: datetime | None = Option(None, help="When the contacts held their jobs."),
    since: datetime | None = Option(None, help="Earliest date of repeated meetings."),
    until: datetime | None = Option(
        None, help="End (exclusive) of repeated meetings; default: in a year."
    ),
    time_zone: str | None = Option(None, metavar="ZONE", help="Time zone of meetings without one."),
    group: str | None = Option(
        None,
        help="Group of the store. Default: default; for a whole graph or another memory the "
        "name in the export.",
        rich_help_panel=PANEL,
    ),
    dry_run: DryRun = False,
) -> None:
    """Import facts, contacts or meetings from files, or an export of another memory.

    Importing the same files again changes nothing. Skipped records are listed with the reason.
    """
    from graphrag.io.jsonl.lines import is_whole_group

    columns = _pairs(column or [], "--column", "OURS=THEIRS, such as subject=Employee")
    values = _pairs(default or [], "--default", "OURS=VALUE, such as object_type=organization")
    if relation is not None:
        values["relation"] = relation
    given_rows = {"columns": columns, "defaults": values, "judge": judge is not False}
    calendar = {"since": since, "until": until, "time_zone": time_zone}
    options: FileOptions = {
        "facts": {**given_rows, "batch": batch, "on_error": on_error},
        "contacts": {"reference_time": reference_time},
        "calendar": calendar,
    }
    kinds = {file: kind or _KINDS.get(file.suffix.casefold(), "facts") for file in files}
    for option, given, wanted in (
        ("--column", column, "facts"),
        ("--relation", relation, "facts"),
        ("--default", default, "facts"),
        ("--reference-time", reference_time, "contacts"),
        *((f"--{name.replace('_', '-')}", given, "calendar") for name, given in calendar.items()),
    ):
        if given and (
            wanted not in kinds.values() or (wanted == "facts" and len({*kinds.values()}) > 1)
        ):
            there = "import the other files on their own"
            hint = there if wanted in kinds.values() else "no file here has any"
            raise InputError(f"{option} is for {_WHAT[wanted]}: {hint}")
    for file in files:
        if not file.exists():
            raise InputError(f"there is no file {file}")
    if kind is None and (whole := [file for file in files if is_whole_group(file)]):
        if len(files) > 1:
            raise InputError(f"{whole[0]} is a whole graph: import it on its own")
        await _import_whole(session, whole[0], group, dry_run=dry_run)
    elif of := _memory_of(files, kind):
        await _import_memory(session, files, of, group, judge=judge is True, dry_run=dry_run)
    elif dry_run:
        show_surveys(session, kinds, options)
    else:
        session = replace(session, group=group or session.group)
        await import_tables(session, kinds, options, source)


def _pairs(given: Iterable[str], option: str, form: str) -> dict[str, str]:
    pairs = {}
    for text in given:
        ours, mark, theirs = text.partition("=")
        if not mark or not ours.strip() or not theirs.strip():
            raise InputError(f"{option} {text!r} is no {form}")
        pairs[ours.strip()] = theirs.strip()
    return pairs


def _memory_of(files: list[Path], kind: Kind | None) -> "Of | None":
    if kind in ("graphiti", "zep", "mem0"):
        return kind
    known = (file.is_dir() or file.name.casefold().endswith(_MEMORIES) for file in files)
    if kind is not None or not all(known):
        return None
    from graphrag.io.memories.recognise import files_of, looks_like

    return looks_like(files_of(files))


async def _import_memory(
    session: CommandRun,
    files: Sequence[Path],
    of: "Of",
    group: str | None,
    *,
    judge: bool,
    dry_run: bool,
) -> None:
    from graphrag.io.memories import NAMES
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
            *map(line, shortened([*map(str, left_out)])),
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
        session.answer(done, shown, *map(line, shortened([*done.notes])))
        for words in () if session.json else shortened([f"left out: {it}" for it in left_out]):
            session.note(words)
    if left_out:
        raise typer.Exit(1)


async def _import_whole(
    session: CommandRun, file: Path, name: str | None, *, dry_run: bool
) -> None:
    """Restore a group under the given name, or under the one in the file."""
    if dry_run:
        from graphrag.io.jsonl.survey import survey
        from graphrag.io.transfer import Pace

        header, _ = await survey(file, Pace(None))
        group, records = name or header.group, dict(header.counts)
        shown = tally(f"Would be group {group}", records)
        session.answer({"group": group, "records": records}, shown, line(NOT_WRITTEN))
        return
    quiet = session.json or not session.err.is_terminal
    with Bar(session.err, "copying", quiet=quiet) as bar:
        async with session.graph(create=True) as graph:
            done = await graph.load.group(file, name, on_progress=bar.page)
    session.answer(
        done,
        tally(f"Imported group {done.group}", done.records),
        line(f"{done.embedded} vectors were made anew") if done.embedded else None,
        line("it has ids of its own: the store holds those of the file already")
        if done.renewed
        else None,
    )


def _stated(file: Path, kind: Kind, options: FileOptions) -> "Iterator[GivenFact]":
    from graphrag.io.calendar import meeting_facts, read_meetings
    from graphrag.io.contacts import contact_facts, read_contacts
    from graphrag.io.fact_rows import checked_columns, given_row
    from graphrag.io.ics import Horizon
    from graphrag.io.network import NetworkRows, is_network
    from graphrag.io.tables import read_rows

    if kind == "facts":
        columns, defaults = options["facts"]["columns"], options["facts"]["defaults"]
        network = NetworkRows.of(file, columns) if is_network(file) else None
        rows = read_rows(file, columns) if network is None else network.rows()
        checked_columns(defaults)
        for place, row in rows:
            yield given_row(row, place, source=None, dimension=None, defaults=defaults)
    elif kind == "contacts":
        for place, contact in read_contacts(file):
            yield from contact_facts(contact, place, **options["contacts"], source=None)
    else:
        for place, meeting in read_meetings(file, Horizon.of(**options["calendar"])):
            yield from meeting_facts(meeting, place, source=None)


def show_surveys(session: CommandRun, kinds: Mapping[Path, Kind], options: FileOptions) -> None:
    """Validate files and show the records they would add; nothing is written."""
    surveys = [
        {"file": str(file), **_survey(_stated(file, kinds[file], options))} for file in kinds
    ]
    rows = (
        (
            file.name,
            str(survey["facts"]),
            str(survey["names"]),
            ", ".join(f"{name} {count}" for name, count in [*survey["relations"].items()][:5]),
        )
        for file, survey in zip(kinds, surveys, strict=True)
    )
    session.answer(
        surveys,
        table("Would be added", "", ">facts", ">names", "relations", rows=rows),
        *(line(f"  {text}") for survey in surveys for text in survey["examples"]),
        line(NOT_WRITTEN),
    )


def _survey(facts: "Iterable[GivenFact]") -> dict[str, Any]:
    """Count what facts are about, and show the first few."""
    names: set[str] = set()
    relations, examples = Counter[str](), list[str]()
    for fact in facts:
        names |= {name_key(fact.subject.mention.name), name_key(fact.object.mention.name)}
        relations[fact.relation] += 1
        if len(examples) < _EXAMPLES:
            examples.append(_sentence(fact))
    counted = {"facts": relations.total(), "names": len(names)}
    return {**counted, "relations": dict(relations.most_common()), "examples": examples}


def _sentence(fact: "GivenFact") -> str:
    words = fact.relation.replace("_", " ")
    sentence = fact.text or f"{fact.subject.mention.name} {words} {fact.object.mention.name}."
    end = fact.assertion.until
    days = day(fact.valid_at), day(end.moment) if end else ""
    return f"{sentence} ({' to '.join(days).strip()})" if any(days) else sentence
