"""Which texts of a stream bear on each other, so that one is read after the other is written."""

import re
from collections import Counter
from collections.abc import Iterable

from graphrag.model.values import Episode
from graphrag.names.key import name_key

_READ = 20_000  # characters of each text
_WORD = re.compile(r"\w{3,}")
_INSIDE = re.compile(r"(?:(?<=[\w,;)] )|(?<=\"))\w{3,}")
"""A word that does not begin a sentence."""
_FEW = 16
"""Texts of a stream that may share a name which still says something."""


def speakers_of(episode: Episode) -> tuple[str, ...]:
    """Return who speaks in an episode: its author, and who the lines of a conversation name."""
    lines = episode.content.splitlines() if episode.source == "message" else ()
    labels = dict.fromkeys(line.partition(":")[0] for line in lines if ":" in line)
    return (episode.author or "", *labels)


class Bearings:
    """What the texts of a stream are about, by which a text may bear on the ones before it."""

    def __init__(self) -> None:
        self._texts = 0
        self._named: Counter[str] = Counter()
        self._inside: set[str] = set()
        """Capitalised words that stood inside a sentence, too: the others only begin one."""
        self._of: dict[str, tuple[set[str], set[str]]] = {}

    def enter(self, episodes: Iterable[Episode], kept: Iterable[Episode]) -> None:
        """Take in some episodes, and forget those before that are not ``kept``."""
        self._of = {episode.id: self._of[episode.id] for episode in kept}
        for episode in episodes:
            voices = {name_key(voice) for voice in speakers_of(episode)}
            voices.add(f"saga {episode.saga}" if episode.saga else "")
            text = f"{episode.name} {episode.content[:_READ]}"
            names = {word for word in _WORD.findall(text) if word[0].isupper()}
            self._inside.update(word for word in _INSIDE.findall(text) if word[0].isupper())
            self._of[episode.id] = voices - {""}, names
            self._named.update(names)
            self._texts += 1

    def reach(self, earlier: Episode, later: Episode) -> bool:
        """Tell whether a later text may end or correct what an earlier one states.

        They are of one group, and of one saga, author or conversation, or name the same; of many
        texts a name that a quarter of them have says nothing.
        """
        (voices, names), (others, their) = self._of[earlier.id], self._of[later.id]
        common = max(_FEW, self._texts // 4)
        shared = any(self._named[name] <= common for name in names & their & self._inside)
        return earlier.group_id == later.group_id and (shared or bool(voices & others))
