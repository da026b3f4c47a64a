"""Which extractor reads an episode: the caller's, or the rules that need no model server."""

from graphrag.errors import ExtractionError, GraphRAGError
from graphrag.extraction import Extraction
from graphrag.models import Episode
from graphrag.protocols import ExtractionContext, Extractor


async def extract(
    extractor: Extractor, episode: Episode, previous: tuple[Episode, ...]
) -> Extraction:
    """Return what an episode states.

    Raises:
        ExtractionError: naming the episode, whatever went wrong inside the extractor.
    """
    try:
        return await extractor.extract(ExtractionContext(episode, previous))
    except GraphRAGError:
        raise
    except Exception as error:
        label = episode.name or episode.content[:60]
        raise ExtractionError(f"the extractor failed on episode {label!r}: {error}") from error
