"""What a sentence says of what only the graph may know: that it is over, goes on, or never was.

``Ann left Paris`` ends whatever is known of the two, ``Ann never worked at Acme`` takes that back,
and which leave, illness or study is over with ``back at work``, ``over the flu`` and ``got my
degree``, only what is known can tell.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from graphrag.extract.rules.clauses import Clause, denials, negated
from graphrag.extract.rules.lifetime import CANCELLED, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.partings import not_taken_up, read_partings, read_staying
from graphrag.extract.rules.states import read_living
from graphrag.extract.rules.trades import is_office
from graphrag.extract.rules.verbs import framed
from graphrag.names.key import is_unnamed
from graphrag.ontology.relations import AWAY, VITAL

if TYPE_CHECKING:
    from spacy.tokens import Token

_QUITTING = frozenset({"leave", "quit"})
_LEFT = ("works_at", "leads", "lives_in", "member_of", "studies_at", "plays_for")
"""What may be over of whom and what they left."""
_MORTAL = re.compile(r"\b(?:alive|dead|die|died)\b", re.IGNORECASE)
"""Without one of these words nobody is said to be alive."""
_HOURS = frozenset({"instant", "part_of_day"})
_DENIED = re.compile(r"n['’]t\b|\b(?:not|never|no|nobody|none|neither|nor|cannot)\b", re.IGNORECASE)
"""Without one of these a sentence denies nothing, and is not taken apart again."""
_PLACES: Final = AWAY | frozenset({"work", "school", "office", "duty"})
_DEGREES: Final = frozenset("degree studies course phd doctorate master bachelor diploma".split())
_OVER: Final = frozenset({"over", "gone", "cured", "healed", "finished"})
_WELL: Final = frozenset({"well", "better", "recovered", "healthy", "cured"})
_ANIMALS: Final = frozenset({"meat", "chicken", "beef"})
"""What somebody eats again who ate nothing of animals until then."""
_DIETS: Final = frozenset({"veganism", "vegetarianism"})
_GIVEN_UP: Final = ("likes", "learns", "plays", "takes", "uses", "studies")
"""What of whatever somebody gives up may be known."""


def read_known(stated: Sequence[Clause], line: Line, before: Sequence[Draft]) -> Iterator[Draft]:
    """Yield what a sentence says of what is known: that it is over, or never was.

    ``before`` is what the text said before.
    """
    drafts = [draft for clause in stated for draft in _left(clause, line)]
    drafts += read_partings(stated, line, before)
    drafts += read_staying(stated, line)
    drafts += _returns(stated, line)
    if not line.corrects and _MORTAL.search(line.sentence.text):
        drafts += read_living((*stated, *negated(line.sentence)), line)
    denying = not line.corrects and _DENIED.search(line.sentence.text)
    for clause in denials(line.sentence) if denying else ():
        for draft in framed(replace(clause, negated=False), line):
            if not draft.life.over:  # "never left Acme" is no denial
                draft.life, draft.corrects = CANCELLED, True
                drafts.append(draft)
    for clause in negated(line.sentence) if denying else ():
        if clause.future or clause.coming or clause.after_all:
            drafts += not_taken_up(clause, line)
        if (clause.future or clause.coming) and not clause.after_all:
            # "won't join Acme" is said of a plan, "isn't leaving" of what was to end
            drafts += framed(replace(clause, negated=False, after_all=True), line)
    for draft in drafts:
        draft.corrects |= draft.relation == VITAL
        draft.of_known = True
        yield draft


def _left(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield all that may be over in ``Ann left Paris``: one leaves towns, firms and clubs alike."""
    if clause.lemma not in _QUITTING or clause.passive or clause.negated:
        return
    periods = line.periods(clause.verb)
    life = lifetime("end", clause, periods, line.reference)
    if life is None or not (life.end or clause.past or clause.perfect):
        return
    if _is_trip(clause, line) or any(period.granularity in _HOURS for period in periods):
        return
    for token in clause.arguments.get("dobj", ()):
        other = line.name(token) if token.pos_ == "PROPN" else None
        for one in _names(clause.subjects, line) if other is not None else ():
            if one.named and one is not other:
                yield from (line.draft(one, relation, other, life) for relation in _LEFT)


def _is_trip(clause: Clause, line: Line) -> bool:
    """Tell whether somebody leaves in some way or to some end: ``left Paris by train``."""
    timed = line.timed()
    for child in clause.verb.children:
        inner = [word for word in child.subtree if word != child]
        if child.dep_ == "prep" and not any(word.i in timed for word in inner):
            named = any(word.pos_ == "PROPN" or word.lower_ == "good" for word in inner)
            if child.lower_ != "for" or not named:
                return True
    return False


def _names(tokens: Iterable["Token"], line: Line) -> list[Name]:
    return [name for token in tokens if (name := line.name(token)) is not None]


def _returns(stated: Iterable[Clause], line: Line) -> Iterator[Draft]:
    """Yield what is over of what only the graph may know."""
    for clause in stated:
        if clause.negated or clause.future:
            continue
        inner = [child for child in clause.verb.children if child.dep_ == "xcomp"]
        periods = [one for verb in (clause.verb, *inner) for one in line.periods(verb)]
        life = lifetime("end", clause, periods, line.reference)
        if life is None:
            continue
        for relation, people, word in _found(clause):
            thing = None if word is None else line.name(word)
            if word is not None and thing is None:
                continue  # "I gave up on it"
            for one in filter(None, map(line.name, people)):
                if one.named or is_unnamed(one.text):
                    yield line.draft(one, relation, thing, life)


_Over = tuple[str, Sequence["Token"], "Token | None"]
"""Of which relation something is over, of whom, and what if it is said."""


def _found(clause: Clause) -> Iterator[_Over]:
    """Yield what is over of what only the graph may know."""
    arguments, people = clause.arguments, clause.subjects
    words = {child.lower_ for child in clause.verb.children}
    key = "_".join((clause.lemma, *clause.particles[:1]))
    where = [word for at in ("at", "to", "from", "of") for word in arguments.get(at, ())]
    # The parser hangs "at work" on "back" as often as on the verb.
    following = clause.verb.doc[clause.verb.i + 1 : clause.verb.i + 6]
    nouns = {word.lemma_.lower() for word in (*where, *following) if word.pos_ in ("NOUN", "PROPN")}
    if clause.passive and people != [clause.verb]:
        if clause.lemma == "discharge" or (clause.lemma == "release" and "hospital" in nouns):
            yield "has_status", people, None
        if clause.lemma == "promote":
            yield "has_role", people, None
        return
    if clause.lemma in ("be", "come", "get", "return", "go"):
        back = clause.lemma == "return" or words & {"back", "home", "out"}
        if back and nouns & _PLACES and (clause.lemma != "be" or not clause.past):
            yield "has_status", people, None
        yield from _well(clause, words)
    if clause.lemma == "recover" or (clause.lemma == "get" and words & {"over", "rid"}):
        for word in (*arguments.get("from", ()), *arguments.get("over", ()), *where):
            yield "has_condition", people, word
    dropped = clause.lemma == "drop" and "out" in words and "dobj" not in arguments
    if (dropped or key == "graduate") and "as" not in arguments:
        yield "studies_at", people, None
    if clause.lemma in ("get", "finish", "complete", "receive"):
        if any(word.lemma_.lower() in _DEGREES for word in arguments.get("dobj", ())):
            yield "studies_at", people, None
    if "now" in words and not words & {"also", "too"}:
        if clause.lemma == "drive":
            yield "drives", people, None
        if clause.lemma == "be" and any(map(is_office, arguments.get("attr", ()))):
            yield "has_role", people, None
    if clause.lemma == "move" and "out" in words and "with" not in arguments:
        yield "lives_with", people, None
    yield from _given_up(clause, words)


def _given_up(clause: Clause, words: set[str]) -> Iterator[_Over]:
    """Yield ``gone off coffee``, ``gave up veganism``, ``took me off it``, ``eats meat again``."""
    arguments, people, acted = clause.arguments, clause.subjects, clause.arguments.get("dobj", [])
    objects = {word.lemma_.lower() for slot in arguments.values() for word in slot}
    up = clause.lemma == "give" and "up" in words
    off = clause.lemma in ("go", "come") and "off" in words | arguments.keys()
    if clause.lemma == "take" and acted:
        for word in arguments.get("off", ()):  # "took me off metformin"
            yield "takes", acted, word
    eats = clause.lemma == "eat" and "again" in words and (clause.perfect or not clause.past)
    if (up and objects & _DIETS) or (eats and objects & _ANIMALS):
        yield "has_diet", people, None
    for word in (*acted, *arguments.get("on", ()), *arguments.get("off", ())) if up or off else ():
        yield from ((relation, people, word) for relation in _GIVEN_UP)


def _well(clause: Clause, words: set[str]) -> Iterator[_Over]:
    """Yield ``my leave is over``, ``her asthma is gone``, ``I'm over the flu``, ``well again``."""
    if clause.lemma != "be" or clause.past:
        return
    for noun in clause.subjects if words & _OVER else ():
        owner = [child for child in noun.children if child.dep_ == "poss"]
        if owner and noun.lemma_.lower() in AWAY:
            yield "has_status", owner, None
        elif owner:
            yield "has_condition", owner, noun
    for word in (*clause.arguments.get("over", ()), *clause.arguments.get("of", ())):
        if words & {"over", "cured", "free", "rid"} and word.pos_ in ("NOUN", "PROPN"):
            yield "has_condition", clause.subjects, word
    if words & _WELL and words & {"again", "now", "fully"}:
        yield "has_condition", clause.subjects, None
