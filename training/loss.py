"""What a reading costs, beside what the texts' labels say."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from graphrag.extract.neural.annotation import DATE, FLAGS
from training.batch import Batch
from training.model import KINDS, Pairs, Reader, Spans
from training.windows import Window

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

    def parts(self) -> list[float]:
        """Return each, as numbers."""
        parts = (self.spans, self.links, self.same, self.flags, self.dates)
        return [float(part.detach()) for part in parts]


def losses(
    model: Reader, states: Tensor, batch: Batch, windows: Sequence[Window], *, with_false: bool
) -> Losses:
    """Return what the model's reading costs.

    Args:
        model: What reads.
        states: The encoder's of the batch.
        batch: The windows' words.
        windows: Their labels.
        with_false: Whether links are also asked of spans that the model found in vain.
    """
    words = model.words(states, batch)
    logits, exists = model.spans(words, batch)
    wanted = torch.zeros(logits.shape[:3], dtype=torch.long, device=logits.device)
    marked = _table(
        (
            (row, number, *span)
            for row, window in enumerate(windows)
            for number, span in enumerate(window.spans)
        ),
        5,
        wanted,
    )
    row, _, start, end, kind = marked.unbind(1)
    wanted[row, start, end - start] = kind
    counts = torch.tensor([len(window.spans) for window in windows], device=logits.device).float()
    entropy = functional.cross_entropy(
        logits.reshape(-1, KINDS).float(), wanted.reshape(-1), reduction="none"
    ).reshape(wanted.shape)
    of_spans = ((entropy * exists).sum((1, 2)) / counts).mean()
    spans, live = _chosen(marked, logits, exists, wanted, _FALSE_SPANS if with_false else 0)
    pairs = model.pairs(words, batch, spans)
    of_links, of_same = _linked(pairs.scores, windows, spans, live, counts)
    of_flags, of_dates = _told_of(model, windows, pairs, spans, live)
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


def _linked(
    scores: Tensor, windows: Sequence[Window], spans: Spans, live: Tensor, counts: Tensor
) -> tuple[Tensor, Tensor]:
    """Return what the relations cost, and what spans of the same meaning."""
    same = scores.shape[3] - 1 - len(FLAGS)
    wanted = torch.zeros_like(scores[..., : same + 1])
    weights = (live[:, :, None] & live[:, None])[..., None].float().expand_as(wanted).clone()
    every = torch.arange(weights.shape[1], device=scores.device)
    weights[:, every, every] = 0
    start, start2 = spans.starts[:, :, None], spans.starts[:, None]
    end, end2 = spans.ends[:, :, None], spans.ends[:, None]
    earlier = (start2 < start) | ((start2 == start) & (end2 < end))
    weights[..., same] *= earlier
    rows = enumerate(windows)
    out = _table(((row, *link) for row, window in rows for link in window.unscored), 4, scores)
    weights[out.unbind(1)] = 0
    told = _table(
        (
            (row, *link)
            for row, window in enumerate(windows)
            for link in (*window.links, *((*pair, same) for pair in window.same))
        ),
        4,
        scores,
    )
    wanted[told.unbind(1)] = 1
    costs = weights * functional.binary_cross_entropy_with_logits(
        scores[..., : same + 1], wanted, reduction="none"
    )
    links = torch.tensor([max(len(window.links), _FEWEST_LINKS) for window in windows])
    return (
        (costs[..., :same].sum((1, 2, 3)) / links.to(costs.device)).mean(),
        (costs[..., same].sum((1, 2)) / counts).mean(),
    )


def _told_of(
    model: Reader, windows: Sequence[Window], pairs: Pairs, spans: Spans, live: Tensor
) -> tuple[Tensor, Tensor]:
    """Return what the flags of stated facts cost, and what their dates."""
    facts = [(row, fact) for row, window in enumerate(windows) for fact in window.stated]
    if not facts:
        nothing = torch.zeros((), device=live.device)
        return nothing, nothing
    ends = ((row, fact.subject, fact.object, *fact.flags) for row, fact in facts)
    table = _table(ends, 3 + len(FLAGS), live)
    row, one, other = table[:, 0], table[:, 1], table[:, 2]
    of_flags = functional.binary_cross_entropy_with_logits(
        pairs.scores[row, one, other, model.relations + 1 :], table[:, 3:].float(), reduction="sum"
    )
    dates = model.dates(pairs, spans, row, one, other)
    every = ((place, *date) for place, (_, fact) in enumerate(facts) for date in fact.dates)
    told = _table(every, 3, live)
    wanted = torch.zeros_like(dates)
    wanted[told.unbind(1)] = 1
    costs = functional.binary_cross_entropy_with_logits(dates, wanted, reduction="none")
    dated = ((spans.kinds == DATE) & live)[row]
    of_dates = (costs * dated[..., None]).sum()
    return of_flags / len(facts), of_dates / len(facts)


def _table(rows: Iterable[tuple[int, ...]], width: int, beside: Tensor) -> Tensor:
    """Return rows of numbers as a tensor, where another one is."""
    table = torch.tensor(list(rows), dtype=torch.long).reshape(-1, width)
    return table.to(beside.device)
