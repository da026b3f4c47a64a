"""Facts with all that they may meet, stored or about to be: what is settled at once."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from graphrag.index.group import GroupIndex
from graphrag.ingest.lifetimes.derive import Outcome, derive
from graphrag.ingest.lifetimes.rivalry import Place, Rivalry, Triple, rows_in, stands, triple_of
from graphrag.ingest.lifetimes.said import Gone, gone_from
from graphrag.model.assertion import Assertion, Ending, Void
from graphrag.model.values import Entity, Fact
from graphrag.ontology.relations import Relations
from graphrag.store.store import Store

if TYPE_CHECKING:
    from graphrag.ingest.lifetimes.nesting import Surroundings
    from graphrag.ingest.standing.ground import Nearby


@dataclass(slots=True)
class Component:
    """Facts that are settled together, by id, and what was said of their entities beside them."""

    index: GroupIndex
    rivalry: Rivalry
    store: Store
    gone: Gone
    """Tell whether an episode is removed, or about to be."""
    now: datetime
    stored: dict[str, Fact] = field(default_factory=dict)
    """The facts before this transaction, about the entities that merges leave."""
    facts: dict[str, Fact] = field(default_factory=dict)
    """The facts as they are to be, those of this transaction included."""
    endings: dict[str, tuple[Ending, ...]] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    supposing: tuple[str, str | None] | None = None
    """A merge that is about to be, or one that is about to be undone."""
    outcome: Outcome | None = None
    nearby: "Nearby | None" = None
    """What standing rules look at; None without any."""
    adding: bool = False
    """True if this transaction only adds: no statement that stands falls."""
    nested: dict[str, Fact] = field(default_factory=dict)
    """Facts, stored or new, that tell which values lie in which."""
    _around: "Surroundings | None" = None
    _reached: dict[Triple, None] = field(default_factory=dict)
    _beside: dict[str, Fact] = field(default_factory=dict)
    """Facts that the columns do not have, or not as they are to be."""
    _quiet: bool | None = None
    """Whether no entity of the group has endings; None until that was asked for."""
    _at: defaultdict[tuple[str, str, str | None], list[str]] = field(
        default_factory=lambda: defaultdict(list)
    )

    @classmethod
    def of(
        cls,
        index: GroupIndex,
        relations: Relations,
        store: Store,
        now: datetime,
        *,
        gone: Collection[str] = (),
        back: Collection[str] = (),
    ) -> "Component":
        """Return a component without facts; some episodes are about to go, or to come back."""
        rivalry = Rivalry.of(index, relations)
        component = cls(index, rivalry, store, gone_from(index, gone=gone, back=back), now)
        if (program := rivalry.program) is not None:
            from graphrag.ingest.standing.ground import Nearby

            component.nearby = Nearby(program, relations, index)
        return component

    def enter(self, fact: Fact) -> None:
        """Let a fact be met that is new, or is being written."""
        self._beside[fact.id] = fact
        if fact.id in self.index.facts.row_of:
            return
        if self.nearby is not None:
            self.nearby.enter(fact)
        name, subject, object_ = fact.relation, fact.subject_id, fact.object_id
        if name in self.rivalry.nestable:
            self._surroundings().enter(fact)
        self._at[name, subject, object_].append(fact.id)
        self._at[name, object_, subject].append(fact.id)
        if name in self.rivalry.wide:
            self._at[name, subject, None].append(fact.id)
            self._at[name, object_, None].append(fact.id)

    def meets(self, fact: Fact) -> bool:
        """Tell whether a fact meets any other."""
        triple = triple_of(fact)
        if self.nearby is not None and self.nearby.concerns(fact.relation):
            return True
        for place in self.rivalry.places(triple):
            if rows_in(place, self.index):
                return True  # it is not stored itself
            known = self._at.get(place[:3])
            if known is not None and known != [fact.id]:
                return True
        if not self.rivalry.plain(fact.relation) or any(self._parted(triple)):
            return True
        if self._quiet is None:
            self._quiet = not self.index.entities["endings"].any()
        return not self._quiet and (self._ended(fact.subject_id) or self._ended(fact.object_id))

    def reach(
        self, triples: Iterable[Triple], endings: Iterable[tuple[str, str]] = ()
    ) -> list[str]:
        """Return the facts that these may meet, theirs, and so on, themselves among them.

        ``endings`` are relations and entities of which somebody says that whatever it is is over.
        """
        index = self.index
        reached: dict[str, None] = {}
        coming = dict.fromkeys(triples)
        for relation, entity in endings:
            for row in self.rivalry.ended(relation, entity, index):
                coming[self._stored_triple(row)] = None
        queue, seen = list(coming), set[Place]()
        for triple in queue:
            ruled = () if self.nearby is None else self.nearby.touched(triple)
            for id_, other in (*self._met(triple, seen), *self._parted(triple), *ruled):
                if id_ is not None:  # it is only inferred
                    reached[id_] = None
                if other not in coming:
                    coming[other] = None
                    queue.append(other)
        self._reached |= coming
        return list(reached)

    def reach_from(self, ids: Sequence[str]) -> list[str]:
        """Return stored facts, given by id, and all that they may meet."""
        row_of = self.index.facts.row_of
        reached = self.reach(self._stored_triple(row_of[id_]) for id_ in ids if id_ in row_of)
        return list(dict.fromkeys((*ids, *reached)))

    async def read_around(self, facts: Iterable[Fact]) -> None:
        """Have stored facts, as merges leave their ends, with all that they may meet."""
        facts = list(facts)
        await self.read([*(fact.id for fact in facts), *self.reach(map(triple_of, facts))])

    async def read(self, ids: Iterable[str]) -> None:
        """Have these facts, what an arbiter ruled to be their rivals, and what ends them."""
        wanted = [id_ for id_ in dict.fromkeys(ids) if id_ not in self.stored]
        while wanted:
            self.stored |= await self._fetched(wanted)
            with self.supposed():
                wanted = self._ruled(wanted)
        with self.supposed():
            self.facts = {**self.stored, **self.facts}
            ended = self.ended_among(self.facts.values())
        await self.read_endings(ended)
        valued = [triple for triple in self._reached if triple[0] in self.rivalry.nestable]
        if len(valued) > 1:
            with self.supposed():
                ids = sorted(self._surroundings().links(valued))
            nested = await self._fetched(ids)
            self.nested |= {id_: fact for id_, fact in nested.items() if stands(fact)}
        if self.nearby is not None:
            with self.supposed():
                ids = self.nearby.unread()
            self.nearby.context |= await self._fetched(ids)

    async def _fetched(self, ids: Collection[str]) -> dict[str, Fact]:
        """Return facts by id: as they are being written, or as stored and merges leave them."""
        read = await self.store.get(Fact, [id_ for id_ in ids if id_ not in self._beside])
        with self.supposed():
            known = self.index.heirs.follow(read, self.index.entity_name)
        return known | {id_: self._beside[id_] for id_ in ids if id_ in self._beside}

    async def read_endings(self, entities: Iterable[str]) -> None:
        """Have what was said of these entities that is no fact."""
        wanted = [id_ for id_ in dict.fromkeys(entities) if id_ not in self.entities]
        if wanted:
            self.entities |= await self.store.get(Entity, wanted)
        with self.supposed():
            for id_ in wanted:
                if id_ in self.entities and (endings := self.entities[id_].endings):
                    heir = self.index.heirs.of(id_)
                    self.endings[heir] = (*self.endings.get(heir, ()), *endings)

    def supposed(self) -> AbstractContextManager[None]:
        """Look at everything as merges are about to leave it; nothing is awaited meanwhile."""
        if self.supposing is None:
            return nullcontext()
        return self.index.heirs.supposing(*self.supposing)

    def restate(
        self, ids: Collection[str], change: Callable[[Assertion], Iterable[Assertion]]
    ) -> None:
        """Change what some statements, given by id, are kept as."""
        for fact in list(self.facts.values()):
            if any(said.id in ids for said in fact.statements):
                kept = (change(said) if said.id in ids else (said,) for said in fact.statements)
                self.facts[fact.id] = replace(fact, statements=tuple(chain.from_iterable(kept)))

    def void(self, ids: Collection[str], why: Void) -> None:
        """Let some statements fall, but for those that fell before."""
        self.restate(ids, lambda said: [said if said.void else replace(said, void=why)])

    def _ruled(self, ids: Iterable[str]) -> list[str]:
        """Return what is to be read because of rulings on facts that were read just now."""
        rivals = {id_ for read in ids if read in self.stored for id_ in self.stored[read].rivals}
        there = sorted((rivals - self.stored.keys()) & self.index.facts.row_of.keys())
        return [id_ for id_ in self.reach_from(there) if id_ not in self.stored]

    def following(
        self,
        facts: Mapping[str, Fact],
        endings: Mapping[str, Iterable[Ending]] | None = None,
        *,
        alone: bool = False,
    ) -> Outcome:
        """Return what would follow from some facts; ``alone``, without standing rules."""
        endings = self.endings if endings is None else endings
        near = None if alone or self.nearby is None else self.nearby.beside(self.facts)
        relations, gone, now, nested = self.rivalry.relations, self.gone, self.now, self.nested
        return derive(facts, endings, relations, gone, now=now, beside=near, nested=nested)

    def settle(self) -> Outcome:
        """Work out when the facts hold, and note it."""
        self.outcome = self.following(self.facts)
        self.facts = {
            id_: fact
            for id_, fact in self.outcome.facts.items()
            if id_ in self.stored or not fact.derived_from or fact.retracted_at is None
        }
        return self.outcome

    def supporting(self, fact: str) -> tuple[str, ...]:
        """Return the ids of the statements that a fact rests on, as it was settled last."""
        assert self.outcome is not None, "it was settled"
        return self.outcome.supporting(fact)

    def statement(self, id_: str) -> Assertion:
        """Return a statement, as it was when all was settled last."""
        assert self.outcome is not None, "it was settled"
        return self.outcome.said.by_id[id_][1]

    def changed(self) -> dict[str, Fact]:
        """Return the facts that are to be different, or are new."""
        return {id_: fact for id_, fact in self.facts.items() if self.stored.get(id_) != fact}

    def _met(self, triple: Triple, seen: set[Place]) -> Iterator[tuple[str, Triple]]:
        """Yield what a fact may meet, but for what is where others looked: rivals look alike."""
        places = [place for place in self.rivalry.places(triple) if place not in seen]
        seen.update(places)
        for place in places:
            for row in rows_in(place, self.index):
                yield self.index.facts.ids[row], self._stored_triple(row)
        for relation, end, other, role in places if self._at else ():
            for id_ in self._at.get((relation, end, other), ()):
                beside = self._beside[id_]
                if role is None or end == getattr(beside, f"{role}_id"):
                    yield id_, triple_of(beside)

    def _parted(self, triple: Triple) -> Iterable[tuple[str, Triple]]:
        """Return the facts that exclude each other or not because of one."""
        if triple[0] not in self.rivalry.relations.nesting:
            return ()
        return self._surroundings().touched(triple, adding=self.adding)

    def _surroundings(self) -> "Surroundings":
        if self._around is None:
            # Imported here: where nothing may lie in another thing, nobody pays for it.
            from graphrag.ingest.lifetimes.nesting import Surroundings

            self._around = Surroundings(self.index, self.rivalry.relations)
        return self._around

    def _stored_triple(self, row: int) -> Triple:
        relation = self.index.relations[self.index.facts["relation"][row]]
        return relation, *self.index.ends_of(row)

    def _ended(self, entity: str) -> bool:
        """Tell whether anything that is no fact was said of an entity."""
        entities = self.index.entities
        rows = (entities.row_of.get(id_) for id_ in self.index.heirs.family(entity))
        return any(row is not None and bool(entities["endings"][row]) for row in rows)

    def ended_among(self, facts: Iterable[Fact]) -> list[str]:
        """Return the entities at some facts of which anything was said that is no fact."""
        ends = dict.fromkeys(end for fact in facts for end in (fact.subject_id, fact.object_id))
        families = (self.index.heirs.family(end) for end in ends if self._ended(end))
        each = dict.fromkeys(chain.from_iterable(families))
        return [id_ for id_ in each if id_ in self.index.entities.row_of]
