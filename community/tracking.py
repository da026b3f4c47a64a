"""Communities of a group at another moment, and through time with their ids, names and events.

Events are the six of Palla, Barabasi and Vicsek (Nature 2007), with one threshold as in Greene,
Doyle and Cunningham (ASONAM 2010). Ids last, so only communities that come or go are matched.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain

import numpy as np

from graphrag.community.describe import Describer, by_facts
from graphrag.community.detect import LEAST, Nodes, detected
from graphrag.community.draft import (
    AtMoment,
    CommunityDraft,
    Subject,
    Ties,
    continued,
    drafts,
    finished,
    id_from,
    lasting,
)
from graphrag.community.evolution import Every, SlicedTies, States, begin, evolved, sliced, slices
from graphrag.community.flow import CommunityEvent, CommunityFlow, DynamicCommunity
from graphrag.community.stored import CommunityTree, in_order
from graphrag.errors import QueryError
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.values import Community
from graphrag.protocols import in_turns
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import Mask, VisibleRows
from graphrag.store.store import Store
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import from_micros, to_micros

_STEP = timedelta(microseconds=1)
_FIRST = datetime.min.replace(tzinfo=UTC) + _STEP  # the first moment that another one is before


@dataclass(frozen=True, slots=True)
class Tracking:
    """What is asked for of communities through time; see ``communities.over_time``."""

    every: Every | timedelta
    start: datetime | None
    end: datetime
    resolution: float | None
    coupling: float
    share: float
    change: float

    def __post_init__(self) -> None:
        if self.resolution is not None and not self.resolution > 0:
            raise QueryError(f"resolution {self.resolution!r}: give more than 0")
        if not self.coupling >= 0:
            raise QueryError(f"coupling {self.coupling!r}: give 0 or more")
        if not 0 < self.share <= 1:
            raise QueryError(f"share {self.share!r}: give more than 0, up to 1")
        if not 0 <= self.change <= 1:
            raise QueryError(f"change {self.change!r}: give 0 to 1")


async def tracked(
    index: GroupIndex,
    store: Store,
    past: Rewind,
    ever: VisibleRows,
    entities: Mask,
    stored: Sequence[Community],
    how: Tracking,
) -> CommunityFlow:
    """Return the communities that the facts of all times make, slice by slice.

    One that continues a stored community in the end has its id.
    """
    subject, object_ = ever.ends
    held = ever.facts & (ever.retracted == FOREVER) & entities[subject] & entities[object_]
    ties = await Ties.read(index, store, held, ever, past=past)
    start = how.start
    if start is None:
        earliest = _earliest(ties.rows, ever, how.end)
        start = begin(how.every, earliest or max(how.end, _FIRST) - _STEP)
    parts = slices(how.every, start, how.end)
    cut = await asyncio.to_thread(sliced, ties, ever.valid, ever.invalid, parts)
    rows = await asyncio.to_thread(np.unique, np.concatenate((cut.subjects, cut.objects)))
    names = {int(row): past.name(index.entities.ids[row], index) for row in rows}
    ids = index.entities.ids
    order = np.array(sorted(names, key=lambda row: (names[row], ids[row])), dtype=np.int64)
    states = await evolved(cut, order, resolution=how.resolution, coupling=how.coupling)
    describer = Describer(index, AtMoment.of(index, past, ever))
    described = await _described(states, cut, ties, order, describer, len(parts))
    communities = _identified(described, parts, stored, ids)
    by_slice = [
        {community.id: frozenset(community.members[number]) for community in communities}
        for number in range(len(parts))
    ]
    turns = [part.start or start for part in parts]
    happened = tuple(events(by_slice, turns, share=how.share, change=how.change))
    named = {ids[row]: name for row, name in names.items()}
    return CommunityFlow(index.group_id, parts, communities, happened, named)


def _earliest(rows: Nodes, ever: VisibleRows, end: datetime) -> datetime | None:
    """Return the first moment before the end at which a fact is known to have begun, or ended."""
    last = to_micros(end, FOREVER)
    for column in (ever.valid[rows], ever.invalid[rows]):
        known = column[(column > BEGINNING) & (column < last)]
        if len(known):
            return from_micros(int(known.min()))
    return None


_Described = tuple[str, list[list[int]]]  # name, and the rows of its members by slice


async def _described(
    states: States, cut: SlicedTies, ties: Ties, order: Nodes, describer: Describer, parts: int
) -> list[_Described]:
    """Return the communities, those of most members in all slices first, best connected first."""
    if not len(states.labels):
        return []
    place = np.zeros(int(order.max()) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    keys = states.slices * len(order) + place[states.entities]
    ends = [cut.slices * len(order) + place[rows] for rows in (cut.subjects, cut.objects)]
    homes = [states.labels[np.searchsorted(keys, end)] for end in ends]
    inner = np.flatnonzero(homes[0] == homes[1])
    owned = inner[np.argsort(homes[0][inner], kind="stable")]
    labels = np.arange(int(states.labels.max()) + 1)
    first, last = (np.searchsorted(homes[0][owned], labels, side) for side in ("left", "right"))
    rank = np.lexsort((place[states.entities], -states.strengths, states.slices, states.labels))
    borders = np.searchsorted(states.labels[rank], labels, "right")[:-1]
    found: list[tuple[tuple[int, ...], Subject, list[list[int]]]] = []
    async for label, some in in_turns(enumerate(np.split(rank, borders))):
        members: list[list[int]] = [[] for _ in range(parts)]
        for number, row in zip(states.slices[some], states.entities[some], strict=True):
            members[int(number)].append(int(row))
        rows, where = np.unique(place[states.entities[some]], return_inverse=True)
        strength = np.bincount(where, weights=states.strengths[some])
        best = order[rows[np.lexsort((rows, -strength))]]
        own = owned[first[label] : last[label]]
        # A fact of several slices stands once for each: what lasts tells more about a community.
        rows_of = ties.rows[cut.places[own]]
        facts = Ties(rows_of, cut.subjects[own], cut.objects[own], cut.weights[own])
        earliest = int(states.slices[some[0]])
        mark = (-max(map(len, members)), -len(some), int(rows[0]), earliest)
        found.append((mark, Subject([int(row) for row in best], facts), members))
    taken: set[str] = set()
    named = []
    async for _, subject, members in in_turns(sorted(found, key=lambda entry: entry[0])):
        name = describer.title(subject, taken)
        taken.add(name)
        named.append((name, members))
    return named


def _identified(
    described: Sequence[_Described],
    parts: Sequence[Interval],
    stored: Sequence[Community],
    ids: Sequence[str],
) -> tuple[DynamicCommunity, ...]:
    """Return the communities with ids: those of the stored ones that they continue in the end."""
    members = [
        tuple(tuple(ids[row] for row in rows) for rows in slices_) for _, slices_ in described
    ]
    coarsest = [community for community in stored if community.level == 0]
    last = [(0, by_slice[-1]) for by_slice in members if len(by_slice[-1]) >= LEAST]
    places = [place for place, by_slice in enumerate(members) if len(by_slice[-1]) >= LEAST]
    known = {places[number]: id_ for number, id_ in continued(coarsest, last).items()}
    communities = []
    for place, ((name, _), by_slice) in enumerate(zip(described, members, strict=True)):
        # A new id derives from the first members and the slice that they are in.
        first = next(number for number, inside in enumerate(by_slice) if inside)
        id_ = known.get(place) or id_from(repr(parts[first].start), by_slice[first])
        communities.append(DynamicCommunity(id_, name, by_slice))
    return tuple(communities)


Members = Mapping[str, frozenset[str]]  # ids of entities by the id of their community


def events(
    members: Sequence[Members], turns: Sequence[datetime], *, share: float, change: float
) -> Iterator[CommunityEvent]:
    """Yield what happened, slice by slice.

    Several merge into one that goes on or is new, and all others end there; one splits into several
    that are new, and itself if it goes on. Who takes part in either is not counted as born, dead,
    grown or shrunk as well. What there was in the first slice is not said to be born.

    ``turns`` are where slices begin, ``share`` and ``change`` as in ``communities.over_time``.
    """
    there = [
        {id_: inside for id_, inside in part.items() if len(inside) >= LEAST} for part in members
    ]
    for before, after, at in zip(there, there[1:], turns[1:], strict=False):
        yield from _between(before, after, at, share, change)


def _between(
    before: Members, after: Members, at: datetime, share: float, change: float
) -> Iterator[CommunityEvent]:
    old, new = (
        {entity: id_ for id_, inside in part.items() for entity in inside}
        for part in (before, after)
    )
    parts: defaultdict[str, set[str]] = defaultdict(set)
    sources: defaultdict[str, set[str]] = defaultdict(set)
    for id_, inside in after.items():
        origin = id_ if id_ in before else _most(inside, old, share)
        if origin is not None:
            parts[origin].add(id_)
    for id_, inside in before.items():
        target = id_ if id_ in after else _most(inside, new, share)
        if target is not None:
            sources[target].add(id_)
    merged = {id_: inside for id_, inside in sources.items() if len(inside) > 1}
    split = {id_: inside for id_, inside in parts.items() if len(inside) > 1}
    for id_ in _ranked(merged, after):
        yield CommunityEvent("merged", at, tuple(_ranked(merged[id_], before)), (id_,))
    for id_ in _ranked(split, before):
        yield CommunityEvent("split", at, (id_,), tuple(_ranked(split[id_], after)))
    involved = {*merged, *split, *chain(*merged.values(), *split.values())}
    for id_ in _ranked(after.keys() - before.keys() - involved, after):
        yield CommunityEvent("born", at, (), (id_,))
    for id_ in _ranked(before.keys() - after.keys() - involved, before):
        yield CommunityEvent("died", at, (id_,), ())
    for id_ in _ranked((before.keys() & after.keys()) - involved, after):
        was, now = len(before[id_]), len(after[id_])
        if now >= was * (1 + change) and now > was:
            yield CommunityEvent("grew", at, (id_,), (id_,))
        elif now <= was * (1 - change) and now < was:
            yield CommunityEvent("shrank", at, (id_,), (id_,))


def _most(members: frozenset[str], homes: Mapping[str, str], share: float) -> str | None:
    counts = Counter(homes[entity] for entity in members if entity in homes)
    if not counts:
        return None
    id_, number = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return id_ if number >= share * len(members) else None


def _ranked(ids: Iterable[str], members: Members) -> list[str]:
    return sorted(ids, key=lambda id_: (-len(members[id_]), id_))


async def communities_of(
    index: GroupIndex,
    store: Store,
    seen: VisibleRows,
    past: Rewind,
    stored: CommunityTree,
    at: datetime,
) -> list[Community]:
    """Return the communities that the visible facts of a moment make, described without a model.

    One that continues a stored community has its id; others have one derived from their members.
    """
    subject, object_ = seen.ends
    held = seen.facts & seen.entities[subject] & seen.entities[object_]
    ties = await Ties.read(index, store, held, seen, past=past)
    clusters = await detected(ties.subjects, ties.objects, ties.weights)
    moment = AtMoment.of(index, past, seen)
    made = await drafts(clusters, ties, index, moment, ties.strengths(len(index.entities)))
    known = lasting(stored.communities, made)
    descriptions = await by_facts(made, {}, Describer(index, moment), set())

    def new_id(draft: CommunityDraft) -> str:
        return id_from(str(draft.level), draft.members)

    return in_order(finished(made, descriptions, known, index.group_id, at, new_id))
