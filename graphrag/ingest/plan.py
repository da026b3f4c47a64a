"""Plans: the changes that a transaction will write, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphrag.errors import InputError
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.index.load import change_values, enter_passages, enter_values
from graphrag.index.texts import embed_texts, entity_text, episode_text, fact_text
from graphrag.ingest.summaries import ends_of
from graphrag.model.extraction import Mention
from graphrag.model.ids import new_id
from graphrag.model.values import Entity, Episode, Fact, Saga
from graphrag.ontology.conform import Violation
from graphrag.protocols import Embedder, Matrix
from graphrag.store.changes import ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.rows import edge, vector_bytes
from graphrag.temporal.moment import to_micros
from graphrag.text.split import split_passages


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row of an import that was skipped."""

    place: str
    """Location of the row: ``row 7``, ``jobs.csv, line 7``."""
    error: InputError

    @classmethod
    def at(cls, place: str, error: InputError) -> "SkippedRow":
        """Return the skipped row at a place that is worded as in the error."""
        return cls(place.removesuffix(": "), error)


@dataclass(slots=True)
class EpisodeRows:
    """An episode with its passages, its mentions and its place in time, as it is stored."""

    episode: Episode
    stored: Episode | None = None
    """As it is in the store already, with its place and its passages, to be finished."""
    entity_of: Mapping[Mention, str] = field(default_factory=dict)
    saga: Saga | None = None
    neighbours: tuple[str | None, str | None] = (None, None)
    """The episodes just before and just after this one by reference time."""
    passages: dict[str, tuple[int, int]] = field(init=False)
    """Of a long episode, by id; none of a short one."""

    def __post_init__(self) -> None:
        spans = split_passages(self.episode.content)
        named = {f"{self.episode.id}:{number}": span for number, span in enumerate(spans)}
        self.passages = named if len(named) > 1 else {}

    def place(self, index: GroupIndex) -> None:
        """Find its place among the episodes and sagas of the group as it is."""
        at = to_micros(self.episode.valid_at, BEGINNING)
        self.neighbours = index.timeline.around(at, self.episode.id)
        self.saga = new_saga(self.episode, index)

    def texts(self) -> dict[str, str]:
        """Return what is embedded of the episode whatever it says, by id."""
        id_, name, content = self.episode.id, self.episode.name, self.episode.content
        spans = {id_: (0, len(content)), **self.passages}
        return {id_: episode_text(name, content[start:end]) for id_, (start, end) in spans.items()}

    def write(self, changes: ChangeSet, vectors: Mapping[str, Matrix]) -> None:
        """Add the episode to a transaction."""
        if self.saga is not None:
            changes.insert(self.saga)
        if self.stored is not None:
            changes.change(self.stored, self.episode)
        else:
            changes.insert(self.episode, vectors[self.episode.id])

    def link(self, changes: ChangeSet, vectors: Mapping[str, Matrix]) -> None:
        """Add what hangs on the episode: links to entities and neighbours, and its passages."""
        group, id_ = changes.group_id, self.episode.id
        first: dict[str, Mention] = {}
        for mention, entity in self.entity_of.items():
            if entity not in first or mention.start < first[entity].start:
                first[entity] = mention
        for entity, mention in first.items():
            link = edge("mentions", new_id(), ("episode", id_), ("entity", entity), group_id=group)
            changes.insert_row("mentions", link | {"start": mention.start, "end": mention.end})
        if self.stored is not None:
            return
        for passage, (start, end) in self.passages.items():
            row = {"id": Record("passage", passage), "group_id": group, "episode": id_}
            row |= {"start": start, "end": end, "embedding": vector_bytes(vectors[passage])}
            changes.insert_row("passage", row)
        before, after = self.neighbours  # at most one link goes, two come
        if before is not None and after is not None:
            changes.deletes.append(("occurred_after", _link(after, before, group)))
        if before is not None:
            changes.insert_row("occurred_after", _link(id_, before, group))
        if after is not None:
            changes.insert_row("occurred_after", _link(after, id_, group))


@dataclass(slots=True, kw_only=True)
class Plan:
    """What one transaction changes in a group, with the vectors of what is new."""

    group: str
    kind: str
    actor: str = ""
    note: str | None = None
    """What was read and not believed as it was read, in words, for the event."""
    text: EpisodeRows | None = None
    """The episode that is stored or finished, if it is read from one."""
    entities: dict[str, Entity] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    changed_entities: dict[str, tuple[Entity, Entity]] = field(default_factory=dict)
    """By id: as it was stored, and as it is to be."""
    changed_facts: dict[str, tuple[Fact, Fact]] = field(default_factory=dict)
    summaries: list[Update] = field(default_factory=list)
    vectors: Mapping[str, Matrix] = field(default_factory=dict)
    stands: Mapping[str, str] = field(default_factory=dict)
    """By the id that each stated fact would have had: the fact that stands for it."""
    repeated: dict[str, Fact] = field(default_factory=dict)
    """Facts that the graph had before, as they are to be."""
    notes: tuple[str, ...] = ()
    """What gave way to what is trusted more, or is newer, or became nothing, in words."""
    extra: tuple[str, ...] = ()
    skipped: tuple[SkippedRow, ...] = ()
    """Facts that were left out because they cannot be added."""
    violations: tuple[tuple[str, Violation], ...] = ()
    """What does not fit the ontology, with where it stands."""

    @property
    def touched(self) -> list[str]:
        """Return the entities whose facts this adds to or changes."""
        changed = [after for _, after in self.changed_facts.values()]
        return ends_of([*self.facts.values(), *changed])

    async def embed(self, embedder: Embedder, given: Mapping[str, Matrix] | None = None) -> None:
        """Have a vector of each new record, in one call for those that are not given."""
        known = given or {}
        texts = {} if self.text is None or self.text.stored is not None else self.text.texts()
        texts |= {id_: entity_text(entity) for id_, entity in self.entities.items()}
        texts |= {id_: fact_text(fact) for id_, fact in self.facts.items()}
        missing = {id_: text for id_, text in texts.items() if id_ not in known}
        self.vectors = {**known, **await embed_texts(embedder, missing)}

    def changes(self) -> ChangeSet:
        """Return the transaction that writes this plan; an empty one if nothing is new."""
        changes = ChangeSet(self.group, self.kind, self.actor, self.note)
        if self.text is not None:
            self.text.write(changes, self.vectors)
        new: list[Entity | Fact] = [*self.entities.values(), *self.facts.values()]
        for record in new:
            changes.insert(record, self.vectors[record.id])
        for before, after in self.changed_entities.values():
            changes.change(before, after)
        for old, changed in self.changed_facts.values():
            changes.change(old, changed)
        changes.updates += self.summaries
        if self.text is not None:
            self.text.link(changes, self.vectors)
        return changes

    def enter(self, index: GroupIndex, seq: int) -> None:
        """Put what was committed as event ``seq`` into the index."""
        enter_values(index, self.entities.values(), self.vectors)
        change_values(index, (entity for _, entity in self.changed_entities.values()))
        for update in self.summaries:
            index.summarize(update.id, update.after["summary"])
        enter_values(index, self.facts.values(), self.vectors)
        change_values(index, (fact for _, fact in self.changed_facts.values()))
        index.seq = seq
        text = self.text
        if text is not None and text.saga is not None:
            index.sagas[text.saga.name] = text.saga.id
        if text is None or text.stored is not None:
            return
        enter_values(index, [text.episode], self.vectors)
        enter_passages(index, text.episode.id, text.passages, self.vectors)


def new_saga(episode: Episode, index: GroupIndex) -> Saga | None:
    """Return the row of the saga that an episode begins, None if it is in none or a known one."""
    if episode.saga is None or episode.saga in index.sagas:
        return None
    return Saga(new_id(), episode.group_id, episode.created_at, episode.saga)


def _link(later: str, earlier: str, group: str) -> Row:
    # Both ids are in the key: an id deleted in a transaction cannot be inserted again in it.
    ends = ("episode", later), ("episode", earlier)
    return edge("occurred_after", f"{later}>{earlier}", *ends, group_id=group)
