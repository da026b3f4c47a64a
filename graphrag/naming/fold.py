"""A rougher reading of a name's key, to find look-alikes by: never to decide that two are one.

Accents go, Cyrillic and Greek letters become Latin ones, "&" becomes "and". Letters of scripts that
no table covers stay as they are.
"""

import re
import unicodedata

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
_LETTERS = str.maketrans({**_CYRILLIC, **_GREEK, **_LATIN, "&": " and "})
_UMLAUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_SOUNDS = (("ph", "f"), ("ck", "k"), ("y", "i"))
_TWICE = re.compile(r"([a-z])\1+")
_COMMA = re.compile(r"^([^,]+),\s*([^,]+)$")


def folded(key: str) -> str:
    """Return the key without accents, in Latin letters as far as they are known."""
    turned = _COMMA.sub(r"\2 \1", key)
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
