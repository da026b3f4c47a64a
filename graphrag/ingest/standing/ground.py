"""Standing rules on the facts of a group: which lines may end, support or derive which.

Around facts that are settled two kinds of others are read: those that may change, since they follow
from, end with or rest on a fact that does, and those that only tell how they change.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.lifetimes.evidence import ClaimKey
from graphrag.ingest.lifetimes.rivalry import Triple
from graphrag.ingest.standing import ClaimIndex, ClaimSource, Program, RuleClause, join
from graphrag.model.values import Fact
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.ontology.standing import Derives, Ends

MOST = 200_000
"""Lines that may be inferred at once: more is a rule that joins what has nothing in common."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One way in which a line follows."""

    clause: RuleClause
    body: tuple[ClaimKey, ...]
    unless: tuple[ClaimKey, ...]


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


def check_count(count: int, head: ClaimKey, program: Program) -> None:
    """Refuse to infer too many lines, naming the rules that make them."""
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
        rules.derives[line] = sorted(instances, key=lambda each: (each.clause.number, each.body))
    return rules


def _said(clause: RuleClause, line: ClaimKey, rules: GroundRules, source: ClaimSource) -> None:
    envs = [] if isinstance(clause.rule, Derives) else [*clause.head.match(line, {}, source)]
    ways = {lines for env in envs for lines, _ in join(clause.body, env, source)}
    if isinstance(clause.rule, Ends):
        for (trigger,) in sorted(ways - {(line,)}):
            rules.ends[trigger].append((clause, line))
    elif envs:
        rules.needs[line].append((clause, tuple(sorted(ways))))


def _instances(clause: RuleClause, head: ClaimKey, source: ClaimSource) -> Iterator[Instance]:
    for env in clause.head.match(head, {}, source) if head[1] != head[2] else ():
        for body, bound in join(clause.body, env, source):
            if head in body:
                continue
            unless = {line for atom in clause.unless for line, _ in atom.find(bound, source)}
            yield Instance(clause, body, tuple(sorted(unless)))


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
    """Touched lines that may be inferred."""
    seen: dict[ClaimKey, None] = field(default_factory=dict)
    context: dict[str, Fact] = field(default_factory=dict)
    """Facts that are looked at, and may be touched later on."""
    _known: ClaimIndex = field(init=False)
    _beside: defaultdict[ClaimKey, list[str]] = field(default_factory=lambda: defaultdict(list))
    _bearers: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
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
        """Yield what may change with a fact: ids, if it is stored, and what it says."""
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
                check_count(len(self.heads), target, self.program)
                yield None, target
            yield from self._stored(target)

    def unread(self) -> list[str]:
        """Return the facts by which what was touched may change, but for those read before."""
        instances = ground(self.program, self.seen, self.heads, self)
        lines = [line for line in dict.fromkeys(instances.said()) if line not in self.seen]
        ids = (id_ for line in lines for id_, _ in self._stored(line))
        return [id_ for id_ in ids if id_ not in self.context]

    def beside(self, facts: Mapping[str, Fact]) -> Beside:
        """Return the rules, and what they look at beside these facts."""
        context = {id_: fact for id_, fact in self.context.items() if id_ not in facts}
        return Beside(self.program, self.named, context, self.heads)

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
        end, other = (subject, object_) if subject is not None else (object_, None)
        if end is not None:
            return self.index.rows_at(end, name, other)
        if name not in self.index.relations:
            return []
        of_name = self.index.facts["relation"] == self.index.relation_code(name)
        return np.flatnonzero(of_name & self.index.facts.alive.values).tolist()

    def _stored(self, line: ClaimKey) -> Iterator[tuple[str, Triple]]:
        """Yield the facts that say a line, each with how it says it."""
        for name in self.relations.same(line[0]):
            for row in self._rows(name, line[1], line[2]):
                triple = name, *self.index.ends_of(row)
                if self.relations.line(*triple) == line:
                    yield self.index.facts.ids[row], triple
        for id_ in self._beside.get(line, ()):
            yield id_, line
