"""Windows as the tensors that the model takes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from training.windows import Window

_BEGIN, _END, _MASK = 101, 102, 103
_FIRST_WORD = 999
"""The last of the pieces that are no words."""
_NO_WAY = 48


@dataclass(frozen=True, slots=True)
class Batch:
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
    def of(cls, windows: Sequence[Window], device: torch.device) -> "Batch":
        """Return the batch of some windows."""
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
            full = np.full((len(rows), *shape), by, dtype=np.int64)
            for place, row in enumerate(rows):
                full[place][tuple(map(slice, row.shape))] = row
            return torch.from_numpy(full).to(device)

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
