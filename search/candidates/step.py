"""A walk along facts in both directions, level by level, by SurrealDB's graph steps."""

from collections.abc import Collection
from dataclasses import dataclass, field

from graphrag.engine.lookup import fact_ends_at, facts_at_each
from graphrag.search.candidates.name_lookup import with_kin
from graphrag.search.candidates.part import Part


@dataclass(slots=True)
class Walk:
    """A walk that can go on where it stopped.

    Whether a fact may be seen is not asked: rankings walk only along those that may, and what they
    reach is among these.
    """

    part: Part
    limit: int
    """Facts that it meets at most, the nearest first."""
    frontier: set[str]
    """Entities whose facts the next step meets."""
    relations: Collection[str] | None = None
    """Only along facts of these."""
    met: set[str] = field(default_factory=set)
    reached: set[str] = field(default_factory=set)
    """Entities whose facts it met."""

    async def step(self) -> bool:
        """Meet the facts about the frontier, and reach their other ends; False at the end."""
        if self._ended():
            return False
        ends: set[str] = set()
        for id_, subject, object_ in await fact_ends_at(
            self.part.store, self.frontier, 2 * self.limit, self.relations
        ):
            if id_ not in self.met and len(self.met) < self.limit:
                self.met.add(id_)
                ends |= {subject, object_}
        self.frontier = ends - self.reached
        return True

    async def read(self) -> bool:
        """Read what a step meets, of whatever relation, into the part of the group.

        The graph step gives ids only, which costs an eighth of reading the facts; those that are
        there already are not read again.
        """
        part = self.part
        if self._ended():
            return False
        fresh: list[str] = []
        for fact in await facts_at_each(part.store, self.frontier, self.limit):
            if len(self.met) >= self.limit:
                break
            if fact not in self.met:
                self.met.add(fact)
                fresh.append(fact)
        part.want("relates_to", fresh)
        await part.read()
        facts, ids = part.growing.facts, part.growing.entities.ids
        rows = [facts.row_of[fact] for fact in fresh if fact in facts.row_of]
        ends = {ids[row] for side in ("subject", "object") for row in facts[side][rows].tolist()}
        self.frontier = ends - self.reached
        return True

    def _ended(self) -> bool:
        self.frontier = with_kin(self.frontier, self.part.kin) - self.reached
        self.reached |= self.frontier
        return not self.frontier or len(self.met) >= self.limit
