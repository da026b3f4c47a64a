"""What the vector of a stored row is made of."""

from collections.abc import Mapping

from graphrag.index.texts import community_text, entity_text, episode_text, fact_text
from graphrag.models import Entity, Fact
from graphrag.store.engine import Row
from graphrag.store.rows import from_row

EMBEDDED = ("episode", "passage", "entity", "relates_to", "community")
"""Tables whose rows have a vector."""


def words(table: str, row: Row, episodes: Mapping[str, Row]) -> str:
    """Return the words that a row is embedded by; ``episodes`` are those of its group by id."""
    match table:
        case "episode":
            return episode_text(row["name"], row["content"])
        case "passage":
            episode = episodes[row["episode"]]
            return episode_text(episode["name"], episode["content"][row["start"] : row["end"]])
        case "entity":
            return entity_text(from_row(Entity, row))
        case "relates_to":
            return fact_text(from_row(Fact, row))
        case _:
            return community_text(row["name"], row["summary"])
