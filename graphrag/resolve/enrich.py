"""Additions of a mention to its entity: type, names with times, attributes.

A renaming claim becomes a name, not a fact, since both of its ends are one entity. Nothing is lost:
a fuller name demotes a lone first name to an alias, and the attribute value with the later
reference time stands.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from graphrag.model.assertion import Date, EntityName
from graphrag.model.attributes import with_given, with_names
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import CONCEPT, Entity
from graphrag.names.identifiers import identifiers
from graphrag.names.key import completes, name_key
from graphrag.resolve.known import UNTYPED


def enriched(entity: Entity, mention: Mention, stated_at: datetime, source: str = "") -> Entity:
    """Return the entity with what a mention adds: a type, names and their times, attributes."""
    entity = with_attributes(entity, mention, stated_at)
    given = mention.names, mention.aliases
    entity = with_names(entity, *given, at=stated_at, source=source)
    name, aliases = entity.name, [*mention.aliases, *(name.name for name in mention.names)]
    if entity.entity_type == "person" and completes(mention.name, entity.name):
        name = mention.name.strip()
        aliases.append(entity.name)
    elif _same_by_identifier(entity, mention):
        aliases.insert(0, mention.name.strip())
    known = {name_key(known) for known in (name, *entity.aliases)}
    aliases = [alias for alias in aliases if name_key(alias) not in known]
    promoted = entity.entity_type == UNTYPED != mention.entity_type
    return replace(
        entity,
        name=name,
        key=name_key(name),
        entity_type=mention.entity_type if promoted else entity.entity_type,
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


_RENAMED = frozenset(
    "renamed renamed_to renamed_as now_called now_known_as changed_name_to changed_its_name_to "
    "became_known_as rebranded_as rebranded_to".split()
)
"""The object is the new name."""
_FORMER = frozenset(
    "formerly formerly_known_as formerly_called previously_known_as previously_called "
    "originally_called renamed_from former_name has_former_name".split()
)
"""The object is the old one."""
_ALSO = frozenset("also_known_as aka alias goes_by nickname has_nickname nicknamed".split())
NAMING = frozenset(
    start + relation for start in ("", "is_", "was_") for relation in (_RENAMED | _FORMER | _ALSO)
)
"""Relations between two names of one thing."""


def with_named_mentions(extraction: Extraction) -> Extraction:
    """Return an extraction in which names are said of mentions, and not of two that are one."""
    naming = [claim for claim in extraction.claims if _is_naming(claim)]
    if not naming:
        return extraction
    named: dict[str, Mention] = {}
    for claim in naming:
        assert claim.object is not None, "it names another"
        key = name_key(claim.subject.name)
        owner = named.get(key, claim.subject)
        names = tuple(_names(claim, claim.object.name))
        aliases = (*owner.aliases, claim.object.name)
        owner = replace(owner, aliases=tuple(dict.fromkeys(aliases)), names=(*owner.names, *names))
        stale = [other for other, mention in named.items() if name_key(mention.name) == key]
        named |= dict.fromkeys((key, name_key(claim.object.name), *stale), owner)
    mentions = (named.get(name_key(it.name), it) for it in extraction.mentions)
    claims = (
        replace(
            claim,
            subject=named.get(name_key(claim.subject.name), claim.subject),
            object=claim.object and named.get(name_key(claim.object.name), claim.object),
        )
        for claim in extraction.claims
        if claim not in naming
    )
    everyone = dict.fromkeys((*mentions, *named.values()))
    return replace(extraction, mentions=tuple(everyone), claims=tuple(claims))


def _is_naming(claim: Claim) -> bool:
    other = claim.object
    return (
        other is not None
        and claim.relation in NAMING
        and CONCEPT not in (claim.subject.entity_type, other.entity_type)
        and name_key(other.name) not in ("", name_key(claim.subject.name))
        and not claim.corrects
    )


def _names(claim: Claim, other: str) -> Iterable[EntityName]:
    name, relation = claim.subject.name, claim.relation.removeprefix("is_").removeprefix("was_")
    since = None if claim.valid_at is None else Date(claim.valid_at, claim.valid_precision)
    until = None if claim.invalid_at is None else Date(claim.invalid_at, claim.invalid_precision)
    if relation in _RENAMED:
        yield EntityName(other, "name", since)
        yield EntityName(name, "former", None, since)
    elif relation in _FORMER:
        if relation == "renamed_from" and until is None:
            since, until = None, since
        yield EntityName(name, "name", until)
        yield EntityName(other, "former", since, until)
    else:
        yield EntityName(other, "nickname", since, until)
