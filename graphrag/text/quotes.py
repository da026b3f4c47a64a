"""The words of an episode that state a fact, for people to check it by.

A span is exact but may say too little alone: in a conversation it lacks the speaker, in JSON it is
one value of a record.
"""

import re

from graphrag.model.values import Episode, Span

_RECORD = 300
"""Characters of a JSON record that is shown whole."""
_AROUND = 100
_SPEAKER = 41
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]')


def stated_in(episode: Episode, span: Span) -> str:
    """Return the words of a span: with their speaker, or with the JSON record around them."""
    start, end = span.start, span.end
    if episode.source == "json":
        start, end = _record(episode.content, start, end)
    words = episode.content[start:end]
    if episode.source == "message":
        line = episode.content[episode.content.rfind("\n", 0, start) + 1 : start]
        speaker, colon, _ = line.lstrip().partition(": ")
        if colon and len(speaker) <= _SPEAKER:
            return f"{speaker}: {words}"
    return words


def _record(content: str, start: int, end: int) -> tuple[int, int]:
    """Return the largest object around a value that can be shown, or else what stands beside it."""
    best = max(start - _AROUND, 0), min(end + _AROUND, len(content))
    opened: list[int] = []
    for token in _TOKEN.finditer(content):
        if token.group() == "{":
            opened.append(token.start())
        elif token.group() == "}" and opened:
            first, last = opened.pop(), token.end()
            if first <= start and end <= last:
                if last - first > _RECORD:
                    break
                best = first, last
    return best
