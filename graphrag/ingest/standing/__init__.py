"""Standing rules, compiled to patterns over lines.

A line is a value as lifetimes know it: inverses, synonyms and both directions of a symmetric
relation are one. An atom is a pattern of a rule, read the same way.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Protocol

from graphrag.ingest.lifetimes.evidence import ClaimKey
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.ontology.standing import (
    ANY,
    Derives,
    Ends,
    Needs,
    Pattern,
    StandingRule,
    checked_rules,
    is_variable,
    levels,
)

Env = dict[str, str]
"""What stands for each variable: the id of an entity."""
_Key = tuple[str, str | None, str | None]


class ClaimSource(Protocol):
    """Where lines are."""

    def lines(self, relation: str, subject: str | None, object_: str | None) -> Iterable[ClaimKey]:
        """Return the lines of a relation, with these ends if given; more than those is fine."""

    def named(self, key: str) -> Collection[str]:
        """Return the ids of the entities that bear a name, given by its key."""


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
            for key in product((relation,), (subject, None), (object_, None)):
                self._by_key[key][line] = None

    def lines(self, relation: str, subject: str | None, object_: str | None) -> list[ClaimKey]:
        """Return the lines of a relation with these ends, as far as they are given."""
        return list(self._by_key.get((relation, subject, object_), ()))

    def named(self, key: str) -> Collection[str]:
        """Return the ids of the entities that bear a name."""
        if key not in self._named:
            self._named[key] = frozenset(self.name(key))
        return self._named[key]


@dataclass(frozen=True, slots=True)
class Atom:
    """A pattern of a rule."""

    relation: str
    subject: str
    object: str
    symmetric: bool

    def match(self, line: ClaimKey, env: Env, source: ClaimSource) -> Iterator[Env]:
        """Yield how a line fits, with what stands for the variables then."""
        relation, *ends = line
        turned = [ends[::-1]] if self.symmetric and ends[0] != ends[1] else []
        for subject, object_ in [ends, *turned] if relation == self.relation else ():
            bound = self._fit(subject, object_, env, source)
            if bound is not None:
                yield bound

    def find(self, env: Env, source: ClaimSource) -> Iterator[tuple[ClaimKey, Env]]:
        """Yield the lines that fit, each with what stands for the variables then."""
        ends = self._ends(env, source)
        if ends is None:
            return
        met: set[ClaimKey] = set()
        turned = (ends[::-1],) if self.symmetric else ()
        for subject, object_ in (ends, *turned):
            for line in source.lines(self.relation, subject, object_):
                if line not in met:
                    met.add(line)
                    for bound in self.match(line, env, source):
                        yield line, bound

    def known(self, env: Env) -> int:
        """Return how many of its ends are known."""
        terms = [term for term in (self.subject, self.object) if term != ANY]
        return sum(not is_variable(term) or term in env for term in terms)

    def line(self, env: Env) -> ClaimKey:
        """Return the line that it names once all its variables are known."""
        subject, object_ = env[self.subject], env[self.object]
        if self.symmetric and object_ < subject:
            subject, object_ = object_, subject
        return self.relation, subject, object_

    def _ends(self, env: Env, source: ClaimSource) -> tuple[str | None, str | None] | None:
        ends: list[str | None] = []
        for term in (self.subject, self.object):
            bearers: Collection[str] = ()
            if term != ANY and not is_variable(term):
                bearers = source.named(name_key(term))
                if not bearers:
                    return None
            ends.append(next(iter(bearers)) if len(bearers) == 1 else env.get(term))
        return ends[0], ends[1]

    def _fit(self, subject: str, object_: str, env: Env, source: ClaimSource) -> Env | None:
        bound = env
        for term, id_ in ((self.subject, subject), (self.object, object_)):
            if term == ANY:
                continue
            if not is_variable(term):
                if id_ not in source.named(name_key(term)):
                    return None
            elif (known := bound.get(term)) is None:
                bound = {**bound, term: id_}
            elif known != id_:
                return None
        return bound


def join(
    atoms: Sequence[Atom], env: Env, source: ClaimSource
) -> Iterator[tuple[tuple[ClaimKey, ...], Env]]:
    """Yield the lines by which all atoms hold together, in their order."""
    if not atoms:
        yield (), env
        return
    place = max(range(len(atoms)), key=lambda at: (atoms[at].known(env), -at))
    rest = (*atoms[:place], *atoms[place + 1 :])
    for line, bound in atoms[place].find(env, source):
        for lines, whole in join(rest, bound, source):
            yield (*lines[:place], line, *lines[place:]), whole


@dataclass(frozen=True, slots=True)
class RuleClause:
    """A standing rule: from what, except for what, to what."""

    rule: StandingRule
    number: int
    head: Atom
    body: tuple[Atom, ...]
    unless: tuple[Atom, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the rule."""
        return self.rule.name


@dataclass(frozen=True, slots=True)
class Program:
    """The standing rules of a graph."""

    clauses: tuple[RuleClause, ...]
    level: Mapping[str, int]
    """In which order facts lose their support, by relation."""
    resting_on: Mapping[str, Sequence[RuleClause]]
    """By relation: the rules that look at it."""
    giving: Mapping[str, Sequence[RuleClause]]
    """By relation: the rules that say something of it."""

    @property
    def relations(self) -> frozenset[str]:
        """Return the relations that the rules name."""
        return frozenset((*self.resting_on, *self.giving))


def program_of(relations: Relations) -> Program:
    """Return the standing rules that come with some relations, checked beside each other."""
    rules = enumerate(checked_rules(relations.standing))
    clauses = tuple(_clause(rule, number, relations) for number, rule in rules)
    links: list[tuple[str, str, str, bool]] = []
    resting_on: dict[str, list[RuleClause]] = defaultdict(list)
    giving: dict[str, list[RuleClause]] = defaultdict(list)
    for clause in clauses:
        head = clause.head.relation
        giving[head].append(clause)
        for relation in dict.fromkeys(atom.relation for atom in (*clause.body, *clause.unless)):
            resting_on[relation].append(clause)
        if isinstance(clause.rule, Ends):
            continue
        if isinstance(clause.rule, Needs):
            head = _SAID + head
        else:
            links.append((clause.name, head, _SAID + head, False))
        for atom in clause.body:
            links.append((clause.name, head, atom.relation, False))
            links.append((clause.name, atom.relation, _SAID + atom.relation, False))
        links += [(clause.name, head, _SAID + atom.relation, True) for atom in clause.unless]
    order = levels(links)
    said = {name.removeprefix(_SAID): at for name, at in order.items() if name.startswith(_SAID)}
    return Program(clauses, said, dict(resting_on), dict(giving))


_SAID = "said: "
"""Before the name of a relation: its facts without those that are inferred."""


def _clause(rule: StandingRule, number: int, relations: Relations) -> RuleClause:
    unless: Iterable[Pattern] = ()
    match rule:
        case Ends():
            head, body = rule.ends, [rule.when]
        case Needs():
            head, body = rule.fact, [*rule.support]
        case Derives():
            head, body, unless = rule.head, [*rule.body], rule.unless
    read, without = ([_atom(each, relations) for each in side] for side in (body, unless))
    return RuleClause(rule, number, _atom(head, relations), tuple(read), tuple(without))


def _atom(pattern: Pattern, relations: Relations) -> Atom:
    subject, name, object_ = pattern
    relation, turned = relations.canonical(name)
    if turned:
        subject, object_ = object_, subject
    return Atom(relation, subject, object_, relations[relation].symmetric)
