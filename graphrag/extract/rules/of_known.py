"""What a sentence says of what only the graph may know: that it is over, goes on, or never was.

``Ann left Paris`` ends whatever is known of the two, ``Ann never worked at Acme`` takes that back.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.extract.rules.clauses import Clause, denials, negated
from graphrag.extract.rules.lifetime import CANCELLED, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.partings import not_taken_up, read_partings, read_staying
from graphrag.extract.rules.returns import read_returns
from graphrag.extract.rules.states import read_living
from graphrag.extract.rules.verbs import framed
from graphrag.ontology.relations import VITAL

if TYPE_CHECKING:
    from spacy.tokens import Token

_QUITTING = frozenset({"leave", "quit"})
_LEFT = ("works_at", "leads", "lives_in", "member_of", "studies_at", "plays_for")
"""What may be over of whom and what they left."""
_MORTAL = re.compile(r"\b(?:alive|dead|die|died)\b", re.IGNORECASE)
"""Without one of these words nobody is said to be alive."""
_HOURS = frozenset({"instant", "part_of_day"})


def read_known(stated: Sequence[Clause], line: Line, before: Sequence[Draft]) -> Iterator[Draft]:
    """Yield what a sentence says of what is known: that it is over, or never was.

    ``before`` is what the text said before.
    """
    drafts = [draft for clause in stated for draft in _left(clause, line)]
    drafts += read_partings(stated, line, before)
    drafts += read_staying(stated, line)
    drafts += read_returns(stated, line)
    if not line.corrects and _MORTAL.search(line.sentence.text):
        drafts += read_living((*stated, *negated(line.sentence)), line)
    for clause in denials(line.sentence) if not line.corrects else ():
        for draft in framed(replace(clause, negated=False), line):
            if not draft.life.over:  # "never left Acme" is no denial
                draft.life, draft.corrects = CANCELLED, True
                drafts.append(draft)
    for clause in negated(line.sentence) if not line.corrects else ():
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
