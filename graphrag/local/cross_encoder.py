"""Local reranker: a sentence-transformers model that reads the query and a text together."""

import importlib.util
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

import anyio.to_thread

from graphrag.errors import MissingExtraError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


class CrossEncoderReranker:
    """Reranker that scores texts with a sentence-transformers ``CrossEncoder``.

    The model is given as an object, or loaded by name or path through the Hugging Face cache at the
    first call. Scores are its logits through the logistic function, from 0 to 1.

    Args:
        model: Name or path, such as ``cross-encoder/ms-marco-MiniLM-L6-v2``, or a loaded model.
        batch_size: Number of texts scored at once.
        device: Device such as ``cpu`` or ``cuda``; default: the choice of the library.
    """

    def __init__(
        self, model: "str | CrossEncoder", *, batch_size: int = 32, device: str | None = None
    ) -> None:
        self._name = model if isinstance(model, str) else None
        self._model = None if isinstance(model, str) else model
        self._batch_size = batch_size
        self._device = device
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"CrossEncoderReranker({self._name or type(self._model).__name__!r})"

    async def rank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score from 0 to 1 per text; the work happens in a thread.

        Raises:
            MissingExtraError: if sentence-transformers is not installed.
        """
        return await anyio.to_thread.run_sync(self._scores, query, list(texts))

    def _scores(self, query: str, texts: list[str]) -> list[float]:
        if not texts:
            return []
        model = self._loaded()
        from torch.nn import Sigmoid

        scores = model.predict(
            [(query, text) for text in texts],
            batch_size=self._batch_size,
            activation_fn=Sigmoid(),
            show_progress_bar=False,
        )
        return [float(score) for score in scores]

    def _loaded(self) -> "CrossEncoder":
        with self._lock:
            if self._model is None:
                if importlib.util.find_spec("sentence_transformers") is None:
                    raise MissingExtraError(f"the reranker {self._name!r}", "local")
                from sentence_transformers import CrossEncoder

                self._model = CrossEncoder(self._name, device=self._device)
            return self._model
