"""The shipped network as a model to train further.

``python -m training.shipped start.pt`` writes what ``python -m training.train --start start.pt``
begins with: its weights of 8 bits, multiplied out again.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

import graphrag.extract.neural
from training.encoder import Encoder
from training.model import Reader
from training.train import save

_SHIPPED = Path(graphrag.extract.neural.__file__).parent


def shipped(folder: Path = _SHIPPED) -> Reader:
    """Return the model whose ``encoder.onnx`` and ``heads.npz`` lie in a folder."""
    with np.load(folder / "heads.npz") as heads:
        weights = {
            name: torch.from_numpy(heads[name]).float()
            for name in heads.files
            if name != "relations"
        }
        model = Reader(Encoder(), len(heads["relations"]))
    encoder = {
        f"encoder.{name}": weight for name, weight in _encoder(folder / "encoder.onnx").items()
    }
    model.load_state_dict(weights | encoder)
    return model


def _encoder(path: Path) -> dict[str, Tensor]:
    """Return an encoder's weights by the names of its modules."""
    graph = onnx.load(str(path)).graph
    stored = {
        one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer
    }
    found = {name: weight for name, weight in stored.items() if name.endswith((".bias", ".weight"))}

    def whole(name: str) -> Tensor:
        zero = stored[f"{name}_zero_point"].float()
        return (stored[f"{name}_quantized"].float() - zero) * stored[f"{name}_scale"]

    for table in ("word.weight", "place.weight"):
        found[table] = whole(table)
    for node in graph.node:
        if node.op_type == "MatMulInteger":  # "/layers.0/q/MatMul_quant"
            _, layer, part, _ = node.name.split("/")
            found[f"{layer}.{part}.weight"] = whole(node.input[1].removesuffix("_quantized")).T
    return found


def main(arguments: list[str] | None = None) -> None:
    """Write the model."""
    parser = argparse.ArgumentParser(prog="python -m training.shipped", description=__doc__)
    parser.add_argument("out", type=Path)
    save(shipped(), parser.parse_args(arguments).out)


if __name__ == "__main__":
    main()
