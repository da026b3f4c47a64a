"""Resolution of mentions to stored or new entities.

Order: an arbiter's decision, a name already resolved in the same text, the rules of ``find``, a new
entity. Similar but unequal names never merge by rule. The rules, first match wins:

1. The same identifier, whatever the name.
2. The same key or alias and a compatible type (equal, or one side untyped), unless both have
   identifiers that differ.
3. A person's lone first or family name that one person bears; a first name also if it comes first.
4. A title or a legal form that only one side has: "Dr. Ada Lovelace", "Globex Inc".
5. The beginning or end of the name of one organisation or work: "Courier" for "Veyle Courier".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain

from graphrag.index.group import GroupIndex
from graphrag.index.name_index import plain_key
from graphrag.model.attributes import with_names
from graphrag.model.extraction import Mention
from graphrag.model.ids import new_id
from graphrag.model.values import CONCEPT, VALUE, Entity
from graphrag.names.key import completes, full_name, name_key
from graphrag.names.words import GENERIC
from graphrag.protocols import NO_RULING, Ruling
from graphrag.resolve import UNTYPED, Declared, KnownEntities, enriched, promotes, with_attributes
from graphrag.resolve.doubt import OpenMention, look_alikes

_SHORTENS = {UNTYPED: ("organization", "work"), "organization": ("organization",)}
"""What a mention of each type may be a short name of."""
_MANY = 64
"""Entities that begin or end with one word: more, and it is a common word."""


def find(mention: Mention, known: KnownEntities) -> str | None:
    """Return the entity that a mention means by the rules, None if they leave it open."""
    for sharing in known.sharing(mention):
        named_so = name_key(mention.name) in map(name_key, known.names_of(sharing))
        if named_so or not known.evidence(sharing, mention).two:
            return sharing
    # A text may only give the new name of a renamed thing, or only the old one.
    for name in (mention.name, *mention.aliases):
        if (id_ := _named(name_key(name), mention, known)) is not None:
            return id_
    for rule in (_only_bearer, _lone_first_name, _plain, _short_form):
        id_ = rule(mention, known)
        if id_ is not None and not known.evidence(id_, mention).excludes:
            return id_
    return None


def _named(key: str, mention: Mention, known: KnownEntities) -> str | None:
    kind = mention.entity_type
    bearers = known.each(lambda book: book.keyed(key))
    ids = [id_ for id_ in bearers if known.compatible(id_, kind)]
    ids = [id_ for id_ in ids if known.type_of(id_) == kind] or ids
    return _fitting(ids, mention, known) if mention.attributes else next(iter(ids), None)


def _fitting(ids: list[str], mention: Mention, known: KnownEntities) -> str | None:
    """Return which of the bearers of one name a mention with attributes means.

    A name that several bear ("Guest editorial") is no longer enough: what is said must fit one of
    them for certain.
    """
    weighed = {bearer: known.evidence(bearer, mention) for bearer in ids}
    numbered = [id_ for id_, proof in weighed.items() if proof.same_number and not proof.excludes]
    if len(numbered) == 1:
        return numbered[0]
    if len(ids) > 1 and any(proof.excludes for proof in weighed.values()):
        sure = [bearer for bearer, proof in weighed.items() if proof.same_record]
        return _only(sure or [bearer for bearer, proof in weighed.items() if proof.certain])
    return next((bearer for bearer, proof in weighed.items() if not proof.excludes), None)


def _only_bearer(mention: Mention, known: KnownEntities) -> str | None:
    key = name_key(mention.name)
    if " " in key or mention.entity_type != "person":
        return None
    return _only(known.each(lambda book: book.people(key)))


def _lone_first_name(mention: Mention, known: KnownEntities) -> str | None:
    """Return the only person known so far by just the first name of this full name.

    Not by just the last: of the pairs in Febrl that would join, one in ten is one person.
    """
    first = name_key(mention.name).split()[0]
    if mention.entity_type != "person" or not full_name(mention.name):
        return None
    id_ = _only(known.each(lambda book: book.people(first)))
    return id_ if id_ is not None and name_key(known.names_of(id_)[0]) == first else None


def _plain(mention: Mention, known: KnownEntities) -> str | None:
    kind, key = mention.entity_type, name_key(mention.name)
    bare = plain_key(key, kind)
    if kind == "person" and " " not in bare:
        return None  # "Mr Smith" may be anyone's
    bearers = known.each(lambda book: book.plain(key) if bare == key else book.keyed(bare))
    if bare == key:
        # Two companies of one name and different forms: which is meant is not known.
        bearers += known.each(lambda book: book.keyed(key))
    return _only([id_ for id_ in dict.fromkeys(bearers) if known.compatible(id_, kind)])


def _short_form(mention: Mention, known: KnownEntities) -> str | None:
    words = name_key(mention.name).split()
    wanted = _SHORTENS.get(mention.entity_type, ())
    if not wanted or all(word in GENERIC or len(word) < 3 for word in words):
        return None
    if known.each(lambda book: book.keyed(" ".join(words))):
        return None
    bearers = known.each(lambda book: {*book.shortened(words[0]), *book.shortened(words[-1])})
    if len(bearers) > _MANY:
        return None
    fitting = [id_ for id_ in bearers if known.type_of(id_) in wanted]
    return _only([id_ for id_ in fitting if _shortens(words, known.names_of(id_))])


def _shortens(words: list[str], names: Iterable[str]) -> bool:
    longer = [full for full in (name_key(name).split() for name in names) if len(full) > len(words)]
    return any(words in (full[: len(words)], full[-len(words) :]) for full in longer)


def _only(ids: list[str]) -> str | None:
    return ids[0] if len(ids) == 1 else None


@dataclass(slots=True)
class Resolution:
    """What the mentions of one episode mean."""

    entity_of: dict[Mention, str] = field(default_factory=dict)
    created: dict[str, Entity] = field(default_factory=dict)
    doubts: list[OpenMention] = field(default_factory=list)
    """New names that are like those of stored entities; only if they were asked for."""

    def named(self, index: GroupIndex, id_: str, _: str) -> tuple[str, str, str]:
        """Return an entity, a new or a stored one, as a statement has it that is only supposed."""
        name = self.created[id_].name if id_ in self.created else index.entity_name(id_)
        return id_, name, ""


def resolve(
    mentions: Iterable[Mention],
    index: GroupIndex,
    *,
    created_at: datetime,
    ruling: Ruling = NO_RULING,
    stated_at: datetime | None = None,
    source: str = "",
    identifiers: Declared | None = None,
    doubts: bool = False,
    beside: Iterable[Entity] = (),
) -> Resolution:
    """Find or create the entity of each mention; a mention without a usable name is left out.

    What an arbiter found a mention to mean comes before every rule, if it is still in the graph.
    ``stated_at`` is the reference time of the text, without one now, ``source`` its id.
    ``identifiers`` are the attributes of each type that belong to one entity only, besides the
    usual ones. With ``doubts`` new names are compared with stored ones that are like them.
    ``beside`` are entities that are being written and not in the index yet; they count among the
    created.
    """
    resolution = Resolution()
    stated_at = stated_at or created_at
    known = KnownEntities(index, identifiers or {})
    for entity in beside:
        resolution.created[entity.id] = entity
        known.enter(entity)
    said: dict[str, str] = {}
    for mention in sorted(mentions, key=_telling):
        if mention in resolution.entity_of or not name_key(mention.name):
            continue
        others = _ruled_out(mention, index, ruling)
        id_ = _ruled(mention, index, ruling) or _said(mention, said, known)
        id_ = id_ or find(mention, known)
        if id_ is None or id_ in others:
            name, key, kind = mention.name.strip(), name_key(mention.name), mention.entity_type
            entity = Entity(new_id(), index.group_id, created_at, name, key, kind)
            entity = replace(entity, aliases=other_names(mention), distinct_from=others)
            entity = with_attributes(entity, mention, stated_at)
            entity = with_names(entity, mention.names, (), at=stated_at, source=source)
            resolution.created[entity.id] = entity
            known.enter(entity)
            id_ = entity.id
            named = entity.entity_type != VALUE
            if doubts and named and (unsure := look_alikes(mention, index, known)):
                resolution.doubts.append(unsure)
        elif id_ in resolution.created:
            resolution.created[id_] = enriched(resolution.created[id_], mention, stated_at, source)
            known.enter(resolution.created[id_])
        resolution.entity_of[mention] = id_
        known.meet(id_, mention)
        if mention.entity_type not in (UNTYPED, CONCEPT):
            said.setdefault(name_key(mention.name), id_)
    return resolution


def _telling(mention: Mention) -> tuple[int, bool]:
    """Order mentions: full names first, so that "Alice" finds "Alice Johnson" of the same text.

    Of one length those whose type is known come first: the others of that name mean the same.
    """
    return -len(name_key(mention.name).split()), mention.entity_type == UNTYPED


def _said(mention: Mention, said: Mapping[str, str], known: KnownEntities) -> str | None:
    """Return what a name of unknown type means elsewhere in the same text."""
    id_ = said.get(name_key(mention.name)) if mention.entity_type == UNTYPED else None
    return None if id_ is None or known.evidence(id_, mention).excludes else id_


def adds_something(mention: Mention, entity_name: str, entity_type: str) -> bool:
    """Tell whether a mention may change the stored entity it means."""
    fuller = mention.name != entity_name and completes(mention.name, entity_name)
    more = mention.aliases or mention.attributes or mention.names
    return bool(fuller or more or promotes(mention, entity_type))


def other_names(mention: Mention) -> tuple[str, ...]:
    """Return what a mention gives as other names of its entity, each once."""
    names = (*mention.aliases, *(name.name for name in mention.names))
    return tuple(dict.fromkeys(name for name in names if name_key(name) != name_key(mention.name)))


def _ruled(mention: Mention, index: GroupIndex, ruling: Ruling) -> str | None:
    ruled = (id_ for other, id_ in ruling.entity_of.items() if _alike(mention, other))
    ids = ruled if mention.entity_id is None else (mention.entity_id, *ruled)
    return next((index.heirs.of(id_) for id_ in ids if id_ in index.entities.row_of), None)


def _ruled_out(mention: Mention, index: GroupIndex, ruling: Ruling) -> tuple[str, ...]:
    if not ruling.distinct:
        return ()
    ruled = (ids for other, ids in ruling.distinct.items() if _alike(mention, other))
    return tuple(index.heirs.each(id_ for id_ in chain(*ruled) if id_ in index.entities.row_of))


def _alike(mention: Mention, other: Mention) -> bool:
    same_type = mention.entity_type == other.entity_type
    return same_type and name_key(mention.name) == name_key(other.name)
