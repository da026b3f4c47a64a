"""The shape of an answer: a pydantic model, as the strict JSON schema that servers enforce.

Strict mode wants every property required and none besides, and small servers read no ``$ref``:
definitions are put in place, except where a model contains itself.

From the words of a model to a value: find the JSON in them, or say what is wrong with it.

Models wrap answers in fences, thoughts, apologies and copies of the schema. Every JSON object in
the text is tried, the widest first; the first that has the asked shape is the answer.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from graphrag.model.values import JSON
from graphrag.protocols import Answer

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


_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_SHOWN = 6
"""Errors shown to the model at once."""


class BadAnswerError(ValueError):
    """A text holds no answer of the asked shape; the message is for the model."""


def read_answer(text: str, answer: type[Answer]) -> Answer:
    """Return the answer that a text holds.

    Raises:
        BadAnswerError: saying what is missing or wrong.
    """
    problem = ""
    for value in _objects(_THOUGHTS.sub("", text)):
        for candidate in _unwrapped(value):
            try:
                return answer.model_validate(candidate)
            except ValidationError as error:
                problem = problem or _problem(error)
    if not text.strip():
        raise BadAnswerError("the answer was empty")
    raise BadAnswerError(problem or "the answer held no JSON object")


def _objects(text: str) -> Iterator[JSON]:
    decoder = json.JSONDecoder(strict=False)
    for repaired in dict.fromkeys((text, _TRAILING_COMMA.sub("", text))):
        at = repaired.find("{")
        while at >= 0:
            try:
                value, end = decoder.raw_decode(repaired, at)
            except json.JSONDecodeError:
                end = at + 1
            except RecursionError:
                return
            else:
                yield value
            at = repaired.find("{", end)


def _unwrapped(value: JSON) -> Iterator[JSON]:
    """Yield a value, and what it wraps: ``{"answer": {...}}``, values inside an echoed schema."""
    yield value
    for name in ("properties", *value):
        if isinstance(value.get(name), dict) and (name == "properties" or len(value) == 1):
            yield value[name]


def _problem(error: ValidationError) -> str:
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [
        f"{'.'.join(str(part) for part in one['loc']) or 'the object'}: {one['msg']}"
        for one in errors[:_SHOWN]
    ]
    if len(errors) > _SHOWN:
        lines.append(f"and {len(errors) - _SHOWN} more")
    return "; ".join(lines)


def as_json(answer: BaseModel) -> str:
    """Return an answer as it is kept and shown to models."""
    return answer.model_dump_json()
