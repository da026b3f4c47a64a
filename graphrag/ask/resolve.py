"""A question as read by grammar, resolved on the graph into a typed query.

Each clause is a pattern of facts: its names are entities, its other words mean one of the relations
that these entities have. Words that mean none, and say nothing of the answers, are not understood.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from graphrag.ask.clause import Clause, Condition, Frame
from graphrag.ask.coverage import unmeant
from graphrag.ask.grammar import EDGES, ENDING
from graphrag.ask.hops import hops
from graphrag.ask.kinds import Kinds, is_of
from graphrag.ask.query import Bound, Edge, Named, Query
from graphrag.ask.relate import Evidence, best, evidence, mutual, owner_of, passive_in, side_of
from graphrag.ask.senses import GENDERED, parts_of, senses_of, stem_of, stems_of
from graphrag.ask.world import CannotAnswer, FactRow, World
from graphrag.ask.years import in_its_year, is_yearless
from graphrag.temporal.interval import Interval

_NEAR: Final = 0.45
"""Cosine from which the words of a clause mean a relation, with the default embedder."""
_MARGIN: Final = 0.08
"""What the nearest relation must be nearer than the next one."""
_DATES: Final = ("when", "since", "until", "how long", "age")
Cosines = Mapping[tuple[str, str], float]
"""How near the words of a clause are to a relation in meaning."""


class NotUnderstood(CannotAnswer):
    """Words of the question mean nothing that is known; the message names them."""


@dataclass(frozen=True)
class Resolver:
    """One question over one world."""

    frame: Frame
    world: World
    cosines: Cosines | None = None
    """None: meaning is not looked at, only words."""

    def query(self) -> Query:
        """Return the question as a query.

        Raises:
            CannotAnswer: naming what is not understood, or what is not known.
        """
        frame = self.frame
        if frame.unread:
            raise NotUnderstood(f"not understood: {', '.join(frame.unread)}")
        vague = frame.main.during if frame.wants in ("age", "which") else frame.known
        if vague is not None and is_yearless(vague):
            raise CannotAnswer(f"“{vague.words}” is of every year: say which")
        if frame.wants == "age":
            main, bounds = self._age()
            if frame.main.during is not None:
                main = replace(main, interval=frame.main.during.interval)
            return replace(main, bounds=bounds, words=frame.text)
        main = self._main()
        bounds = tuple(self._bound(one, main) for one in frame.conditions)
        edge = self._edge(frame.main, main)
        over = edge == "end" or not {"over", "ended"}.isdisjoint(frame.main.words)
        edge = edge if frame.wants not in _DATES or frame.ago else "end" if over else None
        query = replace(
            main,
            wants=frame.wants,
            order=None if frame.wants == "how long" and not frame.apart else frame.main.order,
            bounds=bounds,
            edge=edge,
            unit=frame.unit,
            lasting=frame.lasting,
            without=frame.without,
            among=frame.among,
            ago=frame.ago,
            known_at=None if frame.known is None else frame.known.interval,
            words=frame.text,
        )
        if edge == "end" and query.order is not None and frame.wants == "entities":
            raise NotUnderstood("not understood: in the order of their ends")
        if frame.apart is not None:
            other = replace(self._pattern(frame.apart), order=frame.apart.order)
            shared = main.object == other.object and not frame.main.order
            return replace(query, apart=other, edge="end" if frame.from_end or shared else None)
        return self._timed(query)

    def _main(self) -> Query:
        frame = self.frame
        if frame.among:
            if len(frame.main.names) != 1:
                raise CannotAnswer(f"“{frame.main}” does not say of whom")
            owner, choice = frame.main.names[0], frame.among[0]
            found = self._pair(frame.main, owner, choice)
            return (
                replace(found, object=None)
                if found.subject == owner
                else replace(found, subject=None)
            )
        prefer = ""
        for condition in frame.conditions:
            if len(condition.clause.names) == 1 and frame.main.names:
                rows = self._between(frame.main.names[0], condition.clause.names[0])
                top = best(frame.main, rows, self.world)
                prefer = prefer or (top[0].relation if top else "")
        return self._pattern(frame.main, prefer=prefer)

    def _timed(self, query: Query) -> Query:
        """Return a query with its time, and what it asks of now."""
        frame, during = self.frame, self.frame.main.during
        timeless = any(self.world.relations[name].timeless for name in query.relations)
        if during is None:
            bounds = [one.clause.during for one in frame.conditions if one.clause.during]
            holds = "planned" if frame.planned else "ended" if frame.ended else ""
            if not holds and (frame.present or (timeless and not query.bounds)):
                holds = "now"
            elif (
                not holds and query.edge == "end" and not (query.bounds or bounds or _dated(query))
            ):
                holds = "ended"
            return replace(query, holds=holds)
        if is_yearless(during):
            during = in_its_year(during, query, self.world)
        return _within(query, during.interval)

    def _bound(self, condition: Condition, main: Query) -> Bound:
        """Return what bounds the answer."""
        clause, owners = condition.clause, self.frame.main.names
        names = clause.names
        content = [word for word in clause.content if word not in EDGES]
        if len(names) == 1 and owners:
            near = [owner for owner in owners if self._between(owner, names[0])] or [owners[0]]
            try:
                prefer = "" if content or not main.relations else main.relations[0]
                query = self._pair(clause, near[0], names[0], prefer=prefer)
            except CannotAnswer:
                if not clause.content:
                    raise
                query = self._pattern(clause)
        else:
            query = self._pattern(clause)
        interval = None if clause.during is None else clause.during.interval
        edge = self._edge(clause, query)
        query = replace(query, order=clause.order, edge=edge, interval=interval)
        return Bound(condition.link, query, condition.nearest)

    def _edge(self, clause: Clause, query: Query) -> Edge | None:
        """Return which end of facts a clause speaks of, by words that are not of the relation."""
        own = {
            stem
            for relation in query.relations
            for name in self.world.relations.same(relation)
            for stem in stems_of(name)
        }
        nouns = ("the", "a", "an", "to", "its", "his", "her", "their", "'s")
        edge: Edge | None = None
        for place, token in enumerate(clause.tokens):
            lead = clause.tokens[place - 1].word if place else ""
            if token.word in EDGES and lead not in nouns and stem_of(token.word) not in own:
                if token.word in ENDING:
                    return "end"
                edge = "start"
        return edge

    def _pattern(self, clause: Clause, *, prefer: str = "") -> Query:
        """Return the facts that a clause speaks of."""
        names = clause.names
        if not names:
            raise CannotAnswer(f"“{clause}” names nothing that the graph knows")
        if len(names) > 2:
            raise CannotAnswer(f"“{clause}” names {len(names)} entities: which two are meant?")
        if len(names) == 2:
            return self._pair(clause, names[0], names[1], prefer=prefer)
        try:
            return self._open(clause, names[0], prefer)
        except NotUnderstood:
            found = hops(clause, names[0], self.world)
            if found is None:
                found = self._by_meaning(clause, names[0])
            if found is None:
                raise
            return found

    def _open(self, clause: Clause, owner: Named, prefer: str) -> Query:
        """Return the facts of one entity that a clause speaks of."""
        world = self.world
        ends = world.rows_of(owner)
        rows = world.rows(ends)
        if not rows:
            raise CannotAnswer(f"nothing is known of {owner.name}")
        place = next(at for at, token in enumerate(clause.tokens) if token.named is owner)
        top = best(clause, rows, world)
        if prefer and (len(top) != 1 or not top[0].sure):
            top = [one for one in top if one.relation == prefer] or [
                evidence(clause, prefer, world)
            ]
        sides = [self._side(clause, place, meant, ends, rows) for meant in top]
        facts = [one for one in sides if one is not None and one[2]]
        if "where" in clause.words and len(facts) > 1:
            facts = [one for one in facts if {"at", "in"} & {*parts_of(one[0].relation)}] or facts
        elif {"what", "which"} & clause.words and len(facts) > 1:
            facts = [
                one for one in facts if not {"at", "in"} & {*parts_of(one[0].relation)}
            ] or facts
        facts = [one for one in facts if not _below(clause, one[0].relation, one[1])]
        if not facts:
            raise NotUnderstood(self._unknown(clause, owner, rows))
        if len(facts) > 1 and all(set(stems_of(one[0].relation)) & GENDERED for one in facts):
            if len({one[1] for one in facts}) == 1:  # parents are mothers and fathers
                relations = tuple(one[0].relation for one in facts)
                side = facts[0][1]
                return (
                    Query(owner, relations) if side == "subject" else Query(None, relations, owner)
                )
        if len(facts) > 1:
            names = ", ".join(dict.fromkeys(meant.relation for meant, *_ in facts))
            raise NotUnderstood(f"“{clause}” may mean several relations of {owner.name}: {names}")
        meant, side, lines = facts[0]
        far = [line.object if side == "subject" else line.subject for line in lines]
        kinds = Kinds(world, clause, far)
        if left := unmeant(clause, meant, kinds, world):
            known = _listed(row.relation for row in rows)
            raise NotUnderstood(f"not understood: {', '.join(left)}; known: {known}")
        self._checked(clause, meant.relation, set(far))
        more = [w for w in clause.content if stem_of(w) in GENDERED - {*stems_of(meant.relation)}]
        if more and len(kinds.rows) > 1:
            raise NotUnderstood(f"not understood: {', '.join(more)}; known: {meant.relation}")
        one = self._single(
            owner, [line.subject if side == "subject" else line.object for line in lines]
        )
        kind = kinds.said if set(far) != kinds.rows else ""
        if side == "subject":
            return Query(one, meant.relation, None, kind=kind)
        return Query(None, meant.relation, one, kind=kind)

    def _single(self, owner: Named, rows: Sequence[int]) -> Named:
        """Return the one entity that a short name means: whose facts the question asks for.

        Raises:
            CannotAnswer: if it may mean several.
        """
        ids = dict.fromkeys(self.world.index.entities.ids[row] for row in rows)
        own = [id_ for id_ in ids if id_ in owner.ids]
        if not owner.short or len(owner.ids) == 1:
            return owner
        if len(own) != 1:
            names = _listed(self.world.name(self.world.index.entities.row_of[id_]) for id_ in own)
            raise CannotAnswer(f"“{owner.name}” may be {names}")
        return Named(self.world.name(self.world.index.entities.row_of[own[0]]), (own[0],))

    def _side(
        self,
        clause: Clause,
        place: int,
        meant: Evidence,
        ends: Sequence[int],
        rows: Sequence[FactRow],
    ) -> tuple[Evidence, str, list[FactRow]] | None:
        """Return the facts of one relation at the end that the words say, or else the graph."""
        side, sure = side_of(clause, place, meant)
        same = [row for row in rows if row.relation == meant.relation]
        if mutual(meant.relation, self.world):
            turned = [
                row if row.subject in ends else row._replace(subject=row.object, object=row.subject)
                for row in same
            ]
            return meant, "subject", turned
        here = [row for row in same if row.at(side) in ends]
        if not here and not sure:
            side = "object" if side == "subject" else "subject"
            here = [row for row in same if row.at(side) in ends]
        if not here and not meant.places:
            return None
        return meant, side, here

    def _checked(self, clause: Clause, relation: str, far: set[int]) -> None:
        """See that answers are what the question word asks for, and not the opposite is known.

        Raises:
            CannotAnswer: saying what is known instead.
        """
        world = self.world
        kinds = {world.kind(row) for row in far}
        placed = bool({"at", "in"} & {*parts_of(relation)})
        if (
            far
            and "where" in clause.words
            and kinds <= ({"person"} if placed else {"person", "concept"})
        ):
            raise CannotAnswer(f"it is no place: {relation}")
        if far and "who" in clause.words and not evidence(clause, relation, world).places:
            if not any(is_of(row, "person", world) for row in far):
                raise NotUnderstood(f"nobody is known; known: {relation}")
        stems = {stem_of(token.word) for token in clause.tokens if token.says}
        for other in world.relations[relation].exclusive_with:
            if not stems.isdisjoint(stems_of(other)):
                raise CannotAnswer(f"only the opposite is known: {relation}")

    def _between(self, one: Named, other: Named) -> list[FactRow]:
        left, right = self.world.rows_of(one), set(self.world.rows_of(other))
        return [
            row
            for row in self.world.rows(left)
            if any(row.other(end) in right for end in left if end in (row.subject, row.object))
        ]

    def _pair(self, clause: Clause, one: Named, other: Named, *, prefer: str = "") -> Query:
        """Return the facts between two entities that a clause speaks of."""
        world, rows = self.world, self._between(one, other)
        whether = self.frame.wants == "whether" and clause is self.frame.main
        known = rows or (
            [row for named in (one, other) for row in world.rows(world.rows_of(named))]
            if whether
            else []
        )
        if not known:
            raise CannotAnswer(f"no fact is known between {one.name} and {other.name}")
        top = best(clause, known, world)
        if prefer and (len(top) != 1 or not top[0].sure):
            if any(row.relation == prefer for row in known):
                top = [evidence(clause, prefer, world)]
        meant = next((m for m in top if not unmeant(clause, m, Kinds(world, clause), world)), None)
        if meant is None and clause.content:
            meant = self._nearest(clause, known)
        if meant is None:
            words = ", ".join(clause.content)
            raise NotUnderstood(
                f"not understood of {one.name} and {other.name}: {words}; "
                f"known: {_listed(row.relation for row in known)}"
            )
        if not rows and len({m.relation for m in top}) > 1 and not meant.places:
            raise NotUnderstood(f"“{clause}” may mean several relations")
        left = set(world.rows_of(one))
        same = [row for row in rows if row.relation == meant.relation]
        if (owner := owner_of(clause, meant)) in (one, other):  # "is A's uncle B"
            ahead = owner is other
        else:
            surface = not (passive_in(clause) and meant.places)
            ahead = surface is not (meant.swapped ^ meant.passive)
        verbal = meant.sure and any(at > self._place(clause, one) for at in meant.places)
        if same and not verbal and not any((row.subject in left) is ahead for row in same):
            ahead = not ahead
        one = self._single(one, [end for row in same or known for end in (row.subject, row.object)])
        other = self._single(
            other, [end for row in same or known for end in (row.subject, row.object)]
        )
        subject, object_ = (one, other) if ahead else (other, one)
        return Query(subject, meant.relation, object_)

    def _place(self, clause: Clause, named: Named) -> int:
        return next((at for at, token in enumerate(clause.tokens) if token.named is named), -1)

    def _nearest(self, clause: Clause, rows: Sequence[FactRow]) -> Evidence | None:
        """Return the relation that the words of a clause are clearly nearest to in meaning."""
        if self.cosines is None:
            return None
        phrase = " ".join(clause.content)
        names = dict.fromkeys(row.relation for row in rows)
        ranked = sorted(
            ((self.cosines.get((phrase, name), 0.0), name) for name in names), reverse=True
        )
        if not ranked or ranked[0][0] < _NEAR:
            return None
        if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _MARGIN:
            return None
        places = tuple(at for at, token in enumerate(clause.tokens) if token.says)
        swapped = evidence(clause, ranked[0][1], self.world).swapped
        passive = "by" in parts_of(ranked[0][1])[1:]
        return Evidence(ranked[0][1], _NEAR, places, swapped=swapped, passive=passive)

    def _by_meaning(self, clause: Clause, owner: Named) -> Query | None:
        """Return the facts of one entity whose relation is nearest to a clause in meaning."""
        ends = self.world.rows_of(owner)
        rows = self.world.rows(ends)
        if any(meant.sure for meant in best(clause, rows, self.world)):
            return None  # the words say it, and there is no such fact
        meant = self._nearest(clause, rows)
        if meant is None:
            return None
        place = self._place(clause, owner)
        sided = self._side(clause, place, meant, ends, rows)
        if sided is None or not sided[2]:
            return None
        _, side, lines = sided
        self._checked(clause, meant.relation, {line.other(line.at(side)) for line in lines})
        one = self._single(owner, [line.at(side) for line in lines])
        return Query(one, meant.relation) if side == "subject" else Query(None, meant.relation, one)

    def _age(self) -> tuple[Query, tuple[Bound, ...]]:
        """Return the birth of who is asked about, and what says at which moment."""
        clause, world = self.frame.main, self.world
        if not clause.names:
            raise CannotAnswer(f"“{clause}” does not say whose age is asked")
        owner = clause.names[0]
        rest = Clause(tuple(token for token in clause.tokens if token.word not in ("old", "age")))
        bounds = tuple(self._bound(one, Query(owner)) for one in self.frame.conditions)
        if rest.content or len(rest.names) > 1:  # "at what age did A marry B"
            bounds = (Bound("while", self._pattern(rest)),)
        ends = world.rows_of(owner)
        rows = [row for row in world.rows(ends) if row.subject in ends]
        birth = senses_of(stem_of("birth"))
        for row in rows:
            if birth & frozenset().union(*map(senses_of, stems_of(row.relation))):
                return Query(owner, row.relation, wants="age"), bounds
        if any(row.relation == "has_age" for row in rows) and not bounds and not clause.during:
            return Query(owner, "has_age", holds="now"), ()
        raise CannotAnswer(f"no birthday is known of {owner.name}")

    def _unknown(self, clause: Clause, owner: Named, rows: Sequence[FactRow]) -> str:
        known = _listed(row.relation for row in rows)
        if not clause.content:
            return f"it is not said what is asked of {owner.name}; known: {known}"
        return f"not understood of {owner.name}: {', '.join(clause.content)}; known: {known}"


_ABOVE: Final = frozenset({"boss", "manager", "supervisor", "superior"})


def _below(clause: Clause, relation: str, side: str) -> bool:
    """Tell whether facts are of who is led, where the boss is asked for."""
    turned = {"reports_to": "object", "leads": "subject"}
    return not _ABOVE.isdisjoint(clause.words) and turned.get(relation) == side


def _dated(query: Query) -> bool:
    return query.wants in _DATES


def _within(query: Query, interval: Interval) -> Query:
    """Return a query of a time, and those inside it of the same time."""
    ends = {
        end: _within(value, interval)
        for end, value in (("subject", query.subject), ("object", query.object))
        if isinstance(value, Query)
    }
    return replace(query, interval=interval, **ends)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))
