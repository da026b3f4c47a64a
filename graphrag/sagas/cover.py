"""Which episodes a summary tells of: the watermark, and how it is known to hold.

The watermark is in system time: an episode of last year that is told today comes after it. Beside
it stands a hash of the episodes' ids, so that what the watermark cannot say is seen, too: one of
them was removed, or one that was handed in earlier was written later, or joined the saga since. A
summary whose hash does not fit is neither shown nor continued.
"""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from graphrag.models import Saga

Told = tuple[datetime, str]
"""When an episode was told, and its id."""


def fingerprint(ids: Iterable[str]) -> str:
    """Return a hash of a set of episodes."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()


def after_watermark(saga: Saga, told: Iterable[Told]) -> list[str] | None:
    """Return those of a saga's episodes that its summary does not tell of, in order of telling.

    None if there is no summary, or it tells of something else than the others.
    """
    until = saga.summarized_until
    if until is None:
        return None
    order = sorted(told)
    known = [id_ for at, id_ in order if at <= until]
    if fingerprint(known) != saga.fingerprint:
        return None
    return [id_ for _, id_ in order[len(known) :]]
