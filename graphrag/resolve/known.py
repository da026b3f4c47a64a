"""The stored entities and the new ones of the same text, as one book of names."""

from collections.abc import Callable, Iterable, Iterator

from graphrag.index.group import GroupIndex
from graphrag.index.name_index import NameBook
from graphrag.model.extraction import Mention
from graphrag.model.values import CONCEPT, Entity
from graphrag.names.identifiers import Identifier, identifiers, unique
from graphrag.resolve.evidence import NOTHING, Evidence, evidence
from graphrag.resolve.evidence import Declared as Declared

UNTYPED = "thing"


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

    def evidence(self, id_: str, mention: Mention) -> Evidence:
        """Weigh the attributes of a mention against those of an entity."""
        if not mention.attributes:
            return NOTHING
        known = self._book(id_).identifiers_of(id_)
        given = frozenset(identifiers(mention.attributes))
        return evidence(given, known, mention.entity_type, self._declared)

    def _unique(self, found: Iterable[Identifier], kind: str) -> Iterator[Identifier]:
        return unique(found, kind, self._declared)

    def _book(self, id_: str) -> NameBook:
        return self._fresh if id_ in self._fresh.types else self._index.names


def may_be_one(one: str, other: str, index: GroupIndex) -> bool:
    """Tell whether the types of two stored entities allow that they are one."""
    kinds = {index.entity_type(one), index.entity_type(other)}
    return len(kinds) == 1 or (UNTYPED in kinds and CONCEPT not in kinds)


def stored_evidence(pair: tuple[str, str], index: GroupIndex, declared: Declared) -> Evidence:
    """Weigh the attributes of two stored entities."""
    one, other = (index.names.identifiers_of(id_) for id_ in pair)
    return evidence(one, other, index.names.types[pair[0]], declared)
