"""What standing rules touch around some facts: found in the columns of the group, read from there.

Two kinds of facts are needed. Those that may change: whatever follows from, ends with or rests on a
fact that does. And those that tell how they change, which only are looked at.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np

from graphrag.index.group import GroupIndex
from graphrag.ingest.lifetimes.rivalry import Triple
from graphrag.ingest.lifetimes.support import ClaimKey
from graphrag.ingest.standing.consequences import Beside
from graphrag.ingest.standing.ground import ClaimIndex, checked_count, follow, ground
from graphrag.ingest.standing.program import Program
from graphrag.model.values import Fact
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.ontology.standing import Derives
from graphrag.store.store import Store


@dataclass(slots=True)
class Nearby:
    """What the rules look at: the columns of a group, and facts that are not in there yet."""

    program: Program
    relations: Relations
    index: GroupIndex
    heads: dict[ClaimKey, None] = field(default_factory=dict)
    """What may be inferred, of all that was touched."""
    seen: dict[ClaimKey, None] = field(default_factory=dict)
    """What was touched."""
    context: dict[str, Fact] = field(default_factory=dict)
    """Facts that are looked at, and may be touched later on."""
    _known: ClaimIndex = field(init=False)
    _beside: defaultdict[ClaimKey, list[str]] = field(default_factory=lambda: defaultdict(list))
    _bearers: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        """Begin with nothing beside the columns."""
        self._known = ClaimIndex(self.named)

    def enter(self, fact: Fact) -> None:
        """Take in a fact that is not in the columns, or not yet."""
        line = self.line((fact.relation, fact.subject_id, fact.object_id))
        self._known.add((line,))
        self._beside[line].append(fact.id)
        for id_, name in ((fact.subject_id, fact.subject), (fact.object_id, fact.object)):
            if id_ not in self.index.entities.row_of:
                self._bearers[name_key(name)].add(id_)

    def concerns(self, relation: str) -> bool:
        """Tell whether a rule names a relation."""
        return self.relations.canonical(relation)[0] in self.program.relations

    def touched(self, triple: Triple) -> Iterator[tuple[str | None, Triple]]:
        """Yield what may change with a fact: ids, if it is stored, and what it says.

        Raises:
            InputError: if too much is inferred.
        """
        line = self.line(triple)
        if line[0] not in self.program.relations or line in self.seen:
            return
        self.seen[line] = None
        self._known.add((line,))
        if any(isinstance(clause.rule, Derives) for clause in self.program.giving.get(line[0], ())):
            self.heads[line] = None
        for inferred, target in follow(line, self.program, self):
            if inferred and target not in self.heads:
                self.heads[target] = None
                self._known.add((target,))
                checked_count(len(self.heads), target, self.program)
                yield None, target
            yield from self._stored(target)

    async def look(
        self,
        store: Store,
        under_way: Mapping[str, Fact],
        supposed: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """Have the facts by which what was touched may change."""
        with supposed():
            wanted = [id_ for id_ in self._looked_at() if id_ not in self.context]
        read = await store.get(Fact, [id_ for id_ in wanted if id_ not in under_way])
        with supposed():
            self.context |= self.index.heirs.follow(read, self.index.entity_name)
        self.context |= {id_: under_way[id_] for id_ in wanted if id_ in under_way}

    def beside(self, facts: Mapping[str, Fact]) -> Beside:
        """Return the rules, and what they look at beside these facts."""
        context = {id_: fact for id_, fact in self.context.items() if id_ not in facts}
        return Beside(self.program, self.named, context, self.heads)

    def _looked_at(self) -> list[str]:
        instances = ground(self.program, self.seen, self.heads, self)
        lines = (line for line in dict.fromkeys(instances.said()) if line not in self.seen)
        return [id_ for line in lines for id_, _ in self._stored(line)]

    def line(self, triple: Triple) -> ClaimKey:
        """Return what a fact says, however it was said."""
        return self.relations.line(*triple)

    def lines(self, relation: str, subject: str | None, object_: str | None) -> list[ClaimKey]:
        """Return the lines of a relation with these ends, and maybe more."""
        found = dict.fromkeys(self._known.lines(relation, subject, object_))
        for name in self.relations.same(relation):
            for row in self._rows(name, subject, object_):
                found[self.line((name, *self.index.ends_of(row)))] = None
        return list(found)

    def named(self, key: str) -> Collection[str]:
        """Return the ids of the entities that bear a name."""
        return {*self.index.entities_keyed(key), *self._bearers.get(key, ())}

    def _rows(self, name: str, subject: str | None, object_: str | None) -> list[int]:
        index = self.index
        if name not in index.relations:
            return []
        one, other = (subject, object_) if subject is not None else (object_, None)
        if one is not None:
            known = index.entities.row_of
            if one not in known or (other is not None and other not in known):
                return []
            return index.rows_at(one, name, other)
        code = index.relation_code(name)
        alive = index.facts.alive.values
        return np.flatnonzero((index.facts["relation"] == code) & alive).tolist()

    def _stored(self, line: ClaimKey) -> Iterator[tuple[str, Triple]]:
        """Yield the facts that say a line, each with how it says it."""
        for name in self.relations.same(line[0]):
            for row in self._rows(name, line[1], line[2]):
                triple = name, *self.index.ends_of(row)
                if self.line(triple) == line:
                    yield self.index.facts.ids[row], triple
        for id_ in self._beside.get(line, ()):
            yield id_, line
