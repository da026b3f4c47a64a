"""What one episode will change: its own rows and links beside what it says."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphrag.index.group import GroupIndex
from graphrag.index.texts import episode_text
from graphrag.ingest.plan import Plan
from graphrag.model.extraction import Mention
from graphrag.model.ids import new_id
from graphrag.model.values import Episode, Saga
from graphrag.resolve.mentions import Resolution
from graphrag.store.changes import ChangeSet
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.rows import edge, vector_bytes
from graphrag.text.split import split_passages


@dataclass(slots=True, kw_only=True)
class EpisodePlan(Plan):
    """The new and the changed values of one episode, with their vectors."""

    episode: Episode
    resolution: Resolution = field(default_factory=Resolution)
    passages: list[tuple[int, int]] = field(default_factory=list)
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
        self.write(changes)
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
        # Not ``super()``: a dataclass with slots is another class than the one written here.
        Plan.enter(self, index, seq)
        if self.new_saga is not None:
            index.sagas[self.new_saga.name] = self.new_saga.id
        if self.waiting is not None:
            return
        index.add_episodes([self.episode], self.stacked([self.episode.id]))
        if self.passages:
            ids = [f"{self.episode.id}:{number}" for number in range(len(self.passages))]
            index.add_passages(ids, [self.episode.id] * len(ids), self.stacked(ids))

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
