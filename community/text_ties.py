"""Ties between entities named within a few sentences of each other in long texts.

Rules state few facts of long texts. A passage that names two entities weighs as one fact, and one
that names six a fifth per pair (Newman, PNAS 2001). Short texts are ignored.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from graphrag.community.detect import Nodes, Weights
from graphrag.index.group import GroupIndex
from graphrag.index.read_lazy import read_mentions
from graphrag.index.retention import Slot
from graphrag.model.values import CONCEPT, Episode
from graphrag.protocols import in_turns
from graphrag.search.rewind import Past
from graphrag.search.visibility import Mask, Visible
from graphrag.store.store import Store

_TEXTS = 2000
"""Long texts that are read, those added last."""
_WINDOW, _STEP = 600, 300
"""Characters of what is near, a few sentences, and from one such stretch to the next."""
_LIST = 12
"""Names in one stretch above which it is a list, and says nothing of who belongs to whom."""
_OFTEN = 6
"""Stretches in which an entity without facts is named: a name that comes once may be misread."""
_SHORT, _LONG = 40, 240
"""Characters of a sentence that is worth quoting."""
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|\n\s*\n")

_FIT = 80, 160
"""Characters that such a sentence has at best."""
_CLOSING = ".!?…\"'”’)"
_SPOKEN = re.compile('["“”«»„]')
_SPOKEN_SHARE = 0.4
"""Worth of a sentence with what somebody says, who need not know, against one that is narrated."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a text that names two or more."""

    text: str
    rows: tuple[int, ...]
    """Of the entities that it names."""
    fit: float
    """How well it stands alone, up to 1."""


@dataclass(frozen=True, slots=True)
class Together:
    """Pairs of entities that texts name together, side by side."""

    subjects: Nodes
    objects: Nodes
    weights: Weights
    quotes: Sequence[Quote]


@dataclass(frozen=True, slots=True)
class _Read:
    """What one text names together."""

    named: Mapping[int, tuple[str, ...]]
    """The names that were looked for, by row, to tell whether they are still the same."""
    pairs: Nodes
    """Two rows of entities each."""
    weights: Weights
    rows: Nodes
    counts: Nodes
    """In how many stretches each of the rows is named."""
    quotes: tuple[Quote, ...]


_READ: Final = Slot[dict[str, _Read]]()


def long_texts(index: GroupIndex, seen: Mask | None = None) -> Nodes:
    """Return the rows of the long episodes that are looked at, of those that are seen."""
    long = np.zeros(len(index.episodes), dtype=np.bool_)
    long[index.passages["episode"]] = True
    return np.flatnonzero(long if seen is None else long & seen)[-_TEXTS:]


async def named_together(
    index: GroupIndex, store: Store, seen: Visible, past: Past, strengths: Weights
) -> Together | None:
    """Return who is named together in the visible long texts, None if there are none.

    Only named entities with facts or that come often; not two whose facts have all ended.
    """
    texts = long_texts(index, seen.episodes)
    if not len(texts):
        return None
    await read_mentions(store, index)
    read = await _texts(texts.tolist(), index, store, past)
    pairs = np.concatenate([text.pairs for text in read]).T
    weights = np.concatenate([text.weights for text in read])
    rows, counts = (np.concatenate([getattr(text, part) for text in read]) for part in _COUNTED)
    if seen.speaks is not None:
        pairs, rows = seen.speaks[pairs], seen.speaks[rows]
    quotes = [quote for text in read for quote in text.quotes]
    if seen.speaks is not None:
        rows_of = seen.speaks.tolist()
        gone = set(np.flatnonzero(seen.speaks != np.arange(len(rows_of))).tolist())
        quotes = [
            quote
            if gone.isdisjoint(quote.rows)
            else replace(quote, rows=tuple(sorted({rows_of[row] for row in quote.rows})))
            for quote in quotes
        ]
    nodes = len(index.entities)
    often = np.bincount(rows, weights=counts, minlength=nodes) >= _OFTEN
    fit = seen.entities & (often | (strengths > 0))
    one, other = np.sort(pairs, axis=0)
    keys = one * np.int64(nodes) + other
    held = (one != other) & fit[one] & fit[other] & ~np.isin(keys, _ended(seen, nodes))
    found, place = np.unique(keys[held], return_inverse=True)
    summed = np.bincount(place, weights=weights[held], minlength=len(found)).astype(np.float64)
    subjects, objects = np.divmod(found, nodes)
    return Together(subjects, objects, summed, quotes)


_COUNTED = ("rows", "counts")


def _ended(seen: Visible, nodes: int) -> Nodes:
    """Return the pairs between which there were facts, and none holds."""
    one, other = np.sort(np.stack(seen.ends), axis=0)
    keys = one * np.int64(nodes) + other
    return np.setdiff1d(keys[seen.stated & ~seen.facts], keys[seen.facts])


async def _texts(rows: Sequence[int], index: GroupIndex, store: Store, past: Past) -> list[_Read]:
    """Return what each text names together, of those not read before from the store."""
    if (known := _READ.get(index)) is None:
        _READ.set(index, known := {})
    mentions = index.episodes.mentions
    assert mentions is not None
    episodes, entities = (side.tolist() for side in mentions.of_left(rows))
    names = {entity: _names(entity, index, past) for entity in set(entities)}
    ids = index.episodes.ids
    named: dict[str, dict[int, tuple[str, ...]]] = {ids[row]: {} for row in rows}
    for row, entity in sorted(zip(episodes, entities, strict=True)):
        if names[entity]:
            named[ids[row]][entity] = names[entity]
    missing = [id_ for id_, names in named.items() if id_ not in known or known[id_].named != names]
    async for episode in in_turns((await store.get(Episode, missing)).values()):
        text = "" if episode.source == "json" else episode.content
        known[episode.id] = _scanned(text, named[episode.id])
    return [known[id_] for id_ in named if id_ in known]


def _names(entity: int, index: GroupIndex, past: Past) -> tuple[str, ...]:
    """Return the names of an entity, none of what only a common noun names."""
    id_ = index.entities.ids[entity]
    if index.entity_type(id_) == CONCEPT:
        return ()
    image = past.image("entity", id_)
    name, *aliases = index.names.names[id_]
    return (image.get("name", name), *image.get("aliases", aliases))


def _scanned(text: str, named: Mapping[int, tuple[str, ...]]) -> _Read:
    row_of = {name: row for row, names in named.items() for name in names if len(name) > 1}
    longest = sorted(row_of, key=lambda name: (-len(name), name))
    either = "|".join(map(re.escape, longest)) or "(?!)"
    found = [
        (hit.start(), row_of[hit[0]]) for hit in re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text)
    ]
    stretches: dict[int, set[int]] = {}
    for start, row in found:
        stretches.setdefault(start // _STEP, set()).add(row)
        stretches.setdefault(start // _STEP - _WINDOW // _STEP + 1, set()).add(row)
    weights: defaultdict[tuple[int, int], float] = defaultdict(float)
    for rows in stretches.values():
        for pair in combinations(sorted(rows) if len(rows) <= _LIST else (), 2):
            weights[pair] += _STEP / _WINDOW / (len(rows) - 1)
    counts = Counter(row for rows in stretches.values() for row in rows)
    return _Read(
        named,
        np.array(list(weights), dtype=np.int64).reshape(-1, 2),
        np.array(list(weights.values()), dtype=np.float64),
        np.array(list(counts), dtype=np.int64),
        np.array(list(counts.values()), dtype=np.int64),
        tuple(_quotes(text, found)),
    )


def _quotes(text: str, found: Sequence[tuple[int, int]]) -> list[Quote]:
    """Return the sentences that name two or more."""
    quotes, start, place, spoken = [], 0, 0, False
    for end in (*(border.end() for border in _END.finditer(text)), len(text)):
        rows = set()
        while place < len(found) and found[place][0] < end:
            rows.add(found[place][1])
            place += 1
        said = " ".join(text[start:end].split())
        marks = _SPOKEN.findall(said)
        if len(rows) > 1 and (fit := _fit(said)):
            share = _SPOKEN_SHARE if spoken or marks else 1.0
            quotes.append(Quote(said, tuple(sorted(rows)), share * fit))
        # What somebody says may go on for some sentences, to its paragraph's end.
        for mark in marks:
            spoken = mark in "“«„" or (mark == '"' and not spoken)
        spoken = spoken and "\n\n" not in text[start:end]
        start = end
    return quotes


def _fit(said: str) -> float:
    """Return how well a sentence stands alone, 0 for a heading or half of one."""
    if not _SHORT <= len(said) <= _LONG or said[-1] not in _CLOSING:
        return 0.0
    least, most = _FIT
    return min(1.0, len(said) / least, most / len(said))
