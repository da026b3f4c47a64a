"""Which new cluster continues which old community, so that ids last across rebuilds."""

from collections import Counter
from collections.abc import Mapping, Sequence


def continued(old: Mapping[str, Sequence[str]], new: Sequence[Sequence[str]]) -> dict[int, str]:
    """Return the id of the old community that each new cluster continues, by its number.

    The largest overlap first; a cluster continues a community with which it shares at least half
    of either's members, and each community is continued once.
    """
    home = {member: id_ for id_, members in old.items() for member in members}
    shared = [
        (overlap, -number, id_)
        for number, members in enumerate(new)
        for id_, overlap in Counter(home[member] for member in members if member in home).items()
        if 2 * overlap >= min(len(members), len(old[id_]))
    ]
    found: dict[int, str] = {}
    taken: set[str] = set()
    for _, number, id_ in sorted(shared, key=lambda one: (-one[0], -one[1], one[2])):
        if -number not in found and id_ not in taken:
            found[-number] = id_
            taken.add(id_)
    return found
