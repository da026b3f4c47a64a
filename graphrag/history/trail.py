"""Which events of the log speak of one fact or of one entity."""

from collections.abc import Collection, Iterable

from graphrag.index.group import GroupIndex
from graphrag.models import Change, Event


def about(events: Iterable[Event], records: Collection[str]) -> list[Event]:
    """Return the events that changed one of these records, given as ``table:id``, or tied to it."""
    return [
        event
        for event in events
        if any(change.record in records or _tied(change, records) for change in event.changes)
    ]


def records_of(entity: str, index: GroupIndex) -> set[str]:
    """Return an entity with all that were merged into it and every fact about them."""
    family = {f"entity:{id_}" for id_ in index.heirs.family(entity)}
    return family | {f"relates_to:{id_}" for id_ in index.facts_of(entity)}


def _tied(change: Change, records: Collection[str]) -> bool:
    table = change.record.partition(":")[0]
    if table not in ("mentions", "relates_to"):
        return False
    image = change.after or change.before or {}
    return image.get("in") in records or image.get("out") in records
