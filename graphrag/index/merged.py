"""Entities that were found to be one: which one a merged entity now speaks through."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.columns import Shared
from graphrag.model.values import Fact

Rows = npt.NDArray[np.int32]


class Heirs(Shared):
    """A redirect by the id of each merged entity; a chain of merges leads to its end."""

    def __init__(self, into: Mapping[str, str] | None = None) -> None:
        self._into: dict[str, str] = {}
        self._merged: dict[str, frozenset[str]] = defaultdict(frozenset)
        self._rows: Rows | None = None
        self.version = 0
        """Another number after every redirect."""
        for id_, heir in (into or {}).items():
            self.redirect(id_, heir)

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the redirects be written."""
        out.texts(f"{name}.merged", self._into)
        out.texts(f"{name}.heirs", self._into.values())

    def load(self, arrays: ArrayReader, name: str) -> None:
        """Take over redirects."""
        merged = arrays.texts(f"{name}.merged")
        for id_, heir in zip(merged, arrays.texts(f"{name}.heirs", len(merged)), strict=True):
            self.redirect(id_, heir)

    def entries(self) -> dict[str, str]:
        """Return the redirects, to be compared."""
        return dict(self._into)

    def __bool__(self) -> bool:
        """Tell whether any entity is merged."""
        return bool(self._into)

    def __contains__(self, id_: object) -> bool:
        """Tell whether this entity is merged into another."""
        return id_ in self._into

    def isdisjoint(self, ids: Iterable[str]) -> bool:
        """Tell whether none of some entities is merged into another."""
        return self._into.keys().isdisjoint(ids)

    def of(self, id_: str) -> str:
        """Return the entity that this one speaks through; itself, most often."""
        seen = {id_}
        while (heir := self._into.get(id_)) is not None and heir not in seen:
            seen.add(heir)
            id_ = heir
        return id_

    def each(self, ids: Iterable[str]) -> list[str]:
        """Return the entities that these speak through, each once, in order."""
        return list(dict.fromkeys(map(self.of, ids)) if self._into else ids)

    def family(self, id_: str) -> list[str]:
        """Return the entity that this one speaks through, and all others that do."""
        if not self._into:
            return [id_]
        id_ = self.of(id_)
        family = {id_: None}
        for member in (found := [id_]):
            for merged in sorted(self._merged.get(member, ())):
                if merged not in family:
                    family[merged] = None
                    found.append(merged)
        return list(family)

    def follow(self, facts: Mapping[str, Fact], name_of: Callable[[str], str]) -> dict[str, Fact]:
        """Return facts, by id, with the entities that their ends speak through.

        Every fact that was read from the store goes through here before anyone compares its ends.
        """
        return {id_: self._followed(fact, name_of) for id_, fact in facts.items()}

    def _followed(self, fact: Fact, name_of: Callable[[str], str]) -> Fact:
        if fact.subject_id not in self and fact.object_id not in self:
            return fact
        subject, object_ = self.of(fact.subject_id), self.of(fact.object_id)
        return replace(
            fact,
            subject_id=subject,
            subject=fact.subject if subject == fact.subject_id else name_of(subject),
            object_id=object_,
            object=fact.object if object_ == fact.object_id else name_of(object_),
        )

    def redirect(self, id_: str, heir: str | None) -> None:
        """Let an entity speak through another, or for itself again."""
        old = self._into.pop(id_, None)
        if old is not None:
            self._merged[old] -= {id_}
        if heir is not None:
            self._into[id_] = heir
            self._merged[heir] |= {id_}
        self._rows = None
        self.version += 1

    @contextmanager
    def supposing(self, id_: str, heir: str | None) -> Iterator[None]:
        """Redirect for a while; nothing may be awaited inside."""
        before = self._into.get(id_)
        self.redirect(id_, heir)
        try:
            yield
        finally:
            self.redirect(id_, before)

    def before(self, later: Set[str], images: Mapping[str, Mapping[str, Any]]) -> "Heirs":
        """Return the redirects as they were, by the images of entities of that time.

        ``later``: the ids of those that were not there yet.
        """
        changed = {id_: row["merged_into"] for id_, row in images.items() if "merged_into" in row}
        into = {id_: heir for id_, heir in self._into.items() if id_ not in later} | changed
        past = {id_: heir for id_, heir in into.items() if heir is not None}
        return self if past == self._into else Heirs(past)

    def moved(self) -> "Heirs":
        """Return the same heirs, for columns whose rows lie elsewhere."""
        return Heirs(self._into)

    def rows(self, row_of: Mapping[str, int], count: int) -> Rows:
        """Return the row through which each of ``count`` rows speaks."""
        if self._rows is None or len(self._rows) != count:
            rows = np.arange(count, dtype=np.int32)
            for id_ in self._into:
                if id_ in row_of:
                    rows[row_of[id_]] = row_of.get(self.of(id_), row_of[id_])
            self._rows = rows
        return self._rows
