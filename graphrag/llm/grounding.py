"""Whether a name was read or invented: a model may only name what stands in what it was given.

This is the second wall after the fence. A model that was talked into something by the text, or that
fills gaps from memory, names what no text contains; such names are dropped, and counted.
"""

import re
from collections.abc import Iterable

from graphrag.names import name_key

_PRONOUNS = frozenset(
    "i me my we us our you your he him his she her it its they them their this that someone "
    "ich mich mir mein wir uns unser du dich dir dein er ihn ihm sein sie ihr es ihnen man jemand "
    "user assistant speaker narrator".split()
)
_SHORT = 4
"""Letters from which on a word may go on in the text: "Müller" in "Müllers", not "AI" in "aim"."""
_ENDING = 2
"""Letters that a longer word may have too much, for languages that decline names."""
_WORD = re.compile(r"[^\s\-/,;:()\"']+")


class Ground:
    """The texts that a model was given."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._text = name_key("\n".join(texts).replace("\\", " "))
        self._believed: dict[str, bool] = {}

    def bears(self, name: str) -> bool:
        """Tell whether every word of a name stands in the texts, but for its ending."""
        key = name_key(name)
        if key not in self._believed:
            words = _WORD.findall(key)
            self._believed[key] = (
                bool(words) and key not in _PRONOUNS and all(self._has(word) for word in words)
            )
        return self._believed[key]

    def _has(self, word: str) -> bool:
        if _spaceless(word):
            return word in self._text
        if len(word) < _SHORT:
            return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", self._text) is not None
        stem = word[:-_ENDING] if len(word) > _SHORT + _ENDING else word
        return re.search(rf"(?<!\w){re.escape(stem)}", self._text) is not None


def _spaceless(word: str) -> bool:
    """Tell whether a word is of a script that puts no spaces between words."""
    return any("\u3040" <= c <= "\u9fff" or "\u0e00" <= c <= "\u0eff" for c in word)
