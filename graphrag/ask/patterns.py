"""The pattern of facts that a clause speaks of, found on the graph.

Its names are entities, its other words mean one of the relations that these entities have: by the
words of the relation, or by being clearly nearest to it in meaning.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from graphrag.ask import senses
from graphrag.ask.clause import Clause, shape_of
from graphrag.ask.coverage import coverage, hops, mutual, passive_in, side_of
from graphrag.ask.names import words_of
from graphrag.ask.query import Named, Query
from graphrag.ask.senses import Evidence
from graphrag.ask.wording import DO, stem_of
from graphrag.ask.world import CannotAnswer, FactRow, World
from graphrag.ontology.relations import VITAL
from graphrag.text.tokens import STOP_WORDS

_NEAR: Final = 0.5
"""Cosine from which the words of a clause mean a relation, with the default embedder: of 213
questions about what is not known the highest was 0.50 ("buried", ``diedIn``)."""
_MARGIN: Final = 0.08
"""What the nearest relation must be nearer than the next one."""
_ABOVE: Final = frozenset({"boss", "manager", "supervisor", "superior"})
"""Who is above somebody."""
_LED: Final = {("reports_to", "object"), ("leads", "subject")}
"""What speaks of who is led, where the boss is asked for."""
_AT: Final = re.compile(r"\b(?:at|in|for|of|with|got|gets?)(?: the)? E\b|\b(?:at|in|for|of|on)$")
"""What says of a clause without other words that something is there: "who was at A"."""
_IDLE: Final = STOP_WORDS - DO | {"got", "get", "gets", "anybody", ",", "'s"}
_PLACED: Final = frozenset({"at", "in"})
Cosines = Mapping[tuple[str, str], float]
"""How near the words of a clause are to a relation in meaning."""


class NotUnderstood(CannotAnswer):
    """Words of the question mean nothing that is known; the message names them."""


@dataclass(frozen=True)
class Sided:
    """The facts of one relation at one end of them."""

    meant: Evidence
    side: str
    rows: list[FactRow]

    @property
    def far(self) -> list[int]:
        """Return the ends that answer."""
        return [row.object if self.side == "subject" else row.subject for row in self.rows]

    @property
    def placed(self) -> bool:
        """Tell whether the relation says where: ``lives_in``."""
        return not _PLACED.isdisjoint(senses.parts_of(self.meant.relation))


@dataclass(frozen=True)
class Patterns:
    """The patterns of the clauses of one question."""

    world: World
    cosines: Cosines | None = None
    """None: meaning is not looked at, only words."""

    def of(self, clause: Clause, *, prefer: str = "", denied: bool = False) -> Query:
        """Return the facts that a clause speaks of.

        ``prefer`` is the relation that is meant, if the words name none. With ``denied`` no fact
        between two entities is an answer: to a yes or no question.
        """
        names, world = clause.names, self.world
        if not names:
            raise CannotAnswer(f"“{clause}” names nothing that the graph knows")
        if len(names) > 2:
            raise CannotAnswer(f"“{clause}” names {len(names)} entities: which two are meant?")
        if len(names) == 2:
            return self.pair(clause, names[0], names[1], prefer=prefer, denied=denied)
        owner = names[0] if clause.content else names[0].whole
        rows = world.rows(world.rows_of(owner))
        if not rows:
            raise CannotAnswer(f"nothing is known of {owner.name}")
        top = self._meant(clause, rows, prefer)
        try:
            return self._open(clause, owner, top, rows)
        except NotUnderstood:
            if found := hops(clause, owner, world):
                return found
            near = None if any(meant.sure for meant in top) else self._nearest(clause, rows)
            if near is None:
                raise
            return self._open(clause, owner, [near], rows)

    def _meant(self, clause: Clause, rows: Sequence[FactRow], prefer: str) -> list[Evidence]:
        top = senses.best(clause, rows, self.world)
        if (len(top) == 1 and top[0].sure) or all(row.relation != prefer for row in rows):
            return top
        meant = senses.evidence(clause, prefer, self.world)
        return [replace(meant, score=max(1.0, meant.score))]

    def _open(
        self, clause: Clause, owner: Named, top: Sequence[Evidence], rows: Sequence[FactRow]
    ) -> Query:
        """Return the facts of one entity by the relations that a clause may mean."""
        options = [self._sided(clause, owner, meant, rows) for meant in top]
        facts = [fact for fact in options if fact.rows and not self._is_no_one(clause, fact)]
        if len(facts) > 1 and facts[0].meant.score:
            where = "where" in clause.words
            asks = where or not {"what", "which"}.isdisjoint(clause.words)
            fit = [fact for fact in facts if fact.placed is where]
            facts = fit if asks and fit else facts
        known = _listed(row.relation for row in rows)
        if not clause.content and all(fact.meant.vague for fact in facts):
            alone = len(options) == 1 and (clause.during or clause.order) is not None
            stated = alone or _AT.search(shape_of(clause.tokens))
            facts = facts if stated and clause.words <= _IDLE else []
        if not facts:
            words = ", ".join(clause.content) or "what is asked"
            raise NotUnderstood(f"not understood of {owner.name}: {words}; known: {known}")
        first = facts[0]
        if len(facts) > 1:
            names = _listed(fact.meant.relation for fact in facts)
            raise NotUnderstood(f"“{clause}” may mean several relations of {owner.name}: {names}")
        place = next(at for at, token in enumerate(clause.tokens) if token.named)
        verbs = {stem_of(clause.tokens[at].word) for at in first.meant.places}
        theirs = shape_of(clause.tokens[place : place + 2]) == "E 's"
        twice = len(verbs) > 1 and not {"did", "does", "do"}.isdisjoint(clause.words)
        bare = not clause.content and first.side == "subject"
        if theirs and (twice or bare):  # "whom did A's husband marry", "A's latest"
            raise NotUnderstood(f"not understood: {clause}")
        used = coverage(clause, first.meant, self.world, first.far)
        if used.left:
            raise NotUnderstood(f"not understood: {', '.join(used.left)}; known: {known}")
        somebody = {self.world.kind(row) for row in first.far} <= {"person"}
        if "where" in clause.words and (somebody or first.meant.relation == VITAL):
            raise CannotAnswer(f"it is no place: {first.meant.relation}")
        several = len(used.rows) > 1 or "many" in clause.words
        self._refuse(clause, first.meant.relation, several=several)
        named = self._single(owner, first.rows)
        ends = (named, None) if first.side == "subject" else (None, named)
        return Query(ends[0], first.meant.relation, ends[1], kind=used.kind)

    def _is_no_one(self, clause: Clause, fact: Sided) -> bool:
        """Tell whether facts lead to those who are led, to numbers or posts where who is asked."""
        relation, subject = fact.meant.relation, fact.side == "subject"
        led = (relation, fact.side) in _LED and not _ABOVE.isdisjoint(clause.words)
        post = subject and fact.meant.places and senses.akin(senses.POST, relation)
        nobody = post or {self.world.kind(row) for row in fact.far} == {"value"}
        return led or bool(nobody and not {"who", "whom"}.isdisjoint(clause.words))

    def _refuse(self, clause: Clause, relation: str, *, several: bool) -> None:
        """Refuse a word of a relation that excludes this one, or that says more than it does."""
        words = {stem_of(word): word for word in clause.content}
        others = self.world.relations[relation].exclusive_with
        if not words.keys().isdisjoint(chain.from_iterable(map(senses.stems_of, others))):
            raise CannotAnswer(f"only the opposite is known: {relation}")
        more = words.keys() & senses.GENDERED - {*senses.stems_of(relation)} if several else ()
        if more:  # a daughter is more than a child
            raise NotUnderstood(f"not understood: {', '.join(words[stem] for stem in more)}")

    def _sided(
        self, clause: Clause, owner: Named, meant: Evidence, rows: Sequence[FactRow]
    ) -> Sided:
        """Return the facts of one relation at the end that the words say, or else the graph."""
        ends = self.world.rows_of(owner)
        place = next(at for at, token in enumerate(clause.tokens) if token.named)
        side, sure = side_of(clause, place, meant)
        same = [row for row in rows if row.relation == meant.relation]
        if mutual(meant.relation, self.world):
            own = [row if row.subject in ends else row.turned for row in same]
            return Sided(meant, "subject", own)
        here = [row for row in same if row.at(side) in ends]
        if not here and not sure:
            side = "object" if side == "subject" else "subject"
            here = [row for row in same if row.at(side) in ends]
        return Sided(meant, side, here)

    def _single(self, owner: Named, rows: Sequence[FactRow]) -> Named:
        """Return the one entity that a short name means: whose facts the question asks for."""
        if not owner.short or len(owner.ids) == 1:
            return owner
        ids = self.world.index.entities.ids
        ends = dict.fromkeys(end for row in rows for end in (row.subject, row.object))
        own = [end for end in ends if ids[end] in owner.ids[: owner.full]]
        own = own or [end for end in ends if ids[end] in owner.ids]
        if len(own) != 1:
            raise CannotAnswer(f"“{owner.name}” may be {_listed(map(self.world.name, own))}")
        return Named(self.world.name(own[0]), (ids[own[0]],))

    def between(self, first: Named, second: Named) -> list[FactRow]:
        """Return the facts between two entities."""
        if not (first.ids and second.ids):
            return []
        left, right = (set(self.world.rows_of(name)) for name in (first, second))
        rows = ((row, row.subject, row.object) for row in self.world.rows(left))
        return [r for r, a, b in rows if (a in left and b in right) or (a in right and b in left)]

    def pair(
        self, clause: Clause, first: Named, second: Named, *, prefer: str = "", denied: bool = False
    ) -> Query:
        """Return the facts between two entities that a clause speaks of."""
        named = self._spelt_out(second, first), self._spelt_out(first, second)
        for name in named:
            if not name.ids:
                raise CannotAnswer(f"nothing is known of {name}")
        world, rows = self.world, self.between(*named)
        known = rows
        if denied and not any(meant.sure for meant in senses.best(clause, rows, world)):
            every = [row for name in named for row in world.rows(world.rows_of(name.whole))]
            sure = any(meant.sure for meant in senses.best(clause, every, world))
            known = every if sure or not rows else rows
        names = " and ".join(name.name for name in named)
        if not known:
            raise CannotAnswer(f"no fact is known between {names}")
        top = self._meant(clause, known, prefer)
        meant = next((m for m in top if not coverage(clause, m, world).left), None)
        if meant is None and clause.content:
            meant = self._nearest(clause, known)
        vague = meant is not None and meant.vague
        if denied and vague and not (rows and _AT.search(shape_of(clause.tokens))):
            meant = None
        if meant is None or (not rows and not meant.places and len(top) > 1):
            relations = _listed(row.relation for row in known)
            words = ", ".join(clause.content)
            raise NotUnderstood(f"not understood of {names}: {words}; known: {relations}")
        self._refuse(clause, meant.relation, several=denied)
        same = [row for row in rows if row.relation == meant.relation]
        ahead = (not (passive_in(clause) and meant.places)) is not (meant.swapped ^ meant.passive)
        place = next((at for at, token in enumerate(clause.tokens) if token.word == "E"), -1)
        verbal = (meant.sure or meant.titled) and any(at > place for at in meant.places)
        verbal = verbal or (denied and vague)
        left = set(world.rows_of(named[0]))
        if same and not verbal and all((row.subject in left) is not ahead for row in same):
            ahead = not ahead
        held = (world.rows(world.rows_of(name)) for name in named)
        posts = any(all(senses.akin(senses.POST, r.relation) for r in each) for each in held)
        if posts and not (same or senses.akin(senses.POST, meant.relation)):
            raise CannotAnswer(f"nothing is known: {meant.relation}")  # of who holds a post
        if same or not denied:
            named = self._single(named[0], same or known), self._single(named[1], same or known)
        subject, object_ = named if ahead else named[::-1]
        own, timeless = {*world.rows_of(subject)}, world.relations[meant.relation].timeless
        if timeless and not any(r.subject in own for r in known if r.relation == meant.relation):
            raise CannotAnswer(f"nothing is known: {meant.relation}")  # all are born somewhere
        return Query(subject, meant.relation, object_)

    def _spelt_out(self, owner: Named, short: Named) -> Named:
        """Return the one entity that an owner has facts with and whose initials a name is."""
        if not short.name.isupper() or not owner.ids or (short.ids and self.between(owner, short)):
            return short
        rows, ids = self.world.rows(self.world.rows_of(owner)), self.world.index.entities.ids
        far = {end for row in rows for end in (row.subject, row.object)}
        initials = {row: "".join(word[0] for word in words_of(self.world.name(row))) for row in far}
        meant = [row for row in far if initials[row] == short.name.casefold()]
        return Named(short.name, (ids[meant[0]],)) if len(meant) == 1 else short

    def _nearest(self, clause: Clause, rows: Sequence[FactRow]) -> Evidence | None:
        """Return the relation that the words of a clause are clearly nearest to in meaning."""
        if self.cosines is None:
            return None
        own = {stem for name in self.world.index.relations for stem in senses.stems_of(name)}
        if not own.isdisjoint(map(stem_of, clause.content)):
            return None  # a relation that they do not have is meant
        phrase = " ".join(clause.content)
        names = dict.fromkeys(row.relation for row in rows)
        near_names = ((self.cosines.get((phrase, name), 0.0), name) for name in names)
        ranked = sorted(near_names, reverse=True)
        (near, name), (next_, _) = (*ranked, (0.0, ""), (0.0, ""))[:2]
        if near < _NEAR or near - next_ < _MARGIN:
            return None
        places = tuple(at for at, token in enumerate(clause.tokens) if token.says)
        return replace(senses.evidence(clause, name, self.world), score=_NEAR, places=places)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))
