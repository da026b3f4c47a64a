"""Whether one value fits one comparison: what a filter means, for a single value."""

from typing import Any

from graphrag.search.filters.tree import Compare


def holds(compare: Compare, value: Any) -> bool:
    """Tell whether a value, None for a missing one, fits.

    A missing value equals nothing and is neither less nor more than anything, so it differs from
    every value. Values of different types are never equal and have no order; True is not 1.
    """
    for key in compare.path:
        value = value.get(key) if isinstance(value, dict) else None
    wanted = compare.value
    match compare.op:
        case "exists":
            return value is not None and value not in ({}, [], ())
        case "contains":
            return isinstance(value, list | tuple) and any(_same(one, wanted) for one in value)
        case "in":
            return any(_same(value, one) for one in wanted)
        case "==":
            return _same(value, wanted)
        case "!=":
            return not _same(value, wanted)
    if not _comparable(value, wanted):
        return False
    match compare.op:
        case "<":
            return bool(value < wanted)
        case "<=":
            return bool(value <= wanted)
        case ">":
            return bool(value > wanted)
        case ">=":
            return bool(value >= wanted)


def _same(one: Any, other: Any) -> bool:
    return _comparable(one, other) and bool(one == other)


def _comparable(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return isinstance(one, bool) and isinstance(other, bool)
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return numbers or (type(one) is type(other) and one is not None)
