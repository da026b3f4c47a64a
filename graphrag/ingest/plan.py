"""What a transaction will change, worked out as values before anything is written.

And in words, for people and for the event: nothing is lost in silence. A claim that says nothing of
two entities, because both names turned out to be one, is left out; an older fact may end; a new one
may be closed as soon as it is stored.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from graphrag.index.group import GroupIndex
from graphrag.model.extraction import Claim, Mention
from graphrag.model.values import Entity, Fact
from graphrag.protocols import Matrix
from graphrag.store.changes import ChangeSet, Update


@dataclass(slots=True, kw_only=True)
class Plan:
    """New and changed entities and facts, with the vectors of the new ones."""

    entities: dict[str, Entity] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    changed_entities: dict[str, tuple[Entity, Entity]] = field(default_factory=dict)
    changed_facts: dict[str, tuple[Fact, Fact]] = field(default_factory=dict)
    """By id: as it was stored, and as it is to be."""
    summaries: list[Update] = field(default_factory=list)
    """New summaries of stored entities."""
    vectors: Mapping[str, Matrix] = field(default_factory=dict)

    def write(self, changes: ChangeSet) -> None:
        """Add what is new and what changes to a transaction."""
        for entity in self.entities.values():
            changes.insert(entity, self.vectors[entity.id])
        for fact in self.facts.values():
            changes.insert(fact, self.vectors[fact.id])
        for before, after in self.changed_entities.values():
            changes.change(before, after)
        for old, new in self.changed_facts.values():
            changes.change(old, new)
        changes.updates += self.summaries

    def enter(self, index: GroupIndex, seq: int) -> None:
        """Put what was committed as event ``seq`` into the index."""
        if self.entities:
            index.add_entities(list(self.entities.values()), self.stacked(list(self.entities)))
        for _, entity in self.changed_entities.values():
            index.change_entity(entity)
        for update in self.summaries:
            index.summarize(update.id, update.after["summary"])
        if self.facts:
            index.add_facts(list(self.facts.values()), self.stacked(list(self.facts)))
        for _, fact in self.changed_facts.values():
            index.change_fact(fact)
        index.seq = seq

    def stacked(self, ids: Sequence[str]) -> Matrix:
        """Return the vectors of some records, one a row."""
        if len(ids) == 1:  # as in most transactions, for a tenth of the time
            return self.vectors[ids[0]][np.newaxis]
        return np.stack([self.vectors[id_] for id_ in ids])


_LOST = ("superseded", "overruled", "corrected", "cancelled", "retracted")
"""Ways in which a fact ends that its own source did not speak of."""


def left_out(claims: Iterable[Claim], entity_of: Mapping[Mention, str]) -> Iterator[str]:
    """Yield the claims that became no fact, as ``state`` passes over them."""
    for claim in claims:
        subject = entity_of.get(claim.subject)
        object_ = entity_of.get(claim.object) if claim.object is not None else None
        about = f"{claim.subject.name} {claim.relation}"
        if claim.object is not None:
            about += f" {claim.object.name}"
        if subject is not None and subject == object_:
            yield f"the fact {about!r}, whose ends are one entity"
        elif subject is None or (claim.object is not None and object_ is None):
            yield f"the fact {about!r}, whose ends have no usable name"
        elif claim.kind == "planned" and claim.valid_at is None:
            yield f"the plan {about!r}, which has no date"


def closed(new: Iterable[Fact], changed: Iterable[tuple[Fact, Fact]]) -> Iterator[str]:
    """Yield what ended, was reopened or was taken back, of older facts and of new ones."""
    for before, after in changed:
        if after.retracted_at is not None and before.retracted_at is None:
            yield _words(after, f"was taken back ({after.closed_as or 'retracted'})")
        elif after.closed_as == "overruled" != before.closed_as:
            yield _words(after, "holds at no moment any more (overruled)")
        elif after.invalid_at != before.invalid_at:
            yield _words(after, _ended(after))
        elif after.valid_at != before.valid_at and before.valid_at is not None:
            since = "unknown" if after.valid_at is None else f"{after.valid_at:%Y-%m-%d}"
            yield _words(after, f"begins at another time: {since}")
        elif after.closed_as == "overruled" and after.statements != before.statements:
            yield _words(after, f"was said again, and {_ended(after)}")
    for fact in new:
        if fact.closed_as in _LOST and not fact.pending:
            yield _words(fact, f"is new, and {_ended(fact)}")


def _ended(fact: Fact) -> str:
    if fact.closed_as == "overruled" and fact.reason:
        return f"is overruled, {fact.reason}"
    if fact.invalid_at is None:
        return "has no end any more" if fact.closed_as is None else f"is {fact.closed_as}"
    return f"ends {fact.invalid_at:%Y-%m-%d} ({fact.closed_as or 'ended'})"


def _words(fact: Fact, what: str) -> str:
    return f"{fact.subject} {fact.relation} {fact.object}: {what}"
