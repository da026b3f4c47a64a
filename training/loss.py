"""What a reading costs, beside what the texts' labels say."""

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from graphrag.extract.neural.annotation import DATE, FLAGS
from training.batch import Batch, Labels
from training.model import KINDS, Pairs, Reader, Spans, WordStates

_FALSE_SPANS: Final = 12
"""Spans that the model took for some in vain; what links them is nothing."""
_LIKELY = 0.05
"""What such a one must reach."""
_WRONG_KIND = 0.02
"""The share of spans whose kind is changed, for the model errs in it too."""
_FEWEST_LINKS = 3
"""A window with less counts as if it had so many: else one error in it outweighs many."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What each thing that was read costs."""

    spans: Tensor
    links: Tensor
    same: Tensor
    flags: Tensor
    dates: Tensor

    def total(self) -> Tensor:
        """Return all of it, weighed."""
        return self.spans + self.links + 0.5 * self.same + 0.5 * self.flags + self.dates

    def parts(self) -> Tensor:
        """Return each, as five numbers."""
        return torch.stack((self.spans, self.links, self.same, self.flags, self.dates)).detach()


def losses(
    model: Reader, words: WordStates, batch: Batch, labels: Labels, *, with_false: bool
) -> Losses:
    """Return what the model's reading costs.

    Args:
        model: What reads.
        words: What it knows of the batch's words.
        batch: The words.
        labels: What is to be read.
        with_false: Whether links are also asked of spans that the model found in vain.
    """
    logits, exists = model.spans(words, batch)
    wanted = torch.zeros(logits.shape[:3], dtype=torch.long, device=logits.device)
    row, _, start, end, kind = labels.spans.unbind(1)
    wanted[row, start, end - start] = kind
    entropy = functional.cross_entropy(
        logits.reshape(-1, KINDS).float(), wanted.reshape(-1), reduction="none"
    ).reshape(wanted.shape)
    of_spans = ((entropy * exists).sum((1, 2)) / labels.span_counts).mean()
    false = _FALSE_SPANS if with_false else 0
    spans, live = _chosen(labels.spans, logits, exists, wanted, false)
    pairs = model.pairs(words, batch, spans)
    of_links, of_same = _linked(pairs.scores, labels, spans, live)
    of_flags, of_dates = _told_of(model, labels, pairs, spans, live)
    return Losses(of_spans, of_links, of_same, of_flags, of_dates)


def _chosen(
    marked: Tensor, logits: Tensor, exists: Tensor, wanted: Tensor, false: int
) -> tuple[Spans, Tensor]:
    """Return the spans whose links are asked for, and which of them are some.

    Those that are marked come first, by their numbers; then the likeliest others.
    """
    row, number, *columns = marked.unbind(1)
    most = int(number.max()) + 1
    starts, ends, kinds = (number.new_zeros(len(logits), most + false) for _ in range(3))
    live = torch.zeros_like(starts, dtype=torch.bool)
    for table, column in zip((starts, ends, kinds), columns, strict=True):
        table[row, number] = column
    live[row, number] = True
    if false:
        with torch.no_grad():
            chances = (1 - logits.float().softmax(-1)[..., 0]) * exists * (wanted == 0)
            widest = chances.shape[2]
            best = chances.flatten(1).topk(min(false, chances[0].numel()), 1)
            places = slice(most, most + best.indices.shape[1])
            starts[:, places] = best.indices // widest
            ends[:, places] = best.indices // widest + best.indices % widest
            ends.clamp_(max=chances.shape[1] - 1)
            guessed = logits[..., 1:].argmax(-1).flatten(1) + 1
            kinds[:, places] = guessed.gather(1, best.indices)
            live[:, places] = best.values > _LIKELY
            changed = torch.rand(kinds.shape, device=kinds.device) < _WRONG_KIND
            kinds = torch.where(changed, torch.randint_like(kinds, 1, KINDS), kinds)
    return Spans(starts, ends, kinds), live


def _linked(scores: Tensor, labels: Labels, spans: Spans, live: Tensor) -> tuple[Tensor, Tensor]:
    """Return what the relations cost, and what spans of the same meaning."""
    same = scores.shape[3] - 1 - len(FLAGS)
    wanted = torch.zeros_like(scores[..., : same + 1])
    weights = asked(spans, live)[..., None].float().expand_as(wanted).clone()
    weights[..., same] *= earlier(spans)
    weights[labels.unscored.unbind(1)] = 0
    wanted[labels.links.unbind(1)] = 1
    costs = weights * functional.binary_cross_entropy_with_logits(
        scores[..., : same + 1], wanted, reduction="none"
    )
    links = labels.link_counts.clamp(min=_FEWEST_LINKS)
    return (
        (costs[..., :same].sum((1, 2, 3)) / links).mean(),
        (costs[..., same].sum((1, 2)) / labels.span_counts).mean(),
    )


def asked(spans: Spans, live: Tensor) -> Tensor:
    """Return which two spans are asked for links: any two different ones that are some."""
    apart = ~torch.eye(spans.starts.shape[1], dtype=torch.bool, device=live.device)
    return live[:, :, None] & live[:, None] & apart


def earlier(spans: Spans) -> Tensor:
    """Return where the second of two spans stands before the first."""
    start, start2 = spans.starts[:, :, None], spans.starts[:, None]
    end, end2 = spans.ends[:, :, None], spans.ends[:, None]
    return (start2 < start) | ((start2 == start) & (end2 < end))


def _told_of(
    model: Reader, labels: Labels, pairs: Pairs, spans: Spans, live: Tensor
) -> tuple[Tensor, Tensor]:
    """Return what the flags of stated facts cost, and what their dates."""
    count = len(labels.facts)
    if not count:
        nothing = torch.zeros((), device=live.device)
        return nothing, nothing
    row, one, other = labels.facts[:, :3].unbind(1)
    of_flags = functional.binary_cross_entropy_with_logits(
        pairs.scores[row, one, other, model.relations + 1 :],
        labels.facts[:, 3:].float(),
        reduction="sum",
    )
    dates = model.dates(pairs, spans, row, one, other)
    wanted = torch.zeros_like(dates)
    wanted[labels.dates.unbind(1)] = 1
    costs = functional.binary_cross_entropy_with_logits(dates, wanted, reduction="none")
    dated = ((spans.kinds == DATE) & live)[row]
    of_dates = (costs * dated[..., None]).sum()
    return of_flags / count, of_dates / count
