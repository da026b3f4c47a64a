"""Ontology checks of what was read, and of facts that a person moved.

A check is a pure function on an extraction before names are resolved, so every way into the graph
passes it. Nothing is dropped in silence: each case is a ``Violation``.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from graphrag.errors import InputError
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import Fact
from graphrag.ontology.conform import Check, Violation, loops
from graphrag.ontology.relations import Relations
from graphrag.ontology.types import UNTYPED, EntityKind, FactKind, entity_kinds, fact_kinds

if TYPE_CHECKING:
    from pydantic import BaseModel

    from graphrag.ontology.declare import Type
    from graphrag.ontology.fields import Fields

OnViolation = Literal["untyped", "refuse"]
TypeOf = Callable[[Mention], str]


def _as_mentioned(mention: Mention) -> str:
    return mention.entity_type


class Ontology:
    """Types of entities and facts. ``Ontology()`` allows everything.

    Without entity types any type is allowed, and without fact types any relation.
    """

    def __init__(
        self,
        entities: "Sequence[type[BaseModel]]" = (),
        facts: "Sequence[type[BaseModel]]" = (),
        *,
        excluded: "Iterable[Type]" = (),
        instructions: str = "",
        on_violation: OnViolation = "untyped",
    ) -> None:
        """Declare types.

        Args:
            entities: Pydantic models: docstring = meaning, fields = attributes.
            facts: ``FactType`` models, which also say which types they relate and what they end.
            excluded: Types of entities and facts that are never stored, whatever ``on_violation``.
            instructions: What else a language model that reads episodes should heed.
            on_violation: ``untyped`` keeps an entity of another type as ``thing``, a relation that
                is not declared as any free one, and a fact between the wrong types as
                ``Fact.untyped``, which ends nothing; ``refuse`` leaves them out. An attribute
                that is not valid is left out in both.

        Raises:
            InputError: if types contradict each other.
        """
        if on_violation not in ("untyped", "refuse"):
            raise InputError(f"on_violation {on_violation!r}: use 'untyped' or 'refuse'")
        self._entities = entity_kinds(entities)
        self._facts = fact_kinds(facts, self._entities)
        self._excluded = _names(excluded)
        self._instructions = instructions.strip()
        self._on_violation = on_violation
        if both := sorted(self._excluded & (self._entities.keys() | self._facts.keys())):
            raise InputError(f"{both[0]!r} is both declared and excluded: choose one")
        self._relations = Relations().having(*(kind.relation for kind in self._facts.values()))

    def __repr__(self) -> str:
        """Show how many types are declared."""
        return f"Ontology({len(self._entities)} entity types, {len(self._facts)} fact types)"

    def __bool__(self) -> bool:
        """Tell whether anything is declared or excluded."""
        return bool(self._entities or self._facts or self._excluded)

    @property
    def entities(self) -> Mapping[str, EntityKind]:
        """Return the declared types of entity by name."""
        return self._entities

    @property
    def facts(self) -> Mapping[str, FactKind]:
        """Return the declared types of fact by name."""
        return self._facts

    @property
    def identifiers(self) -> Mapping[str, tuple[str, ...]]:
        """Return the identifier fields of each entity type that has some."""
        return {
            name: kind.fields.identifiers
            for name, kind in self._entities.items()
            if kind.fields.identifiers
        }

    def relations(self, base: Relations | None = None) -> Relations:
        """Return what excludes what: ``base``, by default the built-in rules, with these types."""
        if base is None:
            return self._relations
        return base.having(*(kind.relation for kind in self._facts.values()))

    def prompt(self) -> str:
        """Return the types and instructions as text for a language model; empty without any."""
        return describe(self._entities, self._facts, self._excluded, self._instructions)

    def check(
        self, extraction: Extraction, type_of: TypeOf = _as_mentioned
    ) -> tuple[Extraction, tuple[Violation, ...]]:
        """Return what of an extraction may be stored, and what had to be changed for it.

        ``type_of`` may know more of a mention than the text tells: the type of the entity that the
        graph has under that name.
        """
        return self._check(type_of).run(extraction) if self else (extraction, ())

    def typed(self, claim: Claim, type_of: TypeOf = _as_mentioned) -> Claim:
        """Return a claim whose ends of unknown type have that which its relation leaves them."""
        return self._check(type_of).typed(claim)

    def _check(self, type_of: TypeOf) -> Check:
        return Check(
            self._entities, self._facts, self._excluded, self._on_violation == "untyped", type_of
        )


def _names(types: "Iterable[Type]") -> frozenset[str]:
    if not (types := list(types)):
        return frozenset()
    from graphrag.ontology.declare import type_name

    return frozenset(map(type_name, types))


ANYTHING = Ontology()
"""The ontology of a graph that was opened without one."""


def known_types(
    entities_named: Callable[[str], Sequence[str]], kind: Callable[[str], str]
) -> TypeOf:
    """Return a lookup of the type that the graph knows for names whose text gives none."""

    def type_of(mention: Mention) -> str:
        if mention.entity_type != UNTYPED:
            return mention.entity_type
        types = {kind(id_) for id_ in entities_named(mention.name)}
        return types.pop() if len(types) == 1 else UNTYPED

    return type_of


_LOG = logging.getLogger("graphrag")


def fitted_by_hand(
    fact: Fact, types: tuple[str, str], ontology: Ontology, relations: Relations
) -> Fact:
    """Return a fact between entities of these types as it may be stored.

    Raises:
        InputError: if the ontology refuses it, or its relation one of an entity with itself.
    """
    if fact.subject_id == fact.object_id and not loops(fact.relation, relations):
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
    return replace(
        fact,
        subject_id=fact.object_id,
        subject=fact.object,
        relation=straight,
        object_id=fact.subject_id,
        object=fact.subject,
    )


def describe(
    entities: Mapping[str, EntityKind],
    facts: Mapping[str, FactKind],
    excluded: Collection[str],
    instructions: str,
) -> str:
    """Return the types, what is excluded, and the instructions."""
    parts = []
    if entities:
        parts.append("Entity types (use only these):")
        parts += [_line(kind.name, kind.meaning, kind) for kind in entities.values()]
    if facts:
        parts.append("Relations (use only these, in this direction):")
        parts += [_line(_signature(kind), _behaviour(kind), kind) for kind in facts.values()]
    if excluded:
        parts.append(f"Never report: {', '.join(sorted(excluded))}.")
    if instructions:
        parts.append(instructions)
    return "\n".join(parts)


def _line(head: str, meaning: str, kind: EntityKind | FactKind) -> str:
    line = f"- {head}: {meaning}" if meaning else f"- {head}"
    attributes = _attributes(kind.model, kind.fields)
    return f"{line} Attributes: {attributes}." if attributes else line


def _signature(kind: FactKind) -> str:
    allowed = {pair for some in kind.pairs.values() for pair in some}
    pairs = [f"{subject} -> {object_}" for subject, object_ in sorted(allowed)]
    return f"{kind.name} ({', '.join(pairs)})" if pairs else kind.name


def _behaviour(kind: FactKind) -> str:
    relation = kind.relation
    said = [kind.meaning] if kind.meaning else []
    if relation.single_valued:
        said.append("One at a time.")
    if relation.inverse_of:
        said.append(f"Inverse: {relation.inverse_of}.")
    return " ".join(said)


def _attributes(model: "type[BaseModel]", fields: "Fields") -> str:
    properties: Mapping[str, Mapping[str, Any]] = model.model_json_schema(by_alias=False).get(
        "properties", {}
    )
    shown = []
    for name, schema in properties.items():
        said = [_type(schema), schema.get("description", "")]
        if name in fields.identifiers:
            said.append("identifier")
        shown.append(f"{name} ({', '.join(word for word in said if word)})")
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
