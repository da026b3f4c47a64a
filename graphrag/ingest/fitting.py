"""Given facts against the ontology, and turned to the direction their relations are stored in.

The type that a row gives to a name counts for the rows after it, written or not: a table makes the
same graph in batches of any size.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.given import End, GivenFact
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.plan import Plan
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import VALUE
from graphrag.names.key import is_value, name_key
from graphrag.ontology.conform import UNTYPED, Violation, stored_as
from graphrag.resolve import as_value

_LOG = logging.getLogger("graphrag")
_SHOWN = 5
Placed = tuple[str, Violation]
"""Where something stands in what was handed in, such as ``row 7: ``, and what does not fit."""


def warn_of(group: str, violations: Sequence[Placed]) -> None:
    """Log what does not fit the ontology: one line, whatever the number."""
    if not violations:
        return
    first = {violation.problem: f"{place}{violation}" for place, violation in reversed(violations)}
    counts = Counter(violation.problem for _, violation in violations)
    most = counts.most_common(_SHOWN)
    parts = [first[it] + (f" ({count} times)" if count > 1 else "") for it, count in most]
    if len(counts) > _SHOWN:
        parts.append(f"and {len(counts) - _SHOWN} more kinds")
    _LOG.warning("ontology of group %r: %s", group, "; ".join(parts))


class Fitting:
    """What is added to one group in one transaction."""

    def __init__(
        self, index: GroupIndex, ingestion: Ingestion, under_way: Plan | None = None
    ) -> None:
        self._index = index
        self._ingestion = ingestion
        self.violations: list[Placed] = []
        self._under_way = under_way.entities if under_way is not None else {}
        self._new_types: defaultdict[str, set[str]] = defaultdict(set)
        """Types that were given to a name and are not in the index yet."""
        if ingestion.ontology:
            for entity in self._under_way.values():
                self._note(entity.entity_type, entity.name, *entity.aliases)

    def fact(self, given: GivenFact) -> GivenFact:
        """Return a fact as it may be stored; the ontology may refuse it.

        An end of unknown type gets the one that the declared ends of the relation leave for it.
        """
        subject, object_ = (self._by_id(end, given.place) for end in (given.subject, given.object))
        if subject is not given.subject or object_ is not given.object:
            given = replace(given, subject=subject, object=object_)
        if self._ingestion.ontology:
            given = self._checked(given)
        if given.provenance and (trust := self._ingestion.trust.of(given.provenance[-1])):
            given = replace(given, assertion=replace(given.assertion, trust=trust))
        relations = self._ingestion.relations
        ends = given.subject.mention, given.object.mention
        given = replace(given, relation=stored_as(given.relation, *ends, relations))
        straight = relations.straight(given.relation)
        return given if straight is None else given.turned(straight)

    def entity(self, end: End) -> End:
        """Return an entity as it may be stored; the ontology may refuse it."""
        end = self._by_id(end, "")
        if not self._ingestion.ontology:
            return end
        [mention] = self._check(Extraction(mentions=(end.mention,)), "").mentions
        return replace(end, mention=mention)

    def _checked(self, given: GivenFact) -> GivenFact:
        subject, object_ = self._typed(given.subject), self._typed(given.object)
        claim = Claim(
            subject, given.relation, object_, given.text, 0, 0, attributes=given.attributes
        )
        claim = self._ingestion.ontology.typed(claim, self._type_of)
        [claim] = self._check(Extraction(claims=(claim,)), given.place).claims
        assert claim.object is not None, "an object was given"
        for mention in (claim.subject, claim.object):
            self._note(mention.entity_type, mention.name, *mention.aliases)
        said = given.assertion
        return replace(
            given,
            subject=replace(given.subject, mention=claim.subject),
            object=replace(given.object, mention=claim.object),
            attributes=claim.attributes,
            assertion=replace(said, untyped=True) if claim.untyped else said,
        )

    def _check(self, extraction: Extraction, place: str) -> Extraction:
        checked, violations = self._ingestion.ontology.check(extraction, self._type_of)
        # An attribute is left out alone; anything else that is left out takes the fact with it.
        out = [each for each in violations if not each.kept and each.kind != "attribute"]
        if out:
            raise InputError(f"{place}the ontology refuses it: {'; '.join(map(str, out))}")
        self.violations += ((place, violation) for violation in violations)
        return checked

    def _by_id(self, end: End, place: str) -> End:
        known, name = self._index.entities.row_of, end.mention.name
        if end.id is None and name in known:
            mention = replace(end.mention, name=self._index.entity_name(name))
            return replace(end, id=name, mention=mention)
        if end.id is not None and end.id not in known and end.id not in self._under_way:
            raise InputError(
                f"{place}entity {name!r} ({end.id}) is not in group {self._index.group_id!r}: give "
                "one of that group, or its name"
            )
        return end

    def _typed(self, end: End) -> Mention:
        if end.id is None or end.id not in self._index.entities.row_of:
            return end.mention
        return replace(end.mention, entity_type=self._index.entity_type(end.id))

    def _note(self, entity_type: str, *names: str) -> None:
        if entity_type != UNTYPED:
            for name in names:
                self._new_types[name_key(name)].add(entity_type)

    def _type_of(self, mention: Mention) -> str:
        """Return the type of a name: its own, or what is known of it."""
        if mention.entity_type != UNTYPED:
            return mention.entity_type
        index, key = self._index, name_key(mention.name)
        types = {index.entity_type(id_) for id_ in index.entities_keyed(key)}
        if new_types := self._new_types.get(key):
            types = (types | new_types) - {UNTYPED}
        types -= {VALUE}
        return types.pop() if len(types) == 1 else UNTYPED


def with_values(facts: Mapping[int, GivenFact]) -> dict[int, GivenFact]:
    """Return a batch with the values among its objects typed.

    A number of which something is said is a name, and so are the others of that relation, as in a
    network whose nodes are numbers.
    """
    numbered = {fact.relation for fact in facts.values() if is_value(fact.subject.mention.name)}
    typed = dict(facts)
    for number, fact in facts.items():
        end = fact.object
        if end.id is None and fact.relation not in numbered:
            value = as_value(end.mention)
            if value is not end.mention:
                typed[number] = replace(fact, object=replace(end, mention=value))
    return typed
