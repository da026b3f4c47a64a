"""Audit of a view: contradictions, absence of facts, orphans, growth, hubs and an ontology."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphrag.analysis.conflicts import ContradictionScope, find_contradictions
from graphrag.analysis.contradictions import ContradictionFilter, Contradictions, Outcome
from graphrag.analysis.difference import Absence, Axis, absence_of
from graphrag.analysis.orphans import Orphans, find_orphans
from graphrag.analysis.stats import Growth, Period, hubs, read_growth, triples
from graphrag.errors import QueryError
from graphrag.model.arguments import checked
from graphrag.model.values import Entity
from graphrag.search.visibility import visible
from graphrag.temporal.moment import Moment, parse_moment, utc_now
from graphrag.view.context import Limit, Room, steady

if TYPE_CHECKING:
    from graphrag.extract.llm.induction import SuggestedOntology


@checked(QueryError, door="graph.audit", around=steady, but=("suggest_ontology",))
class Audit(Room):
    """Reads about the whole group: ``graph.audit``."""

    async def contradictions(
        self,
        since: Moment | None = None,
        until: Moment | None = None,
        *,
        axis: Axis = "system",
        outcomes: Sequence[Outcome] | None = None,
        limit: Limit = 100,
    ) -> Contradictions:
        """Return the pairs of facts that cannot both hold, with their outcome and the reason.

        Facts of all times are compared; in a view with ``valid_at``, those stated for that moment.

        Args:
            since: Start of the period; default: none.
            until: End of the period (exclusive); default: none.
            axis: Meaning of the period. ``system``: the settlement, or the addition of the later
                fact of an open pair. ``world``: the time for which both facts were stated.
            outcomes: Only these outcomes, such as ``open`` or ``replaced``; default: all.
            limit: Maximum number; open ones come first, then the latest.

        Raises:
            QueryError: if the period is reversed, the axis or an outcome is unknown, or the limit
                is out of range.
            TimeError: if a moment cannot be read.
        """
        if outcomes is not None and not outcomes:
            raise QueryError("outcomes are empty: name those that are wanted, or leave them out")
        first = None if since is None else parse_moment(since, what="since")
        last = None if until is None else parse_moment(until, what="until")
        if first is not None and last is not None and last <= first:
            raise QueryError(f"until {last.isoformat()} is not after since {first.isoformat()}")
        index, past, ever = await self._context.scene(history=True)
        view = self._context.viewpoint
        at = None if view.history else view.valid_at
        relations = self._context.session.relations
        sources = ContradictionScope(index, self._context.store, ever, past, relations)
        wanted = ContradictionFilter(first, last, axis, at, limit, frozenset(outcomes or ()))
        return await find_contradictions(sources, wanted)

    async def absence(self, entity: Entity | str, relation: str) -> Absence | None:
        """Return since when an entity has no fact of a relation, and what ended the last one.

        None if such a fact holds at the viewpoint. ``str()`` of the result is a sentence.

        Args:
            entity: An entity, its name or its id, as subject or object.
            relation: A relation, such as ``works_at``.

        Raises:
            QueryError: if the entity does not exist.
        """
        index, past, ever = await self._context.scene(history=True)
        row = self._context.row(entity, index, ever)
        names = self._context.relations([relation], index, past)
        codes = [index.relation_code(name) for name in names]
        wanted = ever.facts & ((ever.ends[0] == row) | (ever.ends[1] == row))
        wanted &= np.isin(index.facts["relation"], codes)
        facts = list((await self._context.facts(np.flatnonzero(wanted), index, past)).values())
        row_of = index.facts.row_of
        ended_by = (fact.invalidated_by for fact in facts if fact.invalidated_by is not None)
        closers = [row_of[id_] for id_ in ended_by if id_ in row_of]
        known = await self._context.facts(closers, index, past)
        by_id = {fact.id: fact for fact in known.values()}
        name = (await self._context.entities([row], index, past))[row].name
        return absence_of(name, relation, facts, by_id, self._context.now())

    async def orphans(self, *, limit: Limit = 100) -> Orphans:
        """Return unconnected items: entities without facts or mentions, episodes without facts, ...

        Facts and episodes of all times count, whatever the ``valid_at`` of the view.
        ``health.cleanup()`` removes the orphans that are safe to remove.

        Args:
            limit: Maximum number of each kind.

        Raises:
            QueryError: if the limit is out of range.
        """
        index, past, ever = await self._context.scene(history=True)
        always = replace(self._context.viewpoint, valid_at=None, history=False)
        seen = visible(index, always, past, now=utc_now())
        return await find_orphans(index, self._context.store, seen, ever, past, limit)

    async def growth(self, by: Period = "month") -> Growth:
        """Return the numbers of episodes, entities and facts added to the graph in each period.

        Args:
            by: Period: ``day``, ``week`` (from Monday), ``month`` or ``year``, in UTC.

        Raises:
            QueryError: if the period is unknown.
        """
        index, _, ever = await self._context.scene(history=True)
        return await read_growth(index, self._context.store, ever, by)

    async def hubs(self, limit: Limit = 10) -> list[tuple[Entity, int]]:
        """Return the entities with the most facts and their number of facts, without concepts.

        Facts of all times count; in a view with ``valid_at``, only those that held then.

        Args:
            limit: Maximum number of entities.

        Raises:
            QueryError: if the limit is out of range.
        """
        history = self._context.viewpoint.valid_at is None
        index, past, seen = await self._context.scene(history=history)
        found = await hubs(index, past, self._context.store, seen, limit=limit)
        return [(past.rewind(entity), degree) for entity, degree in found]

    async def suggest_ontology(
        self, texts: Sequence[str] | None = None, *, least: Limit = 2
    ) -> SuggestedOntology:
        """Propose an ontology; ``print`` shows it as Python source, ``Rules(ontology=)`` uses it.

        Args:
            texts: A sample of texts, for which the language model of the graph proposes types in
                one question; default: the types and relations in use, without a model.
            least: Number of facts from which on a type or relation in use is proposed.

        Raises:
            QueryError: if the graph has no language model, or no text is given.
            LLMError: if the language model failed.
        """
        from graphrag.extract.llm.induction import ontology_in_use, ontology_of_texts

        if texts is None:
            index, past, ever = await self._context.scene(history=True)
            return ontology_in_use(triples(index, past, ever), least)
        if (llm := self._context.session.llm) is None:
            raise QueryError(
                "texts: a language model reads them; open the graph with Models(llm=...)"
            )
        return await ontology_of_texts(texts, llm)
