"""The database schema as numbered files, applied once each, in order.

``NNNN_name.surql`` belongs to every store, except those listed in ``_PROFILES``, which only one
index profile needs. Files are never edited after a release: a change is a new file.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

Profile = Literal["process", "engine"]

_PROFILES: dict[int, Profile] = {2: "engine"}


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
