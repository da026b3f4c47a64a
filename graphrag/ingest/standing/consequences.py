"""Consequences of standing rules for settled facts: ends of their intervals, and inferred facts.

They come after rivals are settled: that a rule ended a value does not bring back the one before it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphrag.ingest.lifetimes import NOWHERE, Lifetime, Settlement, Statement
from graphrag.ingest.lifetimes.evidence import ClaimKey
from graphrag.ingest.lifetimes.intervals import HeldInterval, HeldTimeline
from graphrag.ingest.standing import ClaimIndex, Program
from graphrag.ingest.standing.ground import Beside, check_count, follow, ground
from graphrag.ingest.standing.infer import InferredFacts, PlacedFact
from graphrag.ingest.standing.sweep import Cut, Inferred, Stretch, Sweep
from graphrag.model.assertion import BEGINNING, FOREVER, Assertion
from graphrag.model.values import Fact
from graphrag.ontology.relations import Relations
from graphrag.ontology.standing import Ends
from graphrag.temporal.moment import to_micros


@dataclass(slots=True)
class Consequences:
    """What standing rules derive from settled facts: ends, and inferred facts."""

    relations: Relations
    beside: Beside
    spells: list[Inferred] = field(default_factory=list)
    _lost: dict[str, Cut] = field(default_factory=dict)
    """What ends with something inferred, by the id of what is put down as its end."""
    _context: dict[ClaimKey, list[Fact]] = field(default_factory=lambda: defaultdict(list))

    def cut(self, holdings: HeldTimeline) -> None:
        """End what rules end, in place, and find what may be inferred."""
        program = self.beside.program
        said = {
            line: [*zip(pieces, _stretches(pieces), strict=True)]
            for line, pieces in holdings.pieces.items()
            if line[0] in program.relations
        }
        held = {line: [stretch for _, stretch in pairs] for line, pairs in said.items()}
        inferred: dict[ClaimKey, list[tuple[int, int]]] = defaultdict(list)
        beside: dict[ClaimKey, list[Fact]] = defaultdict(list)
        for fact in self.beside.context.values():
            beside[self._line(fact.relation, fact.subject_id, fact.object_id)].append(fact)
        for line, facts in beside.items():
            self._beside(line, facts, held, inferred)
        known = ClaimIndex(self.beside.named)
        known.add((*held, *inferred))
        heads = self.beside.heads
        if heads is None:
            heads = all_heads((*held, *inferred), program, known)
        known.add(heads)
        for line in heads:
            inferred.pop(line, None)
        sweep = Sweep(ground(program, said, heads, known), program.level, held, inferred)
        sweep.run()
        self.spells = sweep.spells
        for line, pairs in said.items():
            if any(stretch.cut is not None for _, stretch in pairs):
                self._apply(line, pairs, said, holdings)

    def facts(
        self,
        settlement: Settlement,
        facts: Mapping[str, Fact],
        known: Mapping[str, Fact],
        now: datetime,
    ) -> Iterator[Fact]:
        """Yield the facts that are inferred, and those that end with one.

        ``facts`` are the settled ones, ``known`` those that were inferred before.
        """
        if not self.spells:
            return
        places: dict[ClaimKey, list[PlacedFact]] = defaultdict(list)
        for life in settlement.lifetimes:
            line = self._line(life.relation, life.subject, life.object)
            placed = life.closed_as not in (*NOWHERE, "past")
            if placed and line[0] in self.beside.program.relations:
                places[line].append(PlacedFact(*_times(life), life.id, life.observed))
        for line, beside in self._context.items():
            for fact in beside:
                inferred = bool(fact.derived_from)
                places[line].append(PlacedFact(*_times(fact), fact.id, fact.observed, inferred))
        for own in places.values():
            own.sort(key=lambda placed: (placed.inferred, placed.start, placed.id))
        writer = InferredFacts(places, {**self.beside.context, **facts}, known, now)
        writer.name(self.spells)
        inferred_facts = {fact.id: fact for fact in map(writer.fact, self.spells)}
        yield from inferred_facts.values()
        for life in settlement.lifetimes if self._lost else ():
            cut = self._lost.get(life.closed_by or "")
            if cut is None or cut.by is None:
                continue
            if (support := writer.at(cut.by, cut.moment - 1)) is not None:
                why = f"rule {cut.clause.name!r}: no longer so: {inferred_facts[support.id].text}"
                yield replace(facts[life.id], invalidated_by=support.id, reason=why)

    def _beside(
        self,
        line: ClaimKey,
        facts: Sequence[Fact],
        held: dict[ClaimKey, list[Stretch]],
        inferred: dict[ClaimKey, list[tuple[int, int]]],
    ) -> None:
        said = [statement for fact in facts for statement in fact.statements]
        for fact in facts:
            if fact.closed_as == "past" or fact.retracted_at is not None or fact.pending:
                continue
            self._context[line].append(fact)
            start, end = _times(fact)
            if fact.derived_from:
                inferred[line].append((start, end))
                continue
            trust = [statement.trust for statement in said if _begins(statement, fact)]
            stretch = Stretch(start, end, start, False, max(trust, default=0.0), bool(trust))
            held.setdefault(line, []).append(stretch)

    def _line(self, relation: str, subject: str, object_: str) -> ClaimKey:
        return self.relations.line(relation, subject, object_)

    def _apply(
        self,
        line: ClaimKey,
        pairs: Sequence[tuple[HeldInterval, Stretch]],
        said: Mapping[ClaimKey, Sequence[tuple[HeldInterval, Stretch]]],
        holdings: HeldTimeline,
    ) -> None:
        """Cut the pieces of a line, and note what of it comes to nothing."""
        left: list[HeldInterval] = []
        lost: dict[str, tuple[Statement, str]] = {}
        for piece, stretch in pairs:
            if (cut := stretch.cut) is not None:
                by = self._closer(cut, said)
                why = _why(cut, by)
                if cut.moment <= piece.start:
                    lost.setdefault(piece.support.id, (by, why))
                    continue
                piece = replace(piece, end=cut.moment, closed="ended", by=by, why=why)
            left.append(piece)
        holdings.pieces[line] = left
        for id_ in lost.keys() - {piece.support.id for piece in left}:
            holdings.winners[id_], holdings.why[id_] = lost[id_]

    def _closer(
        self, cut: Cut, said: Mapping[ClaimKey, Sequence[tuple[HeldInterval, Stretch]]]
    ) -> Statement:
        """Return what was said of which the beginning, or the end, ends another thing."""
        at = cut.moment if isinstance(cut.clause.rule, Ends) else cut.moment - 1
        name = cut.clause.name
        nothing = Statement(f"rule {name}", relation=name, object="nothing")
        if cut.by is None:
            return nothing
        beside = sorted(self._context.get(cut.by, ()), key=lambda fact: fact.derived_from)
        for moment in (at, cut.moment):
            for piece, stretch in said.get(cut.by, ()):
                if stretch.holds(moment):
                    return piece.support.statement
            for fact in beside:
                start, end = _times(fact)
                if start <= moment < end:
                    return replace(nothing, id=f"fact {fact.id}", fact=fact.id, text=fact.text)
        id_ = f"{nothing.id} {' '.join(cut.by)} {cut.moment}"
        self._lost[id_] = cut
        return replace(nothing, id=id_)


def _stretches(pieces: Sequence[HeldInterval]) -> Iterator[Stretch]:
    """Yield pieces of one line as rules see them.

    Whoever said on which day one ended is newer evidence for it than a rule that acts before.
    """
    ended = {piece.end for piece in pieces if piece.support.kind == "ended"}
    for piece in pieces:
        running = piece.support.kind == "running" and piece.closed != "bounded"
        trust, begins = piece.support.statement.trust, piece.support.kind != "ended"
        loose = running and piece.end not in ended
        yield Stretch(piece.start, piece.end, piece.support.last, loose, trust, begins)


def _begins(statement: Assertion, fact: Fact) -> bool:
    """Tell whether a statement of a fact, or of another of its spells, gives its start."""
    start = statement.at if statement.since is None else statement.since.moment
    if statement in fact.statements:
        begins = start is None or fact.valid_at is None or start <= fact.valid_at
    else:
        begins = start is not None and start == fact.valid_at
    return begins and statement.void is None and not statement.pending


def _times(of: Fact | Lifetime) -> tuple[int, int]:
    return to_micros(of.valid_at, BEGINNING), to_micros(of.invalid_at, FOREVER)


def _why(cut: Cut, by: Statement) -> str:
    rule = f"rule {cut.clause.name!r}"
    if isinstance(cut.clause.rule, Ends):
        return f"{rule}: {by.words}"
    return f"{rule}: no longer so: {by.words}" if by.fact else f"{rule}: nothing supports it"


def all_heads(
    lines: Iterable[ClaimKey], program: Program, known: ClaimIndex
) -> dict[ClaimKey, None]:
    """Return all lines that may be inferred from some, and take them in as known."""
    heads: dict[ClaimKey, None] = {}
    queue = list(dict.fromkeys(lines))
    for line in queue:
        for inferred, head in follow(line, program, known):
            if inferred and head not in heads:
                heads[head] = None
                known.add((head,))
                check_count(len(heads), head, program)
                queue.append(head)
    return heads
