"""Whether the sentence and the relation that come with a quote are said by it.

A quote alone is no ground: an obedient model can attach an invented sentence to genuine words. So
the sentence must be made of the words around its quote, of the names and of the relation; else the
quote itself is stored instead. A paraphrase of a word or two is no invention; a name or a number
that nobody gave is one.

A text that gives orders to whoever reads it is no liar by that, but a model may have obeyed. What
it then says of others than its speakers waits for a person.
"""

import re
from collections.abc import Iterable

from graphrag.extract.llm.grounds import Ground, spaceless

_AROUND = 400
"""Characters before and after a quote that its sentence may take words from."""
_SHARE = 0.4
"""Of the longer words of a sentence that a paraphrase may bring along."""
_FREE = 2
"""Words that it may bring along in any case."""
_LONG = 4
"""Letters of a word that means something."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+")
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
_REACH = 600
"""Characters after an order that it may speak of."""


def unsupported(sentence: str, ground: Ground, extra: Iterable[str]) -> str:
    """Return the words by which a sentence says more than its quote, empty if it does not.

    Args:
        sentence: What the model wrote.
        ground: The words around the quote.
        extra: Names, relation and dates, whose words the sentence may use as well.
    """
    own = Ground(extra)
    words = _WORD.findall(sentence)
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
    """Return the stretches of a text that may be orders to a model."""
    found = (*_OTHER_RULES.finditer(content), *_ORDER.finditer(content))
    return sorted((match.start(), match.end() + _REACH) for match in found)
