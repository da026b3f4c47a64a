"""Windows as batches: in random order, alike in length, some with other names."""

import random
from collections.abc import Iterator, Sequence

from torch.utils.data import DataLoader

from training.batch import Batch, Labels
from training.learning import Plan
from training.windows import Window, names_of

_LONGEST = 400
"""Pieces of a window after its names were swapped."""
_SPREAD = 30
"""Pieces by which windows of one batch may differ in length."""


class Loader:
    """Batches of windows, round after round."""

    def __init__(self, windows: Sequence[Window], plan: Plan) -> None:
        """Take the windows; those without labels come in batches of their own."""
        self._windows = windows
        self._plan = plan
        self._names = names_of(windows)

    def __iter__(self) -> Iterator[tuple[Batch, Labels]]:
        """Yield the batches of one round."""
        batches: DataLoader[tuple[Batch, Labels]] = DataLoader(
            self._order(),  # type: ignore[arg-type]  # a list is a dataset
            batch_size=None,
            collate_fn=self._prepared,
            num_workers=self._plan.workers,
        )
        yield from batches

    def _order(self) -> list[list[Window]]:
        size = self._plan.batch
        found = []
        for labelled in (True, False):
            some = [window for window in self._windows if bool(window.spans) is labelled]
            order = sorted(some, key=lambda window: window.size() + random.random() * _SPREAD)
            found += [order[first : first + size] for first in range(0, len(order), size)]
        random.shuffle(found)
        return found

    def _prepared(self, windows: Sequence[Window]) -> tuple[Batch, Labels]:
        changed = [self._renamed(window) for window in windows]
        windows = [window for window in changed if window.size() < _LONGEST] or windows
        return Batch.of(windows), Labels.of(windows)

    def _renamed(self, window: Window) -> Window:
        swapped = window.names and random.random() < self._plan.swapped
        return window.renamed(self._names) if swapped else window
