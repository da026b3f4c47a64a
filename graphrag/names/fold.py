"""A rougher reading of a name's key, to find look-alikes by: never to decide that two are one.

Accents go, Cyrillic, Greek, Arabic and Hebrew letters become Latin ones, "&" becomes "and". Letters
of scripts that no table covers stay as they are.
"""

import re
import unicodedata
from functools import lru_cache

_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ",
        "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch  y  e yu ya i yi ye g".split(
            " "
        ),
        strict=True,
    )
)
_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψως",
        "a v g d e z i th i k l m n x o p r s t y f ch ps o s".split(),
        strict=True,
    )
)
_ARABIC = dict(
    zip(
        "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةءأإآؤئپچژگکی",
        "a,b,t,th,j,h,kh,d,dh,r,z,s,sh,s,d,t,z,,gh,f,q,k,l,m,n,h,w,y,a,a,,a,a,a,w,y,p,ch,zh,g,k,y"
        "".split(","),
        strict=True,
    )
)
_HEBREW = dict(
    zip(
        "אבגדהוזחטיכךלמםנןסעפףצץקרשת",
        "a,b,g,d,h,v,z,h,t,y,k,k,l,m,m,n,n,s,,p,p,tz,tz,k,r,sh,t".split(","),
        strict=True,
    )
)
_LATIN = {
    "ß": "ss",
    "ø": "o",
    "ł": "l",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "æ": "ae",
    "œ": "oe",
    "ı": "i",
}
_LETTERS = str.maketrans({**_CYRILLIC, **_GREEK, **_ARABIC, **_HEBREW, **_LATIN, "&": " and "})
_CONSONANTS_ONLY = frozenset({*_ARABIC, *_HEBREW})
_VOWELS = str.maketrans("", "", "aeiouwyv")
_UMLAUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_SOUNDS = (("ph", "f"), ("ck", "k"), ("y", "i"))
_TWICE = re.compile(r"([a-z])\1+")
_REMEMBERED = 50_000
"""Keys whose readings are remembered: in a list of pairs each comes up often."""
_LEAST = 4
"""Consonants that tell something."""
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
    """Return the consonants of a folded key, all that Arabic and Hebrew write of it.

    Empty if there are too few to tell anything.
    """
    bare = _TWICE.sub(r"\1", plain.translate(_VOWELS))
    return bare if len(bare.replace(" ", "")) >= _LEAST else ""


def without_vowels(key: str) -> bool:
    """Tell whether a key is in a script that leaves out most vowels."""
    return not _CONSONANTS_ONLY.isdisjoint(key)
