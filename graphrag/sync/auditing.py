"""Look at the graph as a whole, blocking; the graph and its views share the reads."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag.asof import AsOf
from graphrag.audit.about import About
from graphrag.audit.contradictions import Contradictions, Outcome
from graphrag.audit.growth import Growth, Period
from graphrag.audit.orphans import Orphans
from graphrag.differences import Axis
from graphrag.facade.auditing import Auditing as Async
from graphrag.facade.opened import Moment
from graphrag.models import DEFAULT_GROUP, Entity, Fact
from graphrag.sync.loop import BackgroundLoop
from graphrag.sync.opened import Opened

if TYPE_CHECKING:
    from graphrag.audit.cleanup import Cleanup, Kind


class AuditReads(ABC):
    """Facts by entity and by relation, contradictions, orphans."""

    @abstractmethod
    def _walked(self) -> tuple[BackgroundLoop, Async | AsOf]:
        """Return where to wait, and what reads."""

    def facts_about(
        self,
        entity: Entity | str,
        *,
        relation: str | None = None,
        group: str = DEFAULT_GROUP,
    ) -> About:
        """Return the facts about an entity, those it is the subject of and those that point to it.

        ``facts(entity)`` gives the same facts as one list.
        """
        loop, graph = self._walked()
        return loop.wait(graph.facts_about(entity, relation=relation, group=group))

    def facts_of(
        self, relation: str, *, limit: int = 100, offset: int = 0, group: str = DEFAULT_GROUP
    ) -> list[Fact]:
        """Return the facts of a relation by their start, those of unknown start first."""
        loop, graph = self._walked()
        return loop.wait(graph.facts_of(relation, limit=limit, offset=offset, group=group))

    def contradictions(
        self,
        since: Moment | None = None,
        until: Moment | None = None,
        *,
        axis: Axis = "system",
        outcomes: Sequence[Outcome] | None = None,
        limit: int = 100,
        group: str = DEFAULT_GROUP,
    ) -> Contradictions:
        """Return where facts cannot both hold: what was settled and why, and what is still open."""
        loop, graph = self._walked()
        return loop.wait(
            graph.contradictions(
                since, until, axis=axis, outcomes=outcomes, limit=limit, group=group
            )
        )

    def orphans(self, *, limit: int = 100, group: str = DEFAULT_GROUP) -> Orphans:
        """Return what leads nowhere: entities that nothing speaks of, texts that told nothing."""
        loop, graph = self._walked()
        return loop.wait(graph.orphans(limit=limit, group=group))

    def growth(self, by: Period = "month", *, group: str = DEFAULT_GROUP) -> Growth:
        """Return how many episodes, entities and facts the graph was told in each period."""
        loop, graph = self._walked()
        return loop.wait(graph.growth(by, group=group))


class Auditing(Opened):
    """Cleaning up."""

    def cleanup(
        self,
        kinds: "Sequence[Kind]" = ("entities",),
        *,
        group: str = DEFAULT_GROUP,
        dry_run: bool = True,
        reason: str = "",
        actor: str | None = None,
    ) -> "Cleanup":
        """Take the orphans out of the reads, and say why each goes or stays."""
        return self._running().wait(
            self._graph.cleanup(kinds, group=group, dry_run=dry_run, reason=reason, actor=actor)
        )
