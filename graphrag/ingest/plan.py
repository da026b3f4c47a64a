"""What one episode will change, worked out as values before anything is written.

And in words, for people and for the event: nothing is lost in silence. A claim that says nothing of
two entities, because both names turned out to be one, is left out; an older fact may end; a new one
may be closed as soon as it is stored.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from graphrag.index.group import GroupIndex
from graphrag.index.texts import episode_text
from graphrag.model.extraction import Claim, Mention
from graphrag.model.ids import new_id
from graphrag.model.values import Entity, Episode, Fact, Saga
from graphrag.protocols import Matrix
from graphrag.resolve.mentions import Resolution
from graphrag.store.changes import ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.rows import edge, to_row, vector_bytes
from graphrag.text.split import split_passages


@dataclass(slots=True)
class Plan:
    """The new and the changed values of one episode, with their vectors."""

    episode: Episode
    resolution: Resolution
    entities: dict[str, Entity] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    changed_entities: dict[str, tuple[Entity, Entity]] = field(default_factory=dict)
    changed_facts: dict[str, tuple[Fact, Fact]] = field(default_factory=dict)
    """By id: as it was stored, and as it is to be."""
    summaries: list[Update] = field(default_factory=list)
    """New summaries of stored entities."""
    passages: list[tuple[int, int]] = field(default_factory=list)
    vectors: Mapping[str, Matrix] = field(default_factory=dict)
    neighbours: tuple[str | None, str | None] = (None, None)
    """The episodes just before and just after this one by reference time."""
    embed_seconds: float = 0.0
    kind: str = "add_episode"
    """Kind of the event."""
    note: str | None = None
    """What was read and not believed as it was read, in words, for the event."""
    dropped: tuple[str, ...] = ()
    """What was read and became nothing, in words."""
    new_saga: Saga | None = None
    """The saga that the episode is the first of."""
    waiting: Episode | None = None
    """The episode as it is stored already, with its place and its passages, to be finished."""

    def changes(self) -> ChangeSet:
        """Return the transaction that writes this plan."""
        episode, group = self.episode, self.episode.group_id
        changes = ChangeSet(group, kind=self.kind, note=self.note)
        if self.new_saga is not None:
            changes.insert(self.new_saga)
        if self.waiting is not None:
            changes.change(self.waiting, episode)
        else:
            changes.insert(episode, self.vectors[episode.id])
        for entity in self.entities.values():
            changes.insert(entity, self.vectors[entity.id])
        for fact in self.facts.values():
            changes.insert(fact, self.vectors[fact.id])
        for table, pairs in (
            ("entity", self.changed_entities.values()),
            ("relates_to", self.changed_facts.values()),
        ):
            changes.updates.extend(_update(table, before, after) for before, after in pairs)
        changes.updates.extend(self.summaries)
        for mention, entity_id in self._first_mentions().items():
            changes.insert_row(
                "mentions",
                edge(
                    "mentions",
                    new_id(),
                    ("episode", episode.id),
                    ("entity", entity_id),
                    group_id=group,
                    start=mention.start,
                    end=mention.end,
                ),
            )
        if self.waiting is None:
            self._pass(changes)
            self._order(changes)
        return changes

    def enter(self, index: GroupIndex, seq: int) -> None:
        """Put what was committed as event ``seq`` into the index."""

        def stack(ids: Sequence[str]) -> Matrix:
            return np.stack([self.vectors[id_] for id_ in ids])

        if self.entities:
            index.add_entities(list(self.entities.values()), stack(list(self.entities)))
        for _, entity in self.changed_entities.values():
            index.change_entity(entity)
        for update in self.summaries:
            index.summarize(update.id, update.after["summary"])
        if self.facts:
            index.add_facts(list(self.facts.values()), stack(list(self.facts)))
        for _, fact in self.changed_facts.values():
            index.change_fact(fact)
        if self.new_saga is not None:
            index.sagas[self.new_saga.name] = self.new_saga.id
        index.seq = seq
        if self.waiting is not None:
            return
        index.add_episodes([self.episode], stack([self.episode.id]))
        if self.passages:
            ids = [f"{self.episode.id}:{number}" for number in range(len(self.passages))]
            index.add_passages(ids, [self.episode.id] * len(ids), stack(ids))

    def _first_mentions(self) -> dict[Mention, str]:
        first: dict[str, Mention] = {}
        for mention, entity_id in self.resolution.entity_of.items():
            if entity_id not in first or mention.start < first[entity_id].start:
                first[entity_id] = mention
        return {mention: entity_id for entity_id, mention in first.items()}

    def _pass(self, changes: ChangeSet) -> None:
        for number, (start, end) in enumerate(self.passages):
            id_ = f"{self.episode.id}:{number}"
            changes.insert_row(
                "passage",
                {
                    "id": Record("passage", id_),
                    "group_id": changes.group_id,
                    "episode": self.episode.id,
                    "start": start,
                    "end": end,
                    "embedding": vector_bytes(self.vectors[id_]),
                },
            )

    def _order(self, changes: ChangeSet) -> None:
        """Put the episode between its neighbours in time: at most one link goes, two come."""
        before, after = self.neighbours
        if before is not None and after is not None:
            changes.deletes.append(("occurred_after", _link(after, before, changes.group_id)))
        if before is not None:
            changes.insert_row("occurred_after", _link(self.episode.id, before, changes.group_id))
        if after is not None:
            changes.insert_row("occurred_after", _link(after, self.episode.id, changes.group_id))


def new_saga(episode: Episode, index: GroupIndex) -> Saga | None:
    """Return the row of the saga that an episode begins, None if it is in none or a known one."""
    if episode.saga is None or episode.saga in index.sagas:
        return None
    return Saga(new_id(), episode.group_id, episode.created_at, episode.saga)


def passages_of(episode: Episode) -> list[tuple[int, int]]:
    """Return the passages of a long episode, none for a short one."""
    passages = split_passages(episode.content)
    return passages if len(passages) > 1 else []


def texts_of(episode: Episode, passages: Sequence[tuple[int, int]]) -> dict[str, str]:
    """Return what is embedded of an episode whatever it says, by id: itself and its passages."""
    texts = {episode.id: episode_text(episode.name, episode.content)}
    for number, (start, end) in enumerate(passages):
        texts[f"{episode.id}:{number}"] = episode_text(episode.name, episode.content[start:end])
    return texts


def _link(later: str, earlier: str, group: str) -> Row:
    # Both ids are in the key: an id deleted in a transaction cannot be inserted again in it.
    return edge(
        "occurred_after",
        f"{later}>{earlier}",
        ("episode", later),
        ("episode", earlier),
        group_id=group,
    )


def _update(table: str, before: Entity | Fact, after: Entity | Fact) -> Update:
    old, new = to_row(before), to_row(after)
    changed = [key for key in old.keys() | new.keys() if old.get(key) != new.get(key)]
    return Update(
        table,
        before.id,
        before={key: old.get(key) for key in sorted(changed)},
        after={key: new.get(key) for key in sorted(changed)},
    )


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
    for fact in new:
        if fact.closed_as in _LOST and not fact.pending:
            yield _words(fact, f"is new, and {_ended(fact)}")


def _ended(fact: Fact) -> str:
    if fact.invalid_at is None:
        return "has no end any more" if fact.closed_as is None else f"is {fact.closed_as}"
    return f"ends {fact.invalid_at:%Y-%m-%d} ({fact.closed_as or 'ended'})"


def _words(fact: Fact, what: str) -> str:
    return f"{fact.subject} {fact.relation} {fact.object}: {what}"
