"""Which entities of the graph a text names: the whole text is looked up, not every entity."""

import re
from collections.abc import Iterable

from graphrag.index.group import GroupIndex
from graphrag.names.key import name_key
from graphrag.protocols import Known

_SEPARATORS = re.compile(r"[,;:!?()\[\]{}<>\"“”„»«|]+")
_WORDS = 4
"""Longest name that is looked for."""
_READ = 20_000
"""Characters of each text."""
_LIMIT = 30


def spot(texts: Iterable[str], index: GroupIndex, *, limit: int = _LIMIT) -> tuple[Known, ...]:
    """Return the entities named in the texts, first named first."""
    found: dict[str, None] = {}
    for text in texts:
        words = [word.strip(".…") for word in name_key(_SEPARATORS.sub(" ", text[:_READ])).split()]
        for at in range(len(words)):
            for stop in range(min(at + _WORDS, len(words)), at, -1):
                found |= dict.fromkeys(index.entities_keyed(" ".join(words[at:stop])))
            found |= dict.fromkeys(sorted(index.people_called(words[at])))
            if len(found) >= limit:
                break
    return tuple(
        Known(id_, index.entity_name(id_), index.entity_type(id_)) for id_ in list(found)[:limit]
    )
