"""The stored entities and the new ones of the same text, as one book of names."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from graphrag.index.group import GroupIndex
from graphrag.index.name_index import NameBook
from graphrag.model.extraction import Mention
from graphrag.model.values import CONCEPT, Entity
from graphrag.names.identifiers import Identifier, identifiers, unique

UNTYPED = "thing"

Declared = Mapping[str, Iterable[str]]
"""Identifier attributes by type of entity."""


class Known:
    """Whatever a mention may mean; merged entities are their heirs."""

    def __init__(self, index: GroupIndex, declared: Declared) -> None:
        self._index = index
        self._declared = declared
        self._fresh = NameBook()

    def enter(self, entity: Entity) -> None:
        """Take in a new entity, or what a mention added to one."""
        names = (entity.name, *entity.aliases)
        self._fresh.enter(entity.id, entity.entity_type, names, entity.attributes)

    def each(self, look: Callable[[NameBook], Iterable[str]]) -> list[str]:
        """Look something up; the stored come first."""
        found = self._index.heirs.each(look(self._index.names))
        fresh = look(self._fresh)
        return list(dict.fromkeys((*found, *fresh))) if fresh else found

    def type_of(self, id_: str) -> str:
        """Return the type of an entity."""
        return self._book(id_).types[id_]

    def names_of(self, id_: str) -> tuple[str, ...]:
        """Return the names of an entity, the proper one first."""
        return self._book(id_).names[id_]

    def compatible(self, id_: str, kind: str) -> bool:
        """Tell whether an entity may be of this type."""
        known = self.type_of(id_)
        return known == kind or UNTYPED in (known, kind)

    def sharing(self, mention: Mention) -> list[str]:
        """Return the entities that share an identifier with a mention."""
        if not mention.attributes:
            return []
        pairs = list(self._unique(identifiers(mention.attributes), mention.entity_type))
        found = self.each(lambda book: (id_ for pair in pairs for id_ in book.identified(*pair)))
        return [id_ for id_ in found if self.compatible(id_, mention.entity_type)]

    def distinct(self, id_: str, mention: Mention) -> bool:
        """Tell whether an entity and a mention each have an identifier that the other has not."""
        if not mention.attributes:
            return False
        theirs = set(self._unique(identifiers(mention.attributes), mention.entity_type))
        return _differ(self._book(id_).identifiers_of(id_), theirs)

    def _unique(self, found: Iterable[Identifier], kind: str) -> Iterator[Identifier]:
        return unique(found, kind, self._declared)

    def _book(self, id_: str) -> NameBook:
        return self._fresh if id_ in self._fresh.types else self._index.names


def may_be_one(one: str, other: str, index: GroupIndex) -> bool:
    """Tell whether the types of two stored entities allow that they are one."""
    kinds = {index.entity_type(one), index.entity_type(other)}
    return len(kinds) == 1 or (UNTYPED in kinds and CONCEPT not in kinds)


def differ(pair: tuple[str, str], index: GroupIndex, declared: Declared) -> bool:
    """Tell whether two stored entities each have an identifier that the other has not."""
    names = index.names
    one, other = (
        set(unique(names.identifiers_of(id_), names.types[id_], declared)) for id_ in pair
    )
    return _differ(one, other)


def _differ(one: Collection[Identifier], other: Collection[Identifier]) -> bool:
    return bool({name for name, _ in one} & {name for name, _ in other}) and not {*one} & {*other}
