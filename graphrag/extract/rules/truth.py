"""Whether a verb is stated as true, and what a text denies beside what it states.

A verb is followed upwards: whatever it depends on must leave it true.
"""

import re
from typing import TYPE_CHECKING

from graphrag.extract.rules.lexicon import HEDGED, REPORTING
from graphrag.extract.rules.slots import SUBJECTS, is_task

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
_ANYBODY = frozenset("people some others many everyone everybody folk folks".split())
"""Who says what is hearsay."""
_FORMERLY = frozenset({"once", "formerly", "previously", "originally", "earlier"})
ENDS = frozenset({"end", "expire", "finish"})
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
        if current.dep_ in ("ccomp", "xcomp"):
            lemma = head.lemma_.lower()
            hearsay = any(child.lower_ in _ANYBODY for child in head.children)
            vague = hearsay or lemma not in REPORTING | {"be"}
            if lemma in HEDGED or (current.dep_ == "ccomp" and vague):
                return False
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
    """Tell whether a clause is a condition of the one above: ``if she asks``."""
    for child in verb.children:
        if child.dep_ == "mark" and child.lower_ in ("if", "unless"):
            before = child.nbor(-1).lower_ if child.i else ""
            return before != "even"
    return False


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


def is_denying(word: "Token") -> bool:
    """Tell whether a word denies its noun; ``(no. 14)`` is a number."""
    return word.lower_ in NEGATIONS and word.dep_ != "appos"


_PREPOSITION = r"(?:at|in|on|by|to|from|with|for|of|as) "
_NOUN = r"(?!I\b)(?:(?:an?|the|his|her|its|my|our|their) [\w’'-]+|[A-ZÀ-Þ\d][\w.&’'-]*)"
_MORE = r"(?: [\w&’'-]+){0,4}?"
_REGION = r"(?=, [A-ZÀ-Þ][\w-]*(?:[.;:!?)]|$))"
"""``, France`` at the end, which says more of what is stated: the comma stays."""
_CONTRAST = re.compile(
    # "not a doctor but a nurse", "not at Acme but at Globex": the second is stated
    rf"\b(?<!do )(?<!does )(?<!did )[Nn]ot (?:{_NOUN}{_MORE},? but (?={_NOUN})"
    rf"|{_PREPOSITION}{_NOUN}{_MORE},? but (?={_PREPOSITION}))"
    # "at Globex, not Acme": the first is
    rf"|(?P<comma>,) not (?:{_PREPOSITION})?{_NOUN}{_MORE}(?:{_REGION}|,|(?= as )|(?=[.;:!?)]|$))"
    rf"|(?: and| but) not (?:{_PREPOSITION})?{_NOUN}{_MORE}(?=,| as |[.;:!?)]|$)"
)
_ANY_MORE = re.compile(
    r"(?<=\s)any (?:more|longer)\b"
    r"(?=\s*(?:[.,;:!?)—–-]|$|\n|(?:since|because|and|but|so|as|after|now)\b))",
    re.IGNORECASE,
)
"""Two words that the parser takes for one more of something."""
_ASIDE = re.compile(
    r",? (?:thank (?:god|goodness|heavens?)|sadly|unfortunately|luckily|thankfully|alas)"
    r"(?=\s*(?:[.,;!?)]|$|\n))",
    re.IGNORECASE,
)
_CORRECTION = re.compile(r"^\W*(?:correction|erratum|clarification)\b", re.IGNORECASE)
_TAKING_BACK = re.compile(
    r"(?:(?<=^)|(?<=[.!?:;]\s)|(?<=\n))(?:no,? |sorry,? )?"
    r"(?:correction|scratch that|strike that|my (?:mistake|bad)|"
    r"I (?:misspoke|was wrong|got (?:that|it) wrong|mixed (?:that|it|them) up))[,:;.!-]",
    re.IGNORECASE,
)


def is_correction(text: str) -> bool:
    """Tell whether a text begins by saying that it corrects another."""
    return bool(_CORRECTION.match(text))


def calls_off(sentence: str) -> bool:
    """Tell whether a sentence calls a plan off or puts it off: ``the move to Oslo is off``."""
    found = _PLAN.search(sentence) and _OFF.search(sentence)
    return bool(found) and not _UNSTATED.search(sentence)


_UNSTATED = re.compile(r"\b(?:never|not|if|unless|whether)\b|n['’]t\b|\?\s*$", re.IGNORECASE)
_PLAN = re.compile(
    r"\b(?:acquisition|engagement|job|marriage|merger|move|offer|relocation|takeover|transfer|"
    r"wedding)\b",
    re.IGNORECASE,
)
_OFF = re.compile(
    r"\b(?:is|are|was|were) off\b(?! (?:to|the)\b)|\b(?:call|put|push)(?:ed)?\b.*? (?:off|back)\b|"
    r"\b(?:cancel|postpon|rescind|withdr[ae]w)|\b(?:fell|fallen) through\b|\bturned down\b",
    re.IGNORECASE,
)


def without_denials(text: str) -> tuple[str, list[int]]:
    """Return a text with blanks for what it denies beside what it states: ``not Acme but Globex``.

    The words that take back what was said are blanks as well; returned, too, is where these end.
    """
    text = _ANY_MORE.sub(lambda match: "anymore".ljust(len(match.group())), text)
    text = _CONTRAST.sub(_blank, _ASIDE.sub(_blank, text))
    ends = [match.end() for match in _TAKING_BACK.finditer(text)]
    return _TAKING_BACK.sub(_blank, text), ends


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())
