"""What sources said, to text and back: few bytes, since every fact has one statement at least.

A column holds JSON, a list of objects; a date in it is written as far as it was stated: ``2015``,
``2015-06``, ``2015-06-10``, or a moment. What is as it mostly is, is left out. Of the fact that one
source dates and of which nothing else is said, the column is that date alone.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, get_args

from graphrag.model.assertion import (
    Assertion,
    Date,
    Ending,
    EntityName,
    Kind,
    Naming,
    Precision,
    Void,
)

STATED = frozenset({"statements", "endings"})
"""Columns of such text; one is not there if it is empty."""
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_WIDTHS: Mapping[Precision, int] = {"year": 4, "month": 7, "day": 10}
_PRECISIONS: Mapping[int, Precision] = {width: name for name, width in _WIDTHS.items()}
_NAMED: Mapping[str, Precision] = {name: name for name in _WIDTHS}


def stated_text(items: Sequence[Assertion | Ending], record: str) -> str:
    """Return statements or endings as a column has them; ``record`` is the row's id."""
    if len(items) == 1 and isinstance(item := items[0], Assertion) and item.id == record:
        if item.since is not None and _USUAL(item) == _USUALLY:
            return _words(item.since)  # as most are; ``joined`` gives the same, slower
    return joined(_object(item, record) for item in items)


def stated_values(text: str | None, record: str) -> tuple[Any, ...]:
    """Return what a column, or its image in the log, holds."""
    if text is None:
        return ()
    if not text.startswith("["):
        return (Assertion(record, _date(text)),)
    return tuple(_value(item, record) for item in parts(text))


def parts(text: str) -> list[dict[str, Any]]:
    """Return the objects that a column holds."""
    if not text.startswith("["):
        return [{"since": text}]
    objects: list[dict[str, Any]] = json.loads(text)
    return objects


def joined(objects: Iterable[Mapping[str, Any]]) -> str:
    """Return the text of a column that holds these objects."""
    every = list(objects)
    if len(every) == 1 and every[0].keys() == {"since"}:
        return str(every[0]["since"])
    return _JSON.encode(every)


def assertions(text: str | None, record: str) -> dict[str, Assertion]:
    """Return the statements in an image of a fact, by id."""
    return {assertion.id: assertion for assertion in stated_values(text, record)}


def check_stated(text: str, record: str) -> None:
    """Refuse what is no statement in a column that somebody else wrote."""
    with _worded():
        for item in stated_values(text, record):
            assertion = item.assertion if isinstance(item, Ending) else item
            plain = _DEFAULTS.keys() - _CODECS.keys()
            right = all(type(getattr(assertion, name)) is type(_DEFAULTS[name]) for name in plain)
            if not right or assertion.kind not in get_args(Kind):
                raise ValueError("it has another type")


def check_names(items: Iterable[Mapping[str, Any]]) -> None:
    """Refuse what says nothing of a name in a column that somebody else wrote."""
    with _worded():
        for entity_name in name_values(items):
            if entity_name.kind not in get_args(Naming):
                raise ValueError(f"a name is no {entity_name.kind!r}")


@contextmanager
def _worded() -> Iterator[None]:
    try:
        yield
    except (AttributeError, KeyError, OverflowError, TypeError) as error:
        raise ValueError(str(error)) from None


def name_object(item: EntityName) -> dict[str, Any]:
    """Return what is said of a name as a column has it."""
    return {"name": item.name, "kind": item.kind, **_encoded(item, _NAME_DEFAULTS)}


def name_values(items: Iterable[Mapping[str, Any]]) -> tuple[EntityName, ...]:
    """Return what a column says of names."""
    return tuple(
        EntityName(item["name"], item["kind"], **_decoded(item, _NAME_DEFAULTS)) for item in items
    )


def _object(item: Assertion | Ending, record: str) -> dict[str, Any]:
    if isinstance(item, Ending):
        end = {"object_id": item.object_id} if item.object_id else {}
        assertion = _object(item.assertion, record)
        return {"relation": item.relation, "text": item.text, **end, **assertion}
    id_ = {} if item.id == record else {"id": item.id}
    return {**id_, **_encoded(item, _DEFAULTS)}


def _value(item: Mapping[str, Any], record: str) -> Assertion | Ending:
    assertion = Assertion(item.get("id", record), **_decoded(item, _DEFAULTS))
    if "relation" not in item:
        return assertion
    return Ending(assertion, item["relation"], item["text"], item.get("object_id", ""))


def _encoded(item: Assertion | EntityName, defaults: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, usual in defaults.items():
        if (value := getattr(item, name)) != usual:
            write = _CODECS[name][0] if name in _CODECS else type(usual)
            row[name] = write(value)
    return row


def _decoded(item: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: item[name] for name in defaults if name in item}
    for name in given.keys() & _CODECS.keys():
        given[name] = _CODECS[name][1](given[name])
    return given


def _why(void: Void) -> dict[str, Any]:
    values = {field.name: getattr(void, field.name) for field in fields(Void)}
    return {name: value for name, value in values.items() if value not in (None, "")}


@lru_cache(maxsize=4096)
def _words(date: Date) -> str:
    text = _moment(date.moment)
    if date.precision == "exact":
        return text
    form = text[: _WIDTHS[date.precision]]
    if date.moment == _date(form).moment:
        return form
    return f"{text}/{date.precision}"  # a day somewhere else than in Greenwich


@lru_cache(maxsize=4096)
def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


@lru_cache(maxsize=4096)
def _date(text: str) -> Date:
    words, _, named = text.partition("/")
    precision = _PRECISIONS.get(len(words), "exact")
    if precision == "exact":
        return Date(datetime.fromisoformat(words).astimezone(UTC), _NAMED.get(named, precision))
    year, month, day = [*map(int, words.split("-")), 1, 1][:3]
    return Date(datetime(year, month, day, tzinfo=UTC), precision)


_CODECS: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "since": (_words, _date),
    "until": (_words, _date),
    "at": (_moment, lambda text: _date(text).moment),
    "excludes": (list, tuple),
    "void": (_why, lambda item: Void(**item)),
}
"""What writes and what reads a field that JSON cannot have as it is."""
_LAST = ("excludes", "void")
_DEFAULTS: Mapping[str, Any] = {
    field.name: field.default
    for field in sorted(fields(Assertion)[1:], key=lambda field: field.name in _LAST)
}
_NAME_DEFAULTS: Mapping[str, Any] = {field.name: field.default for field in fields(EntityName)[2:]}
_USUAL = attrgetter(*(_DEFAULTS.keys() - {"since"}))
_USUALLY = _USUAL(Assertion(""))
"""What most statements say but for their start."""
