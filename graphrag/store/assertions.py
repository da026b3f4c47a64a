"""What sources said, to text and back: few bytes, since every fact has one statement at least.

A column holds JSON, a list of objects; a date in it is written as far as it was stated: ``2015``,
``2015-06``, ``2015-06-10``, or a moment. What is as it mostly is, is left out. Of the fact that one
source dates and of which nothing else is said, the column is that date alone.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
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
_DATES = ("since", "until")
_PLAIN = tuple(
    (field.name, field.default)
    for field in fields(Assertion)
    if field.name not in ("id", "since", "until", "at", "excludes", "void")
)
_USUAL = attrgetter(
    *(field.name for field in fields(Assertion) if field.name not in ("id", "since"))
)
_USUALLY = _USUAL(Assertion(""))
"""What most statements say but for their start."""
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
    found: list[dict[str, Any]] = json.loads(text)
    return found


def joined(objects: Iterable[Mapping[str, Any]]) -> str:
    """Return the text of a column that holds these objects."""
    every = list(objects)
    if len(every) == 1 and every[0].keys() == {"since"}:
        return str(every[0]["since"])
    return _JSON.encode(every)


def check_stated(text: str, record: str) -> None:
    """Look at what somebody else wrote into a column.

    Raises:
        ValueError: if it is no statement.
    """
    try:
        for ending in stated_values(text, record):
            said = ending.assertion if isinstance(ending, Ending) else ending
            if isinstance(said, Assertion):
                right = all(type(getattr(said, name)) is type(usual) for name, usual in _PLAIN)
                if not right or said.kind not in get_args(Kind):
                    raise ValueError("it has another type")
    except (AttributeError, KeyError, OverflowError, TypeError) as error:
        raise ValueError(str(error)) from None


def assertions(text: str | None, record: str) -> dict[str, Assertion]:
    """Return the statements in an image of a fact, by id."""
    return {one.id: one for one in stated_values(text, record)}


def _assertion(item: Mapping[str, Any], record: str) -> Assertion:
    given: dict[str, Any] = {name: item[name] for name, _ in _PLAIN if name in item}
    for name in _DATES:
        if name in item:
            given[name] = _date(item[name])
    if "at" in item:
        given["at"] = _date(item["at"]).moment
    if "excludes" in item:
        given["excludes"] = tuple(item["excludes"])
    if "void" in item:
        given["void"] = Void(**item["void"])
    return Assertion(item.get("id", record), **given)


def _object(item: Assertion | Ending, record: str) -> dict[str, Any]:
    if isinstance(item, Ending):
        end = {"object_id": item.object_id} if item.object_id else {}
        return {
            "relation": item.relation,
            "text": item.text,
            **end,
            **_object(item.assertion, record),
        }
    row: dict[str, Any] = {}
    if item.id != record:
        row["id"] = item.id
    if item.since is not None:
        row["since"] = _words(item.since)
    if item.until is not None:
        row["until"] = _words(item.until)
    if item.at is not None:
        row["at"] = _moment(item.at)
    for name, usual in _PLAIN:
        if (value := getattr(item, name)) != usual:
            row[name] = float(value) if type(usual) is float else value
    if item.excludes:
        row["excludes"] = list(item.excludes)
    if item.void is not None:
        row["void"] = {
            field.name: value
            for field in fields(Void)
            if (value := getattr(item.void, field.name)) not in (None, "")
        }
    return row


def name_object(item: EntityName) -> dict[str, Any]:
    """Return what is said of a name as a column has it."""
    times = {"since": item.since, "until": item.until}
    return {
        "name": item.name,
        "kind": item.kind,
        **{name: _words(date) for name, date in times.items() if date is not None},
        **({"at": _moment(item.at)} if item.at is not None else {}),
        **({"source": item.source} if item.source else {}),
    }


def name_values(items: Iterable[Mapping[str, Any]]) -> tuple[EntityName, ...]:
    """Return what a column says of names."""
    return tuple(map(_name_value, items))


def check_names(items: Iterable[Mapping[str, Any]]) -> None:
    """Look at what somebody else wrote into a column of names.

    Raises:
        ValueError: if it says nothing of a name.
    """
    try:
        for entity_name in name_values(items):
            if entity_name.kind not in get_args(Naming):
                raise ValueError(f"a name is no {entity_name.kind!r}")
    except (AttributeError, KeyError, OverflowError, TypeError) as error:
        raise ValueError(str(error)) from None


def _name_value(item: Mapping[str, Any]) -> EntityName:
    since, until = (_date(item[name]) if name in item else None for name in _DATES)
    at = _date(item["at"]).moment if "at" in item else None
    return EntityName(item["name"], item["kind"], since, until, at, item.get("source", ""))


def _value(item: Mapping[str, Any], record: str) -> Assertion | Ending:
    if "relation" not in item:
        return _assertion(item, record)
    said = _assertion(item, record)
    return Ending(said, item["relation"], item["text"], item.get("object_id", ""))


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
        exact: Precision = "exact"
        return Date(datetime.fromisoformat(words).astimezone(UTC), _NAMED.get(named, exact))
    parts = [*map(int, words.split("-")), 1, 1]
    return Date(datetime(parts[0], parts[1], parts[2], tzinfo=UTC), precision)
