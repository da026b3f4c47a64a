"""What less than a name means: "my sister", who was named before, "the Volvo" that is sold."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import Fact
from graphrag.names.key import name_key
from graphrag.names.words import FATHER, MOTHER
from graphrag.ontology.relations import Relations
from graphrag.store.store import Store

End = Literal["subject", "object", "either"]
_KIN: Final[tuple[tuple[str, str, End], ...]] = (
    (MOTHER, "parent_of", "subject"),
    (FATHER, "parent_of", "subject"),
    ("son", "parent_of", "object"),
    ("daughter", "parent_of", "object"),
    ("brother", "sibling_of", "either"),
    ("sister", "sibling_of", "either"),
    ("husband", "married_to", "either"),
    ("wife", "married_to", "either"),
    ("girlfriend", "partner_of", "either"),
    ("boyfriend", "partner_of", "either"),
    ("grandmother grandma granny gran nan", "grandparent_of", "subject"),
    ("grandfather grandpa grandad granddad", "grandparent_of", "subject"),
    ("cousin", "cousin_of", "either"),
    ("aunt auntie", "aunt_or_uncle_of", "subject"),
    ("uncle", "aunt_or_uncle_of", "subject"),
)
"""Words for one of a kin, the relation, and the end of it at which they stand."""
_OF: Final = {
    word: (words.replace(" ", "|"), relation, end)
    for words, relation, end in _KIN
    for word in words.split()
}
_RELATIONS: Final = frozenset(relation for _, relation, _ in _OF.values())
_OWNED: Final = re.compile(rf"(?P<owner>.+)['’]s (?P<kin>{'|'.join(_OF)})", re.IGNORECASE)
_CALLED: Final = re.compile("mum|mom|mummy|mama|dad|daddy|papa", re.IGNORECASE)


async def relatives(
    extraction: Extraction, index: GroupIndex, store: Store, relations: Relations
) -> dict[Mention, str]:
    """Return which entities are meant by mentions that say only whose kin somebody is.

    The one who is known to be that; of two sisters neither. Who is named now and was called so
    before is the same as well.
    """
    found: dict[Mention, str] = {}
    for mention, owner, kin in _unnamed(extraction):
        holders = index.names.keyed(name_key(owner))
        if len(holders) != 1 or index.names.keyed(name_key(f"{owner}'s {kin}")):
            continue
        if (one := await _known(holders[0], kin, index, store, relations)) is not None:
            found[mention] = one
    for mention, words in _named(extraction):
        before = index.names.keyed(name_key(words))
        if len(before) == 1 and not index.names.keyed(name_key(mention.name)):
            found[mention] = before[0]
    for claim in (*extraction.claims, *extraction.of_known):
        if claim.ends and claim.object is not None:
            for mention, other in ((claim.subject, claim.object), (claim.object, claim.subject)):
                if (one := _held(mention, other, claim.relation, index, relations)) is not None:
                    found.setdefault(mention, one)
    return found


def _held(
    mention: Mention, other: Mention, relation: str, index: GroupIndex, relations: Relations
) -> str | None:
    """Return the one thing that somebody has that a text calls so when it ends.

    By its name, whatever the text takes it for, or by some of the words of it: "the Volvo".
    """
    holders, key = index.names.keyed(name_key(other.name)), name_key(mention.name)
    if len(holders) != 1 or not key:
        return None
    ends = {
        one for row in _open(holders[0], relation, index, relations) for one in index.ends_of(row)
    }
    had = {one: name_key(index.entity_name(one)) for one in ends if one != holders[0]}
    fitting = [one for one, own in had.items() if own == key]
    thing = mention.entity_type not in ("person", "place") and not index.names.keyed(key)
    if not fitting and thing:
        fitting = [one for one, own in had.items() if {*key.split()} < {*own.split()}]
    return fitting[0] if len(fitting) == 1 else None


def _open(one: str, relation: str, index: GroupIndex, relations: Relations) -> Iterator[int]:
    """Yield the rows of the facts of a relation that hold at one, and are not over."""
    for name in relations.same(relation):
        for row in index.rows_at(one, name):
            if index.facts["retracted"][row] == FOREVER == index.facts["invalid"][row]:
                yield row


def _unnamed(extraction: Extraction) -> Iterator[tuple[Mention, str, str]]:
    """Yield mentions like "Ann's sister" or "Dad", with whose kin of which kind they are."""
    for mention in extraction.mentions:
        if owned := _OWNED.fullmatch(mention.name):
            yield mention, owned["owner"], owned["kin"].casefold()
        elif _CALLED.fullmatch(mention.name):
            for claim in extraction.claims:
                if claim.relation == "parent_of" and claim.subject == mention and claim.object:
                    yield mention, claim.object.name, mention.name.casefold()
                    break


def _named(extraction: Extraction) -> Iterator[tuple[Mention, str]]:
    """Yield who is named and said to be kin of somebody, with the words for them without a name."""
    for claim in extraction.claims:
        for mention, other in _ends(claim) if claim.relation in _RELATIONS else ():
            if _OWNED.fullmatch(mention.name) or _CALLED.fullmatch(mention.name):
                continue
            for word, (words, relation, end) in _OF.items():
                side = "subject" if mention == claim.subject else "object"
                said = relation == claim.relation and end in ("either", side)
                if said and _calls(claim.text, mention.name, words):
                    yield mention, f"{other.name}'s {word}"


def _calls(text: str, name: str, words: str) -> bool:
    """Tell whether a text calls somebody so: ``my sister Meg``, ``Meg, my sister``."""
    name = re.escape(name)
    before = rf"\b(?:{words})\b,? (?:is |was |called |named |is called )?{name}\b"
    behind = rf"\b{name}\b(?:,| is| was)? (?:[\w’'-]+ ){{1,3}}(?:{words})\b"
    return re.search(f"{before}|{behind}", text, re.IGNORECASE) is not None


def _ends(claim: Claim) -> Iterator[tuple[Mention, Mention]]:
    if claim.object is not None and not claim.ends and claim.kind != "cancelled":
        yield claim.subject, claim.object
        yield claim.object, claim.subject


async def _known(
    owner: str, kin: str, index: GroupIndex, store: Store, relations: Relations
) -> str | None:
    """Return the one who is known to be of somebody's kin by that word."""
    words, relation, end = _OF[kin]
    others: dict[str, str] = {}
    for row in _open(owner, relation, index, relations):
        subject, object_ = index.ends_of(row)
        side = "subject" if object_ == owner else "object"
        if end in ("either", side):
            others[index.facts.ids[row]] = subject if side == "subject" else object_
    known: Mapping[str, Fact] = await store.get(Fact, others) if others else {}
    meant = {
        one
        for id_, fact in known.items()
        if _calls(fact.text, index.entity_name(one := others[id_]), words)
    }
    return meant.pop() if len(meant) == 1 else None
