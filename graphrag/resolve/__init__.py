"""Resolution of mentions to entities, and search for duplicates.

This module has the book of known entities. Equal names are one entity unless an attribute
contradicts. A pair is proposed from a sum of weights, rough log odds of which only the order
matters: an identifier outweighs a birth date, which equals an address and a half. What is said
later loses nothing: a fuller name demotes a lone first name to an alias, and the attribute value
with the later reference time stands.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.index.group import GroupIndex
from graphrag.index.name_index import NameBook
from graphrag.model.attributes import with_given, with_names
from graphrag.model.extraction import Mention
from graphrag.model.values import CONCEPT, VALUE, Entity
from graphrag.names.identifiers import (
    Identifier,
    Kind,
    Outcome,
    apart,
    compared,
    identifiers,
    own_keys,
    particulars,
    slipped,
    unique,
)
from graphrag.names.key import completes, is_value, name_key
from graphrag.names.likeness import ALIKE

UNTYPED = "thing"
OPEN = frozenset({UNTYPED, VALUE})
"""Types that another mention may replace: what looks like a number may be the title of a book."""
Declared = Mapping[str, Iterable[str]]
"""Identifier attributes by type of entity."""

_ENOUGH = 6.0
"""What a pair needs to be proposed."""
_NAMES = ((ALIKE, _ENOUGH), (0.8, 4.0), (0.7, 2.0), (0.0, -2.0))
"""The weight of names of at least this likeness."""
_IDENTIFIER: Mapping[Outcome, float] = {"same": 10.0, "slip": 3.0, "other": -4.0}
_WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "born": {"same": 6.0, "like": 1.0, "slip": 3.0, "other": -6.0},
    "died": {"same": 4.0, "like": 1.0, "slip": 2.0, "other": -6.0},
    "address": {"same": 4.0, "like": 2.0, "other": -2.0},
    "phone": {"same": 4.0},
    "people": {"same": 3.0, "like": 1.0, "other": -6.0},
    "year": {"same": 1.0, "slip": 1.0, "other": -4.0},
    "maker": {"same": 1.0, "other": -1.0},
    "model": {"same": 5.0, "other": -5.0},
    "text": {"same": 3.0},
}
_EXCLUDING: Mapping[str, Collection[str]] = {
    "born": ("slip", "other"),
    "died": ("slip", "other"),
    "address": ("other",),
    "people": ("like", "other"),
    "year": ("slip", "other"),
    "model": ("other",),
}
"""With these no rule makes one of two, whatever their names are."""
_CERTAIN: frozenset[Kind] = frozenset({"born", "address", "phone"})
"""What tells which of several bearers of one name is meant."""


@dataclass(frozen=True, slots=True)
class IdentityEvidence:
    """What the attributes of two say; of two without any in common, nothing."""

    weight: float = 0.0
    """Above 0 for one, below 0 for two."""
    excludes: bool = False
    """True if they differ in what one and the same cannot differ in, were it by a slip."""
    certain: bool = False
    """True if they agree in what no two of one name share."""
    two: bool = False
    """True if they were born or died at other times: one identifier may be a family's."""
    same_number: bool = False
    """True if their records have one number, such as ``id``, which alone is no evidence."""
    same_record: bool = False
    """True if everything that is known of one is known of the other."""

    def score(self, likeness: float) -> float:
        """Return from 0 to 1 how likely two of this likeness are one; propose from ``ALIKE`` on."""
        weight = next(weight for least, weight in _NAMES if likeness >= least) + self.weight
        if not self.weight:
            return likeness
        if weight < _ENOUGH:
            return min(likeness, 0.05 * max(weight, 0.0))
        return min(max(likeness, ALIKE) + 0.01 * max(self.weight, 0.0), 0.99)


NOTHING = IdentityEvidence()


def evidence(
    pairs: Collection[Identifier], others: Collection[Identifier], kind: str, declared: Declared
) -> IdentityEvidence:
    """Weigh the attributes of two of a type, as ``identifiers`` yields them."""
    if not pairs or not others:
        return NOTHING
    weight, excludes = 0.0, False
    outcome = _identifiers(set(unique(pairs, kind, declared)), set(unique(others, kind, declared)))
    if outcome is not None:
        weight, excludes = _IDENTIFIER[outcome], outcome != "same"
    outcomes = compared(particulars(pairs), particulars(others))
    weight += sum(_WEIGHTS[about].get(how, 0.0) for about, how in outcomes.items())
    excludes |= any(how in _EXCLUDING.get(about, ()) for about, how in outcomes.items())
    certain = outcome == "same" or any(outcomes.get(about) == "same" for about in _CERTAIN)
    two = "other" in (outcomes.get("born"), outcomes.get("died"))
    number = bool(own_keys(pairs, kind) & own_keys(others, kind))
    record = set(pairs) <= set(others)
    return IdentityEvidence(weight, excludes, certain and not excludes, two, number, record)


def _identifiers(identifiers: set[Identifier], others: set[Identifier]) -> Outcome | None:
    if identifiers & others:
        return "same"
    pairs = [(left[1], right[1]) for left in identifiers for right in others if left[0] == right[0]]
    if not pairs:
        return None
    return "slip" if any(slipped(*pair) for pair in pairs) else "other"


def promotes(mention: Mention, entity_type: str) -> bool:
    """Tell whether a mention says more of what its entity is than the type so far."""
    return entity_type in OPEN and mention.entity_type not in (entity_type, VALUE)


def as_value(mention: Mention) -> Mention:
    """Return a mention as a value, if nothing says what it is and its name has the form of one."""
    open_ = mention.entity_type in (UNTYPED, CONCEPT) and not mention.attributes
    return replace(mention, entity_type=VALUE) if open_ and is_value(mention.name) else mention


def enriched(entity: Entity, mention: Mention, stated_at: datetime, source: str = "") -> Entity:
    """Return the entity with what a mention adds: a type, names and their times, attributes."""
    entity = with_attributes(entity, mention, stated_at)
    entity = with_names(entity, mention.names, mention.aliases, at=stated_at, source=source)
    name, aliases = entity.name, [*mention.aliases, *(name.name for name in mention.names)]
    if entity.entity_type == "person" and completes(mention.name, entity.name):
        name = mention.name.strip()
        aliases.append(entity.name)
    elif _same_by_identifier(entity, mention):
        aliases.insert(0, mention.name.strip())
    known = {name_key(known) for known in (name, *entity.aliases)}
    aliases = [alias for alias in aliases if name_key(alias) not in known]
    return replace(
        entity,
        name=name,
        key=name_key(name),
        entity_type=(mention if promotes(mention, entity.entity_type) else entity).entity_type,
        aliases=(*entity.aliases, *dict.fromkeys(aliases)),
    )


def with_attributes(entity: Entity, mention: Mention, stated_at: datetime) -> Entity:
    """Return the entity with the attributes of a mention; of two values the newer one stands."""
    if not mention.attributes:
        return entity
    attributes, times = with_given(
        entity.attributes, entity.attribute_times, mention.attributes, stated_at
    )
    return replace(entity, attributes=attributes, attribute_times=times)


def _same_by_identifier(entity: Entity, mention: Mention) -> bool:
    """Tell whether only an identifier can have led from this name to this entity."""
    shared = set(identifiers(entity.attributes)) & set(identifiers(mention.attributes))
    said = {*name_key(mention.name).split()}
    return bool(shared) and not said <= {*name_key(entity.name).split()}


class KnownEntities:
    """Whatever a mention may mean; merged entities are their heirs."""

    def __init__(self, index: GroupIndex, declared: Declared) -> None:
        self._index = index
        self._declared = declared
        self._fresh = NameBook()
        self._numbers: dict[str, frozenset[Identifier]] = {}

    def meet(self, id_: str, mention: Mention) -> None:
        """Note what numbers an entity in this text: under another number it is another one."""
        if mention.attributes:
            numbers = own_keys(identifiers(mention.attributes), mention.entity_type)
            self._numbers[id_] = self._numbers.get(id_, frozenset()) | numbers

    def enter(self, entity: Entity) -> None:
        """Take in a new entity, or what a mention added to one."""
        names = (entity.name, *entity.aliases)
        self._fresh.enter(entity.id, entity.entity_type, names, entity.attributes)

    def each(self, look: Callable[[NameBook], Iterable[str]]) -> list[str]:
        """Look something up; the stored come first."""
        stored = self._index.heirs.each(look(self._index.names))
        fresh = look(self._fresh)
        return list(dict.fromkeys((*stored, *fresh))) if fresh else stored

    def type_of(self, id_: str) -> str:
        """Return the type of an entity."""
        return self._book(id_).type_of(id_)

    def names_of(self, id_: str) -> tuple[str, ...]:
        """Return the names of an entity, the proper one first."""
        return self._book(id_).names[id_]

    def compatible(self, id_: str, kind: str) -> bool:
        """Tell whether an entity may be of this type."""
        known = self.type_of(id_)
        return known == kind or not {known, kind}.isdisjoint(OPEN)

    def sharing(self, mention: Mention) -> list[str]:
        """Return the entities that share an identifier with a mention."""
        if not mention.attributes:
            return []
        given, kind = identifiers(mention.attributes), mention.entity_type
        pairs = list(unique(given, kind, self._declared))
        bearers = self.each(lambda book: (id_ for pair in pairs for id_ in book.identified(*pair)))
        return [id_ for id_ in bearers if self.compatible(id_, kind)]

    def evidence(self, id_: str, mention: Mention) -> IdentityEvidence:
        """Weigh the attributes of a mention against those of an entity."""
        if not mention.attributes:
            return NOTHING
        known = self._book(id_).identifiers_of(id_)
        given = frozenset(identifiers(mention.attributes))
        weighed = evidence(given, known, mention.entity_type, self._declared)
        if apart(self._numbers.get(id_, ()), own_keys(given, mention.entity_type)):
            return replace(weighed, excludes=True, certain=False)
        return weighed

    def _book(self, id_: str) -> NameBook:
        return self._fresh if id_ in self._fresh.names else self._index.names


def may_be_one(entity: str, other: str, index: GroupIndex) -> bool:
    """Tell whether the types of two stored entities allow that they are one."""
    kinds = {index.entity_type(entity), index.entity_type(other)}
    return len(kinds) == 1 or (UNTYPED in kinds and CONCEPT not in kinds)


def stored_evidence(
    pair: tuple[str, str], index: GroupIndex, declared: Declared
) -> IdentityEvidence:
    """Weigh the attributes of two stored entities."""
    pairs, others = (index.names.identifiers_of(id_) for id_ in pair)
    return evidence(pairs, others, index.entity_type(pair[0]), declared)
