"""Train the network from teachers: larger ones say what texts without labels state.

``python -m training.distil --windows windows.pickle --start start.pt --teachers A.pt B.pt --out
reader.pt`` learns from labels where there are some, and everywhere from the mean of what the
teachers say (Hinton et al. 2015, "Distilling the knowledge in a neural network").
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from graphrag.extract.neural.annotation import DATE, FLAGS
from training.batch import Batch, Labels
from training.held import score
from training.learning import Learning, Plan
from training.loader import Loader
from training.loss import Losses, asked, earlier, losses
from training.model import KINDS, Reader, Spans, WordStates
from training.prepare import Prepared
from training.train import begun, load, mean_of, options, plan_of, save, say
from training.windows import Window

_MOST_SPANS = 28
"""Spans of a window whose links teachers are asked for."""
_LIKELY = 0.1
"""What such a span must reach, for the teachers."""
_STATED = 0.3
"""What a relation must reach for its dates to be asked for."""
_MOST_FACTS = 256
"""Of a batch, whose dates are."""
_WRONG_KIND = 0.02
_FEWEST = 3
"""A window that states less counts as if it stated so much."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What teachers say of a batch: chances, from 0 to 1."""

    kinds: Tensor
    """``(windows, words, widths, kinds)``"""
    spans: Spans
    """Those whose links are asked for."""
    live: Tensor
    related: Tensor
    """``(windows, spans, spans, relations, same and flags)``"""
    facts: Tensor
    """Window, subject and object of what may be stated."""
    stated: Tensor
    """How likely each of those is."""
    dates: Tensor
    """``(facts, spans, roles)``"""


class Teachers:
    """Some networks, heard as one."""

    def __init__(self, models: Sequence[Reader]) -> None:
        """Take them."""
        self._models = [model.eval() for model in models]

    @torch.no_grad()
    def read(self, batch: Batch) -> Heard:
        """Return the mean of what they say of a batch."""
        known = [model.words(model.encoder(batch.ids, batch.mask), batch) for model in self._models]
        read = [model.spans(words, batch) for model, words in zip(self._models, known, strict=True)]
        exists = read[0][1]
        kinds = _mean([logits.float().softmax(-1) for logits, _ in read])
        spans, live = _chosen(kinds, exists)
        pairs = [
            model.pairs(words, batch, spans)
            for model, words in zip(self._models, known, strict=True)
        ]
        related = _mean([some.scores.sigmoid() for some in pairs])
        every = related[..., : self._models[0].relations].amax(-1) * asked(spans, live)
        best = every.flatten().topk(min(_MOST_FACTS, every.numel()))
        places = best.indices[best.values > _STATED]
        facts = torch.stack(torch.unravel_index(places, every.shape), 1)
        dates = [
            model.dates(some, spans, *facts.unbind(1)).sigmoid()
            for model, some in zip(self._models, pairs, strict=True)
        ]
        return Heard(kinds, spans, live, related, facts, every.flatten()[places], _mean(dates))


def _mean(tensors: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(tensors)).mean(0)


def _chosen(kinds: Tensor, exists: Tensor) -> tuple[Spans, Tensor]:
    """Return the likeliest spans of each window in their order, and which of them are likely."""
    chances = ((1 - kinds[..., 0]) * exists).flatten(1)
    best = chances.topk(min(_MOST_SPANS, chances.shape[1]), 1).indices.sort(1).values
    live = chances.gather(1, best) > _LIKELY
    widest = kinds.shape[2]
    starts = best // widest
    ends = (starts + best % widest).clamp(max=kinds.shape[1] - 1)
    guessed = (kinds[..., 1:].argmax(-1).flatten(1) + 1).gather(1, best)
    return Spans(starts, ends, guessed), live


def heard_losses(model: Reader, words: WordStates, batch: Batch, heard: Heard) -> Losses:
    """Return what it costs to read a batch otherwise than teachers do."""
    logits, exists = model.spans(words, batch)
    surprise = -(heard.kinds * logits.float().log_softmax(-1)).sum(-1) * exists
    found = ((1 - heard.kinds[..., 0]) * exists).sum((1, 2)).clamp(min=_FEWEST)
    of_spans = (surprise.sum((1, 2)) / found).mean()

    kinds = heard.spans.kinds
    changed = torch.rand(kinds.shape, device=kinds.device) < _WRONG_KIND
    spans = replace(
        heard.spans, kinds=torch.where(changed, torch.randint_like(kinds, 1, KINDS), kinds)
    )
    pairs = model.pairs(words, batch, spans)
    costs = functional.binary_cross_entropy_with_logits(
        pairs.scores, heard.related, reduction="none"
    )
    both, same = asked(spans, heard.live), pairs.scores.shape[3] - 1 - len(FLAGS)
    relations = heard.related[..., :same].sum(-1) * both
    of_links = (costs[..., :same].sum(-1) * both).sum((1, 2))
    of_links = (of_links / relations.sum((1, 2)).clamp(min=_FEWEST)).mean()
    of_same = (costs[..., same] * (both & earlier(spans))).sum((1, 2)) / found
    flags = (costs[..., same + 1 :].sum(-1) * relations).sum() / relations.sum().clamp(min=1)

    dates = model.dates(pairs, spans, *heard.facts.unbind(1))
    dated = ((heard.spans.kinds == DATE) & heard.live)[heard.facts[:, 0]]
    costs = functional.binary_cross_entropy_with_logits(dates, heard.dates, reduction="none")
    of_dates = ((costs.sum(-1) * dated).sum(-1) * heard.stated).sum()
    of_dates = of_dates / heard.stated.sum().clamp(min=1)
    return Losses(of_spans, of_links, of_same.mean(), flags, of_dates)


class Distilling:
    """A model that learns from teachers."""

    def __init__(
        self, model: Reader, teachers: Teachers, windows: Sequence[Window], plan: Plan
    ) -> None:
        """Begin.

        Args:
            model: What learns.
            teachers: What it hears.
            windows: What both read, with labels and without.
            plan: How.
        """
        self.model = model
        self.learning = Learning(model, plan, len(windows))
        self._teachers = teachers
        self._loader = Loader(windows, plan)
        self._plan = plan

    def round(self) -> list[float]:
        """Learn from each window once; return the mean parts of the loss."""
        self.model.train()
        batches = self.learning.some(self._loader)
        return mean_of([self.step(batch, labels).parts() for batch, labels in batches])

    def step(self, batch: Batch, labels: Labels) -> Losses:
        """Learn from some windows; return what it costs to read them otherwise than teachers."""
        device, model = self.learning.device, self.model
        batch, labels = batch.to(device), labels.to(device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=self._plan.half):
            heard = self._teachers.read(batch)
            shown = batch.masked(self._plan.masked) if self._plan.masked else batch
            words = model.words(model.encoder(shown.ids, shown.mask), shown)
            found = heard_losses(model, words, shown, heard)
            cost = found.total()
            if len(labels.spans):
                cost = cost + losses(model, words, shown, labels, with_false=True).total()
        self.learning.step(cost)
        return found


def main(arguments: list[str] | None = None) -> None:
    """Learn from teachers, and write the model."""
    parser = argparse.ArgumentParser(
        prog="python -m training.distil", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    options(parser)
    parser.add_argument("--teachers", nargs="+", type=Path, required=True, help="models")
    chosen = parser.parse_args(arguments)
    plan = plan_of(chosen)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    teachers = Teachers([load(path)[0].to(device) for path in chosen.teachers])
    learnt, held, others = Prepared.read(chosen.windows).parts()
    model = begun(chosen.start, None).to(device)
    distilling = Distilling(model, teachers, [*learnt, *others], plan)
    say(f"{len(learnt)} windows with labels and {len(others)} without, {len(held)} held")
    began = time.monotonic()
    for epoch in range(plan.epochs):
        parts = distilling.round()
        say(f"{epoch + 1} {time.monotonic() - began:.0f} s, loss {parts}")
        done = distilling.learning.progress() >= 1
        if (epoch + 1) % chosen.every == 0 or done:
            distilling.learning.swap()
            save(model, chosen.out)
            say(f"{score(model, held)}")
            distilling.learning.swap()
        if done:
            break


if __name__ == "__main__":
    main()
