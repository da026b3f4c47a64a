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

_PROFILES: Mapping[int, Profile] = {11: "engine"}
_TABLE = re.compile(r"DEFINE TABLE IF NOT EXISTS (\w+)")
_INDEX = re.compile(r"DEFINE INDEX IF NOT EXISTS (?P<name>\w+) ON (?P<table>\w+) (?P<rest>[^;]+);")


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


@dataclass(frozen=True, slots=True)
class EngineIndex:
    """An index of the engine profile over vectors or terms."""

    name: str
    table: str
    """The derived table that it covers."""
    rest: str

    @property
    def of(self) -> str:
        """Return the table that the derived one follows from."""
        return self.table.rpartition("_")[0]

    @property
    def meaning(self) -> bool:
        """Tell whether it covers vectors."""
        return "HNSW" in self.rest

    def statement(self, *, dimension: int) -> str:
        """Return the SurrealQL that builds it anew.

        ``REBUILD INDEX`` is never used: after deletes it ruins an HNSW index (SurrealDB 3.2.4).
        """
        rest = self.rest.replace("{dimension}", str(int(dimension)))
        return f"DEFINE INDEX OVERWRITE {self.name} ON {self.table} {rest};"


@cache
def engine_indexes() -> tuple[EngineIndex, ...]:
    """Return the indexes that searches of the engine profile go through."""
    found = (EngineIndex(**match.groupdict()) for match in _INDEX.finditer(_engine()))
    return tuple(index for index in found if "HNSW" in index.rest or "FULLTEXT" in index.rest)


@cache
def derived_tables() -> frozenset[str]:
    """Return the tables of the engine profile; their ids begin with the group."""
    return frozenset(_TABLE.findall(_engine()))


def _engine() -> str:
    return "\n".join(one.template for one in migrations() if one.profile == "engine")


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
