"""A text whose facts are still to be read: kept and searchable at once, pending or failed.

A model that is dead or refuses costs the facts of a text, not the text: it stays in the graph as
``failed``, with the reason, and is read when it is added again or by ``queue.retry``.
"""

import logging
import re
from dataclasses import replace

from graphrag.errors import BudgetExceededError, GraphRAGError, LLMError
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.plan import EpisodePlan, new_saga, passages_of
from graphrag.ingest.reports import Added
from graphrag.model.extraction import Extraction
from graphrag.model.values import Episode
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import to_micros

_LOG = logging.getLogger("graphrag")
_LONGEST = 500
_SECRET = re.compile(
    r"(?i)\b(?:sk|pk|key|ghp)[-_][\w-]{8,}"
    r"|(?<=bearer )\S+"
    r"|(?<=://)[^/\s@]+@"
    r"|(?<=key=)\S+|(?<=token=)\S+|(?<=password=)\S+"
)


async def put_unread(ingestion: Ingestion, episode: Episode, kind: str) -> Episode | None:
    """Store an episode without facts, with its vectors; return the one that it repeats, if any."""
    plan = EpisodePlan(episode=episode, passages=passages_of(episode), kind=kind)
    await plan.embed(ingestion.embedder)
    known: Episode | None = None

    async def build(index: GroupIndex) -> ChangeSet:
        nonlocal known
        known = await ingestion.known(episode)
        if known is not None:
            return ChangeSet(episode.group_id, plan.kind)
        micros = to_micros(episode.valid_at, BEGINNING)
        plan.neighbours = index.timeline.around(micros, episode.id)
        plan.new_saga = new_saga(episode, index)
        return plan.changes()

    await ingestion.writer.commit(episode.group_id, build, enter=plan.enter)
    return known


async def read_and_add(
    ingestion: Ingestion, episode: Episode, extraction: Extraction | None = None
) -> Added:
    """Read an episode, unless it is read already, and write it.

    Raises:
        ExtractionError: if it could not be read; if a model is to blame, its text is stored.
    """
    try:
        return await ingestion.read_and_add(episode, extraction)
    except LLMError as error:
        await keep_unread(ingestion, episode, error)
        raise


async def add_known(
    ingestion: Ingestion, known: Episode, given: Episode, *, wait: bool = True
) -> Added:
    """Return a stored episode that is given again, after reading it if that failed before.

    Raises:
        InputError: if it is part of another saga.
        ExtractionError: if it could not be read this time either.
    """
    known = await ingestion.join(known, given)
    if known.status != "failed" or not wait:
        return Added(known, new=False)
    done = replace(known, status="done", error=None)
    return await ingestion.read_and_add(done, waited=True)


async def keep_unread(ingestion: Ingestion, episode: Episode, error: GraphRAGError) -> None:
    """Store a text that a model could not read as failed, for a retry; note that in the error.

    A spent budget is no failure of the text: whoever adds it again, with more, has lost nothing.
    """
    if not isinstance(error, LLMError) or isinstance(error, BudgetExceededError):
        return
    failed = replace(episode, status="failed", error=described(error))
    try:
        await put_unread(ingestion, failed, "add_episode")
    except GraphRAGError as second:
        _LOG.warning("the text of episode %r could not be kept: %s", episode.name, second)
        return
    error.add_note("its text is stored and can be searched; queue.retry() reads it again")


def described(error: Exception) -> str:
    """Return an error in words that may be stored: short, and without what looks like a secret."""
    text = _SECRET.sub("***", f"{type(error).__name__}: {error}")
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
