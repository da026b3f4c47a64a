"""Grounding of standing rules: which lines may end, support or make which, whenever they hold."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field

from graphrag.errors import InputError
from graphrag.ingest.lifetimes.support import ClaimKey
from graphrag.ingest.standing.program import ClaimSource, Program, RuleClause, join
from graphrag.ontology.standing import Derives, Ends, Needs

MOST = 200_000
"""Lines that may be inferred at once: more is a rule that joins what has nothing in common."""
_Key = tuple[str, str | None, str | None]


@dataclass(slots=True)
class ClaimIndex:
    """Lines in memory, found by their relation and ends."""

    name: Callable[[str], Collection[str]]
    """Return who bears a name, given by its key."""
    _by_key: dict[_Key, dict[ClaimKey, None]] = field(default_factory=lambda: defaultdict(dict))
    _named: dict[str, frozenset[str]] = field(default_factory=dict)

    def add(self, lines: Iterable[ClaimKey]) -> None:
        """Take in lines."""
        for line in lines:
            relation, subject, object_ = line
            for key in (
                (relation, subject, object_),
                (relation, subject, None),
                (relation, None, object_),
                (relation, None, None),
            ):
                self._by_key[key][line] = None

    def lines(self, relation: str, subject: str | None, object_: str | None) -> list[ClaimKey]:
        """Return the lines of a relation with these ends, as far as they are given."""
        return list(self._by_key.get((relation, subject, object_), ()))

    def named(self, key: str) -> Collection[str]:
        """Return the ids of the entities that bear a name."""
        found = self._named.get(key)
        if found is None:
            found = self._named[key] = frozenset(self.name(key))
        return found


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
            yield from (one for _, ways in rules for way in ways for one in way)
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
                for _, found in join(rest, env, source):
                    head = clause.head.line(found)
                    if head[1] != head[2]:
                        yield True, head


def all_heads(
    lines: Iterable[ClaimKey], program: Program, known: ClaimIndex
) -> dict[ClaimKey, None]:
    """Return all lines that may be inferred from some, and take them in as known.

    Raises:
        InputError: if they are too many.
    """
    heads: dict[ClaimKey, None] = {}
    queue = list(dict.fromkeys(lines))
    for line in queue:
        for inferred, head in follow(line, program, known):
            if inferred and head not in heads:
                heads[head] = None
                known.add((head,))
                checked_count(len(heads), head, program)
                queue.append(head)
    return heads


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
    found = GroundRules()
    for line in dict.fromkeys(lines):
        for clause in program.giving.get(line[0], ()):
            _said(clause, line, found, source)
    for line in dict.fromkeys(heads):
        instances = dict.fromkeys(
            instance
            for clause in program.giving.get(line[0], ())
            if isinstance(clause.rule, Derives)
            for instance in _instances(clause, line, source)
        )
        found.derives[line] = sorted(instances, key=_order)
    return found


def _said(clause: RuleClause, line: ClaimKey, found: GroundRules, source: ClaimSource) -> None:
    if isinstance(clause.rule, Ends):
        triggers = {
            trigger
            for env in clause.head.match(line, {}, source)
            for trigger, _ in clause.body[0].find(env, source)
        }
        for trigger in sorted(triggers - {line}):
            found.ends[trigger].append((clause, line))
    elif isinstance(clause.rule, Needs):
        envs = list(clause.head.match(line, {}, source))
        if envs:
            ways = {lines for env in envs for lines, _ in join(clause.body, env, source)}
            found.needs[line].append((clause, tuple(sorted(ways))))


def _instances(clause: RuleClause, head: ClaimKey, source: ClaimSource) -> Iterator[Instance]:
    for env in clause.head.match(head, {}, source) if head[1] != head[2] else ():
        for body, found in join(clause.body, env, source):
            if head in body:
                continue
            unless = {line for atom in clause.unless for line, _ in atom.find(found, source)}
            yield Instance(clause, body, tuple(sorted(unless)))


def _order(instance: Instance) -> tuple[int, tuple[ClaimKey, ...]]:
    return instance.clause.number, instance.body
