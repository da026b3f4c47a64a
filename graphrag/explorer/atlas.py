"""Layout of a group for drawing: placed entities and facts with lifetimes, as columns.

10,000 entities and 30,000 facts are 2.5 MB of JSON and can be redrawn at any world time. Left out
are retracted and unreviewed facts and isolated entities; larger graphs keep the best connected.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from graphrag.display.cards import episode_title
from graphrag.errors import InputError
from graphrag.explorer.layout import Labels, Places, Ties, arranged, lay_out, place_new
from graphrag.explorer.page import frame, page
from graphrag.index.child import in_child
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.retention import Slot
from graphrag.model.values import Community, Fact
from graphrag.search.rewind import Past
from graphrag.search.sources import Quote
from graphrag.search.visibility import Visible

_SECOND = 1_000_000
_SHORT = 2_000
"""Facts that are laid out in 50 ms."""
_NEW = 0.2
"""Share of entities without a place from which on all are laid out anew."""
_QUOTES, _QUOTE = 3, 400
"""Quotes of a fact, and characters of each, in a file."""
_LAID: Final = Slot[Places]()
"""Where the entities of each group lie: what is known stays there when others come."""


@dataclass(frozen=True, slots=True, repr=False)
class Atlas:
    """A group laid out: ``save("graph.html")`` keeps it as a page that opens from a disk."""

    group: str
    at: datetime | None
    """World time at which it opens; None: now."""
    known_at: datetime | None
    made_at: datetime
    nodes: Mapping[str, Sequence[Any]]
    """Columns: ``id``, ``name``, ``type``, ``community``, ``x`` and ``y``, best connected first."""
    facts: Mapping[str, Sequence[Any]]
    """Columns: ``id``, ``subject``, ``relation``, ``object``, and ``start`` and ``end`` in seconds
    since 1970, None for none that is known; ends are numbers of nodes."""
    types: Sequence[str]
    relations: Sequence[str]
    communities: Sequence[Mapping[str, Any]]
    """Each with ``name`` and ``members``, those of most entities first."""
    left_out: int
    """Entities with facts that had no room."""
    quotes: Sequence[Any] = ()
    """Of each fact: its sentence, why it ended, and where it is stated; none unless asked for."""
    about: Sequence[Any] = ()
    """Of each entity: its other names and its summary; none unless asked for."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can carry it."""
        return {
            "group": self.group,
            "at": None if self.at is None else self.at.isoformat(),
            "known_at": None if self.known_at is None else self.known_at.isoformat(),
            "made_at": self.made_at.isoformat(),
            "nodes": dict(self.nodes),
            "facts": dict(self.facts),
            "types": list(self.types),
            "relations": list(self.relations),
            "communities": [dict(community) for community in self.communities],
            "left_out": self.left_out,
        }

    def to_html(self) -> str:
        """Return the explorer as one page, with all that it shows inside."""
        return page({**self.to_dict(), "quotes": list(self.quotes), "about": list(self.about)})

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to an ``.html`` file and return its path.

        Raises:
            InputError: if its name ends otherwise, or it cannot be written.
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
        """Show the counts."""
        counts = f"{len(self.nodes['id'])} entities, {len(self.facts['id'])} facts"
        return f"Atlas({self.group!r}, {counts}, {self.left_out} left out)"

    def _repr_html_(self) -> str:
        return frame(self.to_html())


async def atlas_of(
    index: GroupIndex,
    past: Past,
    seen: Visible,
    communities: Sequence[Community],
    *,
    limit: int,
    at: datetime | None,
    known_at: datetime | None,
    now: datetime,
) -> Atlas:
    """Lay out what may be seen.

    Args:
        index: The columns of the group.
        past: What must be undone.
        seen: The facts that are drawn, of all times or of one.
        communities: Those of the coarsest level; none to detect them here.
        limit: Entities at most.
        at: World time at which it opens.
        known_at: System time that is looked at.
        now: When it is made.
    """
    subject, object_ = seen.ends
    facts = np.flatnonzero(seen.facts & (seen.retracted == FOREVER) & (seen.valid < seen.invalid))
    degree = np.bincount(subject[facts], minlength=len(index.entities))
    degree += np.bincount(object_[facts], minlength=len(index.entities))
    standing = np.flatnonzero(degree)
    rows = standing[np.argsort(-degree[standing], kind="stable")][:limit]
    number = np.full(len(index.entities), -1, dtype=np.int64)
    number[rows] = np.arange(len(rows))
    facts = facts[(number[subject[facts]] >= 0) & (number[object_[facts]] >= 0)]
    ties = Ties(number[subject[facts]], number[object_[facts]])
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
    communities: Sequence[Community], index: GroupIndex, number: Labels, ties: Ties
) -> tuple[Labels, dict[int, str]]:
    """Return the community of each node, the largest first, and the names of some."""
    labels = np.full(int(number.max(initial=-1)) + 1, -1, dtype=np.int64)
    row_of = index.entities.row_of
    for label, community in enumerate(communities):
        inside = number[[row_of[id_] for id_ in community.members if id_ in row_of]]
        labels[inside[inside >= 0]] = label
    labels = await _apart(arranged, labels, ties, len(communities))
    kinds, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    named = {
        int(place[spot]): communities[kind].name
        for spot, kind in enumerate(kinds.tolist())
        if kind < len(communities)
    }
    return place[labels] if len(labels) else labels, named


async def _places(index: GroupIndex, rows: Labels, labels: Labels, ties: Ties) -> Places:
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


async def _apart(work: Callable[..., Any], labels: Labels, ties: Ties, *given: int) -> Any:
    """Return what is worked out of ties, in a child process if they are many."""
    if len(ties.one) < _SHORT:
        return work(labels, ties, *given)
    return await in_child(work, labels, ties, *given)


def _coded(codes: npt.NDArray[Any]) -> tuple[list[int], list[int]]:
    """Return codes renumbered by how often they come, and which each stands for."""
    kinds, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[place].tolist(), kinds[order].tolist()


def _communities(
    labels: Labels, named: Mapping[int, str], names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return what communities are called: as they are stored, or by who is best connected."""
    sizes = np.bincount(labels).tolist() if len(labels) else []
    first = np.unique(labels, return_index=True)[1].tolist()
    return [
        {"name": named.get(label, names[first[label]]), "members": size}
        for label, size in enumerate(sizes)
    ]


def _seconds(moments: npt.NDArray[np.int64]) -> list[int | None]:
    known = (moments != BEGINNING) & (moments != FOREVER)
    return [
        second if there else None
        for second, there in zip((moments // _SECOND).tolist(), known.tolist(), strict=True)
    ]
