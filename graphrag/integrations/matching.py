"""What the items of a framework say, and whether a filter of it wants them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda one, other: bool(one == other),
    "$ne": lambda one, other: bool(one != other),
    "$gt": lambda one, other: one is not None and float(one) > float(other),
    "$gte": lambda one, other: one is not None and float(one) >= float(other),
    "$lt": lambda one, other: one is not None and float(one) < float(other),
    "$lte": lambda one, other: one is not None and float(one) <= float(other),
}


def said(value: Mapping[str, Any]) -> str:
    """Return the texts in a value, a line each; without any, the value as JSON."""
    return "\n".join(_texts(value)) or json.dumps(dict(value), ensure_ascii=False)


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def fits(value: Any, wanted: Any) -> bool:
    """Tell whether a value is as a filter of LangGraph wants it, nested ones too."""
    if isinstance(wanted, dict) and any(key.startswith("$") for key in wanted):
        return all(_COMPARE[sign](value, other) for sign, other in wanted.items())
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(
            fits(value.get(key), other) for key, other in wanted.items()
        )
    return bool(value == wanted)


def matches(label: Sequence[str], wanted: Sequence[str], side: Literal["prefix", "suffix"]) -> bool:
    """Tell whether a path begins, or ends, with another, in which ``*`` stands for any part."""
    size = len(wanted)
    part = label[:size] if side == "prefix" else label[max(0, len(label) - size) :]
    return len(part) == size and all(
        other in ("*", one) for one, other in zip(part, wanted, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """What records of CrewAI must be like; what is None or empty does not matter."""

    scope: str | None = None
    """They are in it or below it."""
    categories: Sequence[str] | None = None
    """They have one of these."""
    ids: Sequence[str] | None = None
    metadata: Mapping[str, Any] | None = None
    """They have all of this."""

    @property
    def path(self) -> str:
        """Return the scope as ``/a/b``, the root as nothing."""
        plain = (self.scope or "").strip("/")
        return f"/{plain}" if plain else ""

    def fits(self, record: Mapping[str, Any]) -> bool:
        """Tell whether a record is like that."""
        path, scope, own = self.path, record["scope"], record["metadata"]
        return (
            (not path or scope == path or scope.startswith(f"{path}/"))
            and (not self.categories or not set(self.categories).isdisjoint(record["categories"]))
            and (self.ids is None or record["id"] in self.ids)
            and all(own.get(key) == value for key, value in (self.metadata or {}).items())
        )
