"""The trained network: an ONNX encoder, queried in plain arrays.

Per span of up to 12 words its type; per pair relations and coreference; per relation its dates.
Spans and pairs as in SpERT (Eberts and Ulges 2020), plus the lowest common ancestor in the parse.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphrag.errors import MissingExtraError
from graphrag.extract.neural.annotation import DATE, ROLES, Link, Reading, Span
from graphrag.extract.neural.features import WIDEST, Ints, Tree, Words, distance
from graphrag.local.onnx import can_run, session_of, word_pieces

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import BertWordPieceTokenizer

Floats = npt.NDArray[np.float32]
_HERE = Path(__file__).parent
_BEGIN, _END, _UNKNOWN, _BREAK = 101, 102, 100, 1
"""Pieces of the vocabulary; a line break is one that its model left free."""
_MOST_SPANS = 64
_SPAN_FLOOR, _HALF, _DATE_FLOOR = 0.2, 0.5, 0.3
_MOST_BORDERS = 7
_ALONE = 4 * 65_536
"""Multiplications that OpenBLAS makes in one thread (``interface/gemm.c``)."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Reads windows of words by what was trained; made once for the process by ``network``."""

    _session: "InferenceSession"
    _tokenizer: "BertWordPieceTokenizer"
    _weights: Mapping[str, Floats]
    relations: tuple[str, ...]

    def pieces(self, words: list[str]) -> list[list[int]]:
        """Return the pieces of each word."""
        coded = self._tokenizer.encode_batch(words, add_special_tokens=False)
        return [
            [_BREAK] if word == "\n" else encoding.ids or [_UNKNOWN]
            for word, encoding in zip(words, coded, strict=True)
        ]

    def read(self, words: Words, pieces: list[list[int]], floor: float) -> Reading:
        """Return what is read in a window.

        Args:
            words: Its words, at most as many as 510 pieces make.
            pieces: Those of each word.
            floor: What a relation must reach to be returned, from 0 to 1.
        """
        lengths = np.array([len(some) for some in pieces])
        lasts = np.cumsum(lengths)
        ids = np.array([[_BEGIN, *(number for some in pieces for number in some), _END]], np.int64)
        states = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        first, last = states[0][0][lasts - lengths + 1], states[0][0][lasts]
        columns = {"case": words.cases, "pos": words.parts, "dep": words.links, "tag": words.kinds}
        shown = [self._weights[f"{name}.weight"][column] for name, column in columns.items()]
        grammar = np.concatenate(shown, axis=1)
        ends = np.concatenate([first, grammar], 1), np.concatenate([last, grammar], 1)
        spans = self._spans(*ends)
        if not spans:
            return Reading()
        return self._pairs(words, ends, (first + last) / 2, spans, floor)

    def _linear(self, name: str, given: Floats) -> Floats:
        product = _product(given, self._weights[f"{name}.weight"].T)
        bias = self._weights.get(f"{name}.bias")
        return product if bias is None else product + bias

    def _spans(self, first: Floats, last: Floats) -> list[Span]:
        begin, end = self._linear("span_a", first), self._linear("span_b", last)
        starts = np.arange(len(first))[:, None].repeat(WIDEST, axis=1)
        widths = np.arange(WIDEST)[None].repeat(len(first), axis=0)
        inside = starts + widths < len(first)
        starts, widths = starts[inside], widths[inside]
        hidden = _gelu(begin[starts] + end[starts + widths] + self._weights["width.weight"][widths])
        chances = _softmax(self._linear("span_out", hidden))
        some = np.flatnonzero(1 - chances[:, 0] > _SPAN_FLOOR)
        some = some[np.argsort(chances[some, 0], kind="stable")][:_MOST_SPANS]
        kinds = chances[:, 1:].argmax(axis=1) + 1
        columns = starts[some], (starts + widths)[some], kinds[some], 1 - chances[some, 0]
        spans = map(Span, *(column.tolist() for column in columns))
        return sorted(spans, key=lambda span: (span.start, span.end))

    def _pairs(
        self,
        words: Words,
        ends: tuple[Floats, Floats],
        means: Floats,
        spans: list[Span],
        floor: float,
    ) -> Reading:
        tree = Tree.of(words.heads)
        starts = np.array([span.start for span in spans])
        stops = np.array([span.end for span in spans])
        roots = np.array([tree.root(span.start, span.end) for span in spans])
        above = np.where(words.heads[roots] >= 0, words.heads[roots], roots)
        said = _gelu(
            self._linear("men_a", ends[0][starts])
            + self._linear("men_b", ends[1][stops])
            + self._linear("men_r", ends[0][roots])
            + self._linear("men_g", ends[0][above])
            + self._weights["kind.weight"][[span.kind for span in spans]]
        )
        joins, ways = tree.join(roots)
        lifted = np.where((joins >= 0)[..., None], self._linear("lca", means)[joins], 0)
        borders = words.borders[starts]
        crossed = np.minimum(np.abs(borders[None] - borders[:, None]), _MOST_BORDERS)
        apart = distance(starts[None] - starts[:, None])
        hidden = (
            lifted
            + self._weights["path.weight"][ways]
            + self._linear("pair_s", said)[:, None]
            + self._linear("pair_o", said)[None]
            + self._linear("mul_s", said)[:, None] * self._linear("mul_o", said)[None]
            + self._between(means, starts, stops)
            + self._weights["dist.weight"][apart]
            + self._weights["cross.weight"][crossed]
        )
        hidden = _gelu(hidden)
        hidden = _gelu(self._linear("pair_h", hidden)) + hidden
        chances = _sigmoid(self._linear("pair_out", hidden))
        count = len(self.relations)
        related = chances[..., :count] * (1 - np.eye(len(spans)))[..., None]
        hits = np.argwhere(related > floor)
        dates = self._dates(said, hidden, starts, spans, hits)
        links = tuple(
            Link(number, other, relation, float(sure), tuple(flags.tolist()), tuple(found))
            for (number, other, relation), sure, flags, found in zip(
                hits.tolist(),
                related[related > floor],
                chances[hits[:, 0], hits[:, 1], count + 1 :],
                dates,
                strict=True,
            )
        )
        return Reading(tuple(spans), links, _antecedents(chances[..., count]))

    def _between(self, means: Floats, starts: Ints, stops: Ints) -> Floats:
        """Return the mean of the words between each two; of all of both where they overlap."""
        sums = self._linear("ctx", np.concatenate([np.zeros_like(means[:1]), means.cumsum(0)]))
        low = np.minimum(stops[:, None], stops[None]) + 1
        high = np.maximum(starts[:, None], starts[None])
        nested = high <= low
        low = np.where(nested, np.minimum(starts[:, None], starts[None]), low)
        high = np.where(nested, np.maximum(stops[:, None], stops[None]) + 1, high)
        return np.asarray((sums[high] - sums[low]) / (high - low)[..., None], dtype=np.float32)

    def _dates(
        self, said: Floats, hidden: Floats, starts: Ints, spans: list[Span], hits: Ints
    ) -> list[list[tuple[str, int, float]]]:
        """Return, for each stated relation, its dates."""
        dated = np.array([place for place, span in enumerate(spans) if span.kind == DATE], int)
        found: list[list[tuple[str, int, float]]] = [[] for _ in hits]
        if not len(dated) or not len(hits):
            return found
        pairs = hidden[hits[:, 0], hits[:, 1]]
        said, at = said[dated], starts[dated]
        given = (
            self._linear("date_p", pairs)[:, None]
            + self._linear("date_d", said)[None]
            + self._linear("date_mp", pairs)[:, None] * self._linear("date_md", said)[None]
            + self._weights["date_ds.weight"][distance(at[None] - starts[hits[:, 0]][:, None])]
            + self._weights["date_do.weight"][distance(at[None] - starts[hits[:, 1]][:, None])]
        )
        chances = _sigmoid(self._linear("date_out", _gelu(given)))
        for hit, place, role in np.argwhere(chances > _DATE_FLOOR):
            sure = float(chances[hit, place, role])
            found[hit].append((ROLES[role], int(dated[place]), sure))
        return found


def _antecedents(chances: Floats) -> dict[int, int]:
    """Return for each span the earlier one that it most likely means the same as, if any."""
    found = {}
    for place in range(1, len(chances)):
        best = int(chances[place, :place].argmax())
        if chances[place, best] > _HALF:
            found[place] = best
    return found


def _product(given: Floats, weights: Floats) -> Floats:
    """Return a product, made of pieces so small that OpenBLAS keeps each to this thread.

    Its others would wait for the next by spinning, and take the cores from whoever else works.
    """
    inner, outer = weights.shape
    rows = _ALONE // weights.size
    if not rows:
        return np.asarray(given @ weights)
    flat = given.reshape(-1, inner)
    padded = np.zeros((-(-len(flat) // rows) * rows, inner), dtype=np.float32)
    padded[: len(flat)] = flat
    pieces = padded.reshape(-1, rows, inner) @ weights
    return pieces.reshape(-1, outer)[: len(flat)].reshape(*given.shape[:-1], outer)


def _gelu(given: Floats) -> Floats:
    """Return the Gaussian error linear unit, by its tanh form (Hendrycks and Gimpel 2016)."""
    inner = np.float32(0.7978845608) * (given + np.float32(0.044715) * given * given * given)
    return np.asarray(np.float32(0.5) * given * (1 + np.tanh(inner)), dtype=np.float32)


def _softmax(given: Floats) -> Floats:
    raised = np.exp(given - given.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True), dtype=np.float32)


def _sigmoid(given: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(given, -60, 60))), dtype=np.float32)


@cache  # one for the process: its weights take a tenth of a second to read
def network() -> Network:
    """Return the network that this version brings.

    Raises:
        MissingExtraError: if what runs it is not installed.
    """
    if not can_run():
        raise MissingExtraError("reading text by the trained network", "local")
    with np.load(_HERE / "heads.npz", allow_pickle=False) as arrays:
        weights = {
            name: array.astype(np.float32) for name, array in arrays.items() if name != "relations"
        }
        relations = tuple(str(name) for name in arrays["relations"])
    return Network(session_of(_HERE / "encoder.onnx"), word_pieces(), weights, relations)
