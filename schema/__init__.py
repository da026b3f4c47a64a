"""The database schema as numbered files, applied once each, in order.

``NNNN_name.surql`` belongs to every store, except those listed in ``_PROFILES``, which only one
index profile needs. Files are never edited after a release: a change is a new file. Version 0.1,
which was never published, had numbers below 10.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

Profile = Literal["process", "engine"]

FOLLOWING = frozenset({"has_episode"})
"""Tables of every store that the database keeps in step."""
_PROFILES: Mapping[int, Profile] = {11: "engine", 14: "engine", 16: "engine"}
_TABLE = re.compile(
    r"DEFINE TABLE IF NOT EXISTS (?P<name>\w+)"
    r"(?: TYPE RELATION IN (?P<source>\w+) OUT (?P<goal>\w+))?[^;]*;"
)
_FIELD = re.compile(
    r"DEFINE FIELD IF NOT EXISTS (?P<name>[\w.*]+) ON (?P<table>\w+) (?P<rest>[^;]+);"
)
_CHOICES = re.compile(r"ASSERT \$value IN \[(.*)\]")
_TYPE = re.compile(r"TYPE (?P<option>option<)?(?P<kind>\w+(?:<\w+>)?)")


@dataclass(frozen=True, slots=True)
class Migration:
    """One schema file."""

    number: int
    name: str
    profile: Profile | None
    """The only index profile that needs it, or None for every store."""
    template: str

    def statements(self, *, dimension: int) -> str:
        """Return the SurrealQL for vectors of ``dimension`` numbers."""
        return self.template.replace("{dimension}", str(int(dimension)))


def migrations() -> tuple[Migration, ...]:
    """Read every migration this version knows, in order."""
    return tuple(sorted(_read(), key=lambda migration: migration.number))


def oldest() -> int:
    """Return the lowest migration number this version knows."""
    return migrations()[0].number


def newest() -> int:
    """Return the highest migration number this version knows."""
    return migrations()[-1].number


def pending(applied: frozenset[int], profile: Profile) -> tuple[Migration, ...]:
    """Return the migrations that a store of this profile still lacks, in order."""
    return tuple(
        migration
        for migration in migrations()
        if migration.number not in applied and migration.profile in (None, profile)
    )


@cache
def former_tables() -> frozenset[str]:
    """Return the tables that the engine profile had in earlier versions."""
    text = "\n".join(one.template for one in migrations() if one.profile == "engine")
    return frozenset(match["name"] for match in _TABLE.finditer(text))


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a table; fields of fields are none."""

    name: str
    kind: str
    """Its type, such as ``string`` or ``array<object>``."""
    required: bool
    """It has neither a default nor an optional type."""
    choices: tuple[str, ...]
    """The only texts that it may have, if they are listed."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that every store has."""

    name: str
    ends: tuple[str, str] | None
    """The tables that its rows join, if they are links."""
    fields: tuple[Field, ...]


@cache
def core_tables() -> tuple[Table, ...]:
    """Return the tables that every store has, in the order of the schema."""
    text = "\n".join(one.template for one in migrations() if one.profile is None)
    ends = {
        match["name"]: (match["source"], match["goal"]) if match["source"] else None
        for match in _TABLE.finditer(text)
        if match["name"] not in FOLLOWING
    }
    fields: dict[str, dict[str, Field]] = {table: {} for table in ends}
    for match in _FIELD.finditer(text):
        table, name, rest = match["table"], match["name"], match["rest"]
        if table in fields and "." not in name:
            fields[table][name] = _field(table, name, rest)
    return tuple(Table(table, ends[table], tuple(fields[table].values())) for table in ends)


def _field(table: str, name: str, rest: str) -> Field:
    match, listed = _TYPE.match(rest), _CHOICES.search(rest)
    assert match is not None, f"{table}.{name} has no type that is known here: {rest}"
    required = match["option"] is None and "DEFAULT" not in rest
    choices = tuple(re.findall(r"'([^']*)'", listed[1])) if listed else ()
    return Field(name, match["kind"], required, choices)


def _read() -> Iterator[Migration]:
    for file in files("graphrag.schema").iterdir():
        number, _, rest = file.name.partition("_")
        if not file.name.endswith(".surql"):
            continue
        yield Migration(
            number=int(number),
            name=rest.removesuffix(".surql"),
            profile=_PROFILES.get(int(number)),
            template=file.read_text(encoding="utf-8"),
        )
