"""What sources said, to plain objects and back: few bytes, since every fact has one at least.

A date is written as far as it was stated: ``2015``, ``2015-06``, ``2015-06-10``, or a moment. What
is as it mostly is, is left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, get_args

from graphrag.model.assertion import Assertion, Date, Ending, Kind, Precision, Void

STATED = frozenset({"statements", "endings", "rivals", "derived_from"})
"""Columns that are not there if they are empty."""
_DATES = ("since", "until")
_PLAIN = tuple(
    (one.name, one.default)
    for one in fields(Assertion)
    if one.name not in ("id", "since", "until", "at", "excludes", "void")
)
_USUAL = attrgetter(*(one.name for one in fields(Assertion) if one.name not in ("id", "since")))
_USUALLY = _USUAL(Assertion(""))
"""What most statements say but for their start."""
_WIDTHS: Mapping[Precision, int] = {"year": 4, "month": 7, "day": 10}
_PRECISIONS: Mapping[int, Precision] = {width: name for name, width in _WIDTHS.items()}
_NAMED: Mapping[str, Precision] = {name: name for name in _WIDTHS}


def stated_row(items: Iterable[Assertion | Ending | str], record: str) -> list[Any]:
    """Return statements, endings or ids as a column has them; ``record`` is the row's id."""
    return [_object(item, record) for item in items]


def stated_values(items: Iterable[Any], record: str) -> tuple[Any, ...]:
    """Return what a column, or its image in the log, holds."""
    return tuple(item if isinstance(item, str) else _value(item, record) for item in items)


def check_stated(items: Iterable[Any], record: str) -> None:
    """Look at what somebody else wrote into a column.

    Raises:
        ValueError: if it is no statement.
    """
    try:
        for one in stated_values(items, record):
            said = one.assertion if isinstance(one, Ending) else one
            if isinstance(said, Assertion):
                right = all(type(getattr(said, name)) is type(usual) for name, usual in _PLAIN)
                if not right or said.kind not in get_args(Kind):
                    raise ValueError("it has another type")
    except (AttributeError, KeyError, OverflowError, TypeError) as error:
        raise ValueError(str(error)) from None


def assertions(items: Iterable[Mapping[str, Any]] | None, record: str) -> dict[str, Assertion]:
    """Return the statements in an image of a fact, by id."""
    found = (assertion_of(item, record) for item in items or ())
    return {one.id: one for one in found}


def assertion_of(item: Mapping[str, Any], record: str) -> Assertion:
    """Return the statement that an object holds."""
    if len(item) == 1 and "since" in item:  # as most are
        return Assertion(record, _date(item["since"]))
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


def _object(item: Assertion | Ending | str, record: str) -> Any:
    if isinstance(item, str):
        return item
    if isinstance(item, Ending):
        end = {"object_id": item.object_id} if item.object_id else {}
        return {
            "relation": item.relation,
            "text": item.text,
            **end,
            **_object(item.assertion, record),
        }
    if item.id == record and item.since is not None and _USUAL(item) == _USUALLY:
        return {"since": _words(item.since)}  # as most are
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
            one.name: value
            for one in fields(Void)
            if (value := getattr(item.void, one.name)) not in (None, "")
        }
    return row


def _value(item: Mapping[str, Any], record: str) -> Assertion | Ending:
    if "relation" not in item:
        return assertion_of(item, record)
    said = assertion_of(item, record)
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
