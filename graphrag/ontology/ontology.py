"""Ontology: the declared types, and the check of extractions and edited facts against them.

The check is a pure function that runs before names are resolved, so that it covers every way into
the graph. Every change or rejection is reported as a ``Violation``.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from graphrag.errors import InputError
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import VALUE, Fact
from graphrag.ontology.conform import UNTYPED, Check, EntityKind, FactKind, Violation
from graphrag.ontology.relations import Relations

if TYPE_CHECKING:
    from pydantic import BaseModel

    from graphrag.ontology.declare import Fields, Pair, Type

OnViolation = Literal["untyped", "refuse"]
TypeOf = Callable[[Mention], str]
_as_mentioned = attrgetter("entity_type")


class Ontology:
    """Declared types of entities and facts; ``Ontology()`` allows everything.

    Without entity types any type is allowed, without fact types any relation.
    """

    def __init__(
        self,
        entities: "Sequence[type[BaseModel]] | Mapping[str, type[BaseModel]]" = (),
        facts: "Sequence[type[BaseModel]] | Mapping[str, type[BaseModel]]" = (),
        *,
        pairs: "Mapping[Pair, Sequence[Type]] | None" = None,
        excluded: "Sequence[Type]" = (),
        instructions: str = "",
        on_violation: OnViolation = "untyped",
    ) -> None:
        """Declare entity and fact types.

        Args:
            entities: Pydantic models: the docstring is the description, the fields are attributes.
                A mapping names them.
            facts: ``FactType`` or other models, likewise.
            pairs: Types of fact that are allowed by types of subject and object, besides those in
                ``FactType``: ``{("Person", "Company"): ["WorksFor"]}``; ``Entity`` is any type.
            excluded: Types of entities and facts that are never stored, whatever ``on_violation``.
            instructions: Further instructions for a language model that extracts.
            on_violation: ``untyped`` stores an entity of an undeclared type as ``thing``, an
                undeclared relation without rules, and a fact between wrong types as
                ``Fact.untyped``, which ends nothing; ``refuse`` leaves them out. Both leave out
                invalid attributes.

        Raises:
            InputError: if the types contradict each other.
        """
        if on_violation not in ("untyped", "refuse"):
            raise InputError(f"on_violation {on_violation!r}: use 'untyped' or 'refuse'")
        self.entities: Mapping[str, EntityKind] = {}
        """The declared types of entity by name."""
        self.facts: Mapping[str, FactKind] = {}
        """The declared types of fact by name."""
        self._excluded = frozenset[str]()
        if entities or facts or excluded or pairs:
            # Imported here: pydantic costs more than the rest, and most graphs declare nothing.
            from graphrag.ontology.declare import entity_kinds, fact_kinds, type_name

            self.entities = entity_kinds(entities)
            self.facts = fact_kinds(facts, self.entities, pairs or {})
            self._excluded = frozenset(map(type_name, excluded))
        self._instructions = instructions.strip()
        self._on_violation = on_violation
        if both := sorted(self._excluded & (self.entities.keys() | self.facts.keys())):
            raise InputError(f"{both[0]!r} is both declared and excluded: choose one")
        self._relations = self.relations(Relations())

    def __repr__(self) -> str:
        return f"Ontology({len(self.entities)} entity types, {len(self.facts)} fact types)"

    def __bool__(self) -> bool:
        return bool(self.entities or self.facts or self._excluded)

    @property
    def identifiers(self) -> Mapping[str, tuple[str, ...]]:
        """Return the identifier fields of each entity type that has any."""
        fields = ((name, kind.fields.identifiers) for name, kind in self.entities.items())
        return {name: own for name, own in fields if own}

    def relations(self, base: Relations | None = None) -> Relations:
        """Return the relations of ``base`` (default: the built-in ones) with the declared ones.

        A type without rules keeps those that its relation has in ``base``.
        """
        if base is None:
            return self._relations
        declared = (kind.relation for kind in self.facts.values())
        new = (each for each in declared if each.has_rules or each.name not in base)
        return base.having(*new)

    def under(self, relations: Relations) -> "Ontology":
        """Return the same types, where relations mean the same that do so in a graph."""
        ontology = copy(self)
        ontology._relations = relations
        return ontology

    def prompt(self) -> str:
        """Return the types and instructions as text for a language model; empty without any."""
        parts = []
        if self.entities:
            parts.append("Entity types (use only these):")
            parts += [_line(kind.name, kind.meaning, kind) for kind in self.entities.values()]
        if self.facts:
            parts.append("Relations (use only these, in this direction):")
            parts += [
                _line(_signature(kind), _behaviour(kind), kind) for kind in self.facts.values()
            ]
        if self._excluded:
            parts.append(f"Never report: {', '.join(sorted(self._excluded))}.")
        return "\n".join(filter(None, (*parts, self._instructions)))

    def check(
        self, extraction: Extraction, type_of: TypeOf = _as_mentioned
    ) -> tuple[Extraction, tuple[Violation, ...]]:
        """Return the allowed part of an extraction, and the list of violations.

        ``type_of`` may look up the type of a mention in the graph if the text gives none.
        """
        return self._check(type_of).run(extraction) if self else (extraction, ())

    def typed(self, claim: Claim, type_of: TypeOf = _as_mentioned) -> Claim:
        """Return the claim, with types for untyped ends where the relation implies one."""
        return self._check(type_of).typed(claim)

    def _check(self, type_of: TypeOf) -> Check:
        keep = self._on_violation == "untyped"
        return Check(self.entities, self.facts, self._excluded, keep, type_of, self._relations)


ANYTHING = Ontology()  # the ontology of a graph that was opened without one


def known_types(
    entities_named: Callable[[str], Sequence[str]], kind: Callable[[str], str]
) -> TypeOf:
    """Return a lookup of the type that the graph knows for names whose text gives none."""

    def type_of(mention: Mention) -> str:
        if mention.entity_type != UNTYPED:
            return mention.entity_type
        types = {kind(id_) for id_ in entities_named(mention.name)} - {VALUE}
        return types.pop() if len(types) == 1 else UNTYPED

    return type_of


_LOG = logging.getLogger("graphrag")


def fitted_by_hand(
    fact: Fact, types: tuple[str, str], ontology: Ontology, relations: Relations
) -> Fact:
    """Return a fact between entities of these types as it may be stored."""
    if fact.subject_id == fact.object_id and not relations.loops(fact.relation):
        raise InputError(
            f"{fact.text!r} would relate {fact.subject!r} to itself: give another end, or open the "
            f"graph with Relation({fact.relation!r}, irreflexive=False)"
        )
    subject, object_ = Mention(fact.subject, types[0]), Mention(fact.object, types[1])
    claim = Claim(subject, fact.relation, object_, fact.text, 0, 0)
    checked, violations = ontology.check(Extraction(claims=(claim,)))
    if out := [str(violation) for violation in violations if not violation.kept]:
        raise InputError(f"the ontology refuses it: {'; '.join(out)}")
    for violation in violations:
        _LOG.warning("ontology of group %r: %s", fact.group_id, violation)
    fact = replace(fact, untyped=checked.claims[0].untyped)
    straight = relations.straight(fact.relation)
    if straight is None:
        return fact
    turned = replace(fact, subject_id=fact.object_id, subject=fact.object, relation=straight)
    return replace(turned, object_id=fact.subject_id, object=fact.subject)


def _line(head: str, meaning: str, kind: EntityKind | FactKind) -> str:
    line = f"- {head}: {meaning}" if meaning else f"- {head}"
    attributes = _attributes(kind.model, kind.fields)
    return f"{line} Attributes: {attributes}." if attributes else line


def _signature(kind: FactKind) -> str:
    pairs = sorted({pair for allowed in kind.pairs.values() for pair in allowed})
    shown = ", ".join(f"{subject} -> {object_}" for subject, object_ in pairs)
    return f"{kind.name} ({shown})" if pairs else kind.name


def _behaviour(kind: FactKind) -> str:
    single = "One at a time." if kind.relation.single_valued else ""
    inverse = f"Inverse: {kind.relation.inverse_of}." if kind.relation.inverse_of else ""
    return " ".join(filter(None, (kind.meaning, single, inverse)))


def _attributes(model: "type[BaseModel]", fields: "Fields") -> str:
    shown = []
    for name, schema in model.model_json_schema(by_alias=False).get("properties", {}).items():
        mark = "identifier" if name in fields.identifiers else ""
        words = filter(None, (_type(schema), schema.get("description", ""), mark))
        shown.append(f"{name} ({', '.join(words)})")
    return ", ".join(shown)


def _type(schema: Mapping[str, Any]) -> str:
    """Return a JSON schema in a word or two; empty where it says too much for that."""
    if "enum" in schema:
        return "one of " + " | ".join(map(str, schema["enum"]))
    if "const" in schema:
        return f"always {schema['const']}"
    if "anyOf" in schema:
        types = [_type(part) for part in schema["anyOf"] if part.get("type") != "null"]
        return " or ".join(filter(None, types))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {})) or 'values'}"
    return str(schema.get("format") or schema.get("type") or "")
