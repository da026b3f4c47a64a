"""What a view says of the graph as a whole: by relation, where it disagrees, what leads nowhere."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

import numpy as np

from graphrag.audit.about import About
from graphrag.audit.conflicts import Asked, Sources, find_contradictions
from graphrag.audit.contradictions import Contradictions, Outcome, checked_outcomes
from graphrag.audit.growth import Growth, Period, checked_period, read_growth
from graphrag.audit.orphans import Orphans, find_orphans
from graphrag.differences import Axis
from graphrag.errors import QueryError
from graphrag.index.group import GroupIndex
from graphrag.models import DEFAULT_GROUP, Entity, Fact
from graphrag.search.visible import visible
from graphrag.search.within import checked_number
from graphrag.temporal.moment import parse_moment, utc_now
from graphrag.walks.views import Walks

Moment = datetime | date | str
_MOST = 10_000
_FARTHEST = 1_000_000_000


class Audits(Walks):
    """Reads of the whole graph rather than of one entity or question."""

    __slots__ = ()

    async def facts_about(
        self,
        entity: Entity | str,
        *,
        relation: str | None = None,
        group: str = DEFAULT_GROUP,
    ) -> About:
        """Return the facts about an entity, those it is the subject of and those that point to it.

        ``facts(entity)`` gives the same facts as one list.

        Args:
            entity: An entity, its name or its id.
            relation: Only facts of this relation, as of ``facts_of``.
            group: The graph inside the store.

        Raises:
            QueryError: if there is no such entity.
        """
        index, past, seen, [row] = await self._places(group, entity)
        subject, object_ = seen.ends
        at = seen.facts & ((subject == row) | (object_ == row))
        if relation is not None:
            at &= np.isin(index.facts["relation"], self._codes(relation, index))
        found = (await self._facts(np.flatnonzero(at), index, past)).values()
        facts = sorted(found, key=lambda one: (one.valid_at is not None, one.valid_at, one.id))
        entities = await self._entities([row], index, past)
        known = entities[row]
        return About(
            known,
            tuple(fact for fact in facts if fact.subject_id == known.id),
            tuple(fact for fact in facts if fact.subject_id != known.id),
        )

    async def facts_of(
        self, relation: str, *, limit: int = 100, offset: int = 0, group: str = DEFAULT_GROUP
    ) -> list[Fact]:
        """Return the facts of a relation by their start, those of unknown start first.

        Facts told from the other end count: ``employs`` gives those of ``works_at`` where one is
        declared the inverse of the other. They come as they are stored.

        Args:
            relation: As ``works_at``; one that nobody used has no facts.
            limit: How many at most.
            offset: How many to leave out before: the length of the pages that were read.
            group: The graph inside the store.

        Raises:
            QueryError: for an impossible limit or offset.
        """
        checked_number("limit", limit, least=1, most=_MOST)
        checked_number("offset", offset, least=0, most=_FARTHEST)
        await self._group(group)
        index, past, seen = await self._view(group)
        codes = self._codes(relation, index)
        rows = np.flatnonzero(seen.facts & np.isin(index.facts["relation"], codes)).tolist()
        rows.sort(key=index.facts.ids.__getitem__)  # nearly so already: then the sort is linear
        order = np.argsort(seen.valid[rows], kind="stable")[offset : offset + limit]
        return list((await self._facts([rows[place] for place in order], index, past)).values())

    async def contradictions(
        self,
        since: Moment | None = None,
        until: Moment | None = None,
        *,
        axis: Axis = "system",
        outcomes: Sequence[Outcome] | None = None,
        limit: int = 100,
        group: str = DEFAULT_GROUP,
    ) -> Contradictions:
        """Return where facts cannot both hold: what was settled and why, and what is still open.

        Facts of all times are compared; a view with ``valid_at`` gives those that both were told
        for that moment.

        Args:
            since: The earliest moment; default: any.
            until: The first moment that is too late; default: none.
            axis: ``system``: when it was settled, or when the later of an open pair was told.
                ``world``: the time for which both facts were told.
            outcomes: Only those of which this became, as ``open`` or ``replaced``; default: any.
            limit: How many at most; open ones come first, the latest first.
            group: The graph inside the store.

        Raises:
            QueryError: if the moments are not in order, for another axis or outcome, or an
                impossible limit.
            TimeError: if a moment cannot be read.
        """
        checked_number("limit", limit, least=1, most=_MOST)
        wanted = checked_outcomes(outcomes)
        if axis not in ("system", "world"):
            raise QueryError(f"axis {axis!r}: choose 'system' or 'world'")
        first, last = (
            None if moment is None else parse_moment(moment, what=what)
            for moment, what in ((since, "since"), (until, "until"))
        )
        if first is not None and last is not None and last <= first:
            raise QueryError(f"until {last.isoformat()} is not after since {first.isoformat()}")
        await self._group(group)
        index, past, ever = await self._view(group, history=True)
        view = self.viewpoint
        at = None if view.history else view.valid_at
        sources = Sources(index, self._reading.store, ever, past, self._reading.relations)
        return await find_contradictions(sources, Asked(first, last, axis, at, limit, wanted))

    async def orphans(self, *, limit: int = 100, group: str = DEFAULT_GROUP) -> Orphans:
        """Return what leads nowhere: entities that nothing speaks of, texts that told nothing, ...

        Facts and episodes of every time count, whatever moment of world time the view is of.
        ``cleanup()`` takes out what nobody can miss.

        Args:
            limit: How many of each kind at most.
            group: The graph inside the store.

        Raises:
            QueryError: for an impossible limit.
        """
        checked_number("limit", limit, least=1, most=_MOST)
        await self._group(group)
        index, past, ever = await self._view(group, history=True)
        always = replace(self.viewpoint, valid_at=None, history=False)
        seen = visible(index, always, past, now=utc_now())
        return await find_orphans(index, self._reading.store, seen, ever, past, limit=limit)

    async def growth(self, by: Period = "month", *, group: str = DEFAULT_GROUP) -> Growth:
        """Return how many episodes, entities and facts the graph was told in each period.

        Args:
            by: ``day``, ``week`` (from Monday on), ``month`` or ``year``, in UTC.
            group: The graph inside the store.

        Raises:
            QueryError: for another period.
        """
        by = checked_period(by)
        await self._group(group)
        index, _, ever = await self._view(group, history=True)
        return await read_growth(index, self._reading.store, ever, by)

    def _codes(self, relation: str, index: GroupIndex) -> list[int]:
        """Return the codes of a relation and of those that say the same from the other end."""
        names = self._reading.relations.alike([relation], index.relations)
        return [index.relation_code(name) for name in names]
