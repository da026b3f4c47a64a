"""What constructions of several words state, as a table: ``buy {o} from {x}`` tells of two owners.

A pattern is a row of units (``units``): ``V:buy,sell`` is one of these verbs as it is stated,
``P:`` in the passive, ``F:`` without a subject, ``?:`` an order; ``{o}`` a noun phrase, ``{o:p}``
a name, ``{o:c}`` any noun, ``{o*}`` a list of them, ``{n=post,office}`` one of these nouns, ``{r}``
what somebody is by trade or office, and ``~`` phrases that may stand between. ``s`` is the subject
of the verb; of a pattern without one it is the name before it, else who the text is about.
"""

import re
from dataclasses import dataclass
from typing import cast

from graphrag.extract.rules.lexicon import Manner
from graphrag.extract.rules.patterns import PATTERNS


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation between two groups of a pattern, and how it speaks of time."""

    subject: str
    relation: str
    object: str
    manner: Manner


@dataclass(frozen=True, slots=True)
class Construction:
    """A pattern and what it states."""

    pattern: re.Pattern[str]
    facts: tuple[Fact, ...]
    nouns: tuple[tuple[str, frozenset[str]], ...] = ()
    """Groups whose noun must be one of these."""
    needs: frozenset[str] = frozenset()
    """Words one of which must stand beside the verb."""
    verb: bool = True


_SLOT = re.compile(r"\{(?P<name>\w)(?P<kind>:[a-z]+)?(?P<many>\*)?(?:=(?P<nouns>[\w,-]+))?\}")
_NP = "N[%s]\\d+"
_FILLER = r"(?:(?:(?:of|in|at|on|for|with|by|from|to|under|as|,) N[a-z]\d+ |, |and )*?)"


def _build(line: str) -> Construction:
    pattern, _, rest = line.partition(" => ")
    stated, _, needs = rest.partition(" if ")
    nouns: list[tuple[str, frozenset[str]]] = []
    pieces: list[str] = []
    for piece in pattern.split():
        verb = re.fullmatch(r"(?P<voice>[VPF?]):(?P<words>\S+)", piece)
        slot = _SLOT.fullmatch(piece)
        if verb is not None:
            words = "|".join(verb["words"].split(","))
            mark = {"V": "V", "P": "V", "F": "F", "?": r"\?"}[verb["voice"]]
            voice = r"\.p" if verb["voice"] == "P" else ""
            pieces.append(f"{mark}(?:{words}){voice} ")
        elif slot is not None:
            kinds = (slot["kind"] or ":pthci")[1:]
            kinds = "ctp" if slot["name"] in "rn" else kinds if slot["kind"] else "pthi"
            one = rf"{_NP % kinds}(?! 's N)"
            listed = rf"{one}(?: (?:, and|,|and|&|\+) {one})*" if slot["many"] else one
            pieces.append(rf"(?P<{slot['name']}>{listed}) ")
            if slot["nouns"]:
                nouns.append((slot["name"], frozenset(slot["nouns"].split(","))))
        elif piece == "~":
            pieces.append(_FILLER)
        elif piece in ("(", ")", "^"):
            pieces.append({"(": r"\( ", ")": r"\) ", "^": r"(?:^|(?<=[;:,.-] ))"}[piece])
        else:
            pieces.append(rf"(?:{piece.replace(',', '|') if len(piece) > 1 else piece}) ")
    said = map(str.split, stated.split("; "))
    facts = (Fact(one, name, other, cast(Manner, how)) for one, name, other, how in said)
    return Construction(
        re.compile(rf"(?<!\S){''.join(pieces)}"),
        tuple(facts),
        tuple(nouns),
        frozenset(needs.split(",")) if needs else frozenset(),
        pattern.startswith(("V:", "P:")),
    )


_LINES = re.sub(r"\n +", " ", re.sub(r"(?<=,)\n +", "", PATTERNS.strip()))
TABLE = tuple(_build(line) for line in _LINES.splitlines())
"""The first that fits a verb counts; of the patterns without one each."""
