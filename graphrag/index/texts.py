"""Words by which entities, facts, communities and episodes are found and embedded."""

from collections.abc import Mapping

from graphrag.model.values import Entity, Fact
from graphrag.protocols import Embedder, Matrix
from graphrag.store.engine import Row
from graphrag.store.rows import from_row
from graphrag.text.split import split_passages


def entity_text(entity: Entity) -> str:
    """Return the words by which an entity is found: its names.

    A summary would be found through words that the graph did not know yet at ``known_at``; the
    facts that it is made of are ranked anyway, and lead to the entity.
    """
    return " ".join((entity.name, *entity.aliases))


def fact_text(fact: Fact) -> str:
    """Return the words by which a fact is found: names first, a sentence may only say "she"."""
    return f"{fact.subject} {fact.relation.replace('_', ' ')} {fact.object}. {fact.text}"


def community_text(name: str, summary: str) -> str:
    """Return the words by which a community is found and embedded."""
    return f"{name}. {summary}"


PIECE = "\x1e"
"""What stands between the pieces of a text: ASCII's record separator, which no content may hold."""


def episode_text(name: str, content: str) -> str:
    """Return what an episode is embedded by: its title, if it has one, and what it says."""
    return f"{name}\n{content}" if name else content


def episode_words(name: str, content: str) -> str:
    """Return the words by which an episode is found: those of its pieces, each with the title."""
    spans = split_passages(content)
    return PIECE.join(episode_text(name, content[start:end]) for start, end in spans)


async def embed_texts(embedder: Embedder, texts: Mapping[str, str]) -> dict[str, Matrix]:
    """Return the vectors of some texts, by their keys; nothing is asked for no texts."""
    if not texts:
        return {}
    rows = await embedder.embed(list(texts.values()), purpose="document")
    return dict(zip(texts, rows, strict=True))


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
