"""Extraction by a small trained network: no server, no key, nothing leaves the machine.

JSON is read from its keys. In a text, rules find speakers and structure, the network the facts.
"""

from collections.abc import Sequence

import anyio.to_thread

from graphrag.errors import InputError
from graphrag.model.extraction import Extraction
from graphrag.protocols import ExtractionContext

SURE = 0.55


class NeuralExtractor:
    """Extractor that combines structural rules with a small neural network, on the CPU."""

    looks_at_graph = False
    """It does not use the graph, so that a batch may extract episodes ahead of time."""

    def __init__(self, *, sure: float = SURE) -> None:
        """Set the minimum score of a statement, from 0 to 1.

        Raises:
            InputError: if it is not between 0 and 1.
        """
        if not 0 <= sure <= 1:
            raise InputError(f"sure is {sure!r}: give a share from 0 to 1")
        self._sure = sure

    def __repr__(self) -> str:
        return f"NeuralExtractor(sure={self._sure})"

    async def prepare_texts(self, texts: Sequence[str]) -> None:
        """Parse several texts together, ahead of their extraction."""
        from graphrag.local.parser import parse_ahead

        await anyio.to_thread.run_sync(parse_ahead, texts)

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return the mentions and claims of the episode; the network runs in a thread.

        Raises:
            MissingExtraError: if the extra ``local`` is not installed.
        """
        # Imported here: every opened graph has this extractor, and many are only read.
        from graphrag.extract.neural.reading import read

        return await anyio.to_thread.run_sync(read, context.episode, self._sure)
