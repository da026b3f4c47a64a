"""What SurrealDB searches: which tables, and by which words their rows are found.

The words are those that the columns in memory are searched by (``graphrag/index``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from graphrag.index.texts import PIECE, community_text, episode_words
from graphrag.store.engine import Row
from graphrag.text.tokens import tokenize


@dataclass(frozen=True, slots=True)
class Text:
    """The words of one table."""

    columns: tuple[str, ...]
    """Columns that they come from."""
    of: Callable[[Row], str]


def _of_fact(row: Row) -> str:
    return f"{row['subject']} {row['name'].replace('_', ' ')} {row['object']}. {row['text']}"


def _of_entity(row: Row) -> str:
    return " ".join((row["name"], *(row.get("aliases") or ())))


def _of_episode(row: Row) -> str:
    return episode_words(row.get("name", ""), row["content"])


def _of_community(row: Row) -> str:
    return community_text(row["name"], row.get("summary", ""))


TEXTS: dict[str, Text] = {
    "relates_to": Text(("subject", "name", "object", "text"), _of_fact),
    "entity": Text(("name", "aliases"), _of_entity),
    "episode": Text(("name", "content"), _of_episode),
    "community": Text(("name", "summary"), _of_community),
}
"""The tables that are searched by words."""
VECTORS = ("relates_to", "entity", "episode", "passage", "community")
"""The tables that are searched by meaning."""


def mark(group: str) -> str:
    """Return what stands before every term of a group in the shared index."""
    return blake2b(group.encode(), digest_size=6).hexdigest() + "."


Pieces = list[list[str]]
"""The terms of each piece of a text, with repetitions; all but long episodes are one piece."""


def terms_of(table: str, row: Row) -> Pieces:
    """Return the terms by which a row is found."""
    return [tokenize(piece) for piece in TEXTS[table].of(row).split(PIECE)]


def stored_terms(pieces: Pieces, group: str) -> str:
    """Return what the index covers: marked terms, with ``PIECE`` between two pieces."""
    before = mark(group)
    return f" {PIECE} ".join(" ".join(before + term for term in piece) for piece in pieces)


def read_terms(stored: str, group: str) -> Pieces:
    """Undo ``stored_terms``."""
    before = mark(group)
    return [
        [term.removeprefix(before) for term in piece.split(" ") if term]
        for piece in stored.split(PIECE)
    ]
