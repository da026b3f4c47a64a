"""What may be seen of a part of the graph, as masks over the columns."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from graphrag.errors import QueryError
from graphrag.index.group import GroupIndex
from graphrag.index.scope import Scope
from graphrag.search.edges import Edges
from graphrag.search.near import bearers
from graphrag.search.visibility import Mask, Visible
from graphrag.search.within import Reach, Within


def limited(within: Within | Reach, index: GroupIndex, seen: Visible) -> Visible:
    """Return what may be seen of a part of the graph; of communities, which know no bounds, none.

    Episodes are in reach of a ``Within`` as far as ``index.episodes.mentions`` are there.

    Raises:
        QueryError: if something is nobody's name or id.
    """
    if isinstance(within, Within):
        facts, entities, episodes = _near(within, index, seen)
    else:
        facts = _held(within.facts, index.facts)
        entities = _held(map(seen.heirs.of, within.entities), index.entities)
        episodes = _held(within.episodes, index.episodes)
    return replace(
        seen,
        facts=seen.facts & facts,
        entities=seen.entities & entities,
        episodes=seen.episodes & episodes,
        communities=np.zeros_like(seen.communities),
    )


def known_here(within: Within | Reach, index: GroupIndex, seen: Visible) -> Within | Reach:
    """Return it without the names that nobody has here: nothing, if no name is left.

    One of several groups need not know them all, nor a part of a group that is still being read.
    """
    if isinstance(within, Reach):
        return within
    names = tuple(name for name in within.names if bearers(name, index, seen))
    return replace(within, of=names) if names else Reach()


def reach(seen: Visible, index: GroupIndex) -> Reach:
    """Return what may be seen as ids."""
    return Reach(
        _ids(index.entities, seen.entities),
        _ids(index.facts, seen.facts),
        _ids(index.episodes, seen.episodes),
    )


def starts(within: Within, index: GroupIndex, seen: Visible) -> list[int]:
    """Return the rows of the entities that it starts from.

    Raises:
        QueryError: if one of them is nobody's name or id.
    """
    rows = []
    for name in within.names:
        found = bearers(name, index, seen)
        if not found:
            raise QueryError(
                f"within {name!r}: no entity has this name or id in group {index.group_id!r}"
            )
        rows.append(index.entities.row_of[found[0]])
    return rows


def spoken_of(entities: Mask, index: GroupIndex, seen: Visible) -> Mask:
    """Return the episodes that speak of some entities, as far as mentions are known."""
    found = np.zeros(len(seen.episodes), dtype=np.bool_)
    if index.episodes.mentions is not None:
        if seen.heirs:  # an episode speaks of who was merged: of the heir, then
            rows = seen.heirs.rows(index.entities.row_of, len(index.entities))
            entities = entities[rows]
        found[index.episodes.mentions.of_right(np.flatnonzero(entities))[0]] = True
    return found


def _near(within: Within, index: GroupIndex, seen: Visible) -> tuple[Mask, Mask, Mask]:
    """Return the facts that the steps go along, the entities they lead to, and the episodes."""
    edges = Edges.of(index, seen, relations=within.relations)
    distance = edges.distances(starts(within, index, seen), within.hops)
    inner = (distance >= 0) & (distance < within.hops)
    facts = np.zeros(len(index.facts), dtype=np.bool_)
    facts[edges.about(inner)] = True
    return facts, distance >= 0, spoken_of(inner, index, seen)


def _held(ids: Iterable[str], rows: Scope) -> Mask:
    mask = np.zeros(len(rows), dtype=np.bool_)
    known = rows.row_of
    mask[[known[id_] for id_ in ids if id_ in known]] = True
    return mask


def _ids(rows: Scope, mask: Mask) -> frozenset[str]:
    ids = rows.ids
    return frozenset(ids[row] for row in np.flatnonzero(mask).tolist())
