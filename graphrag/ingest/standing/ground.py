"""Standing rules on the facts of a group: which lines may end, support or make which.

Two kinds of facts are needed around some that are settled, found in the columns of the group and
read from there. Those that may change: whatever follows from, ends with or rests on a fact that
does. And those that tell how they change, which only are looked at.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np

from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.lifetimes.rivalry import Triple
from graphrag.ingest.lifetimes.support import ClaimKey
from graphrag.ingest.standing.program import ClaimIndex, ClaimSource, Program, RuleClause, join
from graphrag.model.values import Fact
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.ontology.standing import Derives, Ends, Needs
from graphrag.store.store import Store

MOST = 200_000
"""Lines that may be inferred at once: more is a rule that joins what has nothing in common."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One way in which a line follows."""

    clause: RuleClause
    body: tuple[ClaimKey, ...]
    """What must hold together, said or inferred."""
    unless: tuple[ClaimKey, ...]
    """What must not have been said."""


@dataclass(slots=True)
class GroundRules:
    """The rules, with lines in place of patterns."""

    ends: dict[ClaimKey, list[tuple[RuleClause, ClaimKey]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """By what begins: what that ends."""
    needs: dict[ClaimKey, list[tuple[RuleClause, tuple[tuple[ClaimKey, ...], ...]]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """By what is in need: each rule with all that may support it."""
    derives: dict[ClaimKey, list[Instance]] = field(default_factory=dict)
    """By what may be inferred: every way in which it follows."""

    def said(self) -> Iterator[ClaimKey]:
        """Yield all lines that any of this looks at, some twice."""
        for trigger, ended in self.ends.items():
            yield trigger
            yield from (line for _, line in ended)
        for line, rules in self.needs.items():
            yield line
            yield from (support for _, ways in rules for way in ways for support in way)
        for line, instances in self.derives.items():
            yield line
            for instance in instances:
                yield from (*instance.body, *instance.unless)


def follow(
    line: ClaimKey, program: Program, source: ClaimSource
) -> Iterator[tuple[bool, ClaimKey]]:
    """Yield what a line may change, each with whether it is inferred."""
    for clause in program.resting_on.get(line[0], ()):
        for place, atom in enumerate((*clause.body, *clause.unless)):
            for env in atom.match(line, {}, source):
                if not isinstance(clause.rule, Derives):
                    yield from ((False, target) for target, _ in clause.head.find(env, source))
                    continue
                rest = [atom for at, atom in enumerate(clause.body) if at != place]
                for _, bound in join(rest, env, source):
                    head = clause.head.line(bound)
                    if head[1] != head[2]:
                        yield True, head


def checked_count(count: int, head: ClaimKey, program: Program) -> None:
    """Look at how many lines are inferred.

    Raises:
        InputError: if they are too many, naming the rules that make them.
    """
    if count > MOST:
        names = ", ".join(repr(clause.name) for clause in program.giving.get(head[0], ()))
        raise InputError(
            f"standing rules infer more than {MOST:,} facts at once, the last by {names}: let "
            "their patterns share more variables"
        )


def ground(
    program: Program, lines: Iterable[ClaimKey], heads: Iterable[ClaimKey], source: ClaimSource
) -> GroundRules:
    """Return what may end or support some lines, and what may make others."""
    rules = GroundRules()
    for line in dict.fromkeys(lines):
        for clause in program.giving.get(line[0], ()):
            _said(clause, line, rules, source)
    for line in dict.fromkeys(heads):
        instances = dict.fromkeys(
            instance
            for clause in program.giving.get(line[0], ())
            if isinstance(clause.rule, Derives)
            for instance in _instances(clause, line, source)
        )
        rules.derives[line] = sorted(instances, key=_order)
    return rules


def _said(clause: RuleClause, line: ClaimKey, rules: GroundRules, source: ClaimSource) -> None:
    if isinstance(clause.rule, Ends):
        triggers = {
            trigger
            for env in clause.head.match(line, {}, source)
            for trigger, _ in clause.body[0].find(env, source)
        }
        for trigger in sorted(triggers - {line}):
            rules.ends[trigger].append((clause, line))
    elif isinstance(clause.rule, Needs):
        envs = list(clause.head.match(line, {}, source))
        if envs:
            ways = {lines for env in envs for lines, _ in join(clause.body, env, source)}
            rules.needs[line].append((clause, tuple(sorted(ways))))


def _instances(clause: RuleClause, head: ClaimKey, source: ClaimSource) -> Iterator[Instance]:
    for env in clause.head.match(head, {}, source) if head[1] != head[2] else ():
        for body, bound in join(clause.body, env, source):
            if head in body:
                continue
            unless = {line for atom in clause.unless for line, _ in atom.find(bound, source)}
            yield Instance(clause, body, tuple(sorted(unless)))


def _order(instance: Instance) -> tuple[int, tuple[ClaimKey, ...]]:
    return instance.clause.number, instance.body


@dataclass(frozen=True, slots=True)
class Beside:
    """Rules, and what they look at beside the facts that are settled."""

    program: Program
    named: Callable[[str], Collection[str]]
    """Return the ids of the entities that bear a name, given by its key."""
    context: Mapping[str, Fact] = field(default_factory=dict)
    """Facts that hold when they do, whatever is settled."""
    heads: Collection[ClaimKey] | None = None
    """What may be inferred; None for all that may be."""


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
        line = self.relations.line(fact.relation, fact.subject_id, fact.object_id)
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
        line = self.relations.line(*triple)
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

    def lines(self, relation: str, subject: str | None, object_: str | None) -> list[ClaimKey]:
        """Return the lines of a relation with these ends, and maybe more."""
        lines = dict.fromkeys(self._known.lines(relation, subject, object_))
        for name in self.relations.same(relation):
            for row in self._rows(name, subject, object_):
                lines[self.relations.line(name, *self.index.ends_of(row))] = None
        return list(lines)

    def named(self, key: str) -> Collection[str]:
        """Return the ids of the entities that bear a name."""
        return {*self.index.entities_keyed(key), *self._bearers.get(key, ())}

    def _rows(self, name: str, subject: str | None, object_: str | None) -> list[int]:
        index = self.index
        if name not in index.relations:
            return []
        end, other = (subject, object_) if subject is not None else (object_, None)
        if end is not None:
            known = index.entities.row_of
            if end not in known or (other is not None and other not in known):
                return []
            return index.rows_at(end, name, other)
        code = index.relation_code(name)
        alive = index.facts.alive.values
        return np.flatnonzero((index.facts["relation"] == code) & alive).tolist()

    def _stored(self, line: ClaimKey) -> Iterator[tuple[str, Triple]]:
        """Yield the facts that say a line, each with how it says it."""
        for name in self.relations.same(line[0]):
            for row in self._rows(name, line[1], line[2]):
                triple = name, *self.index.ends_of(row)
                if self.relations.line(*triple) == line:
                    yield self.index.facts.ids[row], triple
        for id_ in self._beside.get(line, ()):
            yield id_, line
