"""What given facts change, worked out as values before anything is written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from graphrag.index.group import GroupIndex
from graphrag.models import Entity, Fact
from graphrag.protocols import Matrix
from graphrag.store.changes import ChangeSet, Update
from graphrag.summaries import ends_of


@dataclass(slots=True)
class DirectPlan:
    """New and changed values, with their vectors."""

    group: str
    entities: dict[str, Entity] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    changed_entities: dict[str, tuple[Entity, Entity]] = field(default_factory=dict)
    changed_facts: dict[str, tuple[Fact, Fact]] = field(default_factory=dict)
    """By id: as it was stored, and as it is to be."""
    repeated: dict[str, Fact] = field(default_factory=dict)
    """Facts that were told before, as they are to be."""
    extra: tuple[str, ...] = ()
    """Ids of the entities that were given apart from any fact."""
    summaries: list[Update] = field(default_factory=list)
    vectors: Mapping[str, Matrix] = field(default_factory=dict)

    @property
    def touched(self) -> list[str]:
        """Return the entities whose facts this adds to, changes or repeats."""
        changed = [after for _, after in self.changed_facts.values()]
        return ends_of([*self.facts.values(), *changed])

    def changes(self, kind: str) -> ChangeSet:
        """Return the transaction that writes this plan; an empty one if nothing is new."""
        changes = ChangeSet(self.group, kind=kind)
        for entity in self.entities.values():
            changes.insert(entity, self.vectors[entity.id])
        for fact in self.facts.values():
            changes.insert(fact, self.vectors[fact.id])
        for before, after in self.changed_entities.values():
            changes.change(before, after)
        for old, new in self.changed_facts.values():
            changes.change(old, new)
        changes.updates += self.summaries
        return changes

    def enter(self, index: GroupIndex, seq: int) -> None:
        """Put what was committed as event ``seq`` into the index."""
        if self.entities:
            index.add_entities(list(self.entities.values()), self._rows(self.entities))
        if self.facts:
            index.add_facts(list(self.facts.values()), self._rows(self.facts))
        for _, entity in self.changed_entities.values():
            index.change_entity(entity)
        for update in self.summaries:
            index.summarize(update.id, update.after["summary"])
        for _, fact in self.changed_facts.values():
            index.change_fact(fact)
        index.seq = seq

    def _rows(self, ids: Iterable[str]) -> Matrix:
        return np.stack([self.vectors[id_] for id_ in ids])
