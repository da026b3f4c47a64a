"""Whether grammar lets stand what the network saw between two ends of a text."""

import re
from typing import TYPE_CHECKING, Final

from graphrag.extract.neural.passage import Passage, Statement
from graphrag.extract.rules import truth
from graphrag.extract.rules.slots import is_ruled_out

if TYPE_CHECKING:
    from spacy.tokens import Token

FIRST_PERSON: Final = frozenset("i me my mine myself im i'm".split())
_WORKING = frozenset("works_at has_role leads studies_at member_of lives_in".split())
_NAMELESS = frozenset(
    "works_at part_of has_name has_status located_in member_of has_size enabled_for".split()
)
_MOMENTS = frozenset("retirement death birth wedding marriage divorce".split())
_SUCCEEDING = frozenset({"succeed", "replace", "relieve", "follow"})
_ITS = frozenset({"its", "their"})
_PRICES = frozenset(
    "rent fee fees price prices cost costs charge charges fare fares subscription dues premium "
    "tuition bill ticket tickets toll".split()
)
_EMPLOYING = frozenset("employ hire recruit appoint name elect install make have".split())


def is_stated(statement: Statement, passage: Passage) -> bool:
    """Tell whether it is stated: in no question, condition or denial."""
    verb = passage.verb(statement.subject, statement.object)
    for end in (passage.root(statement.subject), passage.root(statement.object)):
        if end is not None and any(map(is_ruled_out, (end, *end.ancestors))):
            return False  # "neither Ann nor Bo works at Acme"
    if verb is None:
        return True
    if statement.relation in _WORKING and (_is_undecided(verb) or _is_denied(verb)):
        return False  # "has applied for the post of editor", "has not hired Ann as editor"
    unreal = truth.is_question(verb.sent) or truth.is_unreal(verb.sent.text)
    return truth.is_stated(verb) and not unreal


_UNDECIDED: Final = frozenset(
    "apply nominate shortlist decline refuse reject interview pitch".split()
)


def _is_undecided(verb: "Token") -> bool:
    """Tell whether a verb leaves open, or denies, that somebody gets a post."""
    turned = verb.lemma_ == "turn" and any(child.lower_ == "down" for child in verb.children)
    return turned or verb.lemma_ in _UNDECIDED


def _is_denied(verb: "Token") -> bool:
    """Tell whether a verb is denied, and not said to be so no longer."""
    said = {child.lower_ for child in verb.children}
    words = {token.lower_ for token in verb.sent}
    over = words & {"longer", "anymore", "any", "but"}
    return truth.is_negated(verb) and not (said & {"only", "just"} or over)


def _is_burial(verb: "Token | None") -> bool:
    return verb is not None and verb.lemma_ in ("bury", "cremate")


def suits(statement: Statement, passage: Passage) -> bool:
    """Tell whether grammar lets two ends stand in the relation that the network saw."""
    token, other = passage.root(statement.subject), passage.root(statement.object)
    subject, object_ = passage.name(statement.subject), passage.name(statement.object)
    if subject is None or object_ is None or token is None or other is None:
        return True
    first = passage.text[statement.subject.start : statement.subject.end].casefold() in FIRST_PERSON
    if not (first or passage.is_proper(subject) or passage.is_proper(object_)):
        return statement.relation not in _NAMELESS  # neither can be spoken of again
    match statement.relation:
        case "works_at" | "lives_in" | "plays_for" | "studies_at" if not (
            first or passage.is_proper(subject)
        ):
            return False  # "the van ..., she starts there on Monday"
        case "has_diet" | "takes" | "likes" | "drinks" | "uses" if (
            other.dep_ == "pobj" and other.head.lower_ == "off"
        ):
            return False  # "I'm off dairy"
        case "plays_for" if other.dep_ == "pobj" and other.head.lower_ == "from":
            return other.doc[max(0, other.head.i - 1)].lower_ != "loan"  # "on loan from Derby"
        case "works_at" if other.dep_ == "pobj" and other.head.lower_ == "on":
            return False  # "working on my store"
        case "works_at" | "has_role" | "volunteers_at" if other.tag_ == "VBG":
            return passage.is_proper(object_)  # "some time at the shelter volunteering"
        case "works_at" | "studies_at" if (
            first and token.dep_ == "pobj" and token.head.lower_ == "of"
        ):
            return False  # "a picture of me at the club"
        case "has_role" | "leads" if _is_left(
            token, passage.verb(statement.subject, statement.object)
        ):
            return False  # "will succeed Per Holm as chief executive"
        case "has_role" if statement.subject.kind != "person":
            return False  # "reports label printer offline"
        case "has_age":
            at = statement.object
            return _AGED.search(passage.text[max(at.start - 8, 0) : at.end + 12]) is not None
        case "has_status" if other.lower_ in _MOMENTS or (
            other.dep_ == "pobj" and other.head.lower_ == "from"
        ):
            return False  # "until her retirement", "back from maternity leave"
        case "studies" if other.dep_ == "pobj" and other.head.lower_ == "into":
            return False  # "looking into nursing"
        case "costs" if token.dep_ == "compound" and token.head.lower_ in ("price", "cost"):
            return False  # "guide price £285,000"
        case "costs" if any(child.lower_ in _ITS for child in token.children):
            return False  # "its price"
        case "costs" if other.dep_ in ("compound", "nmod", "nummod") and other.head.pos_ == "NOUN":
            return other.head.lower_ in _PRICES  # "a $50 fee", not "a $50 discount"
        case "died_on" | "died_in" if _is_burial(passage.verb(statement.subject, statement.object)):
            return False  # "was buried on 4 May"
        case "due_on" if _is_done(passage.verb(statement.subject, statement.object)):
            return False  # "I completed the form by May 31"
        case "plays" if other.tag_ == "VBG":
            return False  # "went hiking"
        case "has_condition" if other.dep_ == "dobj" and any(
            child.dep_ == "poss" for child in other.children
        ):
            return False  # "having my back"
        case "has_name" if passage.is_proper(subject) and object_.kind == "person":
            return False  # "Her name was Ann", and Oz is not she
    others = statement.relation in _WORKING and not first
    return not (others and _is_of_another(token, other))


def relation_of(statement: Statement, passage: Passage) -> str:
    """Return the relation that a text states: who volunteers at a place is not employed there."""
    other = passage.root(statement.object)
    if other is not None and statement.relation == "has_size" and other.lemma_.lower() in _STAFF:
        return "has_employees"
    if statement.relation != "works_at" or other is None:
        return statement.relation
    words = (word for above in other.ancestors for word in (above, *above.lefts))
    freely = any(word.lemma_.lower().startswith("volunteer") for word in words)
    return "volunteers_at" if freely else statement.relation


_AGED = re.compile(
    r"\baged?\b|years? old|year-old|\bturn(?:s|ed)?\b|\b(?:is|was) \d|'m \d|, \d{1,3},|\(\d{1,3}\)",
    re.IGNORECASE,
)
"""What stands about an age: "54 a month" is none."""
_STAFF = frozenset({"employee", "staff", "worker"})


def _is_done(verb: "Token | None") -> bool:
    """Tell whether somebody did it: what is done is due no more."""
    if verb is None or verb.tag_ not in ("VBD", "VBN"):
        return False
    return any(child.dep_ == "nsubj" for child in verb.children)


def _is_left(one: "Token", verb: "Token | None") -> bool:
    """Tell whether somebody is who is succeeded."""
    if verb is None or verb.lemma_ not in _SUCCEEDING:
        return False
    return one.i > verb.i and not any(child.dep_ == "auxpass" for child in verb.children)


def _is_of_another(one: "Token", other: "Token") -> bool:
    """Tell whether somebody else does what is said of the other end.

    In ``Sorry, Jon. I lost my job at Acme`` and ``I met Jon at the fair`` it is not Jon.
    """
    for verb in other.ancestors:
        if verb == one or (verb.dep_ == "appos" and verb.head == one):
            return False
        subjects = [child for child in verb.children if child.dep_ in ("nsubj", "nsubjpass")]
        if subjects:
            subject = subjects[-1]
            if subject.lower_ not in ("i", "we") or verb.lemma_ in _EMPLOYING:
                return False
            return other.dep_ == "pobj" or one not in verb.subtree
    return False
