"""What a text says to be so no more, as if it were so: read like anything else, and then ended.

``I'm not vegan any more`` says of a diet what ``I'm vegan`` says, and that it is over.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final

from graphrag.extract.rules.lifetime import Life
from graphrag.extract.rules.name import Draft

_SENTENCE: Final = re.compile(r"[^\n]+?(?:[.!?](?=\s|$)|(?=\n)|$)")
_PART: Final = re.compile(
    r"(?:(?<=^)|(?<=[,;—–:]\s)|(?<=\s))(?:and|but|so|because|while)\s|[,;—–]\s"
)
_OVER: Final = re.compile(
    r"(?P<not>\s?\bnot\b|n['’]t\b)(?P<what>[^,;.!?\n]*?)(?P<more>\s+any ?(?:more|longer)\b)"
    r"(?=\s*(?:[.,;:!?)]|$|\n|(?:since|because|and|but|so|as|now)\b))"
    r"|(?P<longer>\s?\bno longer\b)"
    r"|(?P<since>\b(?:have|has|['’]ve)(?P<never>n['’]t| not)\b)(?=[^,;.!?\n]*?\bsince\b)"
    r"|(?P<stop>(?:\s?\b(?:have|has|had)|['’](?:ve|s|d))?\s(?:just |now |finally |recently )?"
    r"(?:stopped|quit|given up|gave up))(?=\s\w+ing\b)",
    re.IGNORECASE,
)
_MORE: Final = re.compile(r"\b(?:not|never|no|nobody|none|nor|neither)\b|n['’]t\b", re.IGNORECASE)


def over_in(text: str) -> str:
    """Return what a text says to be over as if it were so; blanks elsewhere."""
    kept = [" "] * len(text)
    for sentence in _SENTENCE.finditer(text):
        if sentence.group().rstrip().endswith("?"):
            continue
        for start, end in _parts(sentence.start(), sentence.group()):
            words = text[start:end]
            if len(found := list(_OVER.finditer(words))) == 1:
                positive = _positive(words, found[0])
                if not _MORE.search(positive):
                    kept[start:end] = positive
    return "".join(kept)


def _parts(start: int, sentence: str) -> Iterator[tuple[int, int]]:
    """Yield where the parts of a sentence stand that are joined by commas, "and" or "but"."""
    cuts = [0, *(found.end() for found in _PART.finditer(sentence)), len(sentence)]
    for first, last in pairwise(cuts):
        yield start + first, start + last


def _positive(words: str, found: re.Match[str]) -> str:
    """Return some words without what says that they are over, in as many letters."""
    if found["stop"]:
        said = words[: found.start()] + " is" + words[found.end() :]
    else:
        cuts = [found.span(name) for name in ("not", "more", "longer", "never") if found[name]]
        said = words
        for first, last in sorted(cuts, reverse=True):
            said = said[:first] + said[last:]
        said = _DO.sub(_present, said)
    stop = len(said.rstrip(" .!\n"))
    # Blanks between words are words to the parser, so they stand before all.
    return (said[:stop] + ".").rjust(len(words))


_DO: Final = re.compile(r"\bdo(?P<es>es)? (?P<verb>[a-z]+)\b", re.IGNORECASE)


def _present(found: re.Match[str]) -> str:
    """Return ``works`` for ``does work``."""
    verb = found["verb"]
    if not found["es"]:
        return verb
    return "has" if verb == "have" else verb + ("es" if verb.endswith(_HISSING) else "s")


_HISSING: Final = ("s", "x", "z", "ch", "sh", "o")


def ended(drafts: Iterable[Draft], stated: Iterable[Draft]) -> Iterator[Draft]:
    """Yield drafts that were read as if they were so as what is over, but for what is stated so."""
    known = {
        (id(one.subject), one.relation, id(one.object))
        for one in stated
        if one.life.over or one.life.end is not None
    }
    for draft in drafts:
        life = draft.life
        if life.kind not in ("state", "was") or draft.of_known:
            continue
        if (id(draft.subject), draft.relation, id(draft.object)) in known:
            continue
        over = Life(over=True)
        if life.start is not None:  # "haven't lived there since May"
            over = replace(over, end=life.start, end_precision=life.start_precision)
        draft.life = over
        yield draft
