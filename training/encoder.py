"""The encoder: BERT (Devlin et al. 2019), with the one segment's vector in the places'."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

WIDTH: Final = 384
"""Numbers of a token's state."""
VOCABULARY: Final = 30522
HEADS: Final = 12
DROPPED: Final = 0.1
FAR: Final = -10000.0
"""What is added to the scores of pieces that only fill."""
_PLACES, _LAYERS, _GROWN = 512, 6, 4
_TINY = 1e-12
_NAMES: Final = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "o": "attention.output.dense",
    "n1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "n2": "output.LayerNorm",
}
"""Our names of a layer's parts, and those of a Hugging Face checkpoint."""


class Layer(nn.Module):
    """One layer of an encoder."""

    def __init__(self, width: int = WIDTH, tiny: float = _TINY) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, _GROWN * width), nn.Linear(_GROWN * width, width)
        self.n1, self.n2 = nn.LayerNorm(width, tiny), nn.LayerNorm(width, tiny)
        self.drop = nn.Dropout(DROPPED)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        """Return the states after it."""
        rows, tokens, width = states.shape

        def split(given: Tensor) -> Tensor:
            return given.reshape(rows, tokens, HEADS, width // HEADS).transpose(1, 2)

        query, key, value = split(self.q(states)), split(self.k(states)), split(self.v(states))
        scores = query @ key.transpose(2, 3) / (width // HEADS) ** 0.5 + bias
        mixed = (self.drop(scores.softmax(-1)) @ value).transpose(1, 2)
        states = self.n1(states + self.drop(self.o(mixed.reshape(rows, tokens, width))))
        grown = functional.gelu(self.up(states))
        result: Tensor = self.n2(states + self.drop(self.down(grown)))
        return result


class Encoder(nn.Module):
    """Pieces of words to states."""

    width = WIDTH

    def __init__(self, layers: int = _LAYERS) -> None:
        super().__init__()
        self.word, self.place = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(_PLACES, WIDTH)
        self.norm, self.drop = nn.LayerNorm(WIDTH, _TINY), nn.Dropout(DROPPED)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return a state for each piece."""
        places = self.place(torch.arange(ids.shape[1], device=ids.device))[None]
        states: Tensor = self.drop(self.norm(self.word(ids) + places))
        bias = (1.0 - mask[:, None, None, :].to(states.dtype)) * FAR
        for layer in self.layers:
            states = layer(states, bias)
        return states

    def take(self, folder: Path) -> None:
        """Take the weights of a Hugging Face checkpoint."""
        self.load_state_dict(_renamed(load_file(folder / "model.safetensors")))


def _renamed(given: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of a Hugging Face checkpoint by our names."""
    places = given["embeddings.position_embeddings.weight"]
    found = {
        "word.weight": given["embeddings.word_embeddings.weight"],
        "place.weight": places + given["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": given["embeddings.LayerNorm.weight"],
        "norm.bias": given["embeddings.LayerNorm.bias"],
    }
    for layer in range(_LAYERS):
        for ours, theirs in _NAMES.items():
            for part in ("weight", "bias"):
                found[f"layers.{layer}.{ours}.{part}"] = given[
                    f"encoder.layer.{layer}.{theirs}.{part}"
                ]
    return found
