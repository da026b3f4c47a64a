"""The declared types as a text that a language model reads: short, one line for each."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from graphrag.ontology.types import EntityKind, FactKind

if TYPE_CHECKING:
    from pydantic import BaseModel

    from graphrag.ontology.fields import Fields


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
