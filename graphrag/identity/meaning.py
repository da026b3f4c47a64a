"""Which stored entities a new name may mean though it is spelled otherwise: "Burma", "Myanmar".

Names of people mean nothing: "Anna" is near "Anne" and no nearer to who she is. They are compared
only across scripts, which a multilingual model reads.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from graphrag.extraction import Mention
from graphrag.identity.doubt import OpenMention, comparable, open_mention
from graphrag.identity.known import Known
from graphrag.index.group import GroupIndex
from graphrag.names import name_key
from graphrag.naming.fold import folded
from graphrag.naming.likeness import told_apart
from graphrag.protocols import Matrix

CLOSE = 0.9
"""Cosine of two names at which they may mean one thing.

With all-MiniLM-L6-v2, on 36 pairs that mean one thing and 36 that do not (tests/identity): 10 and 2
are found at 0.85, 8 and 0 at 0.9, 3 and 0 at 0.95. Of pairs of titles in DBLP and ACM that are not
alike in letters, 16 in 100 are one publication at 0.85, 29 at 0.9, 35 at 0.95; of names of people
in Febrl none is.
"""


def with_meanings(
    doubts: Sequence[OpenMention],
    vectors: Mapping[Mention, Matrix],
    index: GroupIndex,
    known: Known,
) -> list[OpenMention]:
    """Return what is open about some new names, given with their vectors: ``doubts`` and more."""
    open_ = {doubt.mention: doubt for doubt in doubts}
    for mention, vector in vectors.items():
        if len(index.entities) and comparable(mention):
            found = _near(mention, vector, index, known)
            if found and (more := open_mention(mention, found, known, open_.get(mention))):
                open_[mention] = more
    return list(open_.values())


def means_alike(one: str, other: str, index: GroupIndex) -> bool:
    """Tell whether the nearness of the vectors of two stored entities may say that they are one."""
    (name, kind), (other_name, other_kind) = (
        (index.entity_name(id_), index.entity_type(id_)) for id_ in (one, other)
    )
    return _telling(name_key(name), kind, name_key(other_name), other_kind)


def _near(mention: Mention, vector: Matrix, index: GroupIndex, known: Known) -> dict[str, float]:
    cosines = index.entities.vectors.scores(vector)
    key = name_key(mention.name)
    found: dict[str, float] = {}
    for row in np.flatnonzero((cosines >= CLOSE) & index.entities.alive.values).tolist():
        id_ = index.heirs.of(index.entities.ids[row])
        if _telling(key, mention.entity_type, name_key(index.entity_name(id_)), known.type_of(id_)):
            found[id_] = max(float(cosines[row]), found.get(id_, 0.0))
    return found


def _telling(key: str, kind: str, other: str, other_kind: str) -> bool:
    if folded(key).isascii() != folded(other).isascii():
        return True
    return not told_apart(key, other) and not kind == other_kind == "person"
