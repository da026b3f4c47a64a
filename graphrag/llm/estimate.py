"""What adding episodes would cost, without asking: the real questions are built and counted."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from graphrag.models import Episode
from graphrag.protocols import ExtractionContext, Message
from graphrag.token_count import count_tokens

_CONTEXT_EPISODES = 4
_ANSWER = 1.5
"""Tokens of an answer for each of its text: names, quotes and sentences repeat it."""
_LEAST_ANSWER = 40
_DECISION = 900
"""Tokens of a second question and its answer, rules and example included."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens of a run; true figures differ by the tokeniser and by what texts hold."""

    episodes: int
    calls: int
    """If nothing is open in any episode."""
    calls_at_most: int
    """If something is open in every episode; repairs are not counted."""
    tokens: int
    """Of both directions, with the calls of ``calls``."""
    tokens_at_most: int


def estimate(
    episodes: Iterable[Episode],
    questions: Callable[[ExtractionContext], Sequence[tuple[str, Sequence[Message]]]],
) -> Estimate:
    """Estimate what reading these episodes in this order would take.

    Args:
        episodes: As they would be added.
        questions: What would be asked about an episode: each passage with its messages.
    """
    count = calls = tokens = second = 0
    previous: tuple[Episode, ...] = ()
    for episode in episodes:
        for text, asked in questions(ExtractionContext(episode, previous)):
            calls += 1
            tokens += sum(count_tokens(message.content) for message in asked)
            tokens += max(_LEAST_ANSWER, round(count_tokens(text) * _ANSWER))
        second += _DECISION + count_tokens(episode.content)
        count += 1
        previous = (*previous, episode)[-_CONTEXT_EPISODES:]
    return Estimate(count, calls, calls + count, tokens, tokens + second)
