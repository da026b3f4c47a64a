"""Windows as the tensors that the model takes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
import torch
from torch import Tensor

from graphrag.extract.neural.annotation import FLAGS
from training.annotated import RELATIONS
from training.windows import Window

_BEGIN, _END, _MASK = 101, 102, 103
_FIRST_WORD = 999
"""The last of the pieces that are no words."""
_NO_WAY = 48


@dataclass(frozen=True, slots=True)
class _Tensors:
    """Some tensors that belong together."""

    def to(self, device: torch.device) -> Self:
        """Return them where something is computed; numbers of few bytes grow there."""
        tensors = {one.name: getattr(self, one.name).to(device) for one in fields(self)}
        few = (torch.int16, torch.uint8)
        return type(self)(
            **{name: one.long() if one.dtype in few else one for name, one in tensors.items()}
        )


@dataclass(frozen=True, slots=True)
class Batch(_Tensors):
    """Some windows, filled up to the longest: ``(windows, pieces)`` or ``(windows, words)``."""

    ids: Tensor
    mask: Tensor
    firsts: Tensor
    """Where the first piece of each word stands."""
    lasts: Tensor
    real: Tensor
    """Which words are some."""
    cases: Tensor
    parts: Tensor
    links: Tensor
    kinds: Tensor
    borders: Tensor
    above: Tensor
    """The word above each word, or itself."""
    roots: Tensor
    """``(windows, words, widths)``"""
    joins: Tensor
    """``(windows, words, words)``"""
    ways: Tensor

    @classmethod
    def of(cls, windows: Sequence[Window]) -> "Batch":
        """Return the batch of some windows, in main memory."""
        count = max(len(window.words) for window in windows)
        lengths = [np.array([len(some) for some in window.pieces]) for window in windows]
        lasts = [np.cumsum(some) for some in lengths]
        ids = [
            np.array([_BEGIN, *(one for some in window.pieces for one in some), _END])
            for window in windows
        ]
        longest = max(map(len, ids))
        words = [window.words for window in windows]

        def filled(rows: Sequence[np.ndarray], *shape: int, by: int = 0) -> Tensor:
            full = np.full((len(rows), *shape), by, dtype=np.int16)
            for place, row in enumerate(rows):
                full[place][tuple(map(slice, row.shape))] = row
            return torch.from_numpy(full)

        return cls(
            ids=filled(ids, longest),
            mask=filled([np.ones_like(some) for some in ids], longest),
            firsts=filled(
                [end - some + 1 for end, some in zip(lasts, lengths, strict=True)], count
            ),
            lasts=filled(lasts, count),
            real=filled([np.ones(len(one)) for one in words], count).bool(),
            cases=filled([one.cases for one in words], count),
            parts=filled([one.parts for one in words], count),
            links=filled([one.links for one in words], count),
            kinds=filled([one.kinds for one in words], count),
            borders=filled([one.borders for one in words], count),
            above=filled(
                [np.where(one.heads >= 0, one.heads, np.arange(len(one))) for one in words], count
            ),
            roots=filled([one.roots for one in windows], count, windows[0].roots.shape[1]),
            joins=filled([one.joins for one in windows], count, count, by=-1),
            ways=filled([one.ways for one in windows], count, count, by=_NO_WAY),
        )

    def masked(self, share: float) -> "Batch":
        """Return it with a share of the pieces of words masked."""
        chosen = (torch.rand(self.ids.shape, device=self.ids.device) < share) & (
            self.ids > _FIRST_WORD
        )
        return replace(self, ids=torch.where(chosen, _MASK, self.ids))


@dataclass(frozen=True, slots=True)
class Labels(_Tensors):
    """What is to be read in a batch: tables of numbers, the window's first in each row."""

    spans: Tensor
    """Window, number, first word, last word, kind."""
    links: Tensor
    """Window, subject, object, relation; after the relations comes: the same."""
    unscored: Tensor
    facts: Tensor
    """Window, subject, object, flags."""
    dates: Tensor
    """Row of ``facts``, span, role."""
    span_counts: Tensor
    """``(windows,)``"""
    link_counts: Tensor

    @classmethod
    def of(cls, windows: Sequence[Window]) -> "Labels":
        """Return the labels of some windows, in main memory."""
        rows = list(enumerate(windows))
        facts = [(row, fact) for row, window in rows for fact in window.stated]
        same = len(RELATIONS)
        return cls(
            spans=_table(
                (
                    (row, number, *span)
                    for row, window in rows
                    for number, span in enumerate(window.spans)
                ),
                5,
            ),
            links=_table(
                (
                    (row, *link)
                    for row, window in rows
                    for link in (*window.links, *((*pair, same) for pair in window.same))
                ),
                4,
            ),
            unscored=_table(((row, *link) for row, window in rows for link in window.unscored), 4),
            facts=_table(
                ((row, fact.subject, fact.object, *fact.flags) for row, fact in facts),
                3 + len(FLAGS),
            ),
            dates=_table(
                ((place, *date) for place, (_, fact) in enumerate(facts) for date in fact.dates), 3
            ),
            span_counts=torch.tensor([float(len(window.spans)) for window in windows]),
            link_counts=torch.tensor([float(len(window.links)) for window in windows]),
        )


def _table(rows: Iterable[tuple[int, ...]], width: int) -> Tensor:
    """Return rows of numbers as a tensor."""
    return torch.tensor(list(rows), dtype=torch.long).reshape(-1, width)
