"""Ask what is plugged in, an extractor or an arbiter; whatever fails names the episode."""

from graphrag.errors import ExtractionError, GraphRAGError
from graphrag.extraction import Extraction
from graphrag.models import Episode
from graphrag.protocols import Arbiter, Case, ExtractionContext, Extractor, Ruling


async def extract(extractor: Extractor, context: ExtractionContext) -> Extraction:
    """Return what an episode states.

    Raises:
        ExtractionError: naming the episode, whatever went wrong inside the extractor.
    """
    try:
        return await extractor.extract(context)
    except GraphRAGError:
        raise
    except Exception as error:
        raise _failed("extractor", context.episode, error) from error


async def settle(arbiter: Arbiter, case: Case) -> Ruling:
    """Return what an arbiter finds about what is open.

    Raises:
        ExtractionError: naming the episode, whatever went wrong inside the arbiter.
    """
    try:
        return await arbiter.decide(case)
    except GraphRAGError:
        raise
    except Exception as error:
        raise _failed("arbiter", case.episode, error) from error


def _failed(part: str, episode: Episode, error: Exception) -> ExtractionError:
    label = episode.name or episode.content[:60]
    return ExtractionError(f"the {part} failed on episode {label!r}: {error}")
