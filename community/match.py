"""Which new cluster continues which old community, so that ids last across rebuilds."""

from collections import Counter
from collections.abc import Sequence

from graphrag.models import Community

_Shared = tuple[bool, int, int, str]
"""Whether the level is another one, minus the overlap, the number of the cluster, the old id."""


def continued(old: Sequence[Community], new: Sequence[tuple[int, Sequence[str]]]) -> dict[int, str]:
    """Return the id of the old community that each new cluster continues, by its number.

    A cluster continues a community of its level with which it shares at least half of either's
    members, the largest overlap first; and one of another level, if no cluster of that level does,
    with which it shares at least half of both's. Each community is continued once.

    Args:
        old: The communities.
        new: Level and members of each cluster.
    """
    sizes = {one.id: len(one.members) for one in old}
    level_of = {one.id: one.level for one in old}
    homes: dict[str, list[str]] = {}
    for community in old:
        for member in community.members:
            homes.setdefault(member, []).append(community.id)
    shared: list[_Shared] = []
    for number, (level, members) in enumerate(new):
        overlaps = Counter(id_ for member in members for id_ in homes.get(member, ()))
        for id_, overlap in overlaps.items():
            moved = level_of[id_] != level
            least = (max if moved else min)(len(members), sizes[id_])
            if 2 * overlap >= least:
                shared.append((moved, -overlap, number, id_))
    found: dict[int, str] = {}
    taken: set[str] = set()
    for _, _, number, id_ in sorted(shared):
        if number not in found and id_ not in taken:
            found[number] = id_
            taken.add(id_)
    return found
