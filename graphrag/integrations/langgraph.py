"""Long-term store for LangGraph: items are notes, namespaces are groups.

Facts are extracted from the items, and the retriever and tools of ``langchain`` find them.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from graphrag.errors import MissingExtraError
from graphrag.graph import GraphRAG
from graphrag.integrations.access import Access, AnyGraph, both_ways
from graphrag.integrations.recall import Note, drop_note, note, note_of, noted, notes, write_note
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
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, bound: bool(value == bound),
    "$ne": lambda value, bound: bool(value != bound),
    "$gt": lambda value, bound: value is not None and float(value) > float(bound),
    "$gte": lambda value, bound: value is not None and float(value) >= float(bound),
    "$lt": lambda value, bound: value is not None and float(value) < float(bound),
    "$lte": lambda value, bound: value is not None and float(value) <= float(bound),
}


class GraphStore(BaseStore):
    """Store of items by namespace and key: ``builder.compile(store=GraphStore(graph))``.

    The namespace ``("memories", "ann")`` is the group ``memories.ann``, prefixed with the group of
    the graph if it has one. ``put(..., ttl=)`` is refused: nothing expires.
    """

    def __init__(
        self,
        graph: AnyGraph,
        *,
        fields: Sequence[str] | None = None,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> None:
        """Wrap a graph; with a moment the store shows that moment and is read-only.

        Args:
            graph: The blocking graph for both kinds of calls, the async one for awaited calls.
            fields: Paths to the indexed parts of a value, as LangGraph's ``index``; default: its
                texts.
            valid_at: World time.
            known_at: System time.
        """
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._paths = fields
        group = self._access.graph.group_id
        self._above = () if group == DEFAULT_GROUP else tuple(group.split("."))

    async def _batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations: reads first, then the last write of each key."""
        given = list(ops)
        results = [await self._read(op) for op in given]
        for op in {(op.namespace, op.key): op for op in given if isinstance(op, PutOp)}.values():
            await self._put(op)
        return results

    batch, abatch = both_ways(_batch)

    async def _read(self, op: Op) -> Result:
        match op:
            case GetOp(namespace, key):
                item = await note(self._access.seen(self._group(namespace)), key)
                return None if item is None else _item(item, namespace)
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
        texts = (text for path in paths or () for text in get_text_at_path(op.value, path))
        text = _texts_of(op.value) if paths is None else "\n".join(texts)
        await write_note(group, op.key, text or op.key, value=value, source="langgraph")

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        """Return what is found by the query, best first, and then the rest as it was written."""
        there = await self._there(op.namespace_prefix)
        scores = await self._scores(op.query, there) if op.query else {}
        items: list[tuple[float | None, Note, tuple[str, ...]]] = []
        for namespace in there:
            for item in await notes(self._access.seen(self._group(namespace))):
                if _fits(item.value["item"], op.filter or {}):
                    items.append((scores.get(item.episode), item, namespace))
        items.sort(key=lambda item: (item[1].value["hidden"], -(item[0] or 0.0)))
        chosen = items[op.offset : op.offset + op.limit]
        return [_item(item, namespace, score) for score, item, namespace in chosen]

    async def _scores(self, query: str, there: Sequence[tuple[str, ...]]) -> dict[str, float]:
        if not there:
            return {}
        groups = self._access.groups(*(self._group(namespace).group_id for namespace in there))
        results = await groups.search(query, limit=_MOST, scopes=("episodes",))
        return {
            hit.item.id: hit.relevance
            for hit in results.episodes
            if (item := note_of(hit.item)) and not item.value["hidden"]
        }

    async def _there(self, prefix: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
        above = (*self._above, *prefix)
        groups = await self._access.groups().list()
        there = (tuple(group.name.split(".")) for group in groups if group.episodes)
        depth = len(self._above)
        return sorted(
            path[depth:] for path in there if path[: len(above)] == above and path[depth:]
        )

    async def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        there = [
            path
            for path in await self._there()
            if all(_matches(path, wanted.path, wanted.match_type) for wanted in conditions)
            and await noted(self._access.seen(self._group(path)))
        ]
        if op.max_depth is not None:
            there = sorted({path[: op.max_depth] for path in there})
        return there[op.offset : op.offset + op.limit]


def _item(item: Note, namespace: tuple[str, ...], score: float | None = None) -> SearchItem:
    value = item.value["item"]
    return SearchItem(namespace, item.name, value, item.created_at, item.updated_at, score)


def _texts_of(value: Mapping[str, Any]) -> str:
    return "\n".join(_texts(value)) or json.dumps(dict(value), ensure_ascii=False)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def _fits(value: Any, wanted: Any) -> bool:
    """Tell whether a value is as a filter of LangGraph wants it, nested ones too."""
    if isinstance(wanted, dict) and any(key.startswith("$") for key in wanted):
        return all(_COMPARE[sign](value, bound) for sign, bound in wanted.items())
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(
            _fits(value.get(key), part) for key, part in wanted.items()
        )
    return bool(value == wanted)


def _matches(
    label: Sequence[str], wanted: Sequence[str], side: Literal["prefix", "suffix"]
) -> bool:
    """Tell whether a path begins, or ends, with another, in which ``*`` stands for any part."""
    size = len(wanted)
    part = label[:size] if side == "prefix" else label[max(0, len(label) - size) :]
    return len(part) == size and all(
        pattern in ("*", name) for name, pattern in zip(part, wanted, strict=True)
    )
