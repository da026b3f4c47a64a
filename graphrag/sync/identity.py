"""Say who is one and who is not, blocking."""

from collections.abc import Iterable

from graphrag.models import DEFAULT_GROUP, Entity, Episode, Event, Fact
from graphrag.sync.opened import Opened
from graphrag.twins import MergeCandidate


class Identity(Opened):
    """Which entities are one."""

    def merge_candidates(
        self, *, group: str = DEFAULT_GROUP, limit: int = 50
    ) -> list[MergeCandidate]:
        """Return pairs of entities that may be one, likeliest first; nothing is changed."""
        return self._running().wait(self._graph.merge_candidates(group=group, limit=limit))

    def merge(
        self,
        keep: Entity | str,
        other: Entity | str,
        *,
        group: str = DEFAULT_GROUP,
        reason: str = "",
        actor: str | None = None,
    ) -> Event:
        """Make one entity of two, and return the event, which ``unmerge`` takes."""
        return self._running().wait(
            self._graph.merge(keep, other, group=group, reason=reason, actor=actor)
        )

    def keep_apart(
        self,
        one: Entity | str,
        other: Entity | str,
        *,
        group: str = DEFAULT_GROUP,
        reason: str = "",
        actor: str | None = None,
    ) -> Event:
        """Say that two entities are two, and return the event; ``revert`` takes it back."""
        return self._running().wait(
            self._graph.keep_apart(one, other, group=group, reason=reason, actor=actor)
        )

    def unmerge(
        self,
        event: Event | int,
        *,
        group: str = DEFAULT_GROUP,
        reason: str = "",
        actor: str | None = None,
    ) -> Event:
        """Undo a merge, given by its event or the event's number, and return the new event."""
        return self._running().wait(
            self._graph.unmerge(event, group=group, reason=reason, actor=actor)
        )

    def split(
        self,
        entity: Entity | str,
        *,
        name: str,
        facts: Iterable[Fact | str] = (),
        episodes: Iterable[Episode | str] = (),
        entity_type: str | None = None,
        group: str = DEFAULT_GROUP,
        reason: str = "",
        actor: str | None = None,
    ) -> Entity:
        """Make another entity of what was wrongly told of this one, and return it."""
        return self._running().wait(
            self._graph.split(
                entity,
                name=name,
                facts=facts,
                episodes=episodes,
                entity_type=entity_type,
                group=group,
                reason=reason,
                actor=actor,
            )
        )
