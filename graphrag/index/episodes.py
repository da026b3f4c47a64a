"""The episodes of a group as rows: words by piece, titles, and what they speak of."""

from collections.abc import Mapping, Sequence

from graphrag.index.mentions import Mentions, Sources
from graphrag.index.pieces import Pieces
from graphrag.index.scope import EPISODES, Array, Scope
from graphrag.index.texts import episode_words
from graphrag.index.titles import Titles
from graphrag.index.voices import asks, is_users
from graphrag.models import Source
from graphrag.protocols import Matrix


class Episodes(Scope):
    """Rows that are found by the words of their pieces, and lead to each other by names."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension, EPISODES)
        self.postings = self.pieces = Pieces()
        self.titles = Titles()
        self.mentions: Mentions | None = None
        """Read when a search first follows them (``read_mentions``)."""
        self.sources: Sources | None = None
        """Read when something first asks what an episode states (``read_sources``)."""

    def enter(
        self,
        ids: Sequence[str],
        vectors: Matrix,
        said: Sequence[tuple[str, str, Source]],
        columns: Mapping[str, Sequence[object] | Array],
    ) -> None:
        """Append rows; ``said`` is the name, the content and the source of each."""
        self.titles.enter(len(self), [name for name, _, _ in said])
        words = [episode_words(name, content) for name, content, _ in said]
        told = [content if source == "message" else "" for _, content, source in said]
        voices = {
            "message": [source == "message" for _, _, source in said],
            "asks": [asks(content) for content in told],
            "own": [is_users(content) for content in told],
        }
        self.extend(ids, vectors, words, {**columns, **voices})
