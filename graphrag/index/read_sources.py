"""Read which episodes state which facts, when that is first asked for."""

from collections.abc import Iterable, Mapping
from typing import Any

from graphrag.index.group import GroupIndex
from graphrag.index.mentions import Sources
from graphrag.store.record import Record
from graphrag.store.store import Store


async def read_sources(store: Store, index: GroupIndex) -> Sources:
    """Return the sources of a group's facts as of the newest event in its index."""
    sources = index.episodes.sources
    if sources is None:
        # A commit during the read has a later number; taking it in once more changes nothing.
        sources = Sources(index.seq)
        some = index.is_part
        [rows] = await store.query(
            "SELECT VALUE [record::id(id), sources.episode] FROM "
            f"{'$ids' if some else 'relates_to WHERE group_id = $group'};",
            ids=[Record("relates_to", id_) for id_ in index.facts.row_of] if some else [],
            group=index.group_id,
        )
        sources.enter(_pairs(index, rows))
        index.episodes.sources = sources
    elif sources.seq < index.seq:
        seq = index.seq
        changes = [
            (change.record.partition(":")[2], change)
            for event in await store.events(index.group_id, after=sources.seq)
            for change in event.changes
            if change.record.startswith("relates_to:") and "sources" in (change.after or {})
        ]
        for _, change in changes:
            if not told_in(change.before) <= told_in(change.after):
                index.episodes.sources = None  # one was taken back: rare, so all is read anew
                return await read_sources(store, index)
        sources.enter(_pairs(index, ((id_, told_in(change.after)) for id_, change in changes)))
        sources.seq = seq
    return sources


def told_in(image: Mapping[str, Any] | None) -> set[str]:
    """Return the ids of the episodes that the image of a fact in the log names as its sources."""
    return {span["episode"] for span in (image or {}).get("sources") or ()}


def _pairs(
    index: GroupIndex, rows: Iterable[tuple[str, Iterable[str]]]
) -> Iterable[tuple[int, int]]:
    facts, episodes = index.facts.row_of, index.episodes.row_of
    for id_, told in rows:
        if id_ in facts:
            yield from ((episodes[one], facts[id_]) for one in told if one in episodes)
