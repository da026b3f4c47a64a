"""The communities of a group through time: slices, members, names and ids, and their events.

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

from graphrag.community.describe import AtMoment, Describer, Subject
from graphrag.community.detect import LEAST, Nodes
from graphrag.community.draft import continued, id_from
from graphrag.community.evolution import States, evolved
from graphrag.community.flow import CommunityEvent, CommunityFlow, DynamicCommunity
from graphrag.community.ties import Every, SlicedTies, Ties, begin, sliced, slices
from graphrag.errors import QueryError
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.values import Community
from graphrag.protocols import in_turns
from graphrag.search.rewind import Past
from graphrag.search.visibility import Mask, Visible
from graphrag.store.store import Store
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import from_micros, to_micros

_STEP = timedelta(microseconds=1)
_FIRST = datetime.min.replace(tzinfo=UTC) + _STEP
"""The first moment that another one is before."""


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
        """Refuse numbers that mean nothing."""
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
    past: Past,
    ever: Visible,
    entities: Mask,
    stored: Sequence[Community],
    how: Tracking,
) -> CommunityFlow:
    """Return the communities that the facts of all times make, slice by slice.

    Args:
        index: The group.
        store: Where it is kept.
        past: What is undone of it.
        ever: What is visible of all times.
        entities: Which entities there are.
        stored: The communities as they were built, whose ids those that continue them have.
        how: What is asked for.

    Raises:
        QueryError: for slices that cannot be.
        MissingExtraError: if ``leidenalg`` is not installed.
    """
    subject, object_ = ever.ends
    held = ever.facts & (ever.retracted == FOREVER) & entities[subject] & entities[object_]
    ties = await Ties.stated(index, store, held, ever, past=past)
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
    moment = AtMoment(
        lambda id_: past.name(id_, index), ever.ends, ever.valid, ever.invalid,
        index.facts["observed"],
    )  # fmt: skip
    described = await _described(states, cut, ties, order, Describer(index, moment), len(parts))
    found = _identified(described, parts, stored, ids)
    by_slice = [
        {community.id: frozenset(community.members[number]) for community in found}
        for number in range(len(parts))
    ]
    turns = [part.start or start for part in parts]
    happened = tuple(events(by_slice, turns, share=how.share, change=how.change))
    return CommunityFlow(
        index.group_id, parts, found, happened, {ids[row]: name for row, name in names.items()}
    )


def _earliest(rows: Nodes, ever: Visible, end: datetime) -> datetime | None:
    """Return the first moment before the end at which a fact is known to have begun, or ended."""
    last = to_micros(end, FOREVER)
    for column in (ever.valid[rows], ever.invalid[rows]):
        known = column[(column > BEGINNING) & (column < last)]
        if len(known):
            return from_micros(int(known.min()))
    return None


_Described = tuple[str, list[list[int]]]
"""The name of a community, and the rows of its members by slice."""


async def _described(
    states: States, cut: SlicedTies, ties: Ties, order: Nodes, describer: Describer, parts: int
) -> list[_Described]:
    """Return the communities, those of most members in all slices first, best connected first."""
    if not len(states.labels):
        return []
    place = np.zeros(int(order.max()) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    size = len(order)
    keys = states.slices * size + place[states.entities]
    ends = [cut.slices * size + place[rows] for rows in (cut.subjects, cut.objects)]
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
        facts = _summed(cut, ties, owned[first[label] : last[label]])
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


def _summed(cut: SlicedTies, ties: Ties, some: Nodes) -> Ties:
    """Return the facts among some ties, each with its weights in all slices added up."""
    places, where = np.unique(cut.places[some], return_inverse=True)
    weights = np.bincount(where, cut.weights[some], minlength=len(places)).astype(np.float64)
    return Ties(ties.rows[places], ties.subjects[places], ties.objects[places], weights)


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
    return tuple(
        DynamicCommunity(known.get(place) or _id(by_slice, parts), name, by_slice)
        for place, ((name, _), by_slice) in enumerate(zip(described, members, strict=True))
    )


def _id(members: Sequence[Sequence[str]], parts: Sequence[Interval]) -> str:
    """Return an id made from who is in it first, and when."""
    number = next(number for number, some in enumerate(members) if some)
    return id_from(repr(parts[number].start), members[number])


Members = Mapping[str, frozenset[str]]
"""Ids of entities by the id of the community that they are in."""


def events(
    members: Sequence[Members], turns: Sequence[datetime], *, share: float, change: float
) -> Iterator[CommunityEvent]:
    """Yield what happened, slice by slice.

    Several merge into one that goes on or is new, and all others end there; one splits into several
    that are new, and itself if it goes on. Who takes part in either is not counted as born, dead,
    grown or shrunk as well. What there was in the first slice is not said to be born.

    Args:
        members: Of each community with members, by slice.
        turns: Where each slice begins.
        share: Of its members that a community must have gone to, or come from, another one.
        change: Share of its size by which one must grow or shrink.
    """
    there = [_there(part) for part in members]
    for before, after, at in zip(there, there[1:], turns[1:], strict=False):
        yield from _between(before, after, at, share, change)


def _there(members: Members) -> Members:
    return {id_: some for id_, some in members.items() if len(some) >= LEAST}


def _between(
    before: Members, after: Members, at: datetime, share: float, change: float
) -> Iterator[CommunityEvent]:
    old, new = _homes(before), _homes(after)
    parts: defaultdict[str, set[str]] = defaultdict(set)
    sources: defaultdict[str, set[str]] = defaultdict(set)
    for id_, some in after.items():
        origin = id_ if id_ in before else _most(some, old, share)
        if origin is not None:
            parts[origin].add(id_)
    for id_, some in before.items():
        target = id_ if id_ in after else _most(some, new, share)
        if target is not None:
            sources[target].add(id_)
    merged = {id_: some for id_, some in sources.items() if len(some) > 1}
    split = {id_: some for id_, some in parts.items() if len(some) > 1}
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


def _homes(members: Members) -> dict[str, str]:
    return {entity: id_ for id_, some in members.items() for entity in some}


def _most(some: frozenset[str], homes: Mapping[str, str], share: float) -> str | None:
    """Return where at least this share of some entities is, the most of all."""
    counts = Counter(homes[entity] for entity in some if entity in homes)
    if not counts:
        return None
    id_, number = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return id_ if number >= share * len(some) else None


def _ranked(ids: Iterable[str], members: Members) -> list[str]:
    """Return ids of communities, largest first."""
    return sorted(ids, key=lambda id_: (-len(members[id_]), id_))
