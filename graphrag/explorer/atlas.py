"""Layout of a group for drawing: placed entities and facts with lifetimes, as columns.

10,000 entities and 30,000 facts are 2.5 MB of JSON and can be redrawn at any world time. Left out
are retracted and unreviewed facts and isolated entities; larger graphs keep the best connected.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from graphrag.display.cards import episode_title
from graphrag.errors import InputError
from graphrag.explorer import frame, page
from graphrag.explorer.layout import Labels, LayoutEdges, Places, arranged, lay_out, place_new
from graphrag.index.child import in_child
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.retention import Slot
from graphrag.model.values import VALUE, Community, Fact
from graphrag.search.results import Quote
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import VisibleRows

_SECOND = 1_000_000
_SHORT = 2_000  # facts that are laid out in 50 ms
_NEW = 0.2  # share of entities without a place from which on all are laid out anew
_QUOTES, _QUOTE = 3, 400  # quotes of a fact, and characters of each, in a file
_LAID: Final = Slot[Places]()
"""Places of the entities of each group; known entities stay when others come."""


@dataclass(frozen=True, slots=True, repr=False)
class Atlas:
    """A group with its layout: ``save("graph.html")`` writes it as a self-contained page."""

    group: str
    at: datetime | None
    """World time that the page shows first; None: now."""
    known_at: datetime | None
    made_at: datetime
    nodes: Mapping[str, Sequence[Any]]
    """Columns: ``id``, ``name``, ``type``, ``community``, ``x`` and ``y``, best connected first."""
    facts: Mapping[str, Sequence[Any]]
    """Columns: ``id``, ``subject``, ``relation``, ``object``, and ``start`` and ``end`` in seconds
    since 1970, None if unknown; ``subject`` and ``object`` are indexes of nodes."""
    types: Sequence[str]
    relations: Sequence[str]
    communities: Sequence[Mapping[str, Any]]
    """Communities with ``name`` and ``members``, largest first."""
    left_out: int
    """Number of entities with facts beyond the limit."""
    quotes: Sequence[Any] = ()
    """The sentence of each fact, why it ended, and its quotes; empty unless requested."""
    about: Sequence[Any] = ()
    """The other names and the summary of each entity; empty unless requested."""

    def to_dict(self) -> dict[str, Any]:
        """Return the atlas as a JSON-serializable dictionary, without ``quotes`` and ``about``."""
        moments = ("at", "known_at", "made_at")
        own = {item.name: getattr(self, item.name) for item in fields(self)}
        own |= {name: own[name].isoformat() for name in moments if own[name] is not None}
        return {name: item for name, item in own.items() if name not in ("quotes", "about")}

    def to_html(self) -> str:
        """Return the explorer as one HTML page that contains all of its data."""
        return page({**self.to_dict(), "quotes": list(self.quotes), "about": list(self.about)})

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to an ``.html`` file and return its path.

        Raises:
            InputError: if the path has another ending, or cannot be written.
        """
        file = Path(path)
        if file.suffix.casefold() not in (".html", ".htm"):
            raise InputError(f"{file.name!r} is no page: end its name in .html")
        try:
            file.write_text(self.to_html(), encoding="utf-8")
        except (OSError, ValueError) as error:
            raise InputError(f"cannot write {file}: {getattr(error, 'strerror', error)}") from None
        return file

    def __repr__(self) -> str:
        counts = f"{len(self.nodes['id'])} entities, {len(self.facts['id'])} facts"
        return f"Atlas({self.group!r}, {counts}, {self.left_out} left out)"

    def _repr_html_(self) -> str:
        return frame(self.to_html())


async def atlas_of(
    index: GroupIndex,
    past: Rewind,
    seen: VisibleRows,
    communities: Sequence[Community],
    *,
    limit: int,
    at: datetime | None,
    known_at: datetime | None,
    now: datetime,
) -> Atlas:
    """Lay out what may be seen, with up to ``limit`` entities, opened at world time ``at``.

    ``communities`` are those of the coarsest level; without any they are detected here.
    """
    subject, object_ = seen.ends
    facts = np.flatnonzero(seen.facts & (seen.retracted == FOREVER) & (seen.valid < seen.invalid))
    degree = np.bincount(subject[facts], minlength=len(index.entities))
    degree += np.bincount(object_[facts], minlength=len(index.entities))
    standing = np.flatnonzero((degree > 0) & ~past.of_types((VALUE,), index))
    rows = standing[np.argsort(-degree[standing], kind="stable")][:limit]
    number = np.full(len(index.entities), -1, dtype=np.int64)
    number[rows] = np.arange(len(rows))
    facts = facts[(number[subject[facts]] >= 0) & (number[object_[facts]] >= 0)]
    ties = LayoutEdges(number[subject[facts]], number[object_[facts]])
    names = [past.name(index.entities.ids[row], index) for row in rows.tolist()]
    of_type, used_types = _coded(past.types(index)[rows])
    of_relation, used_relations = _coded(index.facts["relation"][facts])
    # All that is read of the group, before others may write.
    start, end = seen.valid[facts], seen.invalid[facts]
    ids = [index.entities.ids[row] for row in rows.tolist()]
    fact_ids = [index.facts.ids[row] for row in facts.tolist()]
    labels, named = await _labels(communities, index, number, ties)
    places = await _places(index, rows, labels, ties)
    return Atlas(
        group=index.group_id,
        at=at,
        known_at=known_at,
        made_at=now,
        nodes={
            "id": ids,
            "name": names,
            "type": of_type,
            "community": labels.tolist(),
            "x": np.round(places[:, 0], 2).tolist(),
            "y": np.round(places[:, 1], 2).tolist(),
        },
        facts={
            "id": fact_ids,
            "subject": ties.one.tolist(),
            "relation": of_relation,
            "object": ties.other.tolist(),
            "start": _seconds(start),
            "end": _seconds(end),
        },
        types=[index.types[code] for code in used_types],
        relations=[index.relations[code] for code in used_relations],
        communities=_communities(labels, named, names),
        left_out=len(standing) - len(rows),
    )


def sourced(fact: Fact, quotes: Sequence[Quote]) -> list[Any]:
    """Return what a page without a server says of a fact: sentence, why it ended, and quotes."""
    stated = [
        [episode_title(quote.episode), quote.episode.valid_at.isoformat(), quote.shown[:_QUOTE]]
        for quote in quotes[:_QUOTES]
    ]
    return [fact.text, fact.reason or "", stated, list(fact.provenance)]


async def _labels(
    communities: Sequence[Community], index: GroupIndex, number: Labels, ties: LayoutEdges
) -> tuple[Labels, dict[int, str]]:
    labels = np.full(int(number.max(initial=-1)) + 1, -1, dtype=np.int64)
    row_of = index.entities.row_of
    for label, community in enumerate(communities):
        inside = number[[row_of[id_] for id_ in community.members if id_ in row_of]]
        labels[inside[inside >= 0]] = label
    labels = await _apart(arranged, labels, ties, len(communities))
    numbers, kinds = _coded(labels)
    known = ((number, kind) for number, kind in enumerate(kinds) if kind < len(communities))
    named = {number: communities[kind].name for number, kind in known}
    return np.array(numbers, dtype=np.int64), named


async def _places(index: GroupIndex, rows: Labels, labels: Labels, ties: LayoutEdges) -> Places:
    """Return where nodes lie; those that had a place before keep it, if most had one."""
    laid = np.full((len(index.entities), 2), np.nan)
    if (before := _LAID.get(index)) is not None:
        laid[: len(before)] = before[: len(laid)]
    places = laid[rows]
    known = ~np.isnan(places[:, 0])
    if np.count_nonzero(~known) > _NEW * len(rows):
        places = await _apart(lay_out, labels, ties)
    elif not known.all():
        places = place_new(np.nan_to_num(places), known, ties)
    laid[rows] = places
    _LAID.set(index, laid)
    return places


async def _apart(work: Callable[..., Any], labels: Labels, ties: LayoutEdges, *given: int) -> Any:
    if len(ties.one) < _SHORT:
        return work(labels, ties, *given)
    return await in_child(work, labels, ties, *given)


def _coded(codes: npt.NDArray[Any]) -> tuple[list[int], list[int]]:
    kinds, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[place].tolist(), kinds[order].tolist()


def _communities(
    labels: Labels, named: Mapping[int, str], names: Sequence[str]
) -> list[dict[str, Any]]:
    kinds, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    return [
        {"name": named.get(label, names[node]), "members": size}
        for label, node, size in zip(kinds.tolist(), first.tolist(), sizes.tolist(), strict=True)
    ]


def _seconds(moments: npt.NDArray[np.int64]) -> list[int | None]:
    known = (moments != BEGINNING) & (moments != FOREVER)
    return [
        second if there else None
        for second, there in zip((moments // _SECOND).tolist(), known.tolist(), strict=True)
    ]
