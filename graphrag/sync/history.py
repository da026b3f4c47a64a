"""The past of the graph, blocking."""

from typing import TYPE_CHECKING

from graphrag.errors import InputError
from graphrag.events import Log
from graphrag.facade.opened import Moment
from graphrag.history.forgotten import WHOLE, Forgotten, Texts, Whole
from graphrag.models import DEFAULT_GROUP, Entity, Episode, Event, Fact
from graphrag.sync.opened import Opened

if TYPE_CHECKING:
    from graphrag.history.replay import Replayed


class History(Opened):
    """The event log, and what follows from it."""

    def log(
        self,
        *,
        group: str = DEFAULT_GROUP,
        after: int = 0,
        fact: Fact | str | None = None,
        entity: Entity | str | None = None,
    ) -> Log:
        """Return the committed changes of a group, a fact or an entity, oldest first."""
        return self._running().wait(
            self._graph.log(group=group, after=after, fact=fact, entity=entity)
        )

    def remove_episode(
        self, episode: Episode | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Take an episode out, with all that rests on it alone, and return the event."""
        return self._running().wait(self._graph.remove_episode(episode, reason=reason, actor=actor))

    def revert(
        self,
        event: Event | int,
        *,
        group: str = DEFAULT_GROUP,
        force: bool = False,
        reason: str = "",
        actor: str | None = None,
    ) -> Event:
        """Undo an event by a new one, which is returned and can itself be reverted."""
        return self._running().wait(
            self._graph.revert(event, group=group, force=force, reason=reason, actor=actor)
        )

    def forget(
        self,
        entity: Entity | str | Whole = WHOLE,
        *,
        group: str | None = None,
        episodes: Texts = "erase",
        actor: str | None = None,
        dry_run: bool = False,
    ) -> Forgotten:
        """Erase an entity, or a whole group, for good. The only thing that deletes."""
        return self._running().wait(
            self._graph.forget(entity, group=group, episodes=episodes, actor=actor, dry_run=dry_run)
        )

    def replay(
        self, into: Opened, *, group: str | None = None, until: Moment | None = None
    ) -> "Replayed":
        """Make the graph anew from its log in another store, and return what was made.

        ``into`` is a graph as ``GraphRAG.open`` returned it, not entered.
        """
        if into._loop is not None:
            raise InputError(f"{into!r} is open: give it as GraphRAG.open(...) returned it")
        return self._running().wait(self._graph.replay(into._graph, group=group, until=until))
