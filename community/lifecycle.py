"""Events in the lives of communities between time slices.

The six of Palla, Barabasi and Vicsek (Nature 2007), with one threshold as in Greene, Doyle and
Cunningham (ASONAM 2010). Ids last, so only communities that come or go are matched.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Literal

EventKind = Literal["born", "died", "grew", "shrank", "merged", "split"]
LEAST = 2
"""Members of a community: who is alone in a slice makes none."""


@dataclass(frozen=True, slots=True)
class CommunityEvent:
    """Something that happened to communities at the turn of two slices."""

    kind: EventKind
    at: datetime
    """Where the later slice begins."""
    before: tuple[str, ...]
    """Ids of those in the earlier slice that it happened to, largest first; none for a birth."""
    after: tuple[str, ...]
    """Ids of those in the later slice that came of it, largest first; none for a death."""


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
    there = [_there(one) for one in members]
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
    merged = {one: some for one, some in sources.items() if len(some) > 1}
    split = {one: some for one, some in parts.items() if len(some) > 1}
    for one in _ranked(merged, after):
        yield CommunityEvent("merged", at, tuple(_ranked(merged[one], before)), (one,))
    for one in _ranked(split, before):
        yield CommunityEvent("split", at, (one,), tuple(_ranked(split[one], after)))
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
    counts = Counter(homes[one] for one in some if one in homes)
    if not counts:
        return None
    id_, number = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return id_ if number >= share * len(some) else None


def _ranked(ids: Iterable[str], members: Members) -> list[str]:
    """Return ids of communities, largest first."""
    return sorted(ids, key=lambda id_: (-len(members[id_]), id_))
