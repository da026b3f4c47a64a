"""Take names out of the log: what was erased leaves a mark, what named it loses the words."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from graphrag.summaries import without

MARK = "[erased]"
ERASED = {"erased": True}
"""Stands in the log for the image of an erased record."""


@dataclass(frozen=True, slots=True)
class Eraser:
    """What to erase: records by ``table:id``, and names wherever they stand as words."""

    records: frozenset[str]
    names: tuple[str, ...]

    def change(self, change: dict[str, Any]) -> dict[str, Any]:
        """Return one change of an event without what is erased."""
        if change["record"] in self.records or not self.records.isdisjoint(_ends(change)):
            return {
                "record": change["record"],
                "before": None if change["before"] is None else ERASED,
                "after": None if change["after"] is None else ERASED,
            }
        return {
            "record": change["record"],
            "before": self.cleaned(change["before"]),
            "after": self.cleaned(change["after"]),
        }

    def names_it(self, text: str) -> bool:
        """Tell whether a text has one of the names."""
        return any(pattern.search(text) for pattern in self._patterns())

    def cleaned(self, item: Any, key: str = "") -> Any:
        """Return a value without the names."""
        if isinstance(item, str):
            if key == "summary":
                item = without(item, self.names)
            for pattern in self._patterns():
                item = pattern.sub(MARK, item)
            return item
        if isinstance(item, dict):
            return {self.cleaned(name): self.cleaned(part, name) for name, part in item.items()}
        if isinstance(item, list | tuple):
            return [self.cleaned(part) for part in item]
        return item

    def _patterns(self) -> Iterable[re.Pattern[str]]:
        return (
            re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) for name in self.names
        )


def _ends(change: dict[str, Any]) -> Collection[str]:
    images: list[dict[str, Any]] = [change["before"] or {}, change["after"] or {}]
    return {str(image[end]) for image in images for end in ("in", "out") if end in image}
