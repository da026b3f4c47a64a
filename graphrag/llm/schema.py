"""Answer shapes: pydantic models to strict JSON schemas, and model output back to values.

Strict mode requires every property and allows no other; definitions are inlined because small
servers read no ``$ref``, except in recursive models. When parsing, every JSON object in the text is
tried, widest first, and the first of the right shape wins. Lists keep their valid items
(``salvage``).
"""

import logging
from collections.abc import Iterable, Mapping
from typing import ClassVar, Self, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)

from graphrag.llm.salvage import (
    LONGEST_ANSWER,
    LONGEST_THING,
    MOST_THINGS,
    Lost,
    as_words,
    candidates,
    closed_early,
    problem_of,
    unwrapped,
    without_thoughts,
)
from graphrag.model.values import JSON
from graphrag.protocols import Answer

_LOG = logging.getLogger("graphrag")
_DECORATION = ("title", "default", "minLength", "maxLength")
"""What strict mode refuses or small models trip over; pydantic checks it all the same."""


def _unexplained(schema: dict[str, JSON]) -> None:
    """Leave the docstring of a model out of its schema: the prompt explains the fields."""
    schema.pop("description", None)


class AnswerModel(BaseModel):
    """Base of our answers: the schema demands every field, parsing accepts missing empty ones."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_unexplained)
    empty: ClassVar[Mapping[str, JSON]] = {}
    """Values of the fields that an answer may lack."""
    items: ClassVar[tuple[str, ...]] = ()
    """Fields that hold lists of things, of which each counts for itself."""
    _lost: tuple[Lost, ...] = PrivateAttr(default=())

    @property
    def lost(self) -> tuple[Lost, ...]:
        """Return what the answer held that has not the asked shape."""
        return self._lost

    @classmethod
    def under_own_names(cls, value: dict[str, JSON]) -> dict[str, JSON]:
        """Return an answer with lists that have other names under those of the model."""
        return value

    @model_validator(mode="wrap")
    @classmethod
    def _salvage(cls, value: JSON, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not cls.items or not isinstance(value, dict):
            return handler(value)
        kept, lost = dict(cls.under_own_names(value)), list[Lost]()
        for name in cls.items:
            if isinstance(given := kept.get(name), list):
                [kind] = get_args(cls.model_fields[name].annotation)
                things = given[:MOST_THINGS]
                kept[name] = [thing for thing in things if _whole(kind, name, thing, lost)]
                if more := len(given) - len(things):
                    problem = f"{more:,} {name} beyond the first {MOST_THINGS:,} were left out"
                    lost.append(Lost(problem=problem, repeats=True))
        read = handler(kept)
        read._lost = tuple(lost)
        return read

    @model_validator(mode="before")
    @classmethod
    def _forgive(cls, value: JSON) -> JSON:
        if not isinstance(value, dict):
            return value
        kept = {name: value[name] for name in cls.model_fields if value.get(name) is not None}
        if not kept and value:
            return value  # something else altogether, such as an echo of the schema
        return {**cls.empty, **kept}


def _whole(kind: type[BaseModel], name: str, value: JSON, lost: list[Lost]) -> bool:
    if (length := len(str(value))) > LONGEST_THING:
        problem = f"it has {length:,} characters: at most {LONGEST_THING:,}"
        lost.append(Lost(name, as_words(value)[:_SHOWN], problem))
        return False
    try:
        kind.model_validate(value)
    except ValidationError as error:
        lost.append(Lost(name, value, problem_of(error)))
        return False
    return True


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


_SHOWN = 200
_REPEATS = 3  # things said again from which on a cut answer is not asked to go on
_CUT = "the answer was cut off before its end, for want of room; be briefer"


class BadAnswerError(ValueError):
    """A text holds no answer of the asked shape; the message is for the model."""


def read_answer(text: str, answer: type[Answer], *, cut_off: bool = False) -> Answer:
    """Return the answer in a text, or raise ``BadAnswerError`` that says what is wrong.

    Models write drafts: of several answers with lists the last that is not empty is taken, of
    others the first.
    """
    items = answer.items if issubclass(answer, AnswerModel) else ()
    problem, found = "", list[Answer]()
    words = without_thoughts(text)
    if (beyond := len(words) - LONGEST_ANSWER) > 0:
        words, cut_off = words[:LONGEST_ANSWER], True
    if cut_off and not items:
        raise BadAnswerError(_CUT)
    early = closed_early(words, items) if items else None
    for value in candidates(words, items) if early is None else [early]:
        for candidate in unwrapped(value):
            try:
                found.append(answer.model_validate(candidate))
                break
            except ValidationError as error:
                problem = problem or problem_of(error)
        if found and not items:
            break
    if found:
        whole = [it for it in found if _things(it, items)] or found
        best = whole[-1] if items else whole[0]
        if len(found) > 1:
            _LOG.info("of %d answers in one reply the last that is not empty is taken", len(found))
        return _cut(best, max(beyond, 0)) if cut_off or early is not None else best
    if cut_off:
        raise BadAnswerError(_CUT)
    if not text.strip():
        raise BadAnswerError("the answer was empty")
    raise BadAnswerError(problem or "the answer held no JSON object")


def _things(answer: BaseModel, items: Iterable[str]) -> int:
    return sum(len(getattr(answer, name)) for name in items)


def lost_of(answer: BaseModel) -> tuple[Lost, ...]:
    """Return what an answer held that has not the asked shape."""
    return answer.lost if isinstance(answer, AnswerModel) else ()


def joined(answer: Answer, more: Answer) -> Answer:
    """Return an answer with what was asked for again; what came neither time stays lost."""
    if not (isinstance(answer, AnswerModel) and isinstance(more, AnswerModel)):
        return more
    lists: dict[str, list[BaseModel]] = {}
    came = len(more.lost)
    for name in answer.items:
        known = getattr(answer, name)
        lists[name] = _distinct((*known, *getattr(more, name)))
        came += len(lists[name]) - len(known)
    wrong = [lost for lost in answer.lost if not lost.cut]
    bounded = [lost for lost in answer.lost if lost.repeats]
    both = answer.model_copy(update=lists)
    both._lost = (*bounded, *wrong[came:], *more.lost)
    return both


def _distinct(things: Iterable[BaseModel]) -> list[BaseModel]:
    return list({thing.model_dump_json(): thing for thing in things}.values())


def _cut(answer: Answer, beyond: int) -> Answer:
    """Return an answer whose end is missing, each of its things once."""
    if not isinstance(answer, AnswerModel):
        return answer
    lists = {name: _distinct(getattr(answer, name)) for name in answer.items}
    again = sum(len(getattr(answer, name)) - len(things) for name, things in lists.items())
    whole = answer.model_copy(update=lists)
    if beyond:
        limit = f"the {beyond:,} characters beyond the first {LONGEST_ANSWER:,} were not read"
        ending = Lost(problem=limit, repeats=True)
    elif again >= _REPEATS:
        ending = Lost(problem="the model repeated itself until it was cut off", repeats=True)
    else:
        ending = Lost()
    whole._lost = (*answer.lost, ending)
    return whole
