"""The database schema as numbered files, applied once each, in order.

``NNNN_name.surql`` belongs to every store, except those listed in ``_PROFILES``, which only one
index profile needs. Files are never edited after a release: a change is a new file. Version 0.1,
which was never published, had numbers below 10.

Each group has tables of its own that SurrealDB searches, such as ``relates_to_vector_default``: the
nearest rows and the counts of BM25 are then those of the group. They are tables and not databases
so that one query joins them with the records.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
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

VECTORS = ("relates_to", "entity", "episode", "passage", "community")
"""Tables whose rows have a vector."""
WORDS = ("relates_to", "entity", "episode", "community")
"""Tables whose rows are found by words."""
INDEXES = ("nearest", "words")
"""Names of the index of vectors and of that of words."""
METHODS = (
    "DISKANN DIMENSION {dimension} DIST COSINE TYPE F32 DEGREE 32 L_BUILD 64",
    "HNSW DIMENSION {dimension} DIST COSINE TYPE F32 EFC 150 M 12",
)
"""Kinds of indexes of vectors, the better one first; an older server has the second only."""
_PLAIN_GROUP = re.compile(r"(?!x_)[a-z0-9_]{1,40}")
_SEARCH_TABLE = re.compile(rf"(?:{'|'.join(VECTORS)})_(?:vector|words)_\w+")
_ANALYZER = "DEFINE ANALYZER IF NOT EXISTS terms TOKENIZERS blank;"


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
    return tuple(
        Migration(
            number=int(number),
            name=name.removesuffix(".surql"),
            profile=_PROFILES.get(int(number)),
            template=file.read_text(encoding="utf-8"),
        )
        for file in sorted(files("graphrag.schema").iterdir(), key=lambda file: file.name)
        for number, _, name in [file.name.partition("_")]
        if name.endswith(".surql")
    )


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
    text = "\n".join(each.template for each in migrations() if each.profile == "engine")
    return frozenset(match["name"] for match in _TABLE.finditer(text))


@dataclass(frozen=True, slots=True)
class TableField:
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
    fields: tuple[TableField, ...]


@cache
def core_tables() -> tuple[Table, ...]:
    """Return the tables that every store has, in the order of the schema."""
    text = "\n".join(each.template for each in migrations() if each.profile is None)
    ends = {
        match["name"]: (match["source"], match["goal"]) if match["source"] else None
        for match in _TABLE.finditer(text)
        if match["name"] not in FOLLOWING
    }
    fields: dict[str, dict[str, TableField]] = {table: {} for table in ends}
    for match in _FIELD.finditer(text):
        table, name, rest = match["table"], match["name"], match["rest"]
        if table in fields and "." not in name:
            fields[table][name] = _field(table, name, rest)
    return tuple(Table(table, ends[table], tuple(fields[table].values())) for table in ends)


def _field(table: str, name: str, rest: str) -> TableField:
    match, listed = _TYPE.match(rest), _CHOICES.search(rest)
    assert match is not None, f"{table}.{name} has no type that is known here: {rest}"
    required = match["option"] is None and "DEFAULT" not in rest
    choices = tuple(re.findall(r"'([^']*)'", listed[1])) if listed else ()
    return TableField(name, match["kind"], required, choices)


def vector_table(table: str, group: str) -> str:
    """Return the name of the table of the vectors of a group's rows."""
    return f"{table}_vector_{_suffix(group)}"


def word_table(table: str, group: str) -> str:
    """Return the name of the table of the words of a group's rows."""
    return f"{table}_words_{_suffix(group)}"


def search_tables(group: str) -> list[str]:
    """Return the names of all search tables of a group."""
    vectors = [vector_table(table, group) for table in VECTORS]
    return vectors + [word_table(table, group) for table in WORDS]


def is_search_table(name: str) -> bool:
    """Tell whether a table of the database is a search table of a group."""
    return _SEARCH_TABLE.fullmatch(name) is not None


def definitions(group: str, dimension: int, method: str) -> str:
    """Return the SurrealQL that makes the search tables of a group where they are not there."""
    index = method.format(dimension=int(dimension))
    vectors = (
        f"DEFINE TABLE IF NOT EXISTS {vector_table(table, group)} SCHEMALESS "
        f"COMMENT 'vectors of {table}: vector, and the row that it is of';"
        f"DEFINE INDEX IF NOT EXISTS nearest ON {vector_table(table, group)} FIELDS vector {index};"
        for table in VECTORS
    )
    words = (
        f"DEFINE TABLE IF NOT EXISTS {word_table(table, group)} SCHEMALESS "
        f"COMMENT 'stems of the words of {table}, and the row that they are of';"
        f"DEFINE INDEX IF NOT EXISTS words ON {word_table(table, group)} "
        "FIELDS terms FULLTEXT ANALYZER terms BM25;"
        for table in WORDS
    )
    return "".join((_ANALYZER, *vectors, *words))


def nearest_index(table: str, group: str, dimension: int, method: str) -> str:
    """Return the SurrealQL that builds an index of vectors anew, for a transaction of its own.

    ``REBUILD INDEX`` is never used: after deletes it ruins indexes (SurrealDB 3.2.4). Nor is
    ``CONCURRENTLY``: a search waits for what is built after it, and closing the store ends that.
    """
    index = method.format(dimension=int(dimension))
    return f"DEFINE INDEX OVERWRITE nearest ON {vector_table(table, group)} FIELDS vector {index};"


def _suffix(group: str) -> str:
    """Return the name of a group where it can end that of a table, else a hash of it."""
    if _PLAIN_GROUP.fullmatch(group):
        return group
    return f"x_{blake2b(group.encode(), digest_size=10).hexdigest()}"
