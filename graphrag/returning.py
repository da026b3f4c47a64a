"""What is told of again is there again: an entity that was removed returns with new facts.

An entity leaves the graph with the last episode that spoke of it. Its row and its names stay, so
whatever writes about it later, an episode, a table or a person, finds the same one.
"""

from collections.abc import Iterator

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.store.changes import ChangeSet, Update
from graphrag.temporal.moment import from_micros


def returning(changes: ChangeSet, index: GroupIndex) -> list[str]:
    """Add to a transaction that the removed entities it speaks of are there; return their ids."""
    decided = {
        update.id
        for update in changes.updates
        if update.table == "entity" and "removed_at" in update.after
    }
    back = [
        id_
        for id_ in dict.fromkeys(_spoken_of(changes, index))
        if id_ not in decided and _removed(id_, index) != FOREVER
    ]
    for id_ in back:
        was = from_micros(_removed(id_, index))
        changes.updates.append(Update("entity", id_, {"removed_at": was}, {"removed_at": None}))
    return back


def _spoken_of(changes: ChangeSet, index: GroupIndex) -> Iterator[str]:
    for row in changes.told("mentions"):
        yield from index.heirs.each([row["out"].id])
    for row in changes.told("relates_to"):
        yield from index.heirs.each([row["in"].id, row["out"].id])
    for update in changes.updates:
        if update.table == "relates_to" and "retracted_at" in update.after:
            if update.after["retracted_at"] is None and update.id in index.facts.row_of:
                yield from index.ends_of(index.facts.row_of[update.id])


def _removed(id_: str, index: GroupIndex) -> int:
    row = index.entities.row_of.get(id_)
    return FOREVER if row is None else int(index.entities["removed"][row])
