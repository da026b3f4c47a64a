"""Grounding of model output: quotes and names found in the text, sentences borne by their quotes.

A quote is matched exactly, then without case, spacing and punctuation, then approximately. Names
must occur in what the model was given. A sentence must consist of words around its quote, the names
and the relation, but for a word or two; otherwise the quote is stored instead.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz import fuzz

from graphrag.names.key import name_key

_ALIKE = 85  # of 100, by the best matching stretch: a word changed in a sentence of eight, not two
_SHORTEST = 12  # characters below which a near match says nothing
_SQUEEZED = 5  # letters and digits from which on a quote is found without its spaces
_BEFORE, _AFTER = " \t\n.,;:!?", " \t\n,;:"
"""What a near match may have caught of the words before and after it."""
_WORD = re.compile(r"\S+")
_THOUSANDS = re.compile(r"(?<=\d)[,.' \u202f](?=\d{3}(?!\d))")
_NUMBER = re.compile(r"\d+")
_GAP = re.compile(r"\s*(?:\[?(?:\.\.\.|…)\]?)\s*")  # words that a quote leaves out in its middle


def locate(quote: str, content: str) -> tuple[int, int] | None:
    """Return ``start, end`` of the words that a quote stands for, or None if they are not there."""
    quote = quote.strip().strip('"“”„«»…').strip()
    if not quote:
        return None
    at = content.find(quote)
    if at >= 0:
        return at, at + len(quote)
    words = [re.escape(word) for word in _WORD.findall(quote)]
    if found := re.search(r"\s+".join(words), content, re.IGNORECASE):
        return found.span()
    if place := _without_spaces(quote, content):
        return place
    if place := _with_a_gap(quote, content):
        return place
    if len(quote) < _SHORTEST or len(quote) > 2 * len(content):
        return None
    near = fuzz.partial_ratio_alignment(quote, content, score_cutoff=_ALIKE)
    if near is None or near.dest_end <= near.dest_start:
        return None
    start, end = _whole_words(content, near.dest_start, near.dest_end)
    return (start, end) if start < end else None


def locate_name(name: str, content: str) -> tuple[int, int] | None:
    """Return a place of a name in a text, the first as it is spelled there, or None."""
    at = content.find(name) if name else -1
    if at >= 0 and not content[at - 1 : at].isalnum():
        return at, at + len(name)
    words = [re.escape(word) for word in _WORD.findall(name)]
    found = re.search(r"(?<!\w)" + r"\s+".join(words), content, re.IGNORECASE) if words else None
    return found.span() if found else None


def _stands(name: str, content: str) -> bool:
    """Tell whether a name stands in a text as it is, between two spaces or signs."""
    place = locate_name(name, content)
    return place is not None and not content[place[1] : place[1] + 1].isalnum()


def _without_spaces(quote: str, content: str) -> tuple[int, int] | None:
    """Find a quote by its letters and digits alone, at the beginning and end of words."""
    wanted = "".join(c for c in quote.casefold() if c.isalnum())
    if len(wanted) < _SQUEEZED:
        return None
    squeezed, places = _squeezed(content)
    at = squeezed.find(wanted)
    while at >= 0:
        start, end = places[at], places[at + len(wanted) - 1] + 1
        whole = not (content[start - 1 : start].isalnum() or content[end : end + 1].isalnum())
        if whole and _NUMBER.findall(quote) == _NUMBER.findall(content[start:end]):
            return start, end
        at = squeezed.find(wanted, at + 1)
    return None


@lru_cache(maxsize=4)  # a model quotes one text again and again
def _squeezed(content: str) -> tuple[str, tuple[int, ...]]:
    letters, places = [], []
    for place, character in enumerate(content):
        for letter in character.casefold():
            if letter.isalnum():
                letters.append(letter)
                places.append(place)
    return "".join(letters), tuple(places)


def _with_a_gap(quote: str, content: str) -> tuple[int, int] | None:
    """Find a quote that leaves words out and says so, each part after the other."""
    parts = [part for part in _GAP.split(quote) if part.strip()]
    if len(parts) < 2:
        return None
    first = end = -1
    for part in parts:
        place = locate(part, content[max(end, 0) :])
        if place is None:
            return None
        start, stop = (side + max(end, 0) for side in place)
        first, end = (start if first < 0 else first), stop
    return first, end


def _whole_words(content: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and content[start - 1].isalnum() and content[start].isalnum():
        start -= 1
    while end < len(content) and content[end - 1].isalnum() and content[end].isalnum():
        end += 1
    piece = content[start:end]
    return start + len(piece) - len(piece.lstrip(_BEFORE)), start + len(piece.rstrip(_AFTER))


PRONOUNS = frozenset(
    "i me my we us our you your he him his she her it its they them their this that someone "
    "ich mich mir mein wir uns unser du dich dir dein er ihn ihm sein sie ihr es ihnen man jemand "
    "user assistant speaker narrator".split()
)
_SHORT = 4
"""Letters from which on a word may go on in the text: "Müller" in "Müllers", not "AI" in "aim"."""
_ENDING = 2  # letters that a longer word may have too much, for languages that decline names
_NAME_PART = re.compile(r"[^\s\-/,;:()\"']+")


class Ground:
    """The texts that a model was given."""

    def __init__(self, texts: Iterable[str]) -> None:
        given = "\n".join(texts).replace("\\", " ")
        self._given = given
        self._text = name_key(given)
        self._digits = _THOUSANDS.sub("", given)
        self._believed: dict[str, bool] = {}

    def bears(self, name: str) -> bool:
        """Tell whether every word of a name stands in the texts, but for its ending."""
        key = name_key(name)
        if key not in self._believed:
            words = _NAME_PART.findall(key)
            self._believed[key] = (
                bool(words)
                and key not in PRONOUNS
                and (
                    all(map(self.has, words))
                    or _without_spaces(name, self._given) is not None
                    or _stands(name, self._given)
                )
            )
        return self._believed[key]

    def has(self, word: str) -> bool:
        """Tell whether a word stands in the texts, but for its ending."""
        if spaceless(word):
            return word in self._text
        if word.isdigit():
            return re.search(rf"(?<!\d){word}(?!\d)", self._digits) is not None
        if len(word) < _SHORT:
            return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", self._text) is not None
        stem = word[:-_ENDING] if len(word) > _SHORT + _ENDING else word
        return (
            stem in self._text and re.search(rf"(?<!\w){re.escape(stem)}", self._text) is not None
        )


def spaceless(word: str) -> bool:
    """Tell whether a word is of a script that puts no spaces between words."""
    return any("\u3040" <= c <= "\u9fff" or "\u0e00" <= c <= "\u0eff" for c in word)


_AROUND = 400  # characters before and after a quote that its sentence may take words from
_SHARE = 0.4  # of the longer words of a sentence that a paraphrase may bring along
_FREE = 2  # words that it may bring along in any case
_LONG = 4  # letters of a word that means something
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+")
_MONTHS = frozenset(
    "january february march april june july august september october november december januar "
    "februar märz juni juli oktober dezember enero febrero marzo abril mayo junio julio agosto "
    "septiembre octubre noviembre diciembre janvier février mars avril juin juillet août "
    "septembre octobre novembre décembre".split()
)
_OTHER_RULES = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b\W+(?:\w+\W+){0,4}?"
    r"(?:rules?|instructions?|prompts?|above|previous|prior|guidelines)\b"
    r"|\b(?:vergiss|ignoriere?|missachte)\b\W+(?:\w+\W+){0,4}?(?:alles|regeln|anweisungen|oben)"
    r"|\b(?:ignora|olvida)\b\W+(?:\w+\W+){0,4}?(?:reglas|instrucciones|anterior\w*)"
    r"|\b(?:ignore[zs]?|oublie[zs]?)\b\W+(?:\w+\W+){0,4}?(?:règles|consignes|précéde\w*)"
    r"|<<\s*(?:end|system|text)\b|\[/?INST\]|<\|?(?:im_start|system)"
    r"|^\W*(?:system|developer)\s*(?:prompt|message|note|override)?\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_ORDER = re.compile(
    r"(?:^|[.!?:;,\n]\s*|\b(?:then|and|now|please|must|should|und|bitte)\s+)"
    r"(?:report|record|store|output|memorize|register|extract|insert|speichere|notiere)\s+"
    r"(?:only\s+|also\s+|as\s+a\s+fact\s+|the\s+(?:following\s+)?fact\s+)?(?:that\b|dass\b|:)"
    r"|\b(?:add|write)\b[^.\n]{0,40}\bto (?:your|the) (?:memory|graph|knowledge)\b"
    r"|\b(?:knowledge graph|language model|ai model|extractor)s?\b[^.\n]{0,60}"
    r"\b(?:must|should|shall|has to|is to|needs? to)\b",
    re.IGNORECASE,
)
_REACH = 600  # characters after an order to forget the rules that it may speak of
_STOP = re.compile(r"[.!?](?=\s|$)|\n")


def unsupported(sentence: str, ground: Ground, extra: Iterable[str]) -> str:
    """Return the words beyond the quote, its surroundings and ``extra``; empty if none."""
    own = Ground(extra)
    words = _TOKEN.findall(_THOUSANDS.sub("", sentence))
    if any(map(spaceless, words)):
        return _unsupported_signs(sentence, ground, own)
    foreign: list[str] = []
    wild: list[str] = []
    counted = 0
    for place, word in enumerate(words):
        key = word.casefold().split("'")[0].split("’")[0]
        if not word.isdigit() and len(key) < _LONG:
            continue
        counted += 1
        if key in _MONTHS or ground.has(key) or own.has(key):
            continue
        (wild if word.isdigit() or (place and word[0].isupper()) else foreign).append(word)
    if wild or len(foreign) > max(_FREE, _SHARE * counted):
        return ", ".join((*wild, *foreign))
    return ""


def _unsupported_signs(sentence: str, ground: Ground, own: Ground) -> str:
    signs = [sign for sign in sentence if sign.isalnum()]
    foreign = [sign for sign in signs if not (ground.has(sign) or own.has(sign))]
    return "".join(foreign) if len(foreign) > _SHARE * len(signs) else ""


def around(content: str, start: int, end: int) -> str:
    """Return a quote with the text before and after it."""
    return content[max(0, start - _AROUND) : end + _AROUND]


def orders(content: str) -> list[tuple[int, int]]:
    """Return the stretches of a text that may be orders to a model.

    What the model states there of anybody but the speakers waits for review.
    """
    found = [(match.start(), match.end() + _REACH) for match in _OTHER_RULES.finditer(content)]
    for match in _ORDER.finditer(content):
        stop = _STOP.search(content, match.end())
        found.append((match.start(), stop.start() if stop else len(content)))
    return sorted(found)
