"""Key of a name: equal for spellings of one name, different for all else.

Kept: letters of every script, digits, symbols such as ``+`` and ``#`` ("C++", "C#"; "1.10",
"11.0"). Dropped: case, spacing, hyphens between words, leading articles, possessives, full stops of
abbreviations except in an initial "A.", which would read as an article.

Beside it stands a rougher reading, to find look-alikes by and never to decide that two are one:
accents go, Cyrillic, Greek, Arabic and Hebrew letters become Latin ones, "&" becomes "and". Letters
of scripts that no table covers stay as they are.

Model numbers in a name tell siblings apart that share all other words: letters before digits, or
five digits and more. Shops write one number in several ways: "PS-LX350H", "PSLX350H", "(lx350h)".
Hyphens say nothing, and a short word before it may belong to it. Quantities ("500gb", "1080p")
begin with their digits, which no model number does.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from graphrag.names.words import DESCRIBING

_QUOTES = re.compile(r"[\"'`´‘’“”«»„]+")
_POSSESSIVE = re.compile(r"['’]s\b")
_OWNER = re.compile(r"['’]s?$")
_HYPHEN = re.compile(r"(?<=\w)[-‐-―_/](?=[^\W\d])")
_ABBREVIATION = re.compile(
    r"(?<=[^\W\d])(?:\.(?=[^\W\d])|(?<!^a)(?<!^an)(?<!^the)\.(?=\s|$))"  # "A. Moreau" keeps it
)
_EDGES = re.compile(r"^[\s,;:!?()\[\]{}.…]+|[\s,;:!?()\[\]{}.…]+$")
_ARTICLE = re.compile(r"^(?:(?:the|a|an)\s+)+(?=\S)")
_SPACE = re.compile(r"\s+")
_ARTICLES = frozenset({"the", "a", "an"})


def is_name(words: str) -> bool:
    """Tell the name of a person from a phrase, such as "Ann's friends" or "her best friend".

    Chats have names in small letters: they are distinguished from phrases by words that describe.
    """
    *first, last = words.split() or [""]
    if not first or any(map(_OWNER.search, first)):
        return not first
    if words.islower():
        return DESCRIBING.isdisjoint((*first, last))
    return not last[:1].islower()


def full_name(name: str) -> bool:
    """Tell a name of several words from a lone one and from a phrase."""
    return len(name.split()) > 1 and is_name(name)


@lru_cache(maxsize=100_000)  # a table names the same things again and again
def name_key(name: str) -> str:
    """Return the key of a name; empty if nothing of it is left."""
    if name.isascii() and name.replace(" ", "").isalnum():
        # Nothing but words, as most names are: a question is looked through for dozens of them.
        words = name.lower().split()
        bare = next((at for at, word in enumerate(words) if word not in _ARTICLES), -1)
        return " ".join(words[bare:])
    key = unicodedata.normalize("NFKC", name).casefold()
    key = _POSSESSIVE.sub("", key)
    key = _QUOTES.sub("", key)
    key = _HYPHEN.sub(" ", key)
    key = _EDGES.sub("", _SPACE.sub(" ", key))
    key = _ABBREVIATION.sub("", _ARTICLE.sub("", key))
    return _EDGES.sub("", key)


def is_unnamed(name: str) -> bool:
    """Tell whether words say only whose somebody is: "Ann's sister"."""
    return _WHOSE.fullmatch(name) is not None


_WHOSE = re.compile(r".+['’]s [a-z][a-z-]*")


def completes(name: str, known: str) -> bool:
    """Tell whether a name is the full one of a person known by a lone first name, or by kin."""
    if is_unnamed(known):
        return not is_unnamed(name)  # Meg, who was "Ann's sister"
    return full_name(name) and name_key(name).split()[:1] == name_key(known).split()


def _letters(letters: str, latin: str) -> dict[str, str]:
    """Return what stands for each letter; letters that are silent have nothing between commas."""
    return dict(zip(letters, latin.split(","), strict=True))


_CYRILLIC = _letters(
    "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ",
    "a,b,v,g,d,e,e,zh,z,i,y,k,l,m,n,o,p,r,s,t,u,f,kh,ts,ch,sh,shch,,y,,e,yu,ya,i,yi,ye,g",
)
_GREEK = _letters(
    "αβγδεζηθικλμνξοπρστυφχψως", "a,v,g,d,e,z,i,th,i,k,l,m,n,x,o,p,r,s,t,y,f,ch,ps,o,s"
)
_ARABIC = _letters(
    "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةءأإآؤئپچژگکی",
    "a,b,t,th,j,h,kh,d,dh,r,z,s,sh,s,d,t,z,,gh,f,q,k,l,m,n,h,w,y,a,a,,a,a,a,w,y,p,ch,zh,g,k,y",
)
_HEBREW = _letters(
    "אבגדהוזחטיכךלמםנןסעפףצץקרשת", "a,b,g,d,h,v,z,h,t,y,k,k,l,m,m,n,n,s,,p,p,tz,tz,k,r,sh,t"
)
_LATIN = _letters("ßøłđðþæœı", "ss,o,l,d,d,th,ae,oe,i")
_LETTERS = str.maketrans({**_CYRILLIC, **_GREEK, **_ARABIC, **_HEBREW, **_LATIN, "&": " and "})
_CONSONANTS_ONLY = frozenset({*_ARABIC, *_HEBREW})
_VOWELS = str.maketrans("", "", "aeiouwyv")
_UMLAUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_SOUNDS = (("ph", "f"), ("ck", "k"), ("y", "i"))
_TWICE = re.compile(r"([a-z])\1+")
_REMEMBERED = 50_000
"""Keys whose readings are remembered: in a list of pairs each comes up often."""
_LEAST = 4
_COMMA = re.compile(r"^([^,]+),\s*([^,]+)$")


@lru_cache(_REMEMBERED)
def folded(key: str) -> str:
    """Return the key without accents, in Latin letters as far as they are known."""
    turned = _COMMA.sub(r"\2 \1", key) if "," in key else key
    if turned.isascii():
        return " ".join(turned.replace("&", " and ").split())
    spelled = unicodedata.normalize("NFC", turned).replace("й", "й").translate(_LETTERS)
    plain = unicodedata.normalize("NFKD", spelled)
    bare = "".join(mark for mark in plain if not unicodedata.combining(mark))
    return " ".join(bare.translate(_LETTERS).split())  # once more, for letters under an accent


def sounded(plain: str) -> str:
    """Return a folded key with letters that sound alike as one, doubled ones once."""
    for written, said in _SOUNDS:
        plain = plain.replace(written, said)
    return _TWICE.sub(r"\1", plain)


def spelled_out(key: str) -> str:
    """Return the key as folded, but with German umlauts as two letters."""
    return folded(unicodedata.normalize("NFC", key).translate(_UMLAUT))


def skeleton(plain: str) -> str:
    """Return the consonants of a folded key, all that Arabic and Hebrew write; none if too few."""
    bare = _TWICE.sub(r"\1", plain.translate(_VOWELS))
    return bare if len(bare.replace(" ", "")) >= _LEAST else ""


def without_vowels(key: str) -> bool:
    """Tell whether a key is in a script that leaves out most vowels."""
    return not _CONSONANTS_ONLY.isdisjoint(key)


_MODEL = re.compile(r"^(?:[a-z]+\d[a-z\d]*\d[a-z\d]*|\d{5,}[a-z]{0,2})$")
"""At least two digits: "mp3" and "usb2" are words."""
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+")
_PREFIX = 3
"""Letters of a word that may belong to the number after it."""
_LEAST_MODEL = 4
_DRAWER = 5
"""Characters at the end of a number by which it is looked for."""
_UNIT: Final = (
    r"\s?(?:[%‰°$€£¥²³]|°[CFK]|(?:[kMGT]i?)?(?:Hz|Wh?|Pa|B|bit)|km?/h|[kcmµn]?[mglsW]|k|bn|ft|in|lbs?|oz"
    r"|kWh|mph|[ap]m|h|hrs?|min|[CFVAL])(?![^\W_])"
)
_VALUE: Final = re.compile(
    rf"""
    [-+±~≈<>]?\s?[$€£¥₹]?\s?\d[\d.,:'’/–-]*+(?>{_UNIT}|\s[A-Z]{{2,4}}\b)?+  # an amount, a time
        (?:\s(?:[a-zµ][a-zµ./²³-]*+|\d[\d.,]*+(?>{_UNIT})?+))*+
    | [$€£¥₹]\s?\d[\d.,]*+[kKMB]
    | (?=\D*\d)(?:(?>(?i:  # a date
        (?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{{0,6}}+
        |(?:mon|tues|wednes|thurs|fri|satur|sun)day|of|the|ad|centur(?:y|ies)|bce?|ce|at
        |\d++(?:st|nd|rd|th|s)?+(?::\d\d)?+))(?![^\W_])[.,]?+\s?+)++
    | \d{{4}}-\d\d-\d\d[T ]\d\d:\d\d\S*
    | [^\s@]++@[^\s@.]++\.\w[\w.]* | (?:https?://|www\.)\S+ | \+[\d ()/-]{{7,}}  # an address
    | (?:under|in|on|at|out|off|for|with|without|by|up|awaiting)(?:\s[a-z-]++)++  # a state
    """,
    re.VERBOSE,
)
"""Possessive throughout, so that a name of any length is read in one pass."""
Model = tuple[str, str]
"""A number, and the same with the short word before it, if there is one."""


def is_value(name: str) -> bool:
    """Tell whether a name is a value: a number, an amount, a date, a duration, an address, a state.

    Only its form counts, so ``1984`` is one unless the text says that it is a book.
    """
    return _VALUE.fullmatch(name.strip()) is not None


@lru_cache(_REMEMBERED)
def models(key: str) -> frozenset[Model]:
    """Return the model numbers in a key of a name."""
    return frozenset(_models(key)) if _DIGIT.search(key) else frozenset()


def sizes_differ(name: str, other: str) -> bool:
    """Tell whether two keys each have a number, such as a size, that the other has not."""
    words = ([word for word in key.split() if not models(word)] for key in (name, other))
    left, right = ({*_NUMBER.findall(" ".join(each))} for each in words)
    return bool(left - right and right - left)


def same_model(key: str, other: str) -> bool | None:
    """Tell whether two keys share a model number; None if one of them has none."""
    left, right = models(key), models(other)
    if not left or not right:
        return None
    return any(not {*number}.isdisjoint(like) for number in left for like in right)


def sibling(short: str, long: str) -> bool:
    """Tell whether a key goes on where another ends with a number: "iphone 15", "iphone 15 pro"."""
    words = short.split()
    return (
        len(words) > 1
        and bool(_DIGIT.search(words[-1]))
        and any(map(str.isalpha, words))
        and long.startswith(short + " ")
    )


def model_drawers(key: str) -> Iterator[str]:
    """Yield by what the model numbers of a key are looked for."""
    for number, _ in models(key):
        yield "#" + number[-_DRAWER:]


def _models(key: str) -> Iterator[Model]:
    before = ""
    for word in re.split(r"[\s/,;:]+", key):
        bare = "".join(filter(str.isalnum, word))
        if len(bare) >= _LEAST_MODEL and _MODEL.match(bare):
            yield bare, (before + bare if bare[0].isalpha() else bare)
        elif bare.isdigit() and len(before + bare) >= _LEAST_MODEL and _MODEL.match(before + bare):
            yield before + bare, before + bare  # "wd 2500", of a maker that spaces them
        before = bare if bare.isalpha() and len(bare) <= _PREFIX else ""
