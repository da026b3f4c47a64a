"""The entities that a query may name, and those that were found to be one with others."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from graphrag.engine.lookup import entities_known_as, merges
from graphrag.engine.scopes import TEXTS, keys_of
from graphrag.names.key import name_key
from graphrag.search.near import LONGEST, WORD
from graphrag.search.visibility import Past
from graphrag.store.store import Store

_WORDS = 1_000
"""Words of a query in which names are looked for."""


def keys_in(query: str) -> set[str]:
    """Return the key of every run of words that a name may be."""
    words = WORD.findall(query)[:_WORDS]
    runs = {
        " ".join(words[start : start + length])
        for start in range(len(words))
        for length in range(1, min(LONGEST, len(words) - start) + 1)
    }
    lone = {word.casefold().removesuffix("'s").removesuffix("’s") for word in words}
    return {name_key(run) for run in runs} | lone


async def known_as(
    store: Store, group: str, keys: Iterable[str], names: Iterable[str], past: Past
) -> set[str]:
    """Return the ids of the entities that go by one of these, or went by it in the past.

    Args:
        store: Where they are.
        group: Theirs.
        keys: Keys of names, or first or last words of the names of persons.
        names: Names or ids.
        past: Images of what was different then.
    """
    names = [*names]
    wanted = {*keys, *map(name_key, names)} - {""}
    ids = await entities_known_as(store, group, sorted(wanted)) | set(names)
    for id_, image in past.images("entity"):
        if not image.keys().isdisjoint(("name", "aliases")):
            then = {"entity_type": "person", "name": "", "aliases": (), **image}
            if not wanted.isdisjoint(keys_of(then)):
                ids.add(id_)
    return ids


async def merged(store: Store, group: str, past: Past) -> Mapping[str, set[str]]:
    """Return who speaks through whom, now or then: both ways of every merge, by id."""
    pairs = await merges(store, group)
    then = ((id_, image.get("merged_into")) for id_, image in past.images("entity"))
    kin: dict[str, set[str]] = {}
    for one, other in (*pairs, *then):
        if other is not None:
            kin.setdefault(one, set()).add(other)
            kin.setdefault(other, set()).add(one)
    return kin


def with_kin(ids: Iterable[str], kin: Mapping[str, set[str]]) -> set[str]:
    """Return these entities and all that are, or were, one with them."""
    found: set[str] = set()
    waiting = list(ids)
    while waiting:
        id_ = waiting.pop()
        if id_ not in found:
            found.add(id_)
            waiting.extend(kin.get(id_, ()))
    return found


def reworded(past: Past) -> dict[str, set[str]]:
    """Return the rows that went by other words, and so had other vectors, in the past."""
    found: dict[str, set[str]] = defaultdict(set)
    for table, text in TEXTS.items():
        for id_, image in past.images(table):
            if not image.keys().isdisjoint(text.columns):
                found[table].add(id_)
    return found
