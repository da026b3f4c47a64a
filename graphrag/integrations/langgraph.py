"""The graph as a long-term store of LangGraph: items are notes, namespaces are groups.

What an item says is read like any text: retriever and tools of ``langchain`` find its facts.
"""

from collections.abc import Iterable, Sequence

from graphrag.errors import MissingExtraError
from graphrag.graph import GraphRAG
from graphrag.integrations.access import Access, AnyGraph
from graphrag.integrations.matching import fits, matches, said
from graphrag.integrations.named_notes import (
    Note,
    drop_note,
    note,
    note_of,
    noted,
    notes,
    write_note,
)
from graphrag.model.checks import checked_json
from graphrag.model.values import DEFAULT_GROUP
from graphrag.temporal.moment import Moment

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
    )
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.langgraph", "langgraph") from error

_MOST = 1000  # hits of one search


class GraphStore(BaseStore):
    """Items by namespace and key, found by meaning: ``builder.compile(store=GraphStore(graph))``.

    The namespace ``("memories", "ann")`` is the group ``memories.ann``, below the group of a graph
    that has one. ``put(..., ttl=)`` is refused: nothing goes by itself.
    """

    def __init__(
        self,
        graph: AnyGraph,
        *,
        fields: Sequence[str] | None = None,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> None:
        """Take a graph; with a moment the store is as it was then, and only read.

        Args:
            graph: The blocking one for both kinds of calls, the async one for awaited ones.
            fields: Paths to what is read of a value, as LangGraph's ``index``; default: its texts.
            valid_at: World time.
            known_at: System time.
        """
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._paths = fields
        group = self._access.graph.group_id
        self._above = () if group == DEFAULT_GROUP else tuple(group.split("."))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations with the blocking graph: reads first, then the last write of each key."""
        return self._access.waited(self._batch(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations: reads first, then the last write of each key."""
        return await self._access.awaited(self._batch(list(ops)))

    async def _batch(self, ops: list[Op]) -> list[Result]:
        results = [await self._read(op) for op in ops]
        for op in {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}.values():
            await self._put(op)
        return results

    async def _read(self, op: Op) -> Result:
        match op:
            case GetOp(namespace, key):
                found = await note(self._access.seen(self._group(namespace)), key)
                return None if found is None else _item(found, namespace)
            case SearchOp():
                return await self._search(op)
            case ListNamespacesOp():
                return await self._namespaces(op)
            case _:
                return None

    def _group(self, namespace: tuple[str, ...]) -> GraphRAG:
        return self._access.graph.group(".".join((*self._above, *namespace)))

    async def _put(self, op: PutOp) -> None:
        self._access.written()
        group = self._group(op.namespace)
        if op.value is None:
            await drop_note(group, op.key)
            return
        item = checked_json(f"the value of {op.key!r}", dict(op.value))
        value = {"item": item, "hidden": op.index is False}
        paths = self._paths if op.index is None else op.index or ()
        found = (text for path in paths or () for text in get_text_at_path(op.value, path))
        text = said(op.value) if paths is None else "\n".join(found)
        await write_note(group, op.key, text or op.key, value=value, source="langgraph")

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        """Return what is found by the query, best first, and then the rest as it was written."""
        there = await self._there(op.namespace_prefix)
        scores = await self._scores(op.query, there) if op.query else {}
        items: list[tuple[float | None, Note, tuple[str, ...]]] = []
        for namespace in there:
            for one in await notes(self._access.seen(self._group(namespace))):
                if fits(one.value["item"], op.filter or {}):
                    items.append((scores.get(one.episode), one, namespace))
        items.sort(key=lambda item: (item[1].value["hidden"], -(item[0] or 0.0)))
        chosen = items[op.offset : op.offset + op.limit]
        return [_item(one, namespace, score) for score, one, namespace in chosen]

    async def _scores(self, query: str, there: Sequence[tuple[str, ...]]) -> dict[str, float]:
        """Return the relevance of the episodes that are items, of several groups as of one."""
        if not there:
            return {}
        groups = self._access.groups(*(self._group(one).group_id for one in there))
        found = await groups.search(query, limit=_MOST, scopes=("episodes",))
        shown = ((hit, note_of(hit.item)) for hit in found.episodes)
        return {hit.item.id: hit.relevance for hit, one in shown if one and not one.value["hidden"]}

    async def _there(self, prefix: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
        """Return the namespaces below one that hold anything, in order."""
        above = (*self._above, *prefix)
        groups = await self._access.groups().list()
        there = (tuple(one.name.split(".")) for one in groups if one.episodes)
        depth = len(self._above)
        return sorted(one[depth:] for one in there if one[: len(above)] == above and one[depth:])

    async def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        there = [
            one
            for one in await self._there()
            if all(matches(one, c.path, c.match_type) for c in conditions)
            and await noted(self._access.seen(self._group(one)))
        ]
        if op.max_depth is not None:
            there = sorted({one[: op.max_depth] for one in there})
        return there[op.offset : op.offset + op.limit]


def _item(one: Note, namespace: tuple[str, ...], score: float | None = None) -> SearchItem:
    value = one.value["item"]
    return SearchItem(namespace, one.name, value, one.created_at, one.updated_at, score)
