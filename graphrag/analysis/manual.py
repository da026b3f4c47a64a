"""Which entities somebody entered for their own sake, as the log tells."""

from collections.abc import Iterable

from graphrag.model.values import Change

_SHIFTING = frozenset({"merge", "unmerge", "split", "revert", "remove_episode", "repair", "forget"})
"""Kinds of events that move what was told; who tells something of an entity does none of these."""


def told_by_hand(log: Iterable[tuple[str, Iterable[Change]]]) -> set[str]:
    """Return the ids of entities of which something was told without a text and beyond a fact.

    ``log`` is the kind and the changes of each event.
    """
    found: set[str] = set()
    for kind, changes in log:
        changes = list(changes)
        records = {change.record.partition(":")[0] for change in changes}
        if kind in _SHIFTING or records & {"episode", "mentions"}:
            continue
        related = {
            str((change.after or {}).get(end))
            for change in changes
            if change.record.startswith("relates_to:")
            for end in ("in", "out")
        }
        for change in changes:
            told = change.before is None or "attributes" in (change.after or {})
            if change.record.startswith("entity:") and told and change.record not in related:
                found.add(change.record.removeprefix("entity:"))
    return found
