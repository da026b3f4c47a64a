"""Sagas of a group, the order of their episodes, and the coverage of their summaries.

A saga consists of the visible episodes that name it; ``occurred_after`` links store their order in
the database. A summary records the system time up to which it covers episodes, and a hash of their
ids, which also reveals removals, late commits and joins. A summary with another hash is neither
shown nor continued.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from graphrag.display.cards import table
from graphrag.display.lists import Listed, some
from graphrag.display.visible import Html, escape
from graphrag.index.group import GroupIndex
from graphrag.model.values import Episode, Saga
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import Mask, VisibleRows
from graphrag.temporal.moment import from_micros

Rows = npt.NDArray[np.intp]


def sagas_then(index: GroupIndex, past: Rewind) -> npt.NDArray[np.int32]:
    """Return the code of the saga of each episode, as it was."""
    codes: npt.NDArray[np.int32] = index.episodes["saga"]
    joined = {
        index.episodes.row_of[id_]: image["saga"]
        for id_, image in past.images("episode")
        if "saga" in image and id_ in index.episodes.row_of
    }
    if joined:
        codes = codes.copy()
        for row, saga in joined.items():
            codes[row] = index.saga_code(saga)
    return codes


def mask_of(saga: str, index: GroupIndex, seen: VisibleRows, past: Rewind) -> Mask:
    """Return the visible episodes of a saga; none if there is no such saga."""
    if saga not in index.sagas:
        return np.zeros(len(index.episodes), dtype=np.bool_)
    mask: Mask = seen.episodes & (sagas_then(index, past) == index.saga_code(saga))
    return mask


def in_order(rows: Rows, index: GroupIndex) -> Rows:
    """Return rows of episodes, given in ascending order, by reference time and then by id."""
    ids = index.episodes.ids
    if not ids.ascend:
        rows = np.array(sorted(rows.tolist(), key=ids.__getitem__), dtype=np.intp)
    return rows[np.argsort(index.episodes["valid"][rows], kind="stable")]


def beside(
    row: int, mask: Mask, index: GroupIndex, *, before: int, after: int
) -> tuple[list[int], list[int]]:
    """Return the last episodes of a mask before one of it, and the first after it, in order."""
    order = in_order(np.flatnonzero(mask), index)
    place = int(np.flatnonzero(order == row)[0])
    earlier, later = order[max(0, place - before) : place], order[place + 1 :][:after]
    return earlier.tolist(), later.tolist()


Addition = tuple[datetime, str]  # when an episode was added, and its id


def fingerprint(ids: Iterable[str]) -> str:
    """Return a hash of a set of episodes."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()


def after_watermark(saga: Saga, episodes: Iterable[Addition]) -> list[str] | None:
    """Return those of a saga's episodes that its summary does not tell of, in order of telling.

    None if there is no summary, or it tells of something else than the others.
    """
    until = saga.summarized_until
    if until is None:
        return None
    order = sorted(episodes)
    known = [id_ for at, id_ in order if at <= until]
    if fingerprint(known) != saga.fingerprint:
        return None
    return [id_ for _, id_ in order[len(known) :]]


@dataclass(frozen=True, slots=True, repr=False)
class EpisodeWindow:
    """An episode with the episodes just before and after it, in chronological order."""

    before: tuple[Episode, ...]
    episode: Episode
    after: tuple[Episode, ...]

    def __iter__(self) -> Iterator[Episode]:
        return iter((*self.before, self.episode, *self.after))

    def __len__(self) -> int:
        return len(self.before) + 1 + len(self.after)

    def __repr__(self) -> str:
        shown = self.episode
        said = shown.name or shown.content[:40]
        return (
            f"EpisodeWindow({shown.valid_at:%Y-%m-%d} {said!r}, {len(self.before)} before, "
            f"{len(self.after)} after)"
        )

    def _repr_html_(self) -> Html:
        rows = []
        for episode in self:
            here = episode is self.episode
            cells = [f"{episode.valid_at:%Y-%m-%d %H:%M}", episode.content[: 300 if here else 150]]
            rows.append([Html(f"<b>{escape(cell)}</b>") for cell in cells] if here else cells)
        return table(("when", "what"), rows, words=True)


@dataclass(frozen=True, slots=True, repr=False)
class SagaInfo:
    """One saga, with its number of episodes and its first and last date."""

    name: str
    episodes: int
    first: datetime
    """Reference time of its first episode."""
    last: datetime
    """Reference time of its last episode."""

    def __repr__(self) -> str:
        _, _, *days = cells(self)
        episodes = some(self.episodes, "episode")
        return f"SagaInfo({self.name!r}: {episodes}, {' to '.join(dict.fromkeys(days))})"


class Sagas(Listed[SagaInfo]):
    """The sagas of a group, in order of their first episodes."""

    @property
    def names(self) -> list[str]:
        """Return the names of the sagas."""
        return [saga.name for saga in self]

    def __repr__(self) -> str:
        shown = (f"{saga.name!r}: {some(saga.episodes, 'episode')}" for saga in self)
        return f"Sagas({', '.join(shown)})"

    def _repr_html_(self) -> str:
        return table(HEADER, map(cells, self))


HEADER = ("saga", "episodes", "first", "last")


def cells(saga: SagaInfo) -> tuple[str, ...]:
    """Return a saga as cells under ``HEADER``."""
    return saga.name, f"{saga.episodes:,}", f"{saga.first:%Y-%m-%d}", f"{saga.last:%Y-%m-%d}"


def saga_list(index: GroupIndex, seen: VisibleRows, past: Rewind) -> Sagas:
    """Return the sagas that have a visible episode; one pass over the columns."""
    codes, valid = sagas_then(index, past)[seen.episodes], index.episodes["valid"][seen.episodes]
    order = np.lexsort((valid, codes))
    codes, valid = codes[order], valid[order]
    known, starts, counts = np.unique(codes, return_index=True, return_counts=True)
    runs = zip(known.tolist(), starts.tolist(), counts.tolist(), strict=True)
    names = {index.saga_code(name): name for name in index.sagas}
    sagas = (
        SagaInfo(names[code], count, *map(from_micros, valid[[start, start + count - 1]].tolist()))
        for code, start, count in runs
        if code in names
    )
    return Sagas(sorted(sagas, key=lambda saga: (saga.first, saga.name)))


def missing(name: str, group: str, known: Iterable[str]) -> str:
    """Return what to say about a saga that is not there."""
    names = ", ".join(map(repr, known)) or "none"
    return f"there is no saga {name!r} in group {group!r}; sagas: {names}"
