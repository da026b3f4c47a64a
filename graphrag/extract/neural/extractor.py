"""Extraction by a small trained network: no server, no key, nothing leaves the machine.

JSON is read by its keys. Of a text its structure says who speaks, and the network what is stated.
"""

from collections.abc import Sequence

import anyio.to_thread

from graphrag.errors import InputError
from graphrag.model.extraction import Extraction
from graphrag.protocols import ExtractionContext

SURE = 0.55


class NeuralExtractor:
    """Extract by structure and by a trained network, on the processor."""

    looks_at_graph = False
    """It reads texts alone, so that a batch may read ahead of what is stored."""

    def __init__(self, *, sure: float = SURE) -> None:
        """Take what a statement must reach to be believed, from 0 to 1.

        Raises:
            InputError: if that is no share.
        """
        if not 0 <= sure <= 1:
            raise InputError(f"sure is {sure!r}: give a share from 0 to 1")
        self._sure = sure

    def __repr__(self) -> str:
        return f"NeuralExtractor(sure={self._sure})"

    async def prepare_texts(self, texts: Sequence[str]) -> None:
        """Parse texts together that will be read soon."""
        from graphrag.local.parser import parse_ahead

        await anyio.to_thread.run_sync(parse_ahead, texts)

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return what the episode states; the network runs in a thread.

        Raises:
            MissingExtraError: if the extra ``local`` is not installed.
        """
        # Imported here: every opened graph has this extractor, and many are only read.
        from graphrag.extract.neural.reading import read

        return await anyio.to_thread.run_sync(read, context.episode, self._sure)
