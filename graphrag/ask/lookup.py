"""The facts that a clause of a question speaks of: between two entities, or all of one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graphrag.ask.account import unmeant
from graphrag.ask.again import is_again, may_return, returns
from graphrag.ask.asked import Asked, Clause, Named
from graphrag.ask.kinds import Kinds, is_of
from graphrag.ask.relate import (
    Evidence,
    Side,
    best,
    evidence,
    mutual,
    owner_of,
    passive_in,
    side_of,
)
from graphrag.ask.relatives import kin_in
from graphrag.ask.senses import GENDERED, parts_of, stem_of, stems_of
from graphrag.ask.world import Line, World, by_start
from graphrag.errors import QueryError
from graphrag.model.values import CONCEPT


class CannotAnswer(QueryError):
    """The graph does not hold what the question needs; the message says what is missing."""


class Unclear(CannotAnswer):
    """The facts say too little for a yes, and for a no."""


def again(clause: Clause, lines: list[Line]) -> list[Line]:
    """Return the facts that a clause may speak of: of a second time only those that begin one.

    Raises:
        Unclear: if there was no second time by one relation, but may have been by several.
        CannotAnswer: if there was none.
    """
    if not is_again(clause, lines):
        return lines
    if found := returns(lines):
        return found
    if may_return(lines):
        raise Unclear("it is not known whether that was a second time: the relations differ")
    raise CannotAnswer("no second time is known")


@dataclass(frozen=True, slots=True)
class Found:
    """Facts that a clause speaks of, and the end of them that answers."""

    lines: tuple[Line, ...]
    relation: str
    owner: Named | None = None
    """The entity whose facts they are."""
    side: Side = "subject"
    """The end at which the owner stands."""
    kind: str = ""
    """What the answer lies in, as the question calls it: "in which country did A live"."""

    def far(self, line: Line) -> int:
        """Return the end of a fact that answers."""
        return line.object if self.side == "subject" else line.subject


def open_facts(asked: Asked, clause: Clause, world: World, *, prefer: str = "") -> Found:
    """Return the facts that a clause about one entity speaks of.

    Raises:
        CannotAnswer: if no relation of the entity is meant, or several may be.
    """
    if not clause.names:
        raise CannotAnswer(f"“{clause}” names nothing that the graph knows")
    owner = clause.names[0]
    rows = world.rows_of(owner)
    lines = world.lines(rows)
    if not lines:
        raise CannotAnswer(f"nothing is known of {owner.name}")
    for kin in kin_in(clause.tokens):
        if not any(stem_of(kin.name) in stems_of(line.relation) for line in lines):
            known = _listed(line.relation for line in lines)
            raise CannotAnswer(f"no {kin.name} of {owner.name} is known or follows; known: {known}")
    lines = again(clause, lines)
    place = next(at for at, token in enumerate(clause.tokens) if token.named is owner)
    top = best(clause, lines, world)
    if prefer and (len(top) != 1 or not top[0].sure):
        top = [one for one in top if one.relation == prefer] or top
    sided = [
        one
        for meant in top
        if (one := _sided(clause, place, meant, rows, lines, world)) is not None
    ]
    facts = [one for one in sided if one.lines]
    facts = _asked_for(clause, facts)
    if not top or not sided:
        raise CannotAnswer(_unknown(clause, owner, lines))
    if len(facts) > 1 and asked.wants == "how many":
        facts = [one for one in facts if one.relation.startswith("has_")] or facts
    if len(facts) > 1:
        names = ", ".join(one.relation for one in facts)
        raise CannotAnswer(f"“{clause}” may mean several relations of {owner.name}: {names}")
    found = replace(facts[0] if facts else sided[0], owner=owner)
    kinds = Kinds(world, clause, [found.far(line) for line in found.lines])
    _understood(asked, clause, found.relation, kinds, lines, world)
    kept = tuple(line for line in found.lines if found.far(line) in kinds.rows)
    if kept and _is_else(clause, found, [found.far(line) for line in kept], world):
        raise CannotAnswer(_unknown(clause, owner, lines))
    more = [
        word for word in clause.words if stem_of(word) in GENDERED - {*stems_of(found.relation)}
    ]
    if more and len({found.far(line) for line in kept}) > 1:
        raise CannotAnswer(f"not understood: {', '.join(more)}; known: {found.relation}")
    return replace(found, lines=kept, kind=kinds.above)


def _asked_for(clause: Clause, facts: list[Found]) -> list[Found]:
    """Return the facts of those relations that the question word asks for: where, or what."""
    placed = [one for one in facts if _PLACED & {*parts_of(one.relation)}]
    if len(placed) in (0, len(facts)):
        return facts
    if "where" in clause.words:
        return placed
    asks = {"what", "which"} & clause.words
    return [one for one in facts if one not in placed] if asks else facts


_PLACED = frozenset({"at", "in"})
_ABOVE = frozenset({"boss", "manager", "supervisor", "superior"})


def _is_else(clause: Clause, found: Found, rows: Sequence[int], world: World) -> bool:
    """Tell whether what is found is no answer to the question word: nobody who, or no place."""
    kinds = {world.kind(row) for row in rows}
    if "where" in clause.words:
        placed = bool(_PLACED & {*parts_of(found.relation)})
        return kinds <= ({"person"} if placed else {"person", CONCEPT})
    if "who" in clause.words and _ABOVE & clause.words:
        far = [found.far(one) for one in found.lines]
        below = {"reports_to": [one.subject for one in found.lines]}
        below["leads"] = [one.object for one in found.lines]
        if below.get(found.relation) == far:
            return True  # nobody's boss is what they lead, or who reports to them
    if "who" not in clause.words or evidence(clause, found.relation, world).places:
        return False
    return not any(is_of(row, "person", world) for row in rows)


def _understood(
    asked: Asked, clause: Clause, relation: str, kinds: Kinds, lines: Sequence[Line], world: World
) -> None:
    """See that every word of a clause is used, and that it is not the opposite that is known.

    Raises:
        CannotAnswer: naming the words that nothing is known of.
    """
    left = unmeant(asked, clause, evidence(clause, relation, world), kinds)
    if left:
        known = _listed(line.relation for line in lines)
        raise CannotAnswer(f"not understood: {', '.join(left)}; known: {known}")
    stems = {stem_of(token.word) for token in clause.tokens if token.says}
    for other in world.relations[relation].exclusive_with:
        if not stems.isdisjoint(stems_of(other)):
            raise CannotAnswer(f"only the opposite is known: {relation}")


def pair_facts(
    asked: Asked, clause: Clause, one: Named, other: Named, world: World, *, prefer: str = ""
) -> Found:
    """Return the facts between two entities that a clause speaks of, the first one its subject.

    Raises:
        CannotAnswer: if there are none.
    """
    left, right = world.rows_of(one), set(world.rows_of(other))
    lines = [
        line
        for line in world.lines((*left, *(row for row in right if row < 0)))
        if any(line.other(row) in right for row in left if row in (line.subject, line.object))
    ]
    if not lines:
        raise CannotAnswer(f"no fact is known between {one.name} and {other.name}")
    lines = again(clause, lines)
    if is_again(clause, lines) and len({line.relation for line in lines}) > 1:
        lines = _meant(clause, lines, world)
    top = best(clause, lines, world)
    if prefer and (len(top) != 1 or not top[0].sure):
        if any(line.relation == prefer for line in lines):
            top = [evidence(clause, prefer, world)]
    if not top:
        raise CannotAnswer(
            f"no fact between {one.name} and {other.name} is one of “{clause}”: "
            f"{_listed(line.relation for line in lines)}"
        )
    facts: list[Line] = []
    for meant in top:
        facts += _between(clause, meant, left, (one, other), lines, world)
    if not facts:
        raise CannotAnswer(f"no such fact is known from {one.name} to {other.name}")
    _understood(asked, clause, facts[0].relation, Kinds(world, clause), lines, world)
    return Found(tuple(by_start(facts)), facts[0].relation, one, _end(facts[0], left))


def _meant(clause: Clause, lines: list[Line], world: World) -> list[Line]:
    """Return the facts of the one relation that is meant of several by which two met again."""
    meant = [one for one in best(clause, lines, world) if one.places]
    if len(meant) != 1:
        names = _listed(line.relation for line in lines)
        raise Unclear(f"“{clause}” may mean several relations: {names}")
    return [line for line in lines if line.relation == meant[0].relation]


def _between(
    clause: Clause,
    meant: Evidence,
    left: Sequence[int],
    names: tuple[Named, Named],
    lines: Sequence[Line],
    world: World,
) -> list[Line]:
    """Return the facts in the direction that the words say, or any if they do not say it."""
    same = [line for line in lines if line.relation == meant.relation]
    if mutual(meant.relation, world):
        return _once(_turned(same, left))
    if (owner := owner_of(clause, meant)) in names:  # "is A's uncle B"
        side = "object" if owner is names[0] else "subject"
        return [line for line in same if line.at(side) in left]
    surface = not (passive_in(clause) and meant.places)
    side = "subject" if surface is not (meant.swapped ^ meant.passive) else "object"
    fitting = [line for line in same if line.at(side) in left]
    return fitting or ([] if meant.sure and _verbal(clause, meant) else same)


def _verbal(clause: Clause, meant: Evidence) -> bool:
    """Tell whether a verb stands between or after the names, as in "did A visit B"."""
    places = [at for at, token in enumerate(clause.tokens) if token.named is not None]
    return len(places) > 1 and any(at > places[0] for at in meant.places)


def _end(line: Line, rows: Sequence[int]) -> Side:
    return "subject" if line.subject in rows else "object"


def _sided(
    clause: Clause,
    place: int,
    meant: Evidence,
    rows: Sequence[int],
    lines: Sequence[Line],
    world: World,
) -> Found | None:
    """Return the facts of one relation at the end that the words say, or else the graph."""
    side, sure = side_of(clause, place, meant)
    same = [line for line in lines if line.relation == meant.relation]
    if mutual(meant.relation, world):
        return Found(tuple(by_start(_once(_turned(same, rows)))), meant.relation)
    here = [line for line in same if line.at(side) in rows]
    if not here and not sure:
        side = "object" if side == "subject" else "subject"
        here = [line for line in same if line.at(side) in rows]
    if not here and meant.places == ():
        return None
    return Found(tuple(by_start(here)), meant.relation, None, side)


def _turned(lines: Sequence[Line], rows: Sequence[int]) -> list[Line]:
    """Return facts that read the same from both ends with an entity as their subject."""
    return [
        line if line.subject in rows else line._replace(subject=line.object, object=line.subject)
        for line in lines
    ]


def _once(lines: Sequence[Line]) -> list[Line]:
    """Return facts without those that say the same of the same time from the other end."""
    seen: dict[tuple[int, int, int, int], Line] = {}
    for line in lines:
        seen.setdefault((line.subject, line.object, line.start, line.end), line)
    return list(seen.values())


def _unknown(clause: Clause, owner: Named, lines: Sequence[Line]) -> str:
    words = [token.text for token in clause.tokens if token.says]
    known = _listed(line.relation for line in lines)
    if not words:
        return f"it is not said what is asked of {owner.name}; known: {known}"
    return f"not understood of {owner.name}: {', '.join(words)}; known: {known}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))
