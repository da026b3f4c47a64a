"""MPNet (Song et al. 2020), the encoder of teachers: twice as deep and wide as what is shipped."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from training.encoder import DROPPED, FAR, HEADS, VOCABULARY, Layer

_WIDTH, _LAYERS, _PLACES, _TINY = 768, 12, 514, 1e-5
_FIRST_PLACE = 2
_ADDED: Final = 4
"""Its vocabulary is BERT's, behind four pieces of its own and before one for what is masked."""
_OTHERS: Final = {100: 3, 101: 0, 102: 2, 103: VOCABULARY + _ADDED}
"""BERT's unknown, begin, end and mask, and its own."""
_BUCKETS, _EXACT, _FARTHEST = 16, 8, 128
"""Distances of each direction: exact up to eight, then by their logarithm."""
_NAMES: Final = {
    "q": "attention.attn.q",
    "k": "attention.attn.k",
    "v": "attention.attn.v",
    "o": "attention.attn.o",
    "n1": "attention.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "n2": "output.LayerNorm",
}


class Mpnet(nn.Module):
    """Pieces of words, as BERT numbers them, to states."""

    width = _WIDTH
    numbers: Tensor

    def __init__(self, layers: int = _LAYERS) -> None:
        super().__init__()
        self.word = nn.Embedding(VOCABULARY + _ADDED + 1, _WIDTH)
        self.place = nn.Embedding(_PLACES, _WIDTH)
        self.norm, self.drop = nn.LayerNorm(_WIDTH, _TINY), nn.Dropout(DROPPED)
        self.layers = nn.ModuleList(Layer(_WIDTH, _TINY) for _ in range(layers))
        self.apart = nn.Embedding(2 * _BUCKETS, HEADS)
        numbers = torch.arange(VOCABULARY) + _ADDED
        numbers[list(_OTHERS)] = torch.tensor(list(_OTHERS.values()))
        self.register_buffer("numbers", numbers, persistent=False)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return a state for each piece."""
        at = torch.arange(ids.shape[1], device=ids.device)
        known = self.word(self.numbers[ids]) + self.place(at + _FIRST_PLACE)[None]
        states: Tensor = self.drop(self.norm(known))
        apart = self.apart(_bucket(at[None] - at[:, None])).permute(2, 0, 1)[None]
        bias = (1.0 - mask[:, None, None, :].to(states.dtype)) * FAR + apart
        for layer in self.layers:
            states = layer(states, bias)
        return states

    def take(self, folder: Path) -> None:
        """Take the weights of a Hugging Face checkpoint."""
        self.load_state_dict(_renamed(load_file(folder / "model.safetensors"), len(self.layers)))


def _bucket(apart: Tensor) -> Tensor:
    """Return the class of signed distances (Raffel et al. 2020, appendix of their code)."""
    size = apart.abs()
    grown = (size.clamp(min=1).float() / _EXACT).log() / math.log(_FARTHEST / _EXACT)
    far = (_EXACT + (grown * (_BUCKETS - _EXACT)).long()).clamp(max=_BUCKETS - 1)
    return torch.where(size < _EXACT, size, far) + (apart > 0) * _BUCKETS


def _renamed(given: Mapping[str, Tensor], layers: int) -> dict[str, Tensor]:
    """Return the weights of a Hugging Face checkpoint by our names."""
    found = {
        "word.weight": given["embeddings.word_embeddings.weight"],
        "place.weight": given["embeddings.position_embeddings.weight"],
        "norm.weight": given["embeddings.LayerNorm.weight"],
        "norm.bias": given["embeddings.LayerNorm.bias"],
        "apart.weight": given["encoder.relative_attention_bias.weight"],
    }
    for layer in range(layers):
        for ours, theirs in _NAMES.items():
            for part in ("weight", "bias"):
                found[f"layers.{layer}.{ours}.{part}"] = given[
                    f"encoder.layer.{layer}.{theirs}.{part}"
                ]
    return found
