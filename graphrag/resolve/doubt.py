"""Uncertain matches: stored entities that a mention may mean though no rule says so.

Also by meaning ("Burma", "Myanmar"). Names of people have no meaning ("Anna", "Anne") and are
compared by it only across scripts.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphrag.index.group import GroupIndex
from graphrag.model.extraction import Mention
from graphrag.model.values import CONCEPT
from graphrag.names.identifiers import Identifier, identifiers
from graphrag.names.key import folded, is_name, name_key
from graphrag.names.likeness import ALIKE, contained, distinct, likeness, short_for
from graphrag.names.words import NICKNAMES
from graphrag.protocols import Matrix
from graphrag.resolve import KnownEntities

_MOST = 5
"""Candidates of one mention."""
_COMPARED = 24
"""Look-alikes whose likeness is worked out for one mention."""

_SHARING = 16
"""Entities that share one attribute: more, and it says little."""
_LEAST_SHARED = 2
"""Attributes that two must share to be compared for nothing else."""


_OF_ANOTHER = re.compile(r"[^\W\d_A-Z][\w' -]* (?:in|of|at|for|from|on|by|with|to) [A-Z]")
"""A thing that is called by another one."""


@dataclass(frozen=True, slots=True)
class EntityCandidate:
    """A stored entity that a mention may mean."""

    id: str
    score: float
    """From 0 to 1: how alike the names, or their meanings, are."""


@dataclass(frozen=True, slots=True)
class OpenMention:
    """A mention that may mean one of several entities, or a new one."""

    mention: Mention
    candidates: tuple[EntityCandidate, ...]
    """Likeliest first."""


def look_alikes(mention: Mention, index: GroupIndex, known: KnownEntities) -> OpenMention | None:
    """Return what a mention may mean by its name, None if nothing stored is like it.

    The cost does not grow with the group: only names that share a drawer are compared.
    """
    key, kind = name_key(mention.name), mention.entity_type
    if not comparable(mention):
        return None
    scores = {id_: ALIKE for id_ in index.entities_keyed(key)}
    if kind == "person" and " " not in key:
        called = sorted(index.people_called(key))
        scores |= dict.fromkeys(called if len(called) <= _MOST else (), ALIKE)
    near = index.names.like(key)
    for id_ in near[:_COMPARED]:
        score = max(likeness(key, name_key(name)) for name in index.names.names[id_])
        if score >= ALIKE:
            heir = index.heirs.of(id_)
            scores[heir] = max(score, scores.get(heir, 0.0))
    for id_ in sharing_attributes(identifiers(mention.attributes), index):
        keys = map(name_key, index.names.names[id_])
        scores.setdefault(index.heirs.of(id_), max(likeness(key, other) for other in keys))
    for id_ in _in_full(key, near, index, known, kind):
        scores.setdefault(id_, ALIKE)
    return open_mention(mention, scores, known)


def sharing_attributes(pairs: Iterable[Identifier], index: GroupIndex) -> list[str]:
    """Return the entities that share some of these attributes, but for what many share."""
    shared: Counter[str] = Counter()
    for pair in pairs:
        bearers = index.names.identified(*pair)
        shared.update(bearers if len(bearers) <= _SHARING else ())
    return [id_ for id_, count in shared.items() if count >= _LEAST_SHARED]


def comparable(mention: Mention) -> bool:
    """Tell whether a mention bears a name, which another name can be like."""
    if mention.entity_type == CONCEPT or _OF_ANOTHER.match(mention.name):
        return False  # "axes" and "taxes", "shares in Globex": nouns that look alike mean two
    # "Alice's friends" are not Alice
    return mention.entity_type != "person" or is_name(mention.name)


def open_mention(
    mention: Mention,
    scores: dict[str, float],
    known: KnownEntities,
    before: OpenMention | None = None,
) -> OpenMention | None:
    """Return a mention with what it may mean of these entities, and what it did ``before``."""
    fitting = {
        id_: EntityCandidate(id_, round(min(weighed, 1.0), 3))
        for id_, score in scores.items()
        if known.compatible(id_, mention.entity_type)
        and (weighed := known.evidence(id_, mention).score(score)) >= ALIKE
    }
    fitting |= {candidate.id: candidate for candidate in (before.candidates if before else ())}
    best = sorted(fitting.values(), key=lambda candidate: (-candidate.score, candidate.id))
    return OpenMention(mention, tuple(best[:_MOST])) if best else None


def in_full(key: str, index: GroupIndex, fits: Callable[[str], bool]) -> list[str]:
    """Return the entities whose name has more words before or after this key.

    If they are several, the short name says nothing: of the pairs in DBLP and ACM in which one
    title begins or ends with the other, 8 in 100 are one publication, 30 if it is only one title.
    """
    longer = dict.fromkeys(
        id_ for full in NICKNAMES.get(key, ()) if full != key for id_ in index.people_called(full)
    )
    longer |= dict.fromkeys(
        index.heirs.of(id_)
        for id_ in index.names.like(key)
        if any(
            short_for(key, full) or contained(key, full)
            for full in map(name_key, index.names.names[id_])
        )
    )
    return [id_ for id_ in longer if fits(id_)]


def _in_full(
    key: str, near: Iterable[str], index: GroupIndex, known: KnownEntities, kind: str
) -> Iterator[str]:
    """Yield the one entity of which a new name is a short one, or whose short name only it has."""

    def fits(id_: str) -> bool:
        return known.compatible(id_, kind)

    if len(longer := in_full(key, index, fits)) == 1:
        yield longer[0]
    for id_ in near:
        for short in map(name_key, index.names.names[id_]):
            if short_for(short, key) and not in_full(short, index, fits):
                yield index.heirs.of(id_)


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
    known: KnownEntities,
) -> list[OpenMention]:
    """Return what is open about some new names, given with their vectors: ``doubts`` and more."""
    open_ = {doubt.mention: doubt for doubt in doubts}
    for mention, vector in vectors.items():
        if len(index.entities) and comparable(mention):
            near = _near(mention, vector, index, known)
            if near and (more := open_mention(mention, near, known, open_.get(mention))):
                open_[mention] = more
    return list(open_.values())


def means_alike(entity: str, other: str, index: GroupIndex) -> bool:
    """Tell whether the nearness of the vectors of two stored entities may say that they are one."""
    (name, kind), (other_name, other_kind) = (
        (index.entity_name(id_), index.entity_type(id_)) for id_ in (entity, other)
    )
    return _telling(name_key(name), kind, name_key(other_name), other_kind)


def _near(
    mention: Mention, vector: Matrix, index: GroupIndex, known: KnownEntities
) -> dict[str, float]:
    cosines = index.entities.vectors.scores(vector)
    key = name_key(mention.name)
    near: dict[str, float] = {}
    for row in np.flatnonzero((cosines >= CLOSE) & index.entities.alive.values).tolist():
        id_ = index.heirs.of(index.entities.ids[row])
        if _telling(key, mention.entity_type, name_key(index.entity_name(id_)), known.type_of(id_)):
            near[id_] = max(float(cosines[row]), near.get(id_, 0.0))
    return near


def _telling(key: str, kind: str, other: str, other_kind: str) -> bool:
    if folded(key).isascii() != folded(other).isascii():
        return True
    return not distinct(key, other) and not kind == other_kind == "person"
