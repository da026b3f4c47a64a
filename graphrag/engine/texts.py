"""By which words the rows of a table are found: those that columns in memory are searched by."""

from collections.abc import Callable
from dataclasses import dataclass

from graphrag.index.texts import PIECE, community_text, episode_words
from graphrag.names.key import name_key
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


def keys_of(row: Row) -> list[str]:
    """Return the keys of the names of an entity."""
    return sorted({*map(name_key, (row["name"], *(row.get("aliases") or ())))} - {""})


def terms_of(table: str, row: Row) -> str:
    """Return the terms by which a row is found, with repetitions, as the index covers them."""
    return " ".join(tokenize(TEXTS[table].of(row).replace(PIECE, " ")))
