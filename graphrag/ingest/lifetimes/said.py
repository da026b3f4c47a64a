"""Stored statements of some facts, and which of them stand: what lifetimes follow from."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.ingest.lifetimes import Exclusion, Statement
from graphrag.ingest.lifetimes.accounts import first_said, line_of
from graphrag.ingest.lifetimes.evidence import ClaimKey
from graphrag.model.assertion import Assertion, Ending, Kind, Void
from graphrag.model.ids import derived_id
from graphrag.model.values import Fact
from graphrag.ontology.relations import Relations

if TYPE_CHECKING:
    from graphrag.ingest.lifetimes.nesting import Nesting

REMOVED = "its episode was removed"
ONE_ENTITY = "merged: both ends are one entity"
Gone = Callable[[str], bool]
"""Tell whether an episode was removed."""


def gone_from(index: GroupIndex, *, gone: Collection[str] = (), back: Collection[str] = ()) -> Gone:
    """Return what tells which episodes are removed, or are about to be, or to return."""
    row_of, removed = index.episodes.row_of, index.episodes["removed"]

    def is_gone(episode: str) -> bool:
        if episode in gone or episode in back:
            return episode in gone
        row = row_of.get(episode)
        return row is not None and int(removed[row]) != FOREVER

    return is_gone


@dataclass(frozen=True)
class StoredStatements:
    """What was said of some facts, and what of it stands."""

    facts: Mapping[str, Fact]
    endings: Mapping[str, Iterable[Ending]]
    gone: Gone

    @cached_property
    def by_id(self) -> dict[str, tuple[Fact, Assertion]]:
        """Return every statement with its fact, and what it says of facts that it replaces."""
        replaced = {
            end.id: (fact, statement)
            for fact, statement in self._own.values()
            for end in (self._replaced(fact, statement) if statement.excludes else ())
        }
        return {**replaced, **self._own}

    @cached_property
    def _own(self) -> dict[str, tuple[Fact, Assertion]]:
        return {said.id: (fact, said) for fact in self.facts.values() for said in fact.statements}

    @cached_property
    def _ends(self) -> dict[str, Assertion]:
        said = (ending.assertion for ending in chain.from_iterable(self.endings.values()))
        return {assertion.id: assertion for assertion in said}

    def void(self, statement: Assertion) -> Void | None:
        """Return why a statement does not stand; None if it does, or waits."""
        void = statement.void
        if void is not None and (void.by is None or self._corrects(void.by)):
            return void
        if statement.source and not statement.manual and self.gone(statement.source):
            return Void("retracted", reason=REMOVED)
        return None

    def waits(self, fact: Fact) -> list[Assertion]:
        """Return what of a fact waits for a person, if nothing of it stands."""
        live = [statement for statement in fact.statements if self.void(statement) is None]
        return live if all(word.pending and not merged(word, fact) for word in live) else []

    def statements(self) -> Iterator[Statement]:
        """Yield what stands and what fell, as lifetimes are derived from it."""
        for fact in self.facts.values():
            for statement in fact.statements:
                void = self.void(statement)
                if void is None and statement.pending:
                    continue
                if merged(statement, fact):
                    void = void or Void("retracted", reason=ONE_ENTITY)
                yield stated(statement, fact, void)
                if void is None and statement.excludes:
                    yield from self._replaced(fact, statement)
        for entity, endings in self.endings.items():
            for ending in endings:
                statement = ending.assertion
                if self.void(statement) is None and not statement.pending:
                    ended = ending.relation, entity, ending.object_id
                    yield _about(replace(statement, since=None), ended, ending.text, None, None)

    def _replaced(self, fact: Fact, statement: Assertion) -> Iterator[Statement]:
        """Yield what a statement says of the facts whose place it takes, if it is no rival of them.

        An event ends what it names, and so does an end; a plan that it names is off. So is a plan
        that a newer plan or state names while it is still to come.
        """
        competes = statement.kind in ("state", "planned") and not statement.ends
        date = statement.until if statement.ends else statement.since
        for id_ in statement.excludes:
            other = self.facts.get(id_)
            standing = [it for it in other.statements if self.void(it) is None] if other else []
            if other is None or fact.id == id_ or not standing:
                continue
            plans = [it.since for it in standing if it.since and stated(it, other, None).planned]
            kind: Kind = "cancelled"
            until, at = None, statement.at
            if not competes and plans:
                until, at = max(plans, key=lambda plan: plan.start), None
            elif not competes and date is not None and first_said(standing) <= date.start:
                kind, until = "state", date
            if until is None and (at is None or not competes):
                continue
            yield replace(
                stated(statement, other, None),
                id=derived_id(statement.id, id_),
                fact=None,
                since=None,
                until=until,
                at=at,
                kind=kind,
                text=fact.text,
            )

    def rulings(self) -> Iterator[Exclusion]:
        """Yield what an arbiter ruled, as far as both sides stand."""
        for fact, statement in self._own.values():
            if not statement.excludes or self.void(statement) is not None or statement.pending:
                continue
            for id_ in statement.excludes:
                against = self.facts[id_].statements if id_ in self.facts else ()
                other = next((it for it in against if self.void(it) is None), None)
                if other is not None and fact.id != id_:
                    yield Exclusion(f"{statement.id}>{other.id}", (statement.id, other.id))

    def nesting(
        self, statements: Iterable[Statement], nested: Mapping[str, Fact], relations: Relations
    ) -> "Nesting | None":
        """Return what lies in what by these statements, and by stored facts beside them."""
        values = defaultdict[ClaimKey, list[Statement]](list)
        for statement in statements:
            if statement.object and statement.void is None and statement.kind != "cancelled":
                values[line_of(statement, relations)].append(statement)
        beside = [fact for id_, fact in nested.items() if id_ not in self.facts]
        within = {relations.canonical(name)[0] for name in relations.nesting}
        if not beside and not any(line[0] in within for line in values):
            return None
        # Imported here: nobody else pays for it.
        from graphrag.ingest.lifetimes.nesting import Nesting, said_of

        lines: dict[ClaimKey, list[Assertion]] = said_of(beside, relations)
        for line, spoken in values.items():
            if line[0] in within:
                lines[line] = [*lines.get(line, ()), *spoken]
        return Nesting(lines, relations, values)

    def _corrects(self, id_: str) -> bool:
        """Tell whether what says that another one is wrong is there, itself corrected or not."""
        known = self._own.get(id_)
        statement = self._ends.get(id_) if known is None else known[1]
        if statement is None or statement.pending:
            return False
        if statement.source and not statement.manual and self.gone(statement.source):
            return False
        return statement.void is None or statement.void.closed_as == "corrected"


def merged(statement: Assertion, fact: Fact) -> bool:
    """Tell whether both ends of a statement became one entity: by it they were two."""
    return fact.subject_id == fact.object_id and not (
        statement.subject_as and statement.subject_as == statement.object_as
    )


def stated(said: Assertion, fact: Fact, void: Void | None) -> Statement:
    """Return what a fact keeps of a source as lifetimes are derived from it."""
    about, text = (fact.relation, fact.subject_id, fact.object_id), said.text or fact.text
    return _about(said, about, text, fact.id, void)


def _about(
    said: Assertion, about: ClaimKey, text: str, fact: str | None, void: Void | None
) -> Statement:
    """Return what was said about a relation, a subject and an object."""
    relation, subject, object_ = about
    return Statement(
        id=said.id, since=said.since, until=said.until, at=said.at, kind=said.kind,
        trust=said.trust, confidence=said.confidence, source=said.source, start=said.start,
        end=said.end, provenance=said.provenance, untyped=said.untyped, as_given=said.as_given,
        pending=said.pending, manual=said.manual, corrects=said.corrects, excludes=said.excludes,
        reason=said.reason, text=text, subject_as=said.subject_as, object_as=said.object_as,
        void=void, fact=fact, subject=subject, relation=relation, object=object_,
    )  # fmt: skip
