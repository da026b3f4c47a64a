"""From the words of a model to a value: find the JSON in them, or say what is wrong with it.

Models wrap answers in fences, thoughts, apologies and copies of the schema. Every JSON object in
the text is tried, the widest first; the first that has the asked shape is the answer.
"""

import json
import re
from collections.abc import Iterator

from pydantic import BaseModel, ValidationError

from graphrag.models import JSON
from graphrag.protocols import Answer

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_SHOWN = 6
"""Errors told to the model at once."""


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
                problem = problem or _told(error)
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


def _told(error: ValidationError) -> str:
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
