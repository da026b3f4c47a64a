"""Whether grammar lets stand what the network saw between two ends of a text."""

import re
from typing import Final

from graphrag.extract.neural.passage import Passage, Statement
from graphrag.extract.rules import truth

FIRST_PERSON: Final = frozenset("i me my mine myself im i'm".split())


def is_stated(statement: Statement, passage: Passage) -> bool:
    """Tell whether it is stated: in no question, condition, wish, denial or quote."""
    start, end = passage.sentence(statement.later)
    sentence = passage.text[start:end]
    asked = sentence.rstrip(" \"'’”").endswith("?")
    if asked or passage.is_quoted(statement) or truth.is_unreal(sentence):
        return False
    verbs = {passage.verb(statement)}
    for root in map(passage.root, (statement.subject, statement.object)):
        if root is not None:
            verbs.add(next((word for word in (root, *root.ancestors) if word.pos_ == "VERB"), None))
            if any(map(truth.is_ruled_out, (root, *root.ancestors))):
                return False  # "neither Ann nor Bo works at Acme"
    return all(
        truth.is_asserted(verb) and not any(map(truth.is_negated, truth.joined(verb)))
        for verb in verbs
        if verb is not None
    )


def relation_of(statement: Statement, passage: Passage) -> str:
    """Return the relation that a text states: who volunteers at a place is not employed there."""
    other = passage.root(statement.object)
    if statement.relation == "has_name":
        sentence = passage.text[slice(*passage.sentence(statement.later))]
        if _FORMER.search(sentence):
            return "formerly_known_as"
        changed = _RENAMED if statement.subject.kind == "person" else _CALLED
        return "renamed_to" if changed.search(sentence) else "also_known_as"
    if other is not None and statement.relation == "has_size" and other.lemma_.lower() in _STAFF:
        return "has_employees"
    if statement.relation != "works_at" or other is None:
        return statement.relation
    words = (word for above in other.ancestors for word in (above, *above.lefts))
    freely = any(word.lemma_.lower().startswith("volunteer") for word in words)
    return "volunteers_at" if freely else statement.relation


_FORMER = re.compile(
    r"\b(?:formerly|previously|originally|erstwhile|(?:used to be|once) \w+)\b", re.I
)
_RENAMED = re.compile(
    r"\b(?:renamed?|rebrand(?:s|ed)?|chang\w+ (?:its|her|his|their) name)\b", re.IGNORECASE
)
_CALLED = re.compile(
    rf"{_RENAMED.pattern}|\b(?:(?:now|today|since)\b.*\b(?:called|known)|"
    r"(?:called|known)\b.*\b(?:now|today|since))\b",
    re.IGNORECASE,
)
"""Of somebody, that is a nickname: "Robert Smith has been called Bob since 2001"."""
_STAFF = frozenset({"employee", "staff", "worker"})
