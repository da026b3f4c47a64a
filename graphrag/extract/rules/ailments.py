"""What labels of health say, and of whom: ``Allergies: nuts``, ``Medication: metformin``."""

import re

from graphrag.extract.rules.lexicon import ILLNESS_ENDINGS, ILLNESSES, on_relation
from graphrag.extract.rules.name import Name

_HEALERS = frozenset({"Dr", "Doctor", "Nurse", "Prof", "GP", "MD", "RN"})
"""Whose notes on health are of somebody else."""
_UNTOLD = frozenset(
    "no nil none nkda nka known unknown denies denied declined refused refuses see chart stopped "
    "discontinued suspected possible query under review rule ruled out for of was tested "
    "negative".split()
)
"""Words of a label's value that say that there is nothing, or not for sure."""
_ALLERGY = re.compile(
    r"^\W*(?!(?i:no|possible|suspected|drug|food|severe|known|query)\b)(?P<what>[^\W\d]+) "
    r"allergy\W*$"
)


def is_ones_own(relation: str, value: str, about: Name) -> bool:
    """Tell whether a label of health gives what it names, and of whom the note is about."""
    words = value.lower().split()
    if _HEALERS & {word.strip(".") for word in about.text.split()} or _UNTOLD & {*words}:
        return False
    single = words[-1].removesuffix("s")
    match relation:
        case "takes":
            return on_relation(words[0]) == "takes" or on_relation(single) == "takes"
        case "has_condition":
            return single in ILLNESSES or words[-1].endswith(ILLNESS_ENDINGS)
        case _:
            return len(words) <= len(("tree", "nuts"))


def allergy_in(text: str) -> tuple[str, int] | None:
    """Return what ``Penicillin allergy`` names, and where."""
    known = _ALLERGY.match(text)
    return None if known is None else (known["what"], known.start("what"))
