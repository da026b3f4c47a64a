"""Many names at once, by the identity rules of ``resolve``, at a cost that grows with their number.

``resolve`` compares each name with every entity made before it in the same call: right for a text,
too slow for a table. Here names are first put into clusters, so that only those that could mean the
same entity (a shared key, alias or attribute, a lone first name) are resolved in one call.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphrag.extraction import Mention
from graphrag.index.group import GroupIndex
from graphrag.models import JSON, Entity
from graphrag.names import name_key
from graphrag.resolve import Resolution, resolve


@dataclass(slots=True)
class Newcomers:
    """Entities of a transaction that is under way, which the index does not know yet."""

    by_key: dict[str, list[Entity]] = field(default_factory=lambda: defaultdict(list))
    lone: set[str] = field(default_factory=set)
    """Keys of persons known by one word."""
    tokens: set[str] = field(default_factory=set)
    """First and last words of the other persons."""

    @classmethod
    def of(cls, entities: Iterable[Entity]) -> "Newcomers":
        """Return the entities by their names."""
        new = cls()
        for entity in entities:
            for name in (entity.name, *entity.aliases):
                key = name_key(name)
                new.by_key[key].append(entity)
                words = key.split()
                if entity.entity_type == "person" and words:
                    (new.lone if len(words) == 1 else new.tokens).update((words[0], words[-1]))
        return new

    def undecided(self, mention: Mention) -> bool:
        """Tell whether only the index, once it knows them, can say what a mention means."""
        key = name_key(mention.name)
        words = key.split()
        if any(name_key(name) in self.by_key for name in mention.aliases):
            return True
        if mention.entity_type == "person" and words:
            if len(words) == 1 and words[0] in self.tokens:
                return True
            if len(words) > 1 and words[0] in self.lone:
                return True
        found = self.by_key.get(key)
        if not found:
            return False
        return bool(
            len(found) > 1
            or found[0].entity_type != mention.entity_type
            or mention.aliases
            or mention.attributes
        )

    def meant(self, mention: Mention) -> str | None:
        """Return the one that a decided mention means, if any."""
        found = self.by_key.get(name_key(mention.name))
        return found[0].id if found else None


def distinct(mentions: Iterable[Mention]) -> dict[tuple[str, str, str], Mention]:
    """Return each mention once, told apart by name, type, and aliases and attributes.

    Mentions compare without attributes; two people of one name with two e-mail addresses are two.
    """
    found: dict[tuple[str, str, str], Mention] = {}
    for mention in mentions:
        key = identity(mention)
        if key not in found:
            found[key] = Mention(
                mention.name,
                mention.entity_type,
                start=len(found),
                aliases=mention.aliases,
                attributes=mention.attributes,
            )
    return found


def identity(mention: Mention) -> tuple[str, str, str]:
    """Return what tells a mention from others."""
    rest = ""
    if mention.aliases or mention.attributes:
        rest = repr((mention.aliases, sorted(mention.attributes.items())))
    return mention.name, mention.entity_type, rest


def identify(mentions: Iterable[Mention], index: GroupIndex, *, created_at: datetime) -> Resolution:
    """Find or create the entity of each mention, as one call of ``resolve`` would."""
    whole = Resolution()
    known: list[Mention] = []
    for cluster in _clusters(mentions):
        if len(cluster) == 1 and index.entities_named(cluster[0].name):
            known += cluster
            continue
        _join(whole, resolve(cluster, index, created_at=created_at))
    _join(whole, resolve(known, index, created_at=created_at))
    return whole


def _join(whole: Resolution, part: Resolution) -> None:
    whole.entity_of |= part.entity_of
    whole.created |= part.created


def _clusters(mentions: Iterable[Mention]) -> Iterable[list[Mention]]:
    """Yield the mentions that could mean one entity together, each cluster in its own order."""
    everyone = list(mentions)
    people = [name_key(one.name).split() for one in everyone if one.entity_type == "person"]
    lone = {words[0] for words in people if len(words) == 1}
    leader = list(range(len(everyone)))

    def root(at: int) -> int:
        while leader[at] != at:
            leader[at] = leader[leader[at]]
            at = leader[at]
        return at

    first: dict[object, int] = {}
    for at, mention in enumerate(everyone):
        for link in _links(mention, lone):
            leader[root(at)] = root(first.setdefault(link, at))
    clusters: dict[int, list[Mention]] = defaultdict(list)
    for at, mention in enumerate(everyone):
        clusters[root(at)].append(mention)
    return clusters.values()


def _links(mention: Mention, lone: set[str]) -> Iterable[object]:
    key = name_key(mention.name)
    yield key
    for alias in mention.aliases:
        yield name_key(alias)
    yield from _shared(mention.attributes)
    words = key.split()
    if mention.entity_type == "person" and words:
        yield from (("person", word) for word in {words[0], words[-1]} & lone)


def _shared(attributes: Mapping[str, JSON]) -> Iterable[object]:
    """Yield the attributes that may be identifiers, whatever their names."""
    for name, value in attributes.items():
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, str):
                yield name, one.casefold()
