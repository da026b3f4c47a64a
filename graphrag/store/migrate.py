"""What a store remembers of itself: its schema, its embedder, its index profile."""

from graphrag.errors import (
    EmbedderMismatchError,
    StoreError,
    StoreProfileError,
    StoreVersionError,
)
from graphrag.schema import Profile, newest, oldest, pending
from graphrag.store.connection import Connection
from graphrag.store.target import Target


async def migrate(
    connection: Connection, embedder: str, dimension: int, *, copying: bool
) -> Profile:
    """Apply pending migrations, check who wrote the store, and return its profile.

    Raises:
        StoreProfileError: if it was made for the other profile.
        StoreVersionError: if a newer version of this library migrated it, or 0.1 made it.
        EmbedderMismatchError: if its vectors come from another model.
        StoreError: if it is half of a copy and ``copying`` is not set.
    """
    target = connection.target
    _, rows = await connection.query(
        "DEFINE TABLE IF NOT EXISTS meta SCHEMALESS; SELECT * FROM meta;"
    )
    meta = {row["id"].id: row for row in rows}
    applied = frozenset(meta.get("schema", {}).get("applied", ()))
    if applied and max(applied) > newest():
        raise StoreVersionError(
            f"the store at {target.url} has schema {max(applied)}, this version knows "
            f"{newest()}: upgrade surreal-graphrag"
        )
    if applied and min(applied) < oldest():
        raise StoreVersionError(
            f"the store at {target.url} was made by surreal-graphrag 0.1, which was never "
            "published: this version cannot read it, add its episodes to a new store"
        )
    known = meta.get("embedder", {"name": embedder, "dimension": dimension})
    if (known["name"], known["dimension"]) != (embedder, dimension):
        raise EmbedderMismatchError(
            f"the store at {target.url} was built with embedder {known['name']!r} "
            f"({known['dimension']} dimensions), not {embedder!r} ({dimension}): "
            "open it with that embedder; to change the embedder, open it so and "
            "log.replay_all(GraphRAG.open(NEW, models=Models(embedder=...))) into a new store, "
            "which embeds again"
        )
    if "copy" in meta and not copying:
        raise StoreError(
            f"the store at {target.url} is an unfinished copy of {meta['copy']['source'][0]}: "
            "start 'surreal-graphrag copy' again, which goes on where it stopped"
        )
    profile: Profile = meta.get("profile", {}).get("name", target.new_profile)
    if target.profile not in (None, profile):
        raise StoreProfileError(
            f"the store at {target.url} has profile {profile!r}, not {target.profile!r}: open it "
            "without a profile, or make one of the other with "
            f"'surreal-graphrag copy {target.url} NEW --profile {target.profile}'"
        )
    for migration in pending(applied, profile):
        applied |= {migration.number}
        await connection.transact(
            migration.statements(dimension=dimension)
            + "UPSERT meta:schema SET applied = $applied;"
            + "UPSERT meta:embedder SET name = $name, dimension = $dimension;"
            + "UPSERT meta:profile SET name = $profile;",
            {
                "applied": sorted(applied),
                "name": embedder,
                "dimension": dimension,
                "profile": profile,
            },
        )
    return profile


async def embedder_of(target: Target) -> tuple[str, int]:
    """Return the name and the dimension of the embedder that a store was built with.

    Raises:
        StoreError: if there is no store, or it cannot be opened.
    """
    found: list[tuple[str, int]] = []
    if target.path is None or target.path.exists():
        connection = Connection(target)
        await connection.open()
        try:
            [info] = await connection.query("INFO FOR DB;")
            if "meta" in info["tables"]:
                [found] = await connection.query(
                    "SELECT VALUE [name, dimension] FROM meta:embedder;"
                )
        finally:
            await connection.close()
    if not found:
        raise StoreError(f"there is no graph at {target.url}")
    name, dimension = found[0]
    return str(name), int(dimension)
