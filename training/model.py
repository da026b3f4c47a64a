"""The network while it is trained: the encoder, and over it what ``Network`` asks of its states.

The heads have the same names and do the same as those of ``graphrag.extract.neural.transformer``.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from graphrag.extract.neural.annotation import DATE, FLAGS, ROLES
from graphrag.extract.neural.features import WIDEST, distance
from graphrag.extract.neural.transformer import Floats
from training.batch import Batch
from training.encoder import Encoder
from training.mpnet import Mpnet

KINDS: Final = DATE + 1
"""What a span may be, with nothing."""
_WIDE = 256
_GRAMMAR = 16
"""Numbers of each thing that is known of a word besides its states."""
_CASES, _PARTS, _LINKS, _NAMES, _WAYS = 8, 20, 48, 20, 49
_DISTANCES, _CROSSINGS = 24, 8
_DROPPED = 0.25
_RARE = -5.0
"""The bias of a pair's scores at first: hardly any two are linked."""
_SMALL = 0.1


@dataclass(frozen=True, slots=True)
class WordStates:
    """What is known of each word of a batch."""

    first: Tensor
    """The state of its first piece, and its grammar."""
    last: Tensor
    mean: Tensor
    """The mean of both states, without grammar."""


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans of a batch, ``(windows, spans)`` each."""

    starts: Tensor
    ends: Tensor
    kinds: Tensor


@dataclass(frozen=True, slots=True)
class Pairs:
    """What was found of spans and of each two of them."""

    said: Tensor
    """A vector for each span."""
    hidden: Tensor
    """A vector for each two."""
    scores: Tensor
    """Relations, same, and flags, as logits."""


class Reader(nn.Module):
    """The encoder with its heads."""

    distances: Tensor

    def __init__(self, encoder: Encoder | Mpnet, relations: int) -> None:
        """Make heads with random weights.

        Args:
            encoder: What they stand on.
            relations: How many there are.
        """
        super().__init__()
        self.relations = relations
        self.encoder = encoder
        known = encoder.width + 4 * _GRAMMAR
        self.case = nn.Embedding(_CASES, _GRAMMAR)
        self.pos, self.dep = nn.Embedding(_PARTS, _GRAMMAR), nn.Embedding(_LINKS, _GRAMMAR)
        self.tag = nn.Embedding(_NAMES, _GRAMMAR)
        self.span_a, self.span_b = nn.Linear(known, _WIDE), _plain(known)
        self.width = nn.Embedding(WIDEST + 1, _WIDE)
        self.span_out = nn.Linear(_WIDE, KINDS)
        self.men_a, self.men_b = nn.Linear(known, _WIDE), _plain(known)
        self.men_r, self.men_g = _plain(known), _plain(known)
        self.kind = nn.Embedding(KINDS, _WIDE)
        self.pair_s, self.pair_o = nn.Linear(_WIDE, _WIDE), _plain(_WIDE)
        self.mul_s, self.mul_o = _plain(_WIDE), _plain(_WIDE)
        self.ctx, self.lca = _plain(encoder.width), _plain(encoder.width)
        self.dist, self.cross = nn.Embedding(_DISTANCES, _WIDE), nn.Embedding(_CROSSINGS, _WIDE)
        self.path = nn.Embedding(_WAYS, _WIDE)
        self.pair_h = nn.Linear(_WIDE, _WIDE)
        self.pair_out = nn.Linear(_WIDE, relations + 1 + len(FLAGS))
        self.date_p, self.date_d = nn.Linear(_WIDE, _WIDE), _plain(_WIDE)
        self.date_mp, self.date_md = _plain(_WIDE), _plain(_WIDE)
        self.date_ds = nn.Embedding(_DISTANCES, _WIDE)
        self.date_do = nn.Embedding(_DISTANCES, _WIDE)
        self.date_out = nn.Linear(_WIDE, len(ROLES))
        self.drop = nn.Dropout(_DROPPED)
        nn.init.constant_(self.pair_out.bias, _RARE)
        for part in self.children():
            if isinstance(part, nn.Embedding):
                nn.init.normal_(part.weight, std=_SMALL)
        classes = torch.from_numpy(distance(np.arange(-_FARTHEST, _FARTHEST + 1)))
        self.register_buffer("distances", classes, persistent=False)

    def heads(self) -> dict[str, Floats]:
        """Return the weights of all but the encoder, as ``Network`` takes them."""
        return {
            name: weight.detach().float().cpu().numpy()
            for name, weight in self.state_dict().items()
            if not name.startswith("encoder.")
        }

    def words(self, states: Tensor, batch: Batch) -> WordStates:
        """Return what is known of each word, by the states of its pieces."""
        columns = (
            (self.case, batch.cases),
            (self.pos, batch.parts),
            (self.dep, batch.links),
            (self.tag, batch.kinds),
        )
        grammar = torch.cat([table(column) for table, column in columns], 2)
        first, last = _picked(states, batch.firsts), _picked(states, batch.lasts)
        return WordStates(
            self.drop(torch.cat([first, grammar], 2)),
            self.drop(torch.cat([last, grammar], 2)),
            (first + last) / 2 * batch.real[..., None],
        )

    def spans(self, words: WordStates, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the logits of each span's kind by first word and width, and which spans exist."""
        count = words.first.shape[1]
        widths = torch.arange(WIDEST, device=words.first.device)
        ends = torch.arange(count, device=words.first.device)[:, None] + widths
        lengths = batch.real.sum(1)
        hidden = (
            self.span_a(words.first)[:, :, None]
            + self.span_b(words.last)[:, ends.clamp(max=count - 1)]
            + self.width(widths)
        )
        logits: Tensor = self.span_out(self.drop(_gelu(hidden)))
        return logits, ends[None] < lengths[:, None, None]

    def pairs(self, words: WordStates, batch: Batch, spans: Spans) -> Pairs:
        """Return what links each two spans."""
        starts, ends = spans.starts, spans.ends
        rows = torch.arange(len(starts), device=starts.device)[:, None]
        roots = batch.roots[rows, starts, (ends - starts).clamp(0, WIDEST - 1)]
        said = _gelu(
            _picked(self.men_a(words.first), starts)
            + _picked(self.men_b(words.last), ends)
            + _picked(self.men_r(words.first), roots)
            + _picked(self.men_g(words.first), batch.above[rows, roots])
            + self.kind(spans.kinds)
        )
        corner = rows[..., None], roots[:, :, None], roots[:, None]
        joins = batch.joins[corner]
        lifted = _picked(self.lca(words.mean), joins.clamp(min=0))
        borders = batch.borders[rows, starts]
        crossed = (borders[:, None] - borders[:, :, None]).abs().clamp(max=_CROSSINGS - 1)
        hidden = (
            lifted * (joins >= 0)[..., None]
            + self.path(batch.ways[corner])
            + self.pair_s(said)[:, :, None]
            + self.pair_o(said)[:, None]
            + self.mul_s(said)[:, :, None] * self.mul_o(said)[:, None]
            + self._between(words.mean, spans)
            + self.dist(self._apart(starts[:, None] - starts[:, :, None]))
            + self.cross(crossed)
        )
        hidden = self.drop(_gelu(hidden))
        hidden = _gelu(self.pair_h(hidden)) + hidden
        return Pairs(said, hidden, self.pair_out(hidden).float())

    def dates(
        self, pairs: Pairs, spans: Spans, window: Tensor, one: Tensor, other: Tensor
    ) -> Tensor:
        """Return the logits of what each span is, as a date, to some pairs.

        Args:
            pairs: What was found of all.
            spans: All spans.
            window: The window of each pair that is asked for.
            one: Its first span.
            other: Its second.
        """
        hidden, said, at = (
            pairs.hidden[window, one, other],
            pairs.said[window],
            spans.starts[window],
        )
        given = (
            self.date_p(hidden)[:, None]
            + self.date_d(said)
            + self.date_mp(hidden)[:, None] * self.date_md(said)
            + self.date_ds(self._apart(at - at.gather(1, one[:, None])))
            + self.date_do(self._apart(at - at.gather(1, other[:, None])))
        )
        logits: Tensor = self.date_out(self.drop(_gelu(given)))
        return logits.float()

    def _apart(self, words: Tensor) -> Tensor:
        return self.distances[words + _FARTHEST]

    def _between(self, means: Tensor, spans: Spans) -> Tensor:
        """Return the mean of the words between each two; of all of both where they overlap."""
        start, start2 = spans.starts[:, :, None], spans.starts[:, None]
        end, end2 = spans.ends[:, :, None], spans.ends[:, None]
        low, high = torch.minimum(end, end2) + 1, torch.maximum(start, start2)
        nested = high <= low
        low = torch.where(nested, torch.minimum(start, start2), low)
        high = torch.where(nested, torch.maximum(end, end2) + 1, high)
        sums = self.ctx(functional.pad(means.cumsum(1), (0, 0, 1, 0)))
        return (_picked(sums, high) - _picked(sums, low)) / (high - low)[..., None]


_FARTHEST = 512
"""Words: no window has more."""


def _plain(width: int) -> nn.Linear:
    """Return a layer without bias."""
    return nn.Linear(width, _WIDE, bias=False)


def _picked(given: Tensor, places: Tensor) -> Tensor:
    """Return the vectors at some places of each window."""
    flat = places.flatten(1)[..., None].expand(-1, -1, given.shape[2])
    return given.gather(1, flat).reshape(*places.shape, given.shape[2])


def _gelu(given: Tensor) -> Tensor:
    return functional.gelu(given, approximate="tanh")
