"""Plans: what a transaction will change, as values before anything is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.index.texts import embed_texts, entity_text, episode_text, fact_text
from graphrag.ingest.summaries import ends_of
from graphrag.model.extraction import Mention
from graphrag.model.ids import new_id
from graphrag.model.values import Entity, Episode, Fact, Saga
from graphrag.ontology.conform import Violation
from graphrag.protocols import Embedder, Matrix
from graphrag.resolve.mentions import Resolution
from graphrag.store.changes import ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.rows import edge, vector_bytes
from graphrag.text.split import split_passages


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

    @property
    def touched(self) -> list[str]:
        """Return the entities whose facts this adds to or changes."""
        changed = [after for _, after in self.changed_facts.values()]
        return ends_of([*self.facts.values(), *changed])

    def texts(self) -> dict[str, str]:
        """Return what is embedded of each new record, by its id."""
        texts = {id_: entity_text(entity) for id_, entity in self.entities.items()}
        return texts | {id_: fact_text(fact) for id_, fact in self.facts.items()}

    async def embed(self, embedder: Embedder, given: Mapping[str, Matrix] | None = None) -> None:
        """Have a vector of each new record, in one call for those that are not given."""
        known = dict(given or {})
        texts = {id_: text for id_, text in self.texts().items() if id_ not in known}
        self.vectors = known | await embed_texts(embedder, texts)

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


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row of a table that is not in the graph."""

    place: str
    """Where it stands: ``row 7``, ``jobs.csv, line 7``."""
    error: InputError

    @classmethod
    def at(cls, place: str, error: InputError) -> "SkippedRow":
        """Return what was skipped at a place that is written as in the error."""
        return cls(place.removesuffix(": "), error)


@dataclass(slots=True, kw_only=True)
class DirectPlan(Plan):
    """New and changed values of given facts, with their vectors."""

    group: str
    repeated: dict[str, Fact] = field(default_factory=dict)
    """Facts that the graph had before, as they are to be."""
    stands: Mapping[str, str] = field(default_factory=dict)
    """By the id that each given fact would have had: the fact that stands for it."""
    notes: tuple[str, ...] = ()
    """What gave way to what is trusted more, or is newer, in words."""
    extra: tuple[str, ...] = ()
    """Ids of the entities that were given apart from any fact."""
    skipped: tuple["SkippedRow", ...] = ()
    """Facts that were left out because they cannot be added."""
    violations: tuple[tuple[str, Violation], ...] = ()
    """What does not fit the ontology, with where it stands."""

    def changes(self, kind: str, actor: str = "") -> ChangeSet:
        """Return the transaction that writes this plan; an empty one if nothing is new."""
        changes = ChangeSet(self.group, kind=kind, actor=actor)
        self.write(changes)
        return changes


@dataclass(slots=True, kw_only=True)
class EpisodePlan(Plan):
    """The new and the changed values of one episode, with their vectors."""

    episode: Episode
    resolution: Resolution = field(default_factory=Resolution)
    passages: list[tuple[int, int]] = field(default_factory=list)
    neighbours: tuple[str | None, str | None] = (None, None)
    """The episodes just before and just after this one by reference time."""
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

    def texts(self) -> dict[str, str]:
        """Return what is embedded: the episode, its passages, and the new records."""
        # Not ``super()``: a dataclass with slots is another class than the one written here.
        return texts_of(self.episode, self.passages) | Plan.texts(self)

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
