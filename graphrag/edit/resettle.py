"""Settle a whole group anew: what changes when the rules that it is opened with are others.

Rules belong to the code that opens a graph. A write settles what it touches by those of today; this
does the same for all that is there, in one transaction.
"""

from graphrag.edit.editor import put_facts
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component, gone_from
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.values import Fact
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import utc_now

SETTLE = "settle"
"""Kind of the event."""


async def resettle(
    group: str, ingestion: Ingestion, *, reason: str, actor: str | None
) -> tuple[Fact, ...]:
    """Settle all facts of a group, and return those that are new or different, as they are then."""
    changed: dict[str, Fact] = {}

    async def build(index: GroupIndex) -> ChangeSet:
        nonlocal changed
        now, store = utc_now(), ingestion.store
        component = Component.of(index, ingestion.relations)
        await component.read(component.reach_from(list(index.facts.row_of)), store)
        component.settle(gone_from(index), now=now)
        changed = component.changed()
        changes = ChangeSet(group, SETTLE, actor=actor or "", note=reason or None)
        await put_facts(changes, component.stored, changed, store, ingestion.embedder)
        touched = ends_of(changed.values())
        changes.updates += refreshed(touched, index, changed, now=now)
        return changes

    await ingestion.writer.commit(group, build)
    return tuple(changed.values())
