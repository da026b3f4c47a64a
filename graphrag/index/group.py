"""One group in memory: what search ranks and what ingestion looks up, kept in step with the store.

Rows enter it only after their transaction committed. A fact takes about 1.6 kB at 384 dimensions.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag.index.columns import Shared
from graphrag.index.entries import Adjacency
from graphrag.index.episodes import Episodes, Timeline
from graphrag.index.filed import TextMap
from graphrag.index.merged import Heirs, Rows
from graphrag.index.name_index import NameBook
from graphrag.index.scope import COMMUNITIES, ENTITIES, FACTS, PASSAGES, Scope
from graphrag.index.texts import entity_text, fact_text
from graphrag.model.assertion import held_from
from graphrag.model.attributes import names_of
from graphrag.model.values import JSON, Entity, Episode, Fact
from graphrag.names.key import name_key
from graphrag.protocols import Matrix
from graphrag.temporal.moment import to_micros

BEGINNING, FOREVER = np.iinfo(np.int64).min, np.iinfo(np.int64).max
"""In place of a start that is unknown, and of an end that there is not."""

Mask = npt.NDArray[np.bool_]


class GroupIndex(Shared):
    """The columns of one group."""

    def __init__(self, group_id: str, dimension: int) -> None:
        self.group_id = group_id
        self.seq = 0
        """Number of the newest event that is in here."""
        self.upto: int | None = None  # in a view of the past: the event that its rows are as of
        self.entities = Scope(dimension, ENTITIES, lean=True)
        self.facts = Scope(dimension, FACTS, lean=True)
        self.episodes = Episodes(dimension)
        self.passages = Scope(dimension, PASSAGES)
        self.communities = Scope(dimension, COMMUNITIES)
        self.relations: list[str] = []
        self._relation_code, self._type_code = dict[str, int](), dict[str, int]()
        self.saga_codes: dict[str, int] = {}
        self.sagas: dict[str, str] = {}
        """Id by name of the sagas that have a row."""
        self.names = NameBook()
        self.heirs = Heirs()
        """Columns keep the ends as they are stored; every look-up here follows the heirs."""
        self.summaries = TextMap()
        self.adjacency = Adjacency(self.facts)
        self.timeline = Timeline()
        self.derived: dict[object, Any] = {}
        """What is worked out from these columns: see ``index/retention.py``."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the columns: a copy of them, or their file, has nothing worked out of it yet."""
        return {**vars(self), "derived": {}}

    @property
    def is_part(self) -> bool:
        """Tell whether only some rows of the group, or of several, are in here."""
        return self.facts.postings.assumed is not None

    def entities_named(self, name: str) -> list[str]:
        """Return the ids of the entities that bear this name or alias, oldest first."""
        return self.entities_keyed(name_key(name))

    def entities_keyed(self, key: str) -> list[str]:
        """Return the ids of the entities that have a name or alias with this key."""
        return self.heirs.each(self.names.keyed(key))

    @property
    def types(self) -> list[str]:
        """Return the entity types in the order of their codes."""
        return list(self._type_code)

    def entity_type(self, id_: str) -> str:
        """Return the type of an entity."""
        return self.names.type_of(id_)

    def people_called(self, key: str) -> set[str]:
        """Return the ids of the persons whose first or family name has this key."""
        return set(self.heirs.each(self.names.people(key)))

    def entity_name(self, id_: str) -> str:
        """Return the name of an entity."""
        return self.names.names[id_][0]

    def ends(self, heirs: Heirs | None = None) -> tuple[Rows, Rows]:
        """Return the rows of the subject and the object of every fact, heirs for the merged."""
        heirs = self.heirs if heirs is None else heirs
        subject, object_ = self.facts["subject"], self.facts["object"]
        if not heirs:
            return subject, object_
        rows = heirs.rows(self.entities.row_of, len(self.entities))
        return rows[subject], rows[object_]

    def ends_of(self, fact: int) -> tuple[str, str]:
        """Return the ids of the subject and the object of the fact in this row."""
        ends = (self.facts["subject"][fact], self.facts["object"][fact])
        subject, object_ = (self.heirs.of(self.entities.ids[end]) for end in ends)
        return subject, object_

    def _rows_of(self, entity: str) -> list[int]:
        """Return the rows of an entity and of all that speak through it."""
        row_of = self.entities.row_of
        return [row_of[id_] for id_ in self.heirs.family(entity) if id_ in row_of]

    def facts_of(self, entity: str) -> list[str]:
        """Return the ids of the facts that have this entity as subject or object, oldest first."""
        rows = self._rows_of(entity)
        touching = np.isin(self.facts["subject"], rows) | np.isin(self.facts["object"], rows)
        return [self.facts.ids[fact] for fact in np.flatnonzero(touching & self.facts.alive.values)]

    def facts_at(self, entity: str, relation: str, other: str | None = None) -> list[str]:
        """Return the ids of the facts of one relation at an entity, in either direction.

        With ``other`` only those that lead to it. The cost does not grow with the group.
        """
        return [self.facts.ids[fact] for fact in self.rows_at(entity, relation, other)]

    def rows_at(self, entity: str, relation: str, other: str | None = None) -> list[int]:
        """Return the rows of what ``facts_at`` gives, in the order of telling."""
        code = self._relation_code.get(relation)
        if code is None:
            return []
        rows = self.adjacency.at(self._rows_of(entity), code)
        if other is not None and len(rows):
            rows = np.intersect1d(rows, self.adjacency.at(self._rows_of(other), code))
        return list(rows[self.facts.alive.values[rows]].tolist())

    def latest_facts(self, entity: str, *, relations: int, each: int) -> dict[str, list[int]]:
        """Return the rows of the facts added last at an entity, by relation, in order of addition.

        Up to ``each`` rows of up to ``relations`` relations, the one added last first; quickly.
        """
        latest = self.adjacency.latest(self._rows_of(entity), relations=relations, each=each)
        alive = self.facts.alive.values
        return {
            self.relations[code]: [fact for fact in rows if alive[fact]]
            for code, rows in latest.items()
        }

    def summary(self, id_: str) -> str:
        """Return the summary of an entity."""
        return "".join(self.summaries.find(id_))

    def add_entities(self, entities: Sequence[Entity], vectors: Matrix) -> None:
        """Append entities; one vector each."""
        ids, texts = [entity.id for entity in entities], [*map(entity_text, entities)]
        rows = [self._columns(entity) for entity in entities]
        columns = {name: [row[name] for row in rows] for name in self.entities.columns}
        self.entities.extend(ids, vectors, texts, columns)
        for entity in entities:
            self.summarize(entity.id, entity.summary)
            self._register(entity)

    def change_entity(self, entity: Entity) -> None:
        """Take over whatever is new about an entity."""
        self.entities.replace(entity.id, None, entity_text(entity), **self._columns(entity))
        self.summarize(entity.id, entity.summary)
        self._register(entity)

    def summarize(self, id_: str, summary: str) -> None:
        """Take over an entity's new summary, which is remembered and not searched."""
        self.summaries[id_] = (summary,) if summary else ()

    def add_facts(self, facts: Sequence[Fact], vectors: Matrix) -> None:
        """Append facts; one vector each, their entities already present."""
        row_of = self.entities.row_of
        self.facts.extend(
            [fact.id for fact in facts],
            vectors,
            [fact_text(fact) for fact in facts],
            {
                "subject": [row_of[fact.subject_id] for fact in facts],
                "object": [row_of[fact.object_id] for fact in facts],
                "relation": [self.relation_code(fact.relation) for fact in facts],
                "valid": [to_micros(held_from(fact), BEGINNING) for fact in facts],
                "invalid": [to_micros(fact.invalid_at, FOREVER) for fact in facts],
                "retracted": [to_micros(fact.retracted_at, FOREVER) for fact in facts],
                "pending": [fact.pending for fact in facts],
                "observed": [fact.observed for fact in facts],
            },
        )

    def change_fact(self, fact: Fact) -> None:
        """Take over a fact's new interval."""
        self.facts.replace(
            fact.id,
            valid=to_micros(held_from(fact), BEGINNING),
            invalid=to_micros(fact.invalid_at, FOREVER),
            retracted=to_micros(fact.retracted_at, FOREVER),
            pending=fact.pending,
            observed=fact.observed,
        )

    def add_episodes(self, episodes: Sequence[Episode], vectors: Matrix) -> None:
        """Append episodes; one vector each."""
        times = [to_micros(episode.valid_at, BEGINNING) for episode in episodes]
        self.episodes.enter(
            [episode.id for episode in episodes],
            vectors,
            [(episode.name, episode.content, episode.source) for episode in episodes],
            {
                "valid": times,
                "removed": [to_micros(episode.removed_at, FOREVER) for episode in episodes],
                "saga": [self.saga_code(episode.saga) for episode in episodes],
            },
        )
        for one, valid_at in zip(episodes, times, strict=True):
            stands = one.removed_at is None
            self.timeline.enter(one.id, one.content_hash, valid_at, one.key, stands=stands)

    def change_episode(self, episode: Episode) -> None:
        """Take over whether an episode is removed; a removed one may be added again."""
        removed = to_micros(episode.removed_at, FOREVER)
        self.episodes.replace(episode.id, removed=removed, saga=self.saga_code(episode.saga))
        said = episode.content_hash, to_micros(episode.valid_at, BEGINNING)
        self.timeline.stand(episode.id, *said, episode.key, stands=removed == FOREVER)

    def add_passages(self, ids: Sequence[str], episodes: Sequence[str], vectors: Matrix) -> None:
        """Append the passages of long episodes, which are already present."""
        rows = [self.episodes.row_of[episode] for episode in episodes]
        self.passages.extend(ids, vectors, [""] * len(ids), {"episode": rows})

    def relation_code(self, relation: str) -> int:
        """Return the number that stands for a relation in the columns."""
        if relation not in self._relation_code:
            self._relation_code[relation] = len(self.relations)
            self.relations.append(relation)
        return self._relation_code[relation]

    def type_code(self, entity_type: str) -> int:
        """Return the number that stands for an entity type in the columns."""
        return self._type_code.setdefault(entity_type, len(self._type_code))

    def saga_code(self, saga: str | None) -> int:
        """Return the number that stands for a saga in the columns, -1 for none."""
        return -1 if saga is None else self.saga_codes.setdefault(saga, len(self.saga_codes))

    def register_entity(
        self,
        id_: str,
        entity_type: str,
        names: Sequence[str],
        attributes: Mapping[str, JSON],
        merged_into: str | None,
    ) -> None:
        """Make an entity findable by its names, the proper one first, or let its heir be found."""
        self.names.enter(id_, entity_type, names, attributes)
        if merged_into is not None or id_ in self.heirs:
            self.heirs.redirect(id_, merged_into)

    def _columns(self, entity: Entity) -> dict[str, int]:
        kind, removed = self.type_code(entity.entity_type), to_micros(entity.removed_at, FOREVER)
        return {"type": kind, "removed": removed, "endings": bool(entity.endings)}

    def _register(self, entity: Entity) -> None:
        names, given = names_of(entity), entity.attributes
        self.register_entity(entity.id, entity.entity_type, names, given, entity.merged_into)
