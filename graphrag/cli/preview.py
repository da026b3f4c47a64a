"""``import --dry-run``: what files hold, read to their ends and not added."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag.cli.render import line, table
from graphrag.cli.terminal import Session

if TYPE_CHECKING:
    from datetime import datetime

    from graphrag.io.tables import Survey


class OnError(StrEnum):
    """What becomes of the others if one row cannot be used."""

    STOP = "stop"
    SKIP = "skip"


class Kind(StrEnum):
    """What a file holds."""

    FACTS = "facts"
    CONTACTS = "contacts"
    CALENDAR = "calendar"
    GRAPHITI = "graphiti"
    ZEP = "zep"
    MEM0 = "mem0"


KINDS = {".vcf": Kind.CONTACTS, ".ics": Kind.CALENDAR}


@dataclass(frozen=True, slots=True)
class Wanted:
    """How the files are to be read."""

    columns: dict[str, str]
    defaults: dict[str, str]
    judge: bool
    batch: int
    on_error: OnError
    source: str | None
    reference_time: "datetime | None"
    since: "datetime | None"
    until: "datetime | None"
    time_zone: str | None


def survey_of(file: Path, kind: Kind, wanted: Wanted) -> "Survey":
    """Read a file to its end, and count what would be added.

    Raises:
        InputError: naming what cannot be used.
    """
    from graphrag.io.calendar import meeting_facts, read_meetings
    from graphrag.io.contacts import contact_facts, read_contacts
    from graphrag.io.fact_rows import checked_columns
    from graphrag.io.network_facts import NetworkRows, is_network
    from graphrag.io.recurrence import Horizon
    from graphrag.io.tables import read_rows, survey, without_vectors

    if kind is Kind.FACTS:
        network = NetworkRows.of(file, wanted.columns) if is_network(file) else None
        rows = read_rows(file, wanted.columns) if network is None else network.rows()
        checked_columns(wanted.defaults)
        return survey(without_vectors(rows, wanted.defaults))
    if kind is Kind.CONTACTS:
        return survey(
            fact
            for place, one in read_contacts(file)
            for fact in contact_facts(one, place, reference_time=wanted.reference_time, source=None)
        )
    horizon = Horizon.of(wanted.since, wanted.until, wanted.time_zone)
    return survey(
        fact
        for place, one in read_meetings(file, horizon)
        for fact in meeting_facts(one, place, source=None)
    )


def show_survey(session: Session, found: "dict[Path, Survey]") -> None:
    """Show what files hold."""
    if session.json:
        session.show_json(
            [
                {
                    "file": str(file),
                    "facts": one.rows,
                    "names": len(one.names),
                    "relations": dict(one.relations.most_common()),
                    "examples": one.examples,
                }
                for file, one in found.items()
            ]
        )
        return
    rows: list[Sequence[str]] = [
        (
            file.name,
            str(one.rows),
            str(len(one.names)),
            ", ".join(f"{name} {count}" for name, count in one.relations.most_common(5)),
        )
        for file, one in found.items()
    ]
    session.show(table("Would be added", "", ">facts", ">names", "relations", rows=rows))
    for one in found.values():
        for example in one.examples:
            session.show(line(f"  {example}"))
    session.show(line("nothing was written (--dry-run)"))
