"""Tell the graph facts and entities as they are known, blocking."""

from collections.abc import Callable, Mapping, Sequence

from graphrag.direct.files import Columns, Rows
from graphrag.direct.seed import Known
from graphrag.direct.told import ImportReport, Told
from graphrag.facade.opened import Moment
from graphrag.models import DEFAULT_GROUP, JSON, Entity
from graphrag.sync.opened import Opened


class Direct(Opened):
    """Writing facts and entities directly."""

    def add_fact(
        self,
        subject: Entity | str,
        relation: str,
        object: Entity | str,
        *,
        valid_at: Moment | None = None,
        invalid_at: Moment | None = None,
        reference_time: Moment | None = None,
        fact: str | None = None,
        subject_type: str | None = None,
        object_type: str | None = None,
        confidence: float = 1.0,
        attributes: Mapping[str, JSON] | None = None,
        source: str | None = None,
        group: str = DEFAULT_GROUP,
    ) -> Told:
        """Tell one fact, in one transaction, and return what that did."""
        return self._running().wait(
            self._graph.add_fact(
                subject,
                relation,
                object,
                valid_at=valid_at,
                invalid_at=invalid_at,
                reference_time=reference_time,
                fact=fact,
                subject_type=subject_type,
                object_type=object_type,
                confidence=confidence,
                attributes=attributes,
                source=source,
                group=group,
            )
        )

    def add_entity(
        self,
        name: str,
        *,
        entity_type: str | None = None,
        aliases: Sequence[str] = (),
        attributes: Mapping[str, JSON] | None = None,
        group: str = DEFAULT_GROUP,
    ) -> Entity:
        """Make an entity known, or add to the one that the name means, and return it."""
        return self._running().wait(
            self._graph.add_entity(
                name, entity_type=entity_type, aliases=aliases, attributes=attributes, group=group
            )
        )

    def import_facts(
        self,
        rows: Rows,
        *,
        columns: Columns | None = None,
        judge: bool = True,
        batch: int = 1000,
        source: str | None = None,
        on_progress: Callable[[ImportReport], None] | None = None,
        group: str = DEFAULT_GROUP,
    ) -> ImportReport:
        """Tell many facts, one transaction for each batch, thousands a second.

        Rows are taken, and ``on_progress`` is called, on the graph's own thread: neither may use
        this graph.
        """
        return self._running().wait(
            self._graph.import_facts(
                rows,
                columns=columns,
                judge=judge,
                batch=batch,
                source=source,
                on_progress=on_progress,
                group=group,
            )
        )

    def seed(
        self,
        known: Known,
        *,
        reference_time: Moment | None = None,
        source: str | None = None,
        group: str = DEFAULT_GROUP,
    ) -> ImportReport:
        """Tell what is known of some entities, as a dictionary; all of it, or nothing."""
        return self._running().wait(
            self._graph.seed(known, reference_time=reference_time, source=source, group=group)
        )
