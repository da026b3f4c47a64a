"""``import`` of a whole graph, as ``export`` writes it to a .jsonl file."""

from pathlib import Path

from graphrag.cli.forms import plain
from graphrag.cli.progress import Copied
from graphrag.cli.render import line, table
from graphrag.cli.session import Session


async def import_whole(session: Session, file: Path, name: str | None, *, dry_run: bool) -> None:
    """Make a group of the name that is given, or of the one that it had."""
    if dry_run:
        from graphrag.jsonl.survey import survey
        from graphrag.moving.pace import Pace

        header = (await survey(file, Pace(None))).header
        group, records = name or header.group, dict(header.counts)
    else:
        with Copied(session.err, quiet=session.json or not session.err.is_terminal) as told:
            async with session.graph(create=True) as graph:
                done = await graph.import_group(file, name, on_progress=told)
        if session.json:
            session.show_json(plain(done))
            return
        group, records = done.group, done.records
    if session.json:
        session.show_json({"group": group, "records": records})
        return
    rows = [(kind, str(count)) for kind, count in records.items()]
    if dry_run:
        session.show(table(f"Would be group {group}", "", ">", rows=rows))
        session.show(line("nothing was written (--dry-run)"))
        return
    session.show(table(f"Imported group {group}", "", ">", rows=rows))
    if done.embedded:
        session.show(line(f"{done.embedded} vectors were made anew"))
    if done.renewed:
        session.show(line("it has ids of its own: the store holds those of the file already"))
