"""Steps of learning: the optimizer, its rates, and the moving average of what it learns."""

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

import torch
from torch import Tensor

from training.model import Reader

T = TypeVar("T")
_WARM: Final = 0.06
"""The share of steps in which the rate of learning rises."""
_LEAST_RATE = 0.02
_DECAY = 0.998
_CLIPPED = 1.0
_WEIGHT_DECAY = 0.01


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train."""

    epochs: int = 30
    batch: int = 16
    """Windows learnt from at once."""
    rate: float = 1.5e-4
    """Of learning, for the encoder."""
    head_rate: float = 6e-4
    swapped: float = 0.5
    """The share of windows that get other names."""
    masked: float = 0.0
    """The share of pieces that are masked."""
    half: bool = torch.cuda.is_available()
    """Count in bfloat16, which some processors do, too."""
    workers: int = 0
    """Processes that prepare batches; 0: the one that learns does."""
    seconds: float = 0.0
    """To train for, whatever the rounds; 0: as long as they take."""


class Learning:
    """A model with what changes its weights."""

    def __init__(self, model: Reader, plan: Plan, windows: int) -> None:
        """Begin.

        Args:
            model: What learns.
            plan: How.
            windows: How many are learnt from in each round.
        """
        self.model = model
        self.device = next(model.parameters()).device
        body = [one for one in model.encoder.parameters() if one.requires_grad]
        heads = [one for name, one in model.named_parameters() if not name.startswith("encoder.")]
        self._learning: list[Tensor] = [*body, *heads]
        self._optimizer = torch.optim.AdamW(
            [{"params": body, "lr": plan.rate}, {"params": heads, "lr": plan.head_rate}],
            weight_decay=_WEIGHT_DECAY,
            fused=True,
        )
        self._steps = 0
        self._whole = plan.epochs * math.ceil(windows / plan.batch)
        self._seconds = plan.seconds
        self._began = time.monotonic()
        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._optimizer, self._rate)
        self._average = [one.detach().clone() for one in self._learning]

    def progress(self) -> float:
        """Return the share of the training that is done."""
        if self._seconds:
            return (time.monotonic() - self._began) / self._seconds
        return self._steps / self._whole

    def some(self, batches: Iterable[T]) -> Iterator[T]:
        """Yield batches as long as there is time for them; the first in any case."""
        for batch in batches:
            yield batch
            if self._seconds and self.progress() >= 1:
                return

    def _rate(self, _: int) -> float:
        done = self.progress()
        return min(done / _WARM, max(_LEAST_RATE, (1 - done) / (1 - _WARM)))

    def step(self, cost: Tensor) -> None:
        """Change the weights so that something costs less."""
        self._optimizer.zero_grad()
        torch.autograd.backward(cost)
        torch.nn.utils.clip_grad_norm_(self._learning, _CLIPPED)
        self._optimizer.step()
        self._steps += 1
        self._schedule.step()
        kept = min(_DECAY, (1 + self._steps) / (10 + self._steps))
        with torch.no_grad():
            torch._foreach_lerp_(self._average, self._learning, 1 - kept)

    def swap(self) -> None:
        """Exchange the weights with their moving average, which reads better."""
        with torch.no_grad():
            for mean, now in zip(self._average, self._learning, strict=True):
                before = now.clone()
                now.copy_(mean)
                mean.copy_(before)
