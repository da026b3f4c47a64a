"""Write a trained model as what the library loads: the encoder in 8 bits, the heads as arrays.

``python -m training.export reader.pt FOLDER`` writes ``encoder.onnx`` and ``heads.npz``, and prints
how near the states of both encoders, as trained and as written, are to each other.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from onnxruntime import InferenceSession
from onnxruntime.quantization import QuantType, quantize_dynamic

from graphrag.extract.neural.transformer import Floats, network
from training.encoder import Encoder
from training.held import EncoderSession
from training.model import Reader
from training.train import load

_OPSET = 17
_SAMPLE = "On 3 May Ada Quill left the harbour office for Corran Ferries, where she runs the yard."


def write_heads(model: Reader, relations: list[str], path: Path) -> None:
    """Write all but the encoder."""
    heads = {name: weight.astype(np.float16) for name, weight in model.heads().items()}
    np.savez_compressed(path, allow_pickle=False, relations=np.array(relations), **heads)


def write_encoder(encoder: Encoder, path: Path) -> None:
    """Write the encoder with weights of 8 bits, each column of them with its own scale."""
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "windows", 1: "pieces"} for name in (*names, "states")}
    ids = torch.randint(1000, 2000, (1, 20))
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "encoder.onnx"
        torch.onnx.export(
            encoder,
            (ids, torch.ones_like(ids)),
            str(whole),
            input_names=names,
            output_names=["states"],
            dynamic_axes=axes,
            opset_version=_OPSET,
            dynamo=False,
        )
        quantize_dynamic(whole, path, weight_type=QuantType.QInt8, per_channel=True)


def nearness(model: Reader, path: Path) -> float:
    """Return the cosine of a sample's states, as trained and as written."""
    pieces = network().pieces(_SAMPLE.split())
    ids = np.array([[one for some in pieces for one in some]])
    given = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
    session = InferenceSession(str(path), providers=["CPUExecutionProvider"])
    trained: Floats = EncoderSession(model).run(None, given)[0]
    written: Floats = session.run(None, given)[0]
    return float((trained * written).sum() / np.linalg.norm(trained) / np.linalg.norm(written))


def main(arguments: list[str] | None = None) -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(prog="python -m training.export", description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    model, relations = load(chosen.model)
    write_heads(model, relations, chosen.folder / "heads.npz")
    if not isinstance(model.encoder, Encoder):
        raise SystemExit(f"{chosen.model} is a teacher: only what it taught is shipped")
    write_encoder(model.encoder, chosen.folder / "encoder.onnx")
    near = nearness(model, chosen.folder / "encoder.onnx")
    sys.stdout.write(f"cosine of the states as trained and as written: {near:.4f}\n")


if __name__ == "__main__":
    main()
