"""Change the graph by hand, blocking."""

from graphrag.edits import KEEP, Keep
from graphrag.facade.opened import Moment
from graphrag.models import DEFAULT_GROUP, Entity, Fact
from graphrag.sources import Quote, Waiting
from graphrag.sync.opened import Opened


class Editing(Opened):
    """Edits by hand, review and provenance."""

    def retract(self, fact: Fact | str, reason: str = "", *, actor: str | None = None) -> Fact:
        """Declare that a fact was never true; what it had closed holds again."""
        return self._running().wait(self._graph.retract(fact, reason, actor=actor))

    def invalidate(
        self,
        fact: Fact | str,
        at: Moment | None = None,
        *,
        reason: str = "",
        actor: str | None = None,
    ) -> Fact:
        """Declare that a fact ended at a moment, by default now; until then it was true."""
        return self._running().wait(self._graph.invalidate(fact, at, reason=reason, actor=actor))

    def correct(
        self,
        fact: Fact | str,
        *,
        subject: Entity | str | None = None,
        relation: str | None = None,
        object: Entity | str | None = None,
        text: str | None = None,
        valid_at: Moment | Keep | None = KEEP,
        invalid_at: Moment | Keep | None = KEEP,
        reason: str = "",
        actor: str | None = None,
    ) -> Fact:
        """Set a fact right, and return the fact that stands."""
        return self._running().wait(
            self._graph.correct(
                fact,
                subject=subject,
                relation=relation,
                object=object,
                text=text,
                valid_at=valid_at,
                invalid_at=invalid_at,
                reason=reason,
                actor=actor,
            )
        )

    def pending_review(self, *, group: str = DEFAULT_GROUP, limit: int = 100) -> list[Waiting]:
        """Return the facts that wait for a person, oldest first, each with what states it."""
        return self._running().wait(self._graph.pending_review(group=group, limit=limit))

    def confirm(self, fact: Fact | str, *, actor: str | None = None) -> Fact:
        """Accept a fact that waits for review, and return the fact that stands."""
        return self._running().wait(self._graph.confirm(fact, actor=actor))

    def reject(self, fact: Fact | str, reason: str = "", *, actor: str | None = None) -> Fact:
        """Retract a fact that waits for review, and return it."""
        return self._running().wait(self._graph.reject(fact, reason, actor=actor))

    def sources(self, fact: Fact | str) -> list[Quote]:
        """Return where a fact is stated: episodes with the characters that say so, oldest first."""
        return self._running().wait(self._graph.sources(fact))
