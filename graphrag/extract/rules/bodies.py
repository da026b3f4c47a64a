"""What an office is held for: ``treasurer of the club``, ``nurse at the clinic``, ``its chair``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Name
from graphrag.extract.rules.slots import conjoined
from graphrag.extract.rules.trades import title_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_PREPOSITIONS = ("of", "at", "for", "with", "in", "to")


def bodies_of(
    noun: "Token", clause: Clause | None, chosen_by: Sequence["Token"], line: Line
) -> list[tuple[Name, str]]:
    """Return what a title is held for, each with its preposition."""
    found: list[tuple[Name, str]] = []
    owner = line.scene.possessor_of(noun, line.offset)
    if owner is not None:
        found.append((owner, "of"))
    end = title_of(noun)[2]
    inner = [c for child in noun.children for c in child.children if c.idx < end and c.i > noun.i]
    behind = [c for part in inner for c in part.children if c.lower_ == "of" and c.i == part.i + 1]
    for child in (*noun.children, *behind):  # "minister of health of Ulm"
        if child.dep_ == "prep" and child.lower_ in _PREPOSITIONS:
            for target in child.children:
                if target in inner and target.pos_ == "PROPN":
                    continue
                if target.dep_ == "pobj" and target.tag_ != "NNS":  # "with AI tools"
                    for part in conjoined(target):
                        if (name := line.name(part)) and noun.text not in name.text.split():
                            found.append((name, child.lower_))
    for child in noun.children if not found else ():  # "a Zalando engineer"
        if child.dep_ == "compound" and child.ent_type_ == "ORG" and (name := line.name(child)):
            found.append((name, "at"))
    if clause is not None and not found:
        # The parser hangs "at Ostrey Creamery" on the verb as often as on the job.
        for preposition in ("at", "of", "for", "by", "agent"):
            for target in clause.arguments.get(preposition, ()):
                if (name := line.name(target)) is not None and name.named:
                    found.append((name, "at" if preposition in ("by", "agent") else preposition))
        for token in chosen_by if not found else ():
            name = line.name(token)
            if token.lower_ in lexicon.PANELS:
                continue  # a board appoints for the firm that it is the board of
            if name is not None and name.named and name.votes["person"] < 2:
                found.append((name, "of"))
    return [(name, preposition) for name, preposition in found if name.named]
