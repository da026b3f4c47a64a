"""One group in memory: what search ranks and what ingestion looks up, kept in step with the store.

Rows enter it only after their transaction committed. A fact takes about 1.6 kB at 384 dimensions.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from graphrag.index.arrays import ArrayFile
from graphrag.index.columns import Shared
from graphrag.index.edges import Ends, MergedIds
from graphrag.index.entries import ROW_BITS, Rows, Segments
from graphrag.index.name_index import NameBook
from graphrag.index.scope import COMMUNITIES, ENTITIES, FACTS, PASSAGES, ScopeIndex
from graphrag.index.text_map import TextMap
from graphrag.index.texts import EpisodeOrder, Episodes
from graphrag.model.values import JSON
from graphrag.names.key import name_key

BEGINNING, FOREVER = np.iinfo(np.int64).min, np.iinfo(np.int64).max
"""In place of a start that is unknown, and of an end that there is not."""

_FEW_FACTS: Final = 5_000
"""Facts up to which a pass over all of them is as quick as looking at an entity's."""
_WALKED: Final = 8
"""A walk over more than this part of all facts is quicker as passes over all of them."""


class Adjacency:
    """Rows of facts by the rows of their ends as stored, which never change.

    Whoever follows merges asks for all merged ids.
    """

    def __init__(self, facts: ScopeIndex) -> None:
        self._facts, self._segments = facts, Segments()
        self._entered = 0

    def at(self, ends: Sequence[int], relation: int) -> npt.NDArray[np.integer]:
        """Return the facts of one relation at an entity of several rows, in order of addition."""
        rows = self._all_at(ends)
        return np.asarray(rows[self._facts["relation"][rows] == relation])

    def latest(self, ends: Sequence[int], *, relations: int, each: int) -> dict[int, list[int]]:
        """Return up to ``each`` rows of the ``relations`` relations added to last, by id."""
        rows, ids = self._all_at(ends), self._facts.ids
        if not ids.ascend:  # the rows of another process came later than their ids were made
            rows = np.array(sorted(rows.tolist(), key=ids.__getitem__), dtype=np.intp)
        codes = self._facts["relation"][rows]
        newest = dict.fromkeys(codes[::-1].tolist())
        return {code: rows[codes == code][-each:].tolist() for code in [*newest][:relations]}

    def _all_at(self, ends: Sequence[int]) -> npt.NDArray[np.integer]:
        self._enter()
        if len(ends) == 1:
            return self._segments.of(ends[0])[0]
        return np.unique(self._segments.of_each(np.array(ends, dtype=np.intp))[1])

    def around(self, entities: Rows, before: int) -> Rows | None:
        """Return the facts at some entities below row ``before``; None if a scan is faster."""
        if before < _FEW_FACTS:
            return None
        self._enter()
        if self._segments.counts(entities).sum() > before // _WALKED:
            return None
        rows = self._segments.of_each(entities)[1]
        return rows if self._entered == before else rows[rows < before]

    def _enter(self) -> None:
        first, last = self._entered, len(self._facts)
        if first < last:
            self._entered = last
            rows = np.arange(first, last)
            ends = (self._facts[name][first:last] for name in ("subject", "object"))
            pairs = [end.astype(np.int64) << ROW_BITS | rows for end in ends]
            self._segments.add(np.concatenate(pairs))


class GroupIndex(Shared):
    """The columns of one group."""

    def __init__(self, group_id: str, dimension: int) -> None:
        self.group_id = group_id
        self.seq = 0
        """Number of the newest event that is in here."""
        self.upto: int | None = None  # in a view of the past: the event that its rows are as of
        self.entities = ScopeIndex(dimension, ENTITIES)
        self.facts = ScopeIndex(dimension, FACTS)
        self.episodes = Episodes(dimension)
        self.passages = ScopeIndex(dimension, PASSAGES)
        self.communities = ScopeIndex(dimension, COMMUNITIES)
        self.relations: list[str] = []
        self._relation_code, self._type_code = dict[str, int](), dict[str, int]()
        self.saga_codes: dict[str, int] = {}
        self.sagas: dict[str, str] = {}
        """Id by name of the sagas that have a row."""
        self.names = NameBook()
        self.heirs = MergedIds()
        """Columns keep the ends as they are stored; every look-up here follows the heirs."""
        self.summaries = TextMap()
        self.adjacency = Adjacency(self.facts)
        self.timeline = EpisodeOrder()
        self.derived: dict[object, Any] = {}
        """What is worked out from these columns: see ``index/retention.py``."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the columns: a copy of them, or their file, has nothing worked out of it yet."""
        return {**vars(self), "derived": {}}

    def exchange(self, file: ArrayFile) -> None:
        """Write the group, or read it."""
        self._relation_code = file.distinct("relations", self.relations)
        self.relations = [*self._relation_code]
        self._type_code = file.distinct("types", self._type_code)
        self.saga_codes = file.distinct("saga_codes", self.saga_codes)
        sagas = file.strings("sagas", self.sagas)
        ids = file.strings("saga_ids", self.sagas.values(), len(sagas))
        self.sagas = dict(zip(sagas, ids, strict=True))
        entities, facts, episodes = self.entities, self.facts, self.episodes
        entities.exchange(file, "entities", {"type": range(len(self.types))})
        within = dict.fromkeys(("subject", "object"), range(len(entities)))
        facts.exchange(file, "facts", {**within, "relation": range(len(self.relations))})
        episodes.exchange(file, "episodes", {"saga": range(-1, len(self.saga_codes))})
        episodes.exchange_links(file, "episodes", len(entities), len(facts))
        self.passages.exchange(file, "passages", {"episode": range(len(episodes))})
        self.communities.exchange(file, "communities", {})
        named, dated = (
            {} if file.reads else dict(zip(scope.ids, range(len(scope)), strict=True))
            for scope in (entities, episodes)
        )
        self.names.exchange(file, "names", entities.ids, named)
        self.summaries.exchange_by_row(file, "summaries", entities.ids, named)
        self.heirs.exchange(file, "heirs")
        self.timeline.exchange(file, "timeline", episodes, dated)

    @property
    def scopes(self) -> dict[str, ScopeIndex]:
        """The columns of each table."""
        return {
            "entity": self.entities,
            "relates_to": self.facts,
            "episode": self.episodes,
            "passage": self.passages,
            "community": self.communities,
        }

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

    def ends(self, heirs: MergedIds | None = None) -> tuple[Ends, Ends]:
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

    def rows_at(self, entity: str, relation: str, end: str | None = None) -> list[int]:
        """Return the rows of the facts of one relation at an entity, or those that join an ``end``.

        They are in the order of addition. The cost does not grow with the group.
        """
        code = self._relation_code.get(relation)
        if code is None:
            return []
        rows = self.adjacency.at(self._rows_of(entity), code)
        if end is not None and len(rows):
            rows = np.intersect1d(rows, self.adjacency.at(self._rows_of(end), code))
        return list(rows[self.facts.alive.values[rows]].tolist())

    def latest_facts(self, entity: str, *, relations: int, each: int) -> dict[str, list[int]]:
        """Return up to ``each`` rows of the ``relations`` relations added last at an entity.

        The relation added to last comes first. The rows of each are in the order of their ids: by
        the moment at which the facts were made, then by id. So it is in every process.
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

    def summarize(self, id_: str, summary: str) -> None:
        """Take over an entity's new summary, which is remembered and not searched."""
        self.summaries[id_] = (summary,) if summary else ()

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
