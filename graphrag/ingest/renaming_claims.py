"""Claims that give an entity another name become its names: both ends of them are one.

An extractor that reads "Globex was renamed Initech in 2021" as a fact says of one company two
names with their times. As a fact it would vanish as soon as both are known to be one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from graphrag.model.assertion import Date
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.naming import EntityName
from graphrag.model.values import CONCEPT
from graphrag.names.key import name_key

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


def with_names(extraction: Extraction) -> Extraction:
    """Return an extraction in which names are said of mentions, and not of two that are one."""
    found = [claim for claim in extraction.claims if _is_naming(claim)]
    if not found:
        return extraction
    named: dict[str, Mention] = {}
    for claim in found:
        if claim.object is None:
            continue
        key = name_key(claim.subject.name)
        one = named.get(key, claim.subject)
        names = tuple(_names(claim, claim.object.name))
        aliases = (*one.aliases, claim.object.name)
        one = replace(one, aliases=tuple(dict.fromkeys(aliases)), names=(*one.names, *names))
        stale = [other for other, mention in named.items() if name_key(mention.name) == key]
        named |= dict.fromkeys((key, name_key(claim.object.name), *stale), one)
    mentions = dict.fromkeys(_each(extraction.mentions, named))
    claims = (
        replace(
            claim,
            subject=named.get(name_key(claim.subject.name), claim.subject),
            object=claim.object and named.get(name_key(claim.object.name), claim.object),
        )
        for claim in extraction.claims
        if claim not in found
    )
    everyone = dict.fromkeys((*mentions, *named.values()))
    return replace(extraction, mentions=tuple(everyone), claims=tuple(claims))


def _each(mentions: Iterable[Mention], named: Mapping[str, Mention]) -> Iterable[Mention]:
    for mention in mentions:
        yield named.get(name_key(mention.name), mention)


def _relation(claim: Claim) -> str:
    return claim.relation.strip().lower().replace(" ", "_").removeprefix("is_").removeprefix("was_")


def _is_naming(claim: Claim) -> bool:
    other = claim.object
    return (
        other is not None
        and _relation(claim) in _RENAMED | _FORMER | _ALSO
        and CONCEPT not in (claim.subject.entity_type, other.entity_type)
        and name_key(other.name) not in ("", name_key(claim.subject.name))
        and not claim.corrects
    )


def _names(claim: Claim, other: str) -> Iterable[EntityName]:
    one, relation = claim.subject.name, _relation(claim)
    since = None if claim.valid_at is None else Date(claim.valid_at, claim.valid_precision)
    until = None if claim.invalid_at is None else Date(claim.invalid_at, claim.invalid_precision)
    if relation in _RENAMED:
        yield EntityName(other, "name", since)
        yield EntityName(one, "former", None, since)
    elif relation in _FORMER:
        if relation == "renamed_from" and until is None:
            since, until = None, since
        yield EntityName(one, "name", until)
        yield EntityName(other, "former", since, until)
    else:
        yield EntityName(other, "nickname", since, until)
