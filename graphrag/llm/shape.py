"""The shape of an answer: a pydantic model, as the strict JSON schema that servers enforce.

Strict mode wants every property required and none besides, and small servers read no ``$ref``:
definitions are put in place, except where a model contains itself.
"""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, model_validator

from graphrag.models import JSON

_DECORATION = ("title", "default", "minLength", "maxLength")
"""What strict mode refuses or small models trip over; pydantic checks it all the same."""


class AnswerModel(BaseModel):
    """Base of our own answers: strict towards servers, forgiving towards small models.

    The schema demands every field and forbids others; a parsed answer may lack what has an empty
    value anyway, and what it has too much is left out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    empty: ClassVar[Mapping[str, JSON]] = {}
    """Values of the fields that an answer may lack."""

    @model_validator(mode="before")
    @classmethod
    def _forgive(cls, value: JSON) -> JSON:
        if not isinstance(value, dict):
            return value
        kept = {name: value[name] for name in cls.model_fields if value.get(name) is not None}
        if not kept and value:
            return value  # something else altogether, such as an echo of the schema
        return {**cls.empty, **kept}


def strict_schema(answer: type[BaseModel]) -> dict[str, JSON]:
    """Return the JSON schema of an answer: closed, everything required, definitions in place."""
    schema = answer.model_json_schema()
    definitions = schema.pop("$defs", {})
    closed = _closed(schema, definitions, ())
    if "$ref" in str(closed):
        closed["$defs"] = {
            name: _closed(definition, definitions, tuple(definitions))
            for name, definition in definitions.items()
        }
    return dict(closed)


def _closed(node: JSON, definitions: Mapping[str, JSON], within: tuple[str, ...]) -> JSON:
    if isinstance(node, list):
        return [_closed(item, definitions, within) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[-1]
        if name in within:
            return {"$ref": node["$ref"]}
        return _closed(definitions[name], definitions, (*within, name))
    closed: dict[str, JSON] = {}
    for key, value in node.items():
        if key == "properties":
            closed[key] = {
                name: _closed(property_, definitions, within) for name, property_ in value.items()
            }
        elif key not in _DECORATION:
            closed[key] = _closed(value, definitions, within)
    if closed.get("type") == "object" and "properties" in closed:
        closed["required"] = list(closed["properties"])
        closed["additionalProperties"] = False
    return closed
