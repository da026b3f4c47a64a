"""Declared types, and the check of an extraction against them: what may be stored, and as what."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import CONCEPT, JSON, VALUE
from graphrag.ontology.relations import DEATHS, VITAL, Relation, Relations

if TYPE_CHECKING:
    from pydantic import BaseModel

    from graphrag.ontology.declare import Fields

Pair = tuple[str, str]  # types of a subject and an object
Ends = tuple[Mention | None, Mention | None]
UNTYPED = "thing"  # type of an entity of which nothing more is known: it fits everywhere
READ = ("person", "organization", "place", "event", "work", "concept")
"""Types that readers give where no ontology declares others."""


@dataclass(frozen=True, slots=True)
class EntityKind:
    """A declared type of entity."""

    name: str
    meaning: str
    model: "type[BaseModel]"
    fields: "Fields"


@dataclass(frozen=True, slots=True)
class FactKind(EntityKind):
    """A declared type of fact."""

    relation: Relation
    pairs: Mapping[Pair, frozenset[Pair]]
    """Allowed types of subject and object, each as declared with all that their subclasses make of
    it; empty allows any."""

    def allows(self, subject: str | None, object_: str | None) -> bool:
        """Tell whether a fact may lead from one type to the other; None is an end not named."""
        return not self.pairs or bool(self._fitting(subject, object_))

    def typed(self, subject: str, object_: str) -> Pair:
        """Return the types of two ends; an unknown one is what the other leaves room for."""
        fitting = self._fitting(subject, object_)
        lefts, rights = {left for left, _ in fitting}, {right for _, right in fitting}
        return (
            lefts.pop() if subject == UNTYPED and len(lefts) == 1 else subject,
            rights.pop() if object_ == UNTYPED and len(rights) == 1 else object_,
        )

    def _fitting(self, subject: str | None, object_: str | None) -> set[Pair]:
        def fits(one: str | None, other: str | None, allowed: Iterable[Pair]) -> bool:
            open_ = (UNTYPED, None)  # of a pair: any type
            return any(
                (one in (*open_, left) or left in open_)
                and (other in (*open_, right) or right in open_)
                for left, right in allowed
            )

        pairs = self.pairs.items()
        fitting = {pair for pair, some in pairs if fits(subject, object_, some)}
        if self.relation.symmetric:
            fitting |= {pair[::-1] for pair, some in pairs if fits(object_, subject, some)}
        return fitting


Problem = Literal["entity_type", "relation", "pair", "attribute", "excluded"]


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that was read and does not fit the ontology."""

    kind: Problem
    about: str
    """The entity or the fact, in words."""
    problem: str
    kept: bool
    """True if it was stored without its type; False if it was left out."""

    def __str__(self) -> str:
        return f"{self.about}: {self.problem}; {'kept untyped' if self.kept else 'left out'}"


@dataclass(slots=True)
class Check:
    """One run of the check."""

    entities: Mapping[str, EntityKind]
    facts: Mapping[str, FactKind]
    excluded: frozenset[str]
    keep: bool  # keep what breaks the ontology, untyped
    type_of: Callable[[Mention], str]
    relations: Relations
    found: dict[Violation, None] = field(default_factory=dict)

    def run(self, extraction: Extraction) -> tuple[Extraction, tuple[Violation, ...]]:
        """Return what may be stored, and the violations in the order of the text."""
        extraction = self._adapted(extraction) if self.entities else extraction
        mentions = [self._mention(mention) for mention in extraction.mentions]
        claims = [self._claim(claim) for claim in extraction.claims]
        checked = replace(
            extraction,
            mentions=tuple(mention for mention in mentions if mention is not None),
            claims=tuple(claim for claim in claims if claim is not None),
        )
        return checked, tuple(self.found)

    def _mention(self, mention: Mention) -> Mention | None:
        kind, about = self.type_of(mention), f"{mention.name} ({mention.entity_type})"
        if kind in self.excluded:
            self._note("excluded", about, f"{kind!r} is excluded")
            return None
        if kind in self.entities:
            fields = self.entities[kind].fields
            return replace(mention, attributes=self._attributes(fields, mention.attributes, about))
        if kind == UNTYPED or not self.entities:
            return mention
        known = ", ".join(self.entities)
        self._note("entity_type", about, f"{kind!r} is none of {known}", kept=self.keep)
        return replace(mention, entity_type=UNTYPED) if self.keep else None

    def _claim(self, claim: Claim) -> Claim | None:
        about = _words(claim)
        if claim.relation in self.excluded:
            self._note("excluded", about, f"{claim.relation!r} is excluded")
            return None
        subject = self._mention(claim.subject)
        object_ = None if claim.object is None else self._mention(claim.object)
        for given, checked in ((claim.subject, subject), (claim.object, object_)):
            if given is not None and checked is None:
                self._note("entity_type", about, f"{given.name!r} may not be stored")
                return None
        assert subject is not None
        checked_claim = replace(claim, subject=subject, object=object_)
        kind, (mention, other), _ = self._kind(claim)
        if kind is None:
            if self.facts:
                known = ", ".join(self.facts)
                problem = f"{claim.relation!r} is none of {known}"
                self._note("relation", about, problem, kept=self.keep)
            return checked_claim if self.keep or not self.facts else None
        attributes = self._attributes(kind.fields, claim.attributes, about)
        left = None if mention is None else self.type_of(mention)
        right = None if other is None else self.type_of(other)
        if not kind.allows(left, right):
            problem = f"{kind.name!r} does not lead from {left} to {right}"
            self._note("pair", about, problem, kept=self.keep)
            return replace(checked_claim, attributes={}, untyped=True) if self.keep else None
        return replace(checked_claim, attributes=attributes)

    def typed(self, claim: Claim) -> Claim:
        """Return a claim whose ends of unknown type have that which its relation leaves them."""
        kind, (mention, other), turned = self._kind(claim)
        if kind is None or mention is None or other is None:
            return claim
        types = kind.typed(self.type_of(mention), self.type_of(other))
        mention, other = (
            replace(end, entity_type=found) if self.type_of(end) == UNTYPED != found else end
            for end, found in zip((mention, other), types, strict=True)
        )
        subject, object_ = (other, mention) if turned else (mention, other)
        return replace(claim, subject=subject, object=object_)

    def _kind(self, claim: Claim) -> tuple[FactKind | None, Ends, bool]:
        """Return the type of a claim, its ends in the direction of that type, and if that turns it.

        Of a relation that is not declared it is the type of one that means the same.
        """
        ends, (name, turned) = (
            (claim.subject, claim.object),
            self.relations.canonical(claim.relation),
        )
        if kind := self.facts.get(claim.relation):
            return kind, ends, False
        for kind in self.facts.values():
            own, back = self.relations.canonical(kind.name)
            if own == name:
                return kind, ends[::-1] if turned != back else ends, turned != back
        return None, ends, False

    def _adapted(self, extraction: Extraction) -> Extraction:
        """Return an extraction with the types that relations leave for names of no declared type.

        Readers have types of their own, such as "organization" where a relation leads to a
        ``company``. Who reads a "place" where it leads to an ``organization`` means none.
        """
        known, types = self.entities.keys() | self.excluded, defaultdict[str, set[str]](set)

        def opened(it: Mention) -> Mention:
            return it if self.type_of(it) in known else replace(it, entity_type=UNTYPED)

        def adapted(it: Mention) -> Mention:
            plain = opened(it) is not it and len(types[it.name]) == 1
            return replace(it, entity_type=min(types[it.name])) if plain else it

        for claim in map(self.typed, extraction.with_mentions(opened).claims):
            for end in filter(None, (claim.subject, claim.object)):
                types[end.name] |= {self.type_of(end)} & (self.entities.keys() - READ)
        return extraction.with_mentions(adapted)

    def _attributes(
        self, fields: "Fields", given: Mapping[str, JSON], about: str
    ) -> Mapping[str, JSON]:
        valid, wrong = fields.check(given)
        for name, problem in wrong.items():
            self._note("attribute", about, f"attribute {name!r}, {problem}")
        return valid

    def _note(self, kind: Problem, about: str, problem: str, *, kept: bool = False) -> None:
        self.found[Violation(kind, about, problem, kept)] = None


def _words(claim: Claim) -> str:
    object_ = claim.object.name if claim.object else ""
    return f"{claim.subject.name} {claim.relation} {object_}".strip()


_DEAD = frozenset({"dead", "deceased", "passed away"})


def straightened(extraction: Extraction, relations: Relations) -> Extraction:
    """Return an extraction whose inverse claims are stated from the other end.

    "Acme employs Ann" becomes "Ann works_at Acme", with the same sentence. An inverse end that
    names no object stays as it is: there is no subject that it could have. The status of a person
    who is dead becomes their ``vital_status``, which ends more than other states do; whoever died
    on a day or in a place has it too.
    """
    claims = tuple(_straight(claim, relations) for claim in extraction.claims)
    claims += tuple(_dead(claims)) if VITAL in relations else ()
    return extraction if claims == extraction.claims else replace(extraction, claims=claims)


def _dead(claims: Sequence[Claim]) -> Iterator[Claim]:
    """Yield that those are dead of whom a text says when or where they died, and no more."""
    known = {claim.subject for claim in claims if claim.relation == VITAL}
    for claim in claims:
        buried = claim.relation == "buried_in" and claim.subject.entity_type == "person"
        dated = buried or claim.relation in DEATHS
        if not dated or claim.subject in known or claim.kind == "cancelled":
            continue
        if buried:
            claim = replace(claim, valid_at=None)  # dead before that day
        if claim.subject.entity_type not in ("organization", "place", CONCEPT):
            known.add(claim.subject)
            dead = Mention("dead", CONCEPT, start=claim.start, end=claim.start)
            yield replace(claim, relation=VITAL, object=dead, kind="state", invalid_at=None)


def stored_as(relation: str, of: Mention, object_: Mention, relations: Relations) -> str:
    """Return the relation that says what a status does: that of a dead person ends much."""
    if VITAL not in relations:
        return relation
    dead = object_.name.casefold() in _DEAD
    if relation == VITAL:
        return VITAL if dead else "has_status"  # "alive" ends nothing
    status = dead and relations.canonical(relation)[0] == "has_status"
    somebody = of.entity_type == "person" or (
        of.entity_type in (UNTYPED, "thing") and object_.name.casefold() == "deceased"
    )
    return VITAL if status and somebody else relation


_OF_THINGS = {"employs": "staffed_by", "manages": "responsible_for"}
"""Said of somebody these are stored from the other end; of anything else they are these."""
_BEGIN = frozenset({"owned_by", "married_to", "engaged_to"})
"""States that an event of the same name begins: a purchase, a wedding."""


def _straight(claim: Claim, relations: Relations) -> Claim:
    object_ = claim.object
    if object_ is None:
        return claim
    relation = stored_as(claim.relation, claim.subject, object_, relations)
    straight = relations.straight(relation)
    if straight and relation in _OF_THINGS and not _somebody(object_):
        counted = relation == "employs" and any(map(str.isdigit, object_.name))
        relation, straight = "has_employees" if counted else _OF_THINGS[relation], None
    if claim.kind == "event" and claim.invalid_at is None and (straight or relation) in _BEGIN:
        claim = replace(claim, kind="state")
    if straight is None:
        return claim if relation == claim.relation else replace(claim, relation=relation)
    return replace(claim, subject=object_, relation=straight, object=claim.subject)


def _somebody(mention: Mention) -> bool:
    """Tell whether a mention may be a person, or people under a name."""
    if mention.entity_type in (UNTYPED, "thing"):
        return mention.name[:1].isupper() and not any(map(str.isdigit, mention.name))
    return mention.entity_type not in (CONCEPT, VALUE, "place", "work", "event")
