"""Standing rules as they are matched: patterns over lines, found by relation.

A line is a value as lifetimes know it: inverses, synonyms and both directions of a symmetric
relation are one. An atom is a pattern of a rule, read the same way.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from graphrag.ingest.lifetimes.support import ClaimKey
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
        bearers = self._named.get(key)
        if bearers is None:
            bearers = self._named[key] = frozenset(self.name(key))
        return bearers


@dataclass(frozen=True, slots=True)
class Atom:
    """A pattern of a rule."""

    relation: str
    subject: str
    object: str
    symmetric: bool

    def match(self, line: ClaimKey, env: Env, source: ClaimSource) -> Iterator[Env]:
        """Yield how a line fits, with what stands for the variables then."""
        if line[0] != self.relation:
            return
        bound = self._fit(line[1], line[2], env, source)
        if bound is not None:
            yield bound
        if self.symmetric and line[1] != line[2]:
            bound = self._fit(line[2], line[1], env, source)
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
        return sum(
            term != ANY and (not is_variable(term) or term in env)
            for term in (self.subject, self.object)
        )

    def line(self, env: Env) -> ClaimKey:
        """Return the line that it names once all its variables are known."""
        subject, object_ = env[self.subject], env[self.object]
        if self.symmetric and object_ < subject:
            subject, object_ = object_, subject
        return self.relation, subject, object_

    def _ends(self, env: Env, source: ClaimSource) -> tuple[str | None, str | None] | None:
        ends: list[str | None] = []
        for term in (self.subject, self.object):
            if term == ANY:
                ends.append(None)
            elif is_variable(term):
                ends.append(env.get(term))
            else:
                bearers = source.named(name_key(term))
                if not bearers:
                    return None
                ends.append(next(iter(bearers)) if len(bearers) == 1 else None)
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
    atoms: Iterable[Atom], env: Env, source: ClaimSource
) -> Iterator[tuple[tuple[ClaimKey, ...], Env]]:
    """Yield the lines by which all atoms hold together, in their order."""
    rest = tuple(atoms)
    yield from _join(rest, tuple(range(len(rest))), env, source, ())


def _join(
    atoms: tuple[Atom, ...],
    left: tuple[int, ...],
    env: Env,
    source: ClaimSource,
    lines: tuple[tuple[int, ClaimKey], ...],
) -> Iterator[tuple[tuple[ClaimKey, ...], Env]]:
    if not left:
        yield tuple(line for _, line in sorted(lines)), env
        return
    place = max(left, key=lambda at: (atoms[at].known(env), -at))
    rest = tuple(at for at in left if at != place)
    for line, bound in atoms[place].find(env, source):
        yield from _join(atoms, rest, bound, source, (*lines, (place, line)))


@dataclass(frozen=True, slots=True)
class RuleClause:
    """A standing rule: from what, except for what, to what."""

    rule: StandingRule
    number: int
    """Its place among the rules."""
    head: Atom
    body: tuple[Atom, ...]
    unless: tuple[Atom, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the rule."""
        return self.rule.name


@dataclass(frozen=True)
class Program:
    """The standing rules of a graph."""

    clauses: tuple[RuleClause, ...]
    level: Mapping[str, int]
    """In which order facts lose their support, by relation."""
    resting_on: Mapping[str, tuple[RuleClause, ...]] = field(init=False)
    """By relation: the rules that look at it."""
    giving: Mapping[str, tuple[RuleClause, ...]] = field(init=False)
    """By relation: the rules that say something of it."""

    def __post_init__(self) -> None:
        """Sort the rules by the relations that they look at and speak of."""
        looked: dict[str, dict[int, RuleClause]] = defaultdict(dict)
        spoken: dict[str, dict[int, RuleClause]] = defaultdict(dict)
        for clause in self.clauses:
            spoken[clause.head.relation][clause.number] = clause
            for atom in (*clause.body, *clause.unless):
                looked[atom.relation][clause.number] = clause
        for name, clauses in (("resting_on", looked), ("giving", spoken)):
            sorted_ = {relation: tuple(own.values()) for relation, own in clauses.items()}
            object.__setattr__(self, name, sorted_)

    @property
    def relations(self) -> frozenset[str]:
        """Return the relations that the rules name."""
        return frozenset((*self.resting_on, *self.giving))


def program_of(relations: Relations) -> Program:
    """Return the standing rules that come with some relations.

    Raises:
        InputError: naming a rule that cannot stand beside the others.
    """
    clauses = tuple(
        _clause(rule, number, relations)
        for number, rule in enumerate(checked_rules(relations.standing))
    )
    links: list[tuple[str, str, str, bool]] = []
    for clause in clauses:
        head = clause.head.relation
        if isinstance(clause.rule, Ends):
            continue
        if isinstance(clause.rule, Needs):
            head = _said(head)
        else:
            links.append((clause.name, head, _said(head), False))
        for atom in clause.body:
            links.append((clause.name, head, atom.relation, False))
            links.append((clause.name, atom.relation, _said(atom.relation), False))
        links += [(clause.name, head, _said(atom.relation), True) for atom in clause.unless]
    order = levels(links)
    said = {name.removeprefix(_SAID): at for name, at in order.items() if name.startswith(_SAID)}
    return Program(clauses, said)


_SAID = "said: "
"""Before the name of a relation: its facts without those that are inferred."""


def _said(relation: str) -> str:
    return f"{_SAID}{relation}"


def _clause(rule: StandingRule, number: int, relations: Relations) -> RuleClause:
    def atoms(patterns: Iterable[Pattern]) -> tuple[Atom, ...]:
        return tuple(_atom(pattern, relations) for pattern in patterns)

    match rule:
        case Ends():
            return RuleClause(rule, number, _atom(rule.ends, relations), atoms([rule.when]))
        case Needs():
            return RuleClause(rule, number, _atom(rule.fact, relations), atoms(rule.support))
        case Derives():
            head = _atom(rule.head, relations)
            return RuleClause(rule, number, head, atoms(rule.body), atoms(rule.unless))


def _atom(pattern: Pattern, relations: Relations) -> Atom:
    subject, name, object_ = pattern
    relation, turned = relations.canonical(name)
    if turned:
        subject, object_ = object_, subject
    return Atom(relation, subject, object_, relations[relation].symmetric)
