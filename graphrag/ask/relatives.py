"""Words for kin, and the steps from somebody to them: an uncle is a brother of a parent.

A step is to a parent (``P``), a child (``C``), a sibling (``S``) or a spouse (``M``). A word that
is made like these and has no steps here, "uncle-in-law", stays one word that nothing knows.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from graphrag.ask.asked import Token
from graphrag.ask.senses import parts_of, stem_of
from graphrag.names.words import FATHER, MOTHER

Sex = Literal["", "f", "m"]
_BASES: Final[dict[str, tuple[str, Sex]]] = {
    **{"parent": ("parent", ""), "mother": ("parent", "f"), "father": ("parent", "m")},
    **{
        "child": ("child", ""),
        "children": ("child", ""),
        "daughter": ("child", "f"),
        "son": ("child", "m"),
    },
    **{"sibling": ("sibling", ""), "sister": ("sibling", "f"), "brother": ("sibling", "m")},
    **{"spouse": ("spouse", ""), "wife": ("spouse", "f"), "husband": ("spouse", "m")},
}
"""Kin that is one step away, and of which sex the word is."""
_PAIRS: Final[dict[str, tuple[str, Sex]]] = {
    "uncle": ("PS PSM", "m"),
    "aunt": ("PS PSM", "f"),
    "auntie": ("PS PSM", "f"),
    "nephew": ("SC MSC", "m"),
    "niece": ("SC MSC", "f"),
    "cousin": ("PSC", ""),
    "secondcousin": ("PPSCC", ""),
    "uncleaunt": ("PS PSM", ""),
    "nephewniece": ("SC MSC", ""),
    "grandma": ("PP", "f"),
    "grandpa": ("PP", "m"),
}
BACK: Final = str.maketrans("PC", "CP")
"""What a step is the other way round."""
_LAW: Final = {"parent": "MP", "child": "CM", "sibling": "MS SM"}
_STEP: Final = {"parent": "PM", "child": "MC"}
_GRAND: Final = {
    "parent": "P",
    "child": "C",
    "uncle": "P",
    "aunt": "P",
    "nephew": "C",
    "niece": "C",
}
_MADE: Final = re.compile(
    r"(?P<great>(?:great)*)(?P<grand>grand)?(?P<step>step)?(?P<base>[a-z]+?)(?P<law>inlaws?)?"
)
_NOUNS: Final = "mother|father|parent|son|daughter|child|brother|sister|sibling|uncle|aunt|nephew"
_LIKE: Final = re.compile(rf"{_NOUNS}|niece|cousin|wife|husband|grand")
_EITHER: Final[dict[str, str]] = {
    **dict.fromkeys(("mother", "father"), "parent"),
    **dict.fromkeys(("ma", "pa"), "parent"),
    **dict.fromkeys(("son", "daughter"), "child"),
    **dict.fromkeys(("brother", "sister"), "sibling"),
    **dict.fromkeys(("uncle", "auntie", "aunt"), "uncleaunt"),
    **dict.fromkeys(("nephew", "niece"), "nephewniece"),
}
"""What kin of either sex is called, made of a word for one."""
_SEXED: Final = re.compile(rf"(?:{'|'.join(_EITHER)})(?=inlaw|$)")
_MOST_WORDS: Final = 4
"""Of a word for kin: "great great grand mother"."""


@dataclass(frozen=True, slots=True)
class Kin:
    """A word for kin that is worked out."""

    name: str
    paths: tuple[str, ...]
    """Ways from somebody to such kin, as letters of steps."""
    sex: Sex = ""

    @property
    def relation(self) -> str:
        """Return the relation that kin has to somebody by the word."""
        return f"{self.name}_of"

    @property
    def family(self) -> str:
        """Return the word for such kin of either sex."""
        return self.name if not self.sex else _SEXED.sub(lambda it: _EITHER[it.group()], self.name)

    @property
    def both_ways(self) -> bool:
        """Tell whether such kin has the same to oneself."""
        return self.paths[0] == self.paths[0].translate(BACK)[::-1]

    @property
    def step(self) -> bool:
        """Tell whether it is kin by a marriage alone: no parent of one's own is a stepparent."""
        return self.name.startswith("step")


@lru_cache(maxsize=2_000)
def kin_of(word: str) -> Kin | None:
    """Return the kin that a word without spaces and hyphens is for; None for another word."""
    word = word.removeprefix("first") if word.startswith("firstcousin") else word
    one = _kin(word)
    return one if one is not None or not word.endswith("s") else _kin(word.removesuffix("s"))


def _kin(word: str) -> Kin | None:
    if (pair := _PAIRS.get(word)) is not None:
        return Kin(word, tuple(pair[0].split()), pair[1])
    found = _MADE.fullmatch(word)
    if found is None:
        return None
    greats, grand, base = len(found["great"]) // len("great"), found["grand"], found["base"]
    known = _BASES.get(base) or _BASES.get(base.removesuffix("s"))
    noun, sex = known or (base.removesuffix("s"), _PAIRS.get(base.removesuffix("s"), ("", ""))[1])
    name = word.replace(base, base if base in _BASES else base.removesuffix("s"), 1)
    name = name.replace("children", "child").removesuffix("s")
    if found["law"] or found["step"]:
        steps = (_LAW if found["law"] else _STEP).get(noun, "")
        if not steps or greats or grand or (found["law"] and found["step"]):
            return None
        return Kin(name, tuple(steps.split()), sex)
    if noun in ("parent", "child") and (grand or not greats):
        return Kin(name, (_GRAND[noun] * (greats + 2 if grand else 1),), sex)
    if noun in _PAIRS and noun in _GRAND and (greats or grand):
        more = max(greats, 1)
        by_blood = _PAIRS[noun][0].split()[0]
        steps = _GRAND[noun] * more
        return Kin(name, (steps + by_blood if steps[0] == "P" else by_blood + steps,), sex)
    if noun == "sibling" and not (greats or grand):
        return Kin(name, ("S",), sex)
    return None


def folded(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the words of a question with every one for kin as one word: "brother in law"."""
    found: list[Token] = []
    place = 0
    if _LIKE.search(" ".join(token.word for token in tokens)) is None:
        return tokens
    while place < len(tokens):
        for last in range(min(len(tokens), place + _MOST_WORDS), place, -1):
            part = tokens[place:last]
            if any(token.named or token.said for token in part):
                continue
            word = "".join(token.word for token in part).replace("-", "")
            kin = kin_of(word) or _either(part)
            made = len(part) == 1 and "-" in part[0].word and _LIKE.search(word)
            if kin is not None or made:
                text = " ".join(token.text for token in part)
                plain = kin is not None and stem_of(part[0].word) == stem_of(kin.name)
                found.append(
                    part[0] if len(part) == 1 and plain else Token(text, kin.name if kin else word)
                )
                place = last
                break
        else:
            found.append(tokens[place])
            place += 1
    return tuple(found)


def _either(part: tuple[Token, ...]) -> Kin | None:
    """Return the kin that "uncles and aunts" is for."""
    words = [token.word.replace("-", "") for token in part]
    if len(words) != len(("one", "and", "other")) or words[1] not in ("and", "or"):
        return None
    one, other = kin_of(words[0]), kin_of(words[2])
    if one is None or other is None or {one.sex, other.sex} != {"f", "m"}:
        return None
    return kin_of(one.family) if one.family == other.family else None


def kin_in(tokens: tuple[Token, ...]) -> tuple[Kin, ...]:
    """Return the kin that the words of a question are for, each once."""
    found = (kin_of(token.word) for token in tokens if token.named is None and token.said is None)
    return tuple(dict.fromkeys(one for one in found if one is not None))


@lru_cache(maxsize=2_000)
def noun_of(relation: str) -> tuple[str, Sex, bool]:
    """Return what kin a relation is of, its sex, and whether the subject is it: ``mother_of``.

    ``has_mother`` and ``mother`` name their object. The kin is empty for another relation.
    """
    parts = tuple(part for part in parts_of(relation) if part not in ("is", "was", "the", "a"))
    ahead = parts[-1:] == ("of",)
    words = parts[:-1] if ahead else parts[1:] if parts[:1] in (("has",), ("have",)) else parts
    if words in (("married", "to"), ("wed", "to"), ("married",), ("marriage",)):
        return "spouse", "", True
    word = "".join(words).replace("-", "")
    known = _BASES.get(word) or _BASES.get(word.removesuffix("s"))
    if known is not None:
        return *known, ahead
    kin = kin_of(word)
    return ("", "", ahead) if kin is None else (kin.family, kin.sex, ahead)


_CALLED: Final[dict[str, tuple[str, str]]] = {
    "parent": (MOTHER, FATHER),
    "sibling": ("sister", "brother"),
    "spouse": ("wife", "husband"),
    "child": ("daughter", "son"),
}
"""Words of women and of men for kin that is one step away."""


def belied(kin: Kin, text: str) -> bool:
    """Tell whether a text calls somebody by the word of the other sex: ``my mum`` is no father."""
    women, men = _CALLED.get(_BASES.get(kin.name, ("", ""))[0], ("", ""))
    if not women or not kin.sex:
        return False
    own, other = (women, men) if kin.sex == "f" else (men, women)
    said = set(re.findall(r"[a-z]+", text.casefold()))
    return said.isdisjoint(own.split()) and not said.isdisjoint(other.split())
