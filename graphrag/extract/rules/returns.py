"""Who is back, well again or done: ``back at work``, ``over the flu``, ``got my degree``.

Which leave, illness or study that ends, only what is known can tell.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lifetime import lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft

if TYPE_CHECKING:
    from spacy.tokens import Token

AWAY: Final = frozenset("leave holiday holidays vacation hospital sabbatical rehab".split())
"""What one is on or in for a while."""
_PLACES: Final = AWAY | frozenset({"work", "school", "office", "duty"})
_DEGREES: Final = frozenset("degree studies course phd doctorate master bachelor diploma".split())
_OVER: Final = frozenset({"over", "gone", "cured", "healed", "finished"})
_WELL: Final = frozenset({"well", "better", "recovered", "healthy", "cured"})
_GIVEN_UP: Final = ("likes", "learns", "plays", "takes", "uses", "studies")
"""What of whatever somebody gives up may be known."""


def read_returns(stated: Iterable[Clause], line: Line) -> Iterator[Draft]:
    """Yield what is over of what only the graph may know."""
    for clause in stated:
        if clause.negated or clause.future:
            continue
        life = lifetime("end", clause, line.periods(clause.verb), line.reference)
        if life is None:
            continue
        for relation, people, word in _found(clause):
            thing = None if word is None else line.name(word)
            if word is not None and thing is None:
                continue  # "I gave up on it"
            for one in filter(None, map(line.name, people)):
                if one.named or "'s " in one.text:
                    yield line.draft(one, relation, thing, life)


def _found(clause: Clause) -> Iterator[tuple[str, Sequence["Token"], "Token | None"]]:
    """Yield of which relation something is over, of whom, and what if it is said."""
    arguments, people = clause.arguments, clause.subjects
    words = {child.lower_ for child in clause.verb.children}
    key = "_".join((clause.lemma, *clause.particles[:1]))
    where = [word for at in ("at", "to", "from", "of") for word in arguments.get(at, ())]
    # The parser hangs "at work" on "back" as often as on the verb.
    following = clause.verb.doc[clause.verb.i + 1 : clause.verb.i + 6]
    nouns = {word.lemma_.lower() for word in (*where, *following) if word.pos_ in ("NOUN", "PROPN")}
    if clause.passive:
        if clause.lemma == "discharge" or (clause.lemma == "release" and "hospital" in nouns):
            yield "has_status", people, None
        return
    if clause.lemma in ("be", "come", "get", "return", "go"):
        back = clause.lemma == "return" or words & {"back", "home", "out"}
        if back and nouns & _PLACES and (clause.lemma != "be" or not clause.past):
            yield "has_status", people, None
        yield from _well(clause, words)
    if clause.lemma == "recover" or (clause.lemma == "get" and words & {"over", "rid"}):
        for word in (*arguments.get("from", ()), *arguments.get("over", ()), *where):
            yield "has_condition", people, word
    if key in ("graduate", "drop_out") and "as" not in arguments:
        yield "studies_at", people, None
    if clause.lemma in ("get", "finish", "complete", "receive"):
        if any(word.lemma_.lower() in _DEGREES for word in arguments.get("dobj", ())):
            yield "studies_at", people, None
    if clause.lemma == "move" and "out" in words and "with" not in arguments:
        yield "lives_with", people, None
    if (clause.lemma == "go" and "off" in words) or (clause.lemma == "give" and "up" in words):
        for word in (
            *arguments.get("dobj", ()),
            *arguments.get("on", ()),
            *arguments.get("off", ()),
        ):
            yield from ((relation, people, word) for relation in _GIVEN_UP)


def _well(
    clause: Clause, words: set[str]
) -> Iterator[tuple[str, Sequence["Token"], "Token | None"]]:
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
