"""One group in memory: what search ranks and what ingestion looks up, kept in step with the store.

The index is never ahead of the store: rows enter it only after their transaction committed.
Filters are masks over columns, so a filtered search is exact and no slower than an unfiltered one.
Memory is about 1.6 kB a fact at 384 dimensions, nearly all of it the vector.
"""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from graphrag.index.ends import Ends
from graphrag.index.scope import Scope
from graphrag.models import Entity, Episode, Fact
from graphrag.names import is_name, name_key
from graphrag.protocols import Matrix
from graphrag.temporal.moment import to_micros

BEGINNING = np.iinfo(np.int64).min
"""Start of an interval whose start is unknown, in microseconds."""
FOREVER = np.iinfo(np.int64).max
"""End of an interval that has not ended, in microseconds."""

Mask = npt.NDArray[np.bool_]


class GroupIndex:
    """The columns of one group."""

    def __init__(self, group_id: str, dimension: int) -> None:
        self.group_id = group_id
        self.seq = 0
        """Number of the newest event that is in here."""
        self.entities = Scope(dimension, {"type": np.int16})
        self.facts = Scope(
            dimension,
            {
                "subject": np.int32,
                "object": np.int32,
                "relation": np.int32,
                "valid": np.int64,
                "invalid": np.int64,
                "retracted": np.int64,
                "pending": np.bool_,
            },
        )
        self.episodes = Scope(dimension, {"valid": np.int64})
        self.passages = Scope(dimension, {"episode": np.int32})
        self.relations: list[str] = []
        self._relation_code: dict[str, int] = {}
        self._type_code: dict[str, int] = {}
        self._entities_by_key: dict[str, list[str]] = defaultdict(list)
        self._entity_type: dict[str, str] = {}
        self._entity_name: dict[str, str] = {}
        self._people_by_token: dict[str, set[str]] = defaultdict(set)
        self._summary: dict[str, str] = {}
        self._facts_by_end: Ends | None = None
        self._episode_by_hash: dict[tuple[str, int], str] = {}
        self._timeline: list[tuple[int, str]] = []

    # -- lookups of the write path -------------------------------------------------------------

    def entities_named(self, name: str) -> list[str]:
        """Return the ids of the entities that bear this name or alias, oldest first."""
        return self.entities_keyed(name_key(name))

    def entities_keyed(self, key: str) -> list[str]:
        """Return the ids of the entities that have a name or alias with this key."""
        return self._entities_by_key.get(key, [])

    @property
    def types(self) -> list[str]:
        """Return the entity types in the order of their codes."""
        return list(self._type_code)

    def entity_type(self, id_: str) -> str:
        """Return the type of an entity."""
        return self._entity_type[id_]

    def people_called(self, key: str) -> set[str]:
        """Return the ids of the persons whose first or family name has this key."""
        return self._people_by_token.get(key, set())

    def known_names(self) -> Iterable[str]:
        """Return the key of every name and alias."""
        return self._entities_by_key.keys()

    def entity_name(self, id_: str) -> str:
        """Return the name of an entity."""
        return self._entity_name[id_]

    def facts_of(self, entity: str) -> list[str]:
        """Return the ids of the facts that have this entity as subject or object, oldest first."""
        row = self.entities.row_of.get(entity)
        if row is None:
            return []
        touching = (self.facts["subject"] == row) | (self.facts["object"] == row)
        return [self.facts.ids[fact] for fact in np.flatnonzero(touching & self.facts.alive.values)]

    def facts_at(self, entity: str, relation: str, other: str | None = None) -> list[str]:
        """Return the ids of the facts of one relation at an entity, in either direction.

        With ``other`` only those that lead to it. The cost does not grow with the group.
        """
        row, code = self.entities.row_of.get(entity), self._relation_code.get(relation)
        if row is None or code is None:
            return []
        rows = self._by_end().at(row, code)
        if other is not None:
            end = self.entities.row_of.get(other, -1)
            subject, object_ = self.facts["subject"], self.facts["object"]
            rows = [fact for fact in rows if end in (subject[fact], object_[fact])]
        alive = self.facts.alive.values
        return [self.facts.ids[fact] for fact in rows if alive[fact]]

    def facts_told_last(self, entity: str, *, relations: int, each: int) -> dict[str, list[int]]:
        """Return the rows of the facts told last at an entity, by relation, in order of telling.

        Up to ``each`` rows of up to ``relations`` relations, the one told last first: the cost does
        not grow with the number of facts.
        """
        row = self.entities.row_of.get(entity, -1)
        alive = self.facts.alive.values
        subject, object_ = self.facts["subject"], self.facts["object"]
        return {
            self.relations[code]: [
                fact for fact in rows if alive[fact] and row in (subject[fact], object_[fact])
            ]
            for code, rows in self._by_end().latest(row, relations=relations, each=each).items()
        }

    def summary(self, id_: str) -> str:
        """Return the summary of an entity."""
        return self._summary.get(id_, "")

    def episode_known(self, content_hash: str, valid_at: int) -> str | None:
        """Return the id of the episode with this content and reference time, if any."""
        return self._episode_by_hash.get((content_hash, valid_at))

    def neighbours_in_time(self, valid_at: int, id_: str) -> tuple[str | None, str | None]:
        """Return the episodes just before and just after a new one, by reference time."""
        place = bisect_left(self._timeline, (valid_at, id_))
        before = self._timeline[place - 1][1] if place else None
        after = self._timeline[place][1] if place < len(self._timeline) else None
        return before, after

    def latest_before(self, valid_at: int, count: int) -> list[str]:
        """Return up to ``count`` episodes up to this reference time, oldest first."""
        place = bisect_left(self._timeline, (valid_at + 1, ""))
        return [id_ for _, id_ in self._timeline[max(0, place - count) : place]]

    # -- growth --------------------------------------------------------------------------------

    def add_entities(self, entities: Sequence[Entity], vectors: Matrix) -> None:
        """Append entities; one vector each."""
        texts = [entity_text(entity) for entity in entities]
        types = [self.type_code(entity.entity_type) for entity in entities]
        self.entities.extend([entity.id for entity in entities], vectors, texts, {"type": types})
        for entity in entities:
            self.summarize(entity.id, entity.summary)
            self._register(entity)

    def change_entity(self, entity: Entity) -> None:
        """Take over an entity's new name, aliases, type or summary."""
        code = self.type_code(entity.entity_type)
        self.entities.replace(entity.id, text=entity_text(entity), type=code)
        self.summarize(entity.id, entity.summary)
        self._register(entity)

    def summarize(self, id_: str, summary: str) -> None:
        """Take over an entity's new summary, which is remembered and not searched."""
        if summary:
            self._summary[id_] = summary
        else:
            self._summary.pop(id_, None)

    def add_facts(self, facts: Sequence[Fact], vectors: Matrix) -> None:
        """Append facts; one vector each, their entities already present."""
        row_of = self.entities.row_of
        first = len(self.facts)
        self.facts.extend(
            [fact.id for fact in facts],
            vectors,
            [fact_text(fact) for fact in facts],
            {
                "subject": [row_of[fact.subject_id] for fact in facts],
                "object": [row_of[fact.object_id] for fact in facts],
                "relation": [self.relation_code(fact.relation) for fact in facts],
                "valid": [to_micros(fact.valid_at, BEGINNING) for fact in facts],
                "invalid": [to_micros(fact.invalid_at, FOREVER) for fact in facts],
                "retracted": [to_micros(fact.retracted_at, FOREVER) for fact in facts],
                "pending": [fact.pending for fact in facts],
            },
        )
        if self._facts_by_end is not None:
            self._link(range(first, len(self.facts)))

    def change_fact(self, fact: Fact) -> None:
        """Take over a fact's new interval."""
        self.facts.replace(
            fact.id,
            valid=to_micros(fact.valid_at, BEGINNING),
            invalid=to_micros(fact.invalid_at, FOREVER),
            retracted=to_micros(fact.retracted_at, FOREVER),
            pending=fact.pending,
        )

    def add_episodes(self, episodes: Sequence[Episode], vectors: Matrix) -> None:
        """Append episodes; one vector each."""
        times = [to_micros(episode.valid_at, BEGINNING) for episode in episodes]
        self.episodes.extend(
            [episode.id for episode in episodes],
            vectors,
            [episode.content for episode in episodes],
            {"valid": times},
        )
        for episode, valid_at in zip(episodes, times, strict=True):
            self.register_episode(episode.id, episode.content_hash, valid_at)

    def add_passages(self, ids: Sequence[str], episodes: Sequence[str], vectors: Matrix) -> None:
        """Append the passages of long episodes, which are already present."""
        rows = [self.episodes.row_of[episode] for episode in episodes]
        self.passages.extend(ids, vectors, [""] * len(ids), {"episode": rows})

    def relation_code(self, relation: str) -> int:
        """Return the number that stands for a relation in the columns."""
        code = self._relation_code.setdefault(relation, len(self.relations))
        if code == len(self.relations):
            self.relations.append(relation)
        return code

    def type_code(self, entity_type: str) -> int:
        """Return the number that stands for an entity type in the columns."""
        return self._type_code.setdefault(entity_type, len(self._type_code))

    def register_entity(self, id_: str, entity_type: str, names: Sequence[str]) -> None:
        """Make an entity findable by its names, the proper one first."""
        self._entity_type[id_] = entity_type
        self._entity_name[id_] = names[0]
        for name in names:
            ids = self._entities_by_key[name_key(name)]
            if id_ not in ids:
                ids.append(id_)
            tokens = name_key(name).split()
            if entity_type == "person" and tokens and is_name(name):
                self._people_by_token[tokens[0]].add(id_)
                self._people_by_token[tokens[-1]].add(id_)

    def register_episode(self, id_: str, content_hash: str, valid_at: int) -> None:
        """Make an episode findable by its content and by its time."""
        self._episode_by_hash[content_hash, valid_at] = id_
        insort(self._timeline, (valid_at, id_))

    def _register(self, entity: Entity) -> None:
        self.register_entity(entity.id, entity.entity_type, (entity.name, *entity.aliases))

    def _by_end(self) -> Ends:
        if self._facts_by_end is None:  # built by the first write, never needed by readers
            self._facts_by_end = Ends()
            self._link(range(len(self.facts)))
        return self._facts_by_end

    def _link(self, rows: range) -> None:
        assert self._facts_by_end is not None
        subjects, objects, relations = (
            self.facts[name][rows.start : rows.stop].tolist()
            for name in ("subject", "object", "relation")
        )
        for row, subject, object_, relation in zip(rows, subjects, objects, relations, strict=True):
            self._facts_by_end.add(row, relation, {subject, object_})


def entity_text(entity: Entity) -> str:
    """Return the words by which an entity is found: its names.

    A summary would be found through words that the graph did not know yet at ``known_at``; the
    facts that it is made of are ranked anyway, and lead to the entity.
    """
    return " ".join((entity.name, *entity.aliases))


def fact_text(fact: Fact) -> str:
    """Return the words by which a fact is found: names first, a sentence may only say "she"."""
    return f"{fact.subject} {fact.relation.replace('_', ' ')} {fact.object}. {fact.fact}"
