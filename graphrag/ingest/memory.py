"""What is known of the entities of a text as it is read: which of their facts stand, since when."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.ingest.lifetimes.support import Line
from graphrag.model.extraction import Claim, Mention
from graphrag.ontology.relations import Relations
from graphrag.resolve.mentions import Resolution
from graphrag.temporal.moment import to_micros


@dataclass(frozen=True, slots=True)
class Memory:
    """A group as it stands before a text, and who the text speaks of."""

    resolution: Resolution
    index: GroupIndex
    relations: Relations
    at: datetime
    """The time of the text."""

    @property
    def now(self) -> int:
        """Return the time of the text in microseconds."""
        return to_micros(self.at, BEGINNING)

    def end_of(self, claim: Claim) -> int:
        """Return when something is over by a claim: by the time of the text if it does not say."""
        return to_micros(claim.invalid_at or self.at, BEGINNING)

    def who(self, mention: Mention) -> str:
        """Return the entity that a mention of the text is of; nothing for one without a name."""
        return self.resolution.entity_of.get(mention, "")

    def ends_of(self, row: int) -> tuple[str, str]:
        """Return the subject and the object of a fact."""
        return self.index.ends_of(row)

    def life_of(self, row: int) -> tuple[int, int]:
        """Return when a fact begins and ends, in microseconds."""
        facts = self.index.facts
        return int(facts["valid"][row]), int(facts["invalid"][row])

    def standing(
        self, relation: str, entity: str, other: str | None = None
    ) -> Iterator[tuple[Line, int]]:
        """Yield the lines and rows of the facts of an entity that stand, by any name of a relation.

        At either end of them, and with ``other`` at the other end.
        """
        index, facts = self.index, self.index.facts
        for name in self.relations.same(relation) if entity and other != "" else ():
            for row in index.rows_at(entity, name, other):
                if facts["retracted"][row] == FOREVER and not facts["pending"][row]:
                    yield self.relations.line(name, *index.ends_of(row)), row

    def lives(self, line: Line) -> list[tuple[int, int]]:
        """Return when the facts of a line that stand hold."""
        rows = (row for own, row in self.standing(line[0], line[1], line[2]) if own == line)
        return [self.life_of(row) for row in rows]

    def named(self, entity: str, claim: Claim) -> Mention:
        """Return a mention of what a text need not name, where it states something of it."""
        for mention, known in self.resolution.entity_of.items():
            if known == entity:
                return mention
        mention = Mention(self.index.entity_name(entity), start=claim.start, end=claim.start)
        self.resolution.entity_of[mention] = entity
        return mention
