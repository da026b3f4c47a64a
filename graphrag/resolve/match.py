"""The rules by which a mention is a known entity, in order; the first that finds one decides.

1. The same identifier, whatever the name.
2. The same key or alias and a compatible type: equal, or untyped on one side; but not if both have
   an identifier and they differ.
3. A person's lone first or family name that one person bears; a first name also if it comes first.
4. A title or a legal form that only one side has: "Dr. Ada Lovelace", "Globex Inc".
5. The beginning or end of the name of one organisation or work: "Courier" for the "Veyle Courier".
"""

from collections.abc import Iterable

from graphrag.index.name_index import plain_key
from graphrag.model.extraction import Mention
from graphrag.names.key import is_name, name_key
from graphrag.names.titles import GENERIC
from graphrag.resolve.known import UNTYPED, Known

_SHORTENS = {UNTYPED: ("organization", "work"), "organization": ("organization",)}
"""What a mention of each type may be a short name of."""
_MANY = 64
"""Entities that begin or end with one word: more, and it is a common word."""


def find(mention: Mention, known: Known) -> str | None:
    """Return the entity that a mention means by the rules, None if they leave it open."""
    if shared := known.sharing(mention):
        return shared[0]
    # A text may only give the new name of a renamed thing, or only the old one.
    for name in (mention.name, *mention.aliases):
        if (id_ := _named(name_key(name), mention, known)) is not None:
            return id_
    for rule in (_only_bearer, _lone_first_name, _plain, _short_form):
        id_ = rule(mention, known)
        if id_ is not None and not known.told_apart(id_, mention):
            return id_
    return None


def full_name(name: str) -> bool:
    """Tell a name of several words from a lone one and from a phrase."""
    return len(name.split()) > 1 and is_name(name)


def _named(key: str, mention: Mention, known: Known) -> str | None:
    kind = mention.entity_type
    ids = [
        id_
        for id_ in known.each(lambda book: book.keyed(key))
        if known.compatible(id_, kind) and not known.told_apart(id_, mention)
    ]
    same = [id_ for id_ in ids if known.type_of(id_) == kind]
    return next(iter(same or ids), None)


def _only_bearer(mention: Mention, known: Known) -> str | None:
    key = name_key(mention.name)
    if " " in key or mention.entity_type != "person":
        return None
    return _only(known.each(lambda book: book.people(key)))


def _lone_first_name(mention: Mention, known: Known) -> str | None:
    """Return the only person known so far by just the first name of this full name.

    Not by just the last: of the pairs in Febrl that would join, one in ten is one person.
    """
    first = name_key(mention.name).split()[0]
    if mention.entity_type != "person" or not full_name(mention.name):
        return None
    id_ = _only(known.each(lambda book: book.people(first)))
    return id_ if id_ is not None and name_key(known.names_of(id_)[0]) == first else None


def _plain(mention: Mention, known: Known) -> str | None:
    kind, key = mention.entity_type, name_key(mention.name)
    bare = plain_key(key, kind)
    if kind == "person" and " " not in bare:
        return None  # "Mr Smith" may be anyone's
    found = known.each(lambda book: book.plain(key) if bare == key else book.keyed(bare))
    if bare == key:
        # Two companies of one name and different forms: which is meant is not known.
        found += known.each(lambda book: book.keyed(key))
    return _only([id_ for id_ in dict.fromkeys(found) if known.compatible(id_, kind)])


def _short_form(mention: Mention, known: Known) -> str | None:
    words = name_key(mention.name).split()
    wanted = _SHORTENS.get(mention.entity_type, ())
    if not wanted or all(word in GENERIC or len(word) < 3 for word in words):
        return None
    if known.each(lambda book: book.keyed(" ".join(words))):
        return None
    found = known.each(lambda book: {*book.shortened(words[0]), *book.shortened(words[-1])})
    if len(found) > _MANY:
        return None
    return _only(
        [
            id_
            for id_ in found
            if known.type_of(id_) in wanted and _shortens(words, known.names_of(id_))
        ]
    )


def _shortens(words: list[str], names: Iterable[str]) -> bool:
    longer = [full for full in (name_key(name).split() for name in names) if len(full) > len(words)]
    return any(words in (full[: len(words)], full[-len(words) :]) for full in longer)


def _only(ids: list[str]) -> str | None:
    return ids[0] if len(ids) == 1 else None
