"""Kin worked out from parents, siblings and spouses, as facts beside those that are stored.

Each names the facts of its steps and holds while all of them do; who is a parent or a sibling stays
one. A word of one sex asks for it to be known: else it is said that no fact tells.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Final

from graphrag.ask.asked import Asked
from graphrag.ask.lookup import CannotAnswer
from graphrag.ask.posts import PostWorld
from graphrag.ask.relatives import BACK, Kin, Sex, kin_in, noun_of
from graphrag.ask.senses import parts_of
from graphrag.ask.solution import Solution
from graphrag.ask.world import Line, World
from graphrag.index.group import BEGINNING, FOREVER

_SEXES: Final[dict[str, Sex]] = {
    **dict.fromkeys(("female", "woman", "girl", "lady", "feminine", "f"), "f"),
    **dict.fromkeys(("male", "man", "boy", "gentleman", "masculine", "m"), "m"),
}
_SEXED: Final = frozenset({("gender",), ("sex",), ("is", "a"), ("is",), ("kind",), ("type",)})
_PARENTS: Final = 2
_MOST: Final = 400
"""Ways that are followed from one entity."""


@dataclass(frozen=True, slots=True)
class _Way:
    """Some steps from somebody, and where they lead."""

    rows: tuple[int, ...]
    """Who was met, the last one last."""
    lines: tuple[Line, ...] = ()
    start: int = BEGINNING
    end: int = FOREVER


@dataclass(frozen=True)
class KinWorld(PostWorld):
    """A world in which the kin that a question asks of stands as facts of their own."""

    kin: tuple[Kin, ...] = ()
    _cache: dict[tuple[int, str], list[Line]] = field(default_factory=dict)

    def lines(self, rows: Iterable[int]) -> list[Line]:
        """Return the facts about some entities, with those of the kin that is asked of."""
        rows = sorted(set(rows))
        families = {one.family for one in self.kin}
        stored = PostWorld.lines(self, rows)
        lines = [line for line in stored if noun_of(line.relation)[0] not in families]
        for one in self.kin:
            for row in rows:
                lines += [line for line in self._kin(row, one) if line not in lines]
        return lines

    def _kin(self, row: int, kin: Kin) -> list[Line]:
        """Return the facts of those who are kin to somebody, and of those to whom he is."""
        key = row, kin.name
        if key not in self._cache:
            found = [*self._stored(row, kin)]
            pairs = {(line.subject, line.object) for line in found}
            for path in kin.paths:
                ways = self._followed(row, path, kin)
                for way in ways:
                    alone = len(path) == len(ways) == 1 and not pairs
                    found += self._derived(way.rows[-1], row, kin, way, pairs, alone=alone)
                for way in self._followed(row, path.translate(BACK)[::-1], kin):
                    back = replace(way, lines=way.lines[::-1])
                    found += self._derived(row, way.rows[-1], kin, back, pairs)
            self._cache[key] = found
        return self._cache[key]

    def _stored(self, row: int, kin: Kin) -> Iterator[Line]:
        """Yield the facts that say it themselves, with who is kin as their subject."""
        lines = PostWorld.lines(self, [row])
        own = [line for line in lines if noun_of(line.relation)[0] == kin.family]
        seen: set[tuple[int, int]] = set()
        for line in own:
            _, said, ahead = noun_of(line.relation)
            one, other = (line.subject, line.object) if ahead else (line.object, line.subject)
            for who, whose in ((one, other), (other, one))[: 2 if kin.both_ways else 1]:
                sex = (said if who == one else "") or (self.sex(who) if kin.sex else "")
                if (who, whose) in seen or (kin.sex and sex not in ("", kin.sex)):
                    continue
                seen.add((who, whose))
                turned = line._replace(subject=who, relation=kin.relation, object=whose)
                alone = len({one.other(whose) for one in own if whose == row}) == 1
                unsure = bool(kin.sex and not sex and not alone)
                yield self.derive(turned, (line,), unsure=True) if unsure else turned

    def _derived(
        self,
        who: int,
        whose: int,
        kin: Kin,
        way: _Way,
        pairs: set[tuple[int, int]],
        *,
        alone: bool = False,
    ) -> Iterator[Line]:
        sex = self.sex(who) if kin.sex else ""
        if who == whose or (who, whose) in pairs or (kin.sex and sex not in ("", kin.sex)):
            return
        pairs.add((who, whose))
        line = Line(0, who, kin.relation, whose, way.start, way.end)
        unsure = bool(kin.sex and not sex and not alone)
        if len(way.lines) == 1 and not unsure:
            yield line._replace(row=way.lines[0].row, end=way.lines[0].end)
        else:
            yield self.derive(line, way.lines, unsure=unsure)

    def _followed(self, row: int, path: str, kin: Kin) -> list[_Way]:
        """Return the ways from somebody by some steps, each through others only."""
        ways = [_Way((row,))]
        for letter in path:
            ways = [
                _Way((*way.rows, other), (*way.lines, *lines), max(way.start, start), end_)
                for way in ways
                for other, lines, start, end in self._steps(way.rows[-1], letter)
                if other not in way.rows and max(way.start, start) < (end_ := min(way.end, end))
            ][:_MOST]
        if kin.step:  # not where a parent may be unknown: a father's wife may be the mother
            child = 0 if path[0] == "P" else -1
            ways = [way for way in ways if self._no_child(way.rows[child], way.rows[-1 - child])]
        return ways

    def _no_child(self, row: int, other: int) -> bool:
        parents = {parent for parent, *_ in self._steps(row, "P")}
        return len(parents) == _PARENTS and other not in parents

    def _steps(self, row: int, letter: str) -> Iterator[tuple[int, tuple[Line, ...], int, int]]:
        """Yield who is one step away: with the facts that say so, and since and until when."""
        noun = {"P": "parent", "C": "child", "S": "sibling", "M": "spouse"}[letter]
        for line in PostWorld.lines(self, [row]):
            of, _, ahead = noun_of(line.relation)
            here = (line.object if ahead else line.subject) == row  # the other is what it names
            if of == "spouse" == noun:
                yield line.other(row), (line,), line.start, line.end
            elif of == "sibling" == noun or (of == noun and here):
                yield line.other(row), (line,), line.start, FOREVER
            elif {of, noun} == {"parent", "child"} and not here:
                yield line.other(row), (line,), line.start, FOREVER
        if letter == "S":
            for parent, one, since, _ in self._steps(row, "P"):
                for other, two, then, _ in self._steps(parent, "C"):
                    if other != row:
                        yield other, (*one, *two), max(since, then), FOREVER

    def sex(self, row: int) -> Sex:
        """Return of which sex a fact or a type says that somebody is; empty if none or both do."""
        found = {_SEXES.get(self.kind(row).casefold(), "")}
        for line in PostWorld.lines(self, [row]):
            noun, sex, ahead = noun_of(line.relation)
            if noun and sex and (line.subject if ahead else line.object) == row:
                found.add(sex)
            parts = tuple(part for part in parts_of(line.relation) if part != "has")
            if line.subject == row and parts in _SEXED:
                found.add(_SEXES.get(self.name(line.object).casefold(), ""))
        [*known] = found - {""}
        return known[0] if len(known) == 1 else ""


def with_kin(asked: Asked, world: World) -> World:
    """Return a world with the kin that a question asks of; the same if it asks of none."""
    kin = kin_in(tuple(token for one in asked.clauses for token in one.tokens))
    if not kin:
        return world
    own = {one.name: getattr(world, one.name) for one in fields(world)}
    return KinWorld(**own, kin=kin)


def check_kin(asked: Asked, world: World, done: Solution) -> None:
    """See that what kin an answer rests on is known to be what was asked for.

    Raises:
        CannotAnswer: if of somebody no fact tells which sex, or what is asked for does not follow.
    """
    for line in (*done.lines, *done.support):
        if line.row < 0 and line.object < 0 and world.derived[line.row].unsure:
            who, post = world.name(line.subject), world.name(line.object)
            raise CannotAnswer(f"{who} was at several while in the role: “{post}” may be another's")
    if not isinstance(world, KinWorld):
        return
    names = {one.relation: one for one in world.kin}
    _leave_out(asked, world, done)
    lines = [line for line in (*done.lines, *done.support) if line.relation in names]
    named = {row for one in asked.main.names for row in world.rows_of(one)}
    for line in lines:
        kin = names[line.relation]
        given = asked.wants == "entities" and line.subject in named and line.object not in named
        if line.row < 0 and world.derived[line.row].unsure and not given:
            who, word = world.name(line.subject), kin.name
            raise CannotAnswer(f"no fact tells whether {who} is of the sex of “{word}”")
    derived = [line for line in lines if line.row < 0]
    if derived and (asked.order is not None or asked.wants in _MOMENTS):
        raise CannotAnswer(f"{derived[0].relation} is worked out, and has no dates of its own")
    for one in world.kin if derived else ():
        done.step(f"{one.relation} is worked out from parents, siblings and spouses")


def _leave_out(asked: Asked, world: KinWorld, done: Solution) -> None:
    """Leave out those of whom no fact tells the sex, where others are known, and say so."""
    named = {row for one in asked.main.names for row in world.rows_of(one)}
    unsure = [one for one in done.lines if one.row < 0 and world.derived[one.row].unsure]
    unsure = [line for line in unsure if line.subject not in named]
    rows = {line.subject for line in unsure}
    if asked.wants != "entities" or not unsure or rows >= set(done.entities):
        return
    if asked.order is not None or asked.limits.aged or not rows <= set(done.entities):
        return
    done.lines = [line for line in done.lines if line not in unsure]
    done.entities = [row for row in done.entities if row not in rows]
    done.values = [world.name(row) for row in done.entities]
    left = ", ".join(world.name(row) for row in sorted(rows))
    done.step(f"without {left}: no fact tells of which sex")


_MOMENTS: Final = ("when", "since", "until", "how long", "how often", "which")
