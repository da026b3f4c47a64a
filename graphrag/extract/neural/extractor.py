"""Read episodes by rules and by a small trained network: no server, no key, nothing leaves.

The rules read what they know by grammar, with its dates. The network, trained on a few thousand
texts written for it, reads what no rule was written for, and where it sees nothing between two,
what the rules read there is not believed. Of two readings of one pair the rules' stands.
"""

from collections.abc import Sequence

import anyio.to_thread

from graphrag.errors import InputError
from graphrag.model.extraction import Extraction
from graphrag.protocols import ExtractionContext, Extractor
from graphrag.text.markdown import prose_of

SURE = 0.7
DOUBT = 0.03


class NeuralExtractor:
    """Extract by rules and a trained network, on the processor."""

    looks_at_graph = False
    """It reads texts alone, so that a batch may read ahead of what is stored."""

    def __init__(
        self, rules: Extractor | None = None, *, sure: float = SURE, doubt: float = DOUBT
    ) -> None:
        """Take what it reads beside the network.

        Args:
            rules: What reads the text first; default: ``RulesExtractor()``.
            sure: What the network's statements must reach to be believed, from 0 to 1.
            doubt: What the network must give two, in whatever relation, for what the rules read of
                them to be believed; 0 believes the rules in all.

        Raises:
            InputError: if one of both is no share.
        """
        for name, share in (("sure", sure), ("doubt", doubt)):
            if not 0 <= share <= 1:
                raise InputError(f"{name} is {share!r}: give a share from 0 to 1")
        self._rules = rules
        self._sure, self._doubt = sure, doubt

    def __repr__(self) -> str:
        """Show what it believes."""
        return f"NeuralExtractor(sure={self._sure}, doubt={self._doubt})"

    async def prepare_texts(self, texts: Sequence[str]) -> None:
        """Parse texts together that will be read soon."""
        from graphrag.extract.rules.extractor import RulesExtractor

        await RulesExtractor().prepare_texts(texts)

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return what the episode states; the network runs in a thread.

        Raises:
            MissingExtraError: if the extra ``local`` is not installed.
        """
        # Imported here: every opened graph has this extractor, and many are only read.
        from graphrag.extract.rules.extractor import RulesExtractor
        from graphrag.extract.rules.speakers import advises

        read = await (self._rules or RulesExtractor()).extract(context)
        if context.episode.source == "json" or advises(context.episode.author):
            return read
        return await anyio.to_thread.run_sync(_read, context, read, self._sure, self._doubt)


def _read(context: ExtractionContext, read: Extraction, sure: float, doubt: float) -> Extraction:
    from graphrag.extract.neural.claims import merged
    from graphrag.extract.neural.passage import Passage
    from graphrag.extract.neural.transformer import network

    episode = context.episode
    lead = f"{episode.author}: " if episode.author else ""
    prose = prose_of(episode.content).text  # marks of Markdown are blanks in it
    passage = Passage(lead + prose, network(), min(sure, doubt), len(lead))
    return merged(passage, read, episode, len(lead), sure=sure, doubt=doubt)
