"""Names that a text gives besides the one that it uses: renamed, formerly, called by friends.

They are names of one thing, each with its time, and no facts between two: "Globex was renamed
Initech in 2021" says of one company what it was called until then, and what since.
"""

import re
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.line import Sentence
from graphrag.extract.rules.name import Name
from graphrag.extract.rules.phrases import Phrase, phrase_of
from graphrag.extract.rules.scene import Discourse
from graphrag.model.assertion import Date, EntityName, Naming, Precision
from graphrag.names.key import name_key
from graphrag.temporal.find import find_times
from graphrag.temporal.period import Period

if TYPE_CHECKING:
    from spacy.tokens import Token

NAMING = frozenset({"rename", "call", "know", "change"})
_FORMER = frozenset({"formerly", "previously", "originally", "erstwhile"})
_CURRENT = frozenset({"now", "today", "currently"})
_WORD = r"(?!(?:He|She|It|I|They|We|The|His|Her|In)\b)[A-ZÀ-Þ](?:\.|[\w&’'-]*)"
_NAME = rf"{_WORD}(?: (?:(?:of|de|van|von|der|la|al|bin) )?{_WORD}| \d{{1,4}}\b){{0,3}}"
_TIME = r"(?:the )?(?:[A-Z][a-z]+ )?\d{4}"
_ASIDE = re.compile(
    rf"(?P<one>{_NAME})(?:, | \()(?:(?P<maiden>née|nee|né|born)|(?P<nickname>nicknamed)|"
    rf"(?P<alias>aka|a\.k\.a\.|also known as|also called)|"
    rf"(?P<former>until (?P<until>{_TIME}) (?:known as|called)|"
    rf"(?:known as|called) (?P<before>{_NAME}) until (?P<until2>{_TIME})))"
    rf"(?: (?P<two>{_NAME}))?(?=[,;)])[,)]?"
)
"""``Ann Lee, née Novak,``, ``Initech (until 2004 known as Globex)``."""
_TAKING = re.compile(
    rf"(?P<one>{_NAME}) (?:(?P<nickname>(?:is|was) nicknamed|goes by)|(?P<name>(?:took|adopted) "
    rf"the (?:sur|family )?name|renamed (?:itself|himself|herself))|(?P<alias>(?:writes|wrote|"
    rf"performs|performed|publishe[sd]) under the (?:name|pseudonym|pen name))) (?:of |to |as )?"
    rf"(?P<two>{_NAME})(?: in (?P<since>{_TIME}))?"
)
_QUOTED = re.compile(
    r"(?P<one>[A-ZÀ-Þ][\w’'-]+) [\"“](?P<two>[A-ZÀ-Þ][\w’'-]+)[\"”](?P<rest> [A-ZÀ-Þ][\w’'-]+)"
)
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


def without_names(text: str, offset: int, scene: Discourse, said: datetime) -> str:
    """Note the other names that a text gives in passing, and return it with blanks for them.

    Args:
        text: What is to be read.
        offset: Where it stands in the episode.
        scene: Gets the names.
        said: When it was written.
    """
    for pattern in (_ASIDE, _TAKING, _QUOTED):
        for found in list(pattern.finditer(text)):
            words = found.groupdict()
            first, other = found["one"], words.get("before") or found["two"]
            other = (other or "").rstrip(".") if pattern is not _ASIDE else other
            if not other or name_key(first) == name_key(other):
                continue
            start, whole = found.start("one"), first + (words.get("rest") or "")
            at = offset + start
            name = scene.add(Phrase(whole, at, at + len(whole), True), 0)
            if words.get("maiden") and " " in first and " " not in other:
                other = f"{first.rpartition(' ')[0]} {other}"
            name.aliases.append(other)
            scene.names.setdefault(name_key(other), name)
            former = words.get("maiden") or words.get("former")
            kind: Naming = "former" if former else "name" if words.get("name") else "alias"
            kind = "nickname" if words.get("nickname") or "rest" in words else kind
            until = words.get("until") or words.get("until2")
            times = find_times(f"in {until or words.get('since')}", said)
            since, _ = _times([time.period for time in times])
            _note(name, kind, None if until else since, since if until else None)
            if pattern is _ASIDE:
                text = text[: found.end("one")] + _blank(text, found.end("one"), found.end())
            elif pattern is _QUOTED:
                cut = found.end("two") + 1
                text = text[: found.start("two") - 1] + _blank(text, found.start("two") - 1, cut)
    return text


def _blank(text: str, start: int, end: int) -> str:
    """Return a text from a place on, the first of it blank."""
    return " " * (end - start) + text[end:]


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
