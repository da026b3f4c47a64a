"""A saga as a block of text for a prompt: what happened, what is known, and its episodes."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from graphrag.display.cards import episode_title, lifetime, triple
from graphrag.display.visible import flatten, visible
from graphrag.errors import QueryError
from graphrag.search.context import Citation, Context, excerpt

if TYPE_CHECKING:
    from graphrag.sagas.saga import SagaView

_MISSES = 8
"""After so many things in a row for which there was no room nothing more is tried."""


def saga_context(saga: "SagaView", *, max_tokens: int, count: Callable[[str], int]) -> Context:
    """Put a saga into a text of at most ``max_tokens``.

    The summary comes first, then facts, those that hold before those that ended, then the episodes,
    the latest first; what is shown stands in the order of time. Numbers cite episodes.

    Raises:
        QueryError: for a budget below 1.
    """
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
        raise QueryError(f"max_tokens {max_tokens!r}: give at least 1 token")
    known = [one for one in saga.timeline if one.status != "never true"]
    known.sort(key=lambda one: one.status != "holds")
    wanted = [*(one.fact.id for one in known), *(one.id for one in reversed(saga.episodes))]
    shown: set[str] = set()
    text = ""
    for summary in (saga.summary, saga.summary.partition("\n")[0], ""):
        text = _text(saga, summary, shown)
        if count(text) <= max_tokens:
            break
    else:
        return Context("", (), 0, len(wanted))
    misses = 0
    for id_ in wanted:
        longer = _text(saga, summary, shown | {id_})
        if count(longer) <= max_tokens:
            text, misses = longer, 0
            shown.add(id_)
        elif (misses := misses + 1) == _MISSES:
            break
    citations = tuple(
        Citation(number, one.id, episode_title(one), one.valid_at)
        for number, one in enumerate(saga.episodes, start=1)
        if f"[{number}]" in text
    )
    return Context(text, citations, count(text), len(wanted) - len(shown))


def _text(saga: "SagaView", summary: str, shown: Collection[str]) -> str:
    numbers = {one.id: number for number, one in enumerate(saga.episodes, start=1)}
    lines = [f"Saga: {flatten(saga.name)}", *filter(None, (summary,))]
    facts = [one.fact for one in saga.timeline if one.fact.id in shown]
    if facts:
        lines.append("Facts:")
    for fact in facts:
        cited = "".join(f" [{numbers[id_]}]" for id_ in fact.episodes if id_ in numbers)
        lines.append(f"- {triple(fact)} ({lifetime(fact)}){cited}")
    episodes = [one for one in saga.episodes if one.id in shown]
    if episodes:
        lines.append("Excerpts:")
    for one in episodes:
        title = ", ".join(filter(None, (f"{one.valid_at:%Y-%m-%d}", flatten(one.name))))
        lines.append(f"- [{numbers[one.id]}] {title}: {excerpt(one, saga.name)}")
    return visible("\n".join(lines))
