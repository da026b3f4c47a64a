"""Which texts of a stream depend on each other, so that one is read when the other is written."""

import re
from collections import Counter
from collections.abc import Iterable

from graphrag.model.values import Episode
from graphrag.names.key import name_key
from graphrag.text.split import speakers_of

_READ = 20_000  # characters of each text
_WORD = re.compile(r"\w{3,}")
_INSIDE = re.compile(r"(?:(?<=[\w,;)] )|(?<=\"))\w{3,}")
"""A word that does not begin a sentence."""
_FEW = 16
"""Texts of a stream that may share a name which still says something."""
_COUNTED = 10_000
"""Texts after which what was counted is halved, so that it does not grow with the stream."""


class ReadingOrder:
    """The names, speakers and sagas of the texts of a stream."""

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
            if self._texts >= _COUNTED:
                self._texts //= 2
                self._named = Counter({it: n // 2 for it, n in self._named.items() if n > 1})
                self._inside &= self._named.keys()

    def depends_on(self, later: Episode, earlier: Episode) -> bool:
        """Tell whether a text may end or correct what an earlier one of its group states.

        They share a saga, an author, a speaker or a name; of many texts a name that a quarter of
        them have says nothing. Texts of a script without capitals depend on all before.
        """
        (voices, names), (others, their) = self._of[earlier.id], self._of[later.id]
        common = max(_FEW, self._texts // 4)
        shared = names & their & self._inside
        related = bool(voices & others) or any(self._named[name] <= common for name in shared)
        unmarked = later.content.upper() == later.content.lower()
        return earlier.group_id == later.group_id and (related or unmarked)
