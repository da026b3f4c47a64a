"""The words by which entities, facts and episodes are found and embedded."""

from graphrag.models import Entity, Fact
from graphrag.passages import split_passages


def entity_text(entity: Entity) -> str:
    """Return the words by which an entity is found: its names.

    A summary would be found through words that the graph did not know yet at ``known_at``; the
    facts that it is made of are ranked anyway, and lead to the entity.
    """
    return " ".join((entity.name, *entity.aliases))


def fact_text(fact: Fact) -> str:
    """Return the words by which a fact is found: names first, a sentence may only say "she"."""
    return f"{fact.subject} {fact.relation.replace('_', ' ')} {fact.object}. {fact.fact}"


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
