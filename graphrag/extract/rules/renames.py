"""Names that a text gives besides the one that it uses: renamed, formerly, called by friends.

They are names of one thing, each with its time, and no facts between two: "Globex was renamed
Initech in 2021" says of one company what it was called until then, and what since.
"""

from typing import TYPE_CHECKING

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.name import Name
from graphrag.extract.rules.phrases import phrase_of
from graphrag.extract.rules.sentence import Sentence
from graphrag.model.assertion import Date, EntityName, Naming, Precision
from graphrag.names.key import name_key
from graphrag.temporal.period import Period

if TYPE_CHECKING:
    from spacy.tokens import Token

NAMING = frozenset({"rename", "call", "know", "change"})
_FORMER = frozenset({"formerly", "previously", "originally", "erstwhile"})
_CURRENT = frozenset({"now", "today", "currently"})
_PRECISIONS: dict[str, Precision] = {"year": "year", "month": "month", "day": "day"}


def renamed(clause: Clause, line: Sentence) -> bool:
    """Note ``Globex was renamed Initech`` and its like as another name of one thing."""
    given = clause.arguments.get("dobj", [])
    old = clause.subjects if clause.passive else given
    new = [token for slot in ("attr", "to", "as") for token in clause.arguments.get(slot, ())]
    if clause.lemma == "change":
        if not any(token.lower_ == "name" for token in old):
            return False
        old, new = clause.subjects, clause.arguments.get("to", [])
    if clause.lemma == "call" and not clause.passive:  # "whom friends call Bob"
        old = [token for token in given if token.pos_ == "PRON"]
        new += [token for token in given if token.pos_ == "PROPN"]
    adverbs = {child.lower_ for child in clause.verb.children if child.dep_ == "advmod"}
    for token in old:
        name = line.name(token)
        for other in new:
            if name is not None and name.named and _enter(name, other, line):
                since, until = _times(line.periods(clause.verb))
                _note(name, _kind(clause, name, adverbs, since), since, until)
                return True
    return False


def note_former(line: Sentence) -> None:
    """Note ``Initech, formerly Globex``."""
    for token in line.sentence:
        adverbs = (child.lower_ for child in token.children if child.dep_ == "advmod")
        if token.dep_ == "appos" and token.pos_ == "PROPN" and not _FORMER.isdisjoint(adverbs):
            name = line.name(token.head)
            if name is not None and name.named and _enter(name, token, line):
                _, until = _times([*line.periods(token), *line.periods(token.head)])
                _note(name, "former", None, until)


def _enter(one: Name, other: "Token", line: Sentence) -> bool:
    phrase = phrase_of(other)
    if phrase is None or not phrase.named or name_key(phrase.text) == name_key(one.text):
        return False
    one.aliases.append(phrase.text)
    line.scene.names[name_key(phrase.text)] = one
    return True


def _kind(clause: Clause, one: Name, adverbs: set[str], since: Date | None) -> Naming:
    if not _FORMER.isdisjoint(adverbs):
        return "former"
    if clause.lemma in ("rename", "change") or not _CURRENT.isdisjoint(adverbs):
        return "name"
    if one.votes["person"] > 0:
        return "nickname"
    return "name" if since is not None and "also" not in adverbs else "alias"


def _times(periods: list[Period]) -> tuple[Date | None, Date | None]:
    since = until = None
    for period in periods:
        precision = _PRECISIONS.get(period.granularity, "exact")
        if period.bound in ("until", "before"):
            until = Date(period.end if period.bound == "until" else period.start, precision)
        else:
            since = Date(period.start, precision)
    return since, until


def _note(one: Name, kind: Naming, since: Date | None, until: Date | None) -> None:
    """Note what the name that was entered last is, and what that says of the other one."""
    other = one.aliases[-1]
    if kind == "name":
        one.names += [EntityName(other, "name", since), EntityName(one.text, "former", None, since)]
    elif kind == "former":
        until = until or since
        one.names += [EntityName(one.text, "name", until), EntityName(other, "former", None, until)]
    else:
        one.names.append(EntityName(other, kind, since, until))
