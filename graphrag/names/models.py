"""Model numbers in names of products: what tells siblings apart that share all other words.

A model number has letters before digits, or five digits and more. Shops write one number in several
ways: "PS-LX350H", "PSLX350H", "(lx350h)". Hyphens say nothing, and a short word before it may
belong to it. Quantities ("500gb", "1080p") begin with their digits, which no model number does.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

_MODEL = re.compile(r"^(?:[a-z]+\d[a-z\d]*\d[a-z\d]*|\d{5,}[a-z]{0,2})$")
"""At least two digits: "mp3" and "usb2" are words."""
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+")
_PREFIX = 3
"""Letters of a word that may belong to the number after it."""
_LEAST = 4
_DRAWER = 5
"""Characters at the end of a number by which it is looked for."""
_REMEMBERED = 50_000

Model = tuple[str, str]
"""A number, and the same with the short word before it, if there is one."""


@lru_cache(_REMEMBERED)
def models(key: str) -> frozenset[Model]:
    """Return the model numbers in a key of a name."""
    return frozenset(_models(key)) if _DIGIT.search(key) else frozenset()


def sizes_differ(name: str, other: str) -> bool:
    """Tell whether two keys each have a number, such as a size, that the other has not."""
    left, right = ({*_NUMBER.findall(_without_models(each))} for each in (name, other))
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


def _without_models(key: str) -> str:
    return " ".join(word for word in key.split() if not models(word))


def _models(key: str) -> Iterator[Model]:
    before = ""
    for word in re.split(r"[\s/,;:]+", key):
        bare = "".join(filter(str.isalnum, word))
        if len(bare) >= _LEAST and _MODEL.match(bare):
            yield bare, (before + bare if bare[0].isalpha() else bare)
        elif bare.isdigit() and len(before + bare) >= _LEAST and _MODEL.match(before + bare):
            yield before + bare, before + bare  # "wd 2500", of a maker that spaces them
        before = bare if bare.isalpha() and len(bare) <= _PREFIX else ""
