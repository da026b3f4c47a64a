"""Read what a group's episodes speak of, when a search first follows it."""

from graphrag.index.group import GroupIndex
from graphrag.index.mentions import Mentions
from graphrag.models import Change
from graphrag.store.record import Record
from graphrag.store.store import Store

Pair = tuple[int, int]


async def read_mentions(store: Store, index: GroupIndex) -> None:
    """Have the mentions of a group as of the newest event in its index."""
    mentions = index.episodes.mentions
    if mentions is None:
        mentions = Mentions(index.seq)
        some = index.is_part
        [ids] = await store.query(
            "SELECT VALUE [record::id(in), record::id(out)] FROM "
            f"{'$episodes->mentions' if some else 'mentions WHERE group_id = $group'};",
            episodes=[Record("episode", id_) for id_ in index.episodes.row_of] if some else [],
            group=index.group_id,
        )
        pairs = (_rows(index, episode, entity) for episode, entity in ids)
        mentions.enter(pair for pair in pairs if pair is not None)
        index.episodes.mentions = mentions
    elif mentions.seq < index.seq:
        seq = index.seq
        events = await store.events(index.group_id, after=mentions.seq)
        changes = [
            change
            for event in events
            for change in event.changes
            if change.record.startswith("mentions:")
        ]
        if any(change.after is None for change in changes):
            index.episodes.mentions = None  # a pair was taken back: rare, so all is read anew
            await read_mentions(store, index)
            return
        pairs = (_ends(index, change) for change in changes)
        mentions.enter(pair for pair in pairs if pair is not None)
        mentions.seq = seq


def _ends(index: GroupIndex, change: Change) -> Pair | None:
    image = change.after or {}
    episode, entity = (str(image[end]).partition(":")[2] for end in ("in", "out"))
    return _rows(index, episode, entity)


def _rows(index: GroupIndex, episode: str, entity: str) -> Pair | None:
    """Return the rows of a pair; None if one of them is not in the index."""
    row, other = index.episodes.row_of.get(episode), index.entities.row_of.get(entity)
    return None if row is None or other is None else (row, other)
