"""Whether a clause states something as true: no question, condition, wish, rumour or order.

A verb is followed upwards: whatever it depends on must leave it true.
"""

import re
from typing import TYPE_CHECKING

from graphrag.extract.rules.lexicon import HEDGED, REPORTING
from graphrag.extract.rules.subjects import SUBJECTS, is_task

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

NEGATIONS = frozenset(
    "not n't nt never no neither nor hardly nobody none nothing nowhere cannot".split()
)
_TOO_FAR = 12
_LEADING = frozenset({"so", "and", "but", "then", "well"})
_CONDITIONAL = frozenset({"if", "unless", "whether", "lest", "though", "until", "till", "so"})
_DOUBTS = frozenset(
    "almost nearly maybe perhaps allegedly probably possibly reportedly apparently supposedly "
    "likely hopefully presumably".split()
)
_TELLING = frozenset("confirm inform announce note report say tell add".split())
_ANYBODY = frozenset("people some others many everyone everybody folk folks".split())
"""Who says what is hearsay."""
_FORMERLY = frozenset({"once", "formerly", "previously", "originally", "earlier"})
ENDS = frozenset({"end", "expire", "finish"})
_SUPPOSED = frozenset(
    "rumour rumor rumours claim allegation idea proposal possibility question suggestion motion "
    "hope fear speculation suspicion chance offer request bid attempt talk".split()
)
"""Nouns whose clause is not stated as true: ``rumours that they will merge``."""

_UNREAL = re.compile(
    r"\b(?:according to (?:\w+ )?(?:rumou?rs?|gossip|hearsay)|(?:rumou?r|word|legend) has it|"
    r"unconfirmed|"
    r"\b(?:reports?|claims?|stories|rumou?rs?|suggestions?|allegations?|article|news) that\b"
    r"[^.;]*\b(?:false|untrue|wrong|unfounded|baseless|incorrect|not true)\b|"
    r"(?:the|its|our|my|whose) (?:\w+ )?(?:heroine|hero|protagonist|villain|antagonist|"
    r"main character))\b|"
    r"^\W*(?:imagine|suppose|assume|pretend|what if|let's say|once upon a time)\b|"
    r"^\W*in (?:my|his|her|our|the|this|a|their) (?:\w+ )?(?:novel|story|film|movie|play|game|"
    r"dream|comic|fairy tale|fable|legend|sitcom)\b|"
    # a line of a program, or a formula
    r"&&|\|\||=>|[=!]==?|\w\(\)|</\w+>|[{}]|= ?-?[\d(][^=\n]{0,40}[*/^+]",
    re.IGNORECASE,
)


def is_unreal(text: str) -> bool:
    """Tell whether a sentence tells rumours, fiction or what is only imagined, or is a program."""
    return bool(_UNREAL.search(text))


def is_question(sentence: "Span") -> bool:
    """Tell whether the words are those of a question, with or without its mark."""
    root = sentence.root
    subject = next((child for child in root.children if child.dep_ in SUBJECTS), None)
    if subject is None:
        return False
    helpers = [child for child in root.children if child.dep_ in ("aux", "auxpass")]
    helpers += [root] if root.lemma_ == "be" else []
    words = (token for token in sentence if token.is_alpha and token.dep_ not in ("intj", "cc"))
    first = next((token for token in words if token.lower_ not in _LEADING), root)
    asked = first in helpers or (first.tag_ in ("WP", "WRB", "WDT", "WP$") and first.head == root)
    return asked and any(token.i < subject.i for token in helpers)


def is_stated(verb: "Token") -> bool:
    """Tell whether every verb that this one depends on leaves it true."""
    current = verb
    for _ in range(_TOO_FAR):
        for child in current.children:
            if (
                child.dep_ == "aux"
                and child.tag_ == "MD"
                and child.lower_ not in ("will", "'ll", "shall", "wo")
            ):
                return False
            if child.dep_ == "mark" and child.lower_ in _CONDITIONAL:
                if child.lower_ in ("until", "till") and current.lemma_ in ENDS:
                    return True  # "until his contract ends in August"
                return False
            if child.dep_ in ("advmod", "intj") and child.lower_ in _DOUBTS:
                return False
            if child.dep_ == "advcl" and _is_condition(child):
                return False
        if current.dep_ == "ROOT":
            return True
        head = current.head
        if current.dep_ in ("relcl", "acl") and current.tag_ != "VB":
            named = head.head if head.dep_ == "appos" else head
            if named.pos_ == "PROPN":
                return True  # said in passing of a name, it holds whatever the sentence wishes
        if current.dep_ == "ccomp" and current.i > head.i:
            between = current.doc[head.i : current.left_edge.i + 1]
            if any(token.text in (":", ";") for token in between):
                return True  # "Don't forget: Ann has the key"
        if current.dep_ == "ccomp" and current.i < head.i and _is_apart(current, head):
            return True  # "Globex will buy Initech; the contract was signed"
        if current.dep_ in ("ccomp", "xcomp", "advcl") and is_negated(head):
            return False
        if current.dep_ == "ccomp" and current.tag_ == "VB":
            if any(child.tag_ == "TO" for child in current.children):
                return False  # "knowing her to be a witch"
        if current.dep_ == "ccomp" and head.dep_ in ("xcomp", "acomp", "advcl"):
            if head.lemma_ in _TELLING and not is_negated(head.head):
                return True  # "I am writing to confirm that she works here"
        if current.dep_ in ("ccomp", "xcomp"):
            lemma = head.lemma_.lower()
            hearsay = any(child.lower_ in _ANYBODY for child in head.children)
            vague = hearsay or lemma not in REPORTING | {"be"}
            if lemma in HEDGED or (current.dep_ == "ccomp" and vague):
                return False
        if current.dep_ in ("acl", "relcl") and head.lemma_.lower() in _SUPPOSED:
            return False  # "rumours that they will merge"
        if current.dep_ == "acl" and current.tag_ == "VB":
            return False  # "the plan to merge"
        if (
            current.dep_ == "xcomp"
            and not is_task(current)
            and current.tag_ == "VB"
            and head.lemma_ not in ("start", "begin", "continue", "come", "use")
        ):
            return False
        current = head
        if current.pos_ not in ("VERB", "AUX"):
            while current.dep_ != "ROOT" and current.pos_ not in ("VERB", "AUX"):
                current = current.head
    return True


def _is_condition(verb: "Token") -> bool:
    """Tell whether a clause is a condition of the one above: ``if she asks``, ``had they failed``.

    With ``when`` it is one if it lies ahead: ``when he passes``.
    """
    for child in verb.children:
        if child.dep_ == "mark" and child.lower_ in ("if", "unless"):
            before = child.nbor(-1).lower_ if child.i else ""
            return before != "even"
        if child.dep_ == "advmod" and child.lower_ in ("when", "once"):
            return verb.tag_ in ("VBZ", "VBP")
    first = min(verb.subtree, key=lambda token: token.i)
    inverted = first.head == verb and first.dep_ in ("aux", "auxpass")
    return inverted and first.lower_ in ("had", "should", "were")


def _is_apart(left: "Token", right: "Token") -> bool:
    """Tell whether two clauses only stand side by side: after ``;``, or with ``and`` or a comma."""
    if any(token.text in (";", ":") for token in left.doc[left.i : right.i]):
        return True
    own = [child for child in right.children if child.dep_ in SUBJECTS]
    known = right.lemma_.lower() in HEDGED | REPORTING
    before = {token.lower_ for token in left.doc[left.i : own[0].i]} if own else set()
    known = known and not before & {"so", "and", "but"}
    comma = own and any(token.text == "," for token in left.doc[left.i : own[0].i])
    return bool(comma) and not known and right.lemma_ != "be"


def is_negated(verb: "Token") -> bool:
    """Tell whether a verb is denied: ``has not hired``."""
    return any(child.dep_ == "neg" for child in verb.children)


def is_over(verb: "Token") -> bool:
    """Tell whether a word says that it was so once; ``previously at Acme, she`` says it of Acme."""
    return any(
        child.lower_ in _FORMERLY and child.dep_ == "advmod" and child.nbor().pos_ != "ADP"
        for child in verb.children
        if child.i + 1 < len(child.doc)
    )


def asked_about(sentence: "Span") -> str:
    """Return whom a question is about by name: the answer often leaves it out."""
    if not sentence.text.rstrip().endswith("?"):
        return ""
    asked = [child for child in sentence.root.children if child.dep_ in ("nsubj", "attr")]
    named = [child for child in asked if child.pos_ == "PROPN" and child.ent_type_ != "DATE"]
    return named[0].text if named and named[0] == asked[0] else ""


def is_denying(word: "Token") -> bool:
    """Tell whether a word denies its noun; ``(no. 14)`` is a number."""
    return word.lower_ in NEGATIONS and word.dep_ != "appos"
