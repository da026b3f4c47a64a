"""The names of a table: each once, told apart by everything that may tell two things apart."""

from collections.abc import Iterable

from graphrag.extraction import Mention

Key = tuple[str, str, str]
"""Name, type, and the rest of a mention."""


def distinct(mentions: Iterable[tuple[Key, Mention]]) -> dict[Key, Mention]:
    """Return each mention once, given with its key.

    Mentions compare without attributes; two people of one name with two e-mail addresses are two,
    so each gets a place of its own.
    """
    found: dict[Key, Mention] = {}
    for key, mention in mentions:
        if key not in found:
            found[key] = Mention(
                mention.name,
                mention.entity_type,
                start=len(found),
                aliases=mention.aliases,
                attributes=mention.attributes,
            )
    return found


def identity(mention: Mention) -> Key:
    """Return what tells a mention from others."""
    rest = ""
    if mention.aliases or mention.attributes:
        rest = repr((mention.aliases, sorted(mention.attributes.items())))
    return mention.name, mention.entity_type, rest
