"""Whether a verb is stated as true, and what a text denies beside what it states."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacy.tokens import Span, Token

_CONTRACTED = frozenset(
    "dont doesnt didnt havent hasnt hadnt isnt arent wasnt werent wont cant couldnt wouldnt "
    "shouldnt aint".split()
)
"""Contractions as people type them."""
_SUBJECTS = ("nsubj", "nsubjpass")
_HEDGED = frozenset(
    "want hope wish plan deny claim allege rumour rumor suggest think believe suppose dream "
    "pretend doubt fear imagine wonder guess seem appear".split()
)
"""Verbs whose complement is not stated as true."""
_LEADING = frozenset({"so", "and", "but", "then", "well"})
_DOUBTS = frozenset(
    "almost nearly maybe perhaps allegedly probably possibly reportedly apparently supposedly "
    "likely hopefully presumably".split()
)
_POSSIBLE = frozenset("could would 'd might may should".split())
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
    subject = next((child for child in root.children if child.dep_ in _SUBJECTS), None)
    if subject is None:
        return False
    helpers = [child for child in root.children if child.dep_ in ("aux", "auxpass")]
    helpers += [root] if root.lemma_ == "be" else []
    words = (token for token in sentence if token.is_alpha and token.dep_ not in ("intj", "cc"))
    first = next((token for token in words if token.lower_ not in _LEADING), root)
    asked = first in helpers or (first.tag_ in ("WP", "WRB", "WDT", "WP$") and first.head == root)
    return asked and any(token.i < subject.i for token in helpers)


def joined(verb: "Token") -> "Iterator[Token]":
    """Yield a verb and those it is joined to without a subject of its own: one says for all.

    In "if Ann leaves Acme and joins Globex" both are conditions.
    """
    yield verb
    while verb.dep_ == "conj" and not any(child.dep_ in _SUBJECTS for child in verb.children):
        verb = verb.head
        yield verb


def is_asserted(verb: "Token") -> bool:
    """Tell whether a verb is asserted or denied: not only possible, conditional or wished."""
    return all(map(_is_asserted, joined(verb)))


def _is_asserted(verb: "Token") -> bool:
    for child in verb.children:
        possible = child.tag_ == "MD" and child.lower_ in _POSSIBLE
        conditional = child.dep_ == "mark" and child.lower_ in ("if", "unless", "whether")
        if possible or conditional or child.lower_ in _DOUBTS:
            return False
    above = verb.head
    return verb.dep_ not in ("ccomp", "xcomp") or not (
        above.lemma_.lower() in _HEDGED or is_negated(above)
    )


def is_ruled_out(word: "Token") -> bool:
    """Tell whether ``nor`` or ``neither`` joins a verb or a name to others that are denied, too."""
    joining = [child for child in word.children if child.dep_ in ("cc", "preconj", "det")]
    if word.dep_ == "conj":
        before = (child for child in word.head.children if word.head.i < child.i < word.i)
        joining += [child for child in before if child.dep_ == "cc"]
    noun = word.pos_ in ("NOUN", "PROPN")
    said = {child.lower_ for child in joining if noun or child.i < word.i}
    return not said.isdisjoint(("nor", "neither"))


def is_negated(verb: "Token") -> bool:
    """Tell whether a verb is denied: ``has not hired``, but not ``no longer hires``."""
    words = {child.lower_ for child in verb.children}
    if words & {"longer", "anymore"}:
        return False
    return bool(words & _CONTRACTED) or any(child.dep_ == "neg" for child in verb.children)


def denies(sentence: "Span") -> bool:
    """Tell whether a sentence denies something of a name: ``Ann is not the mayor of Kell``."""
    if sentence.text.rstrip(" \"')").endswith("?") or is_question(sentence):
        return False
    return any(_is_denial(verb) for verb in sentence if verb.pos_ in ("VERB", "AUX"))


def _is_denial(verb: "Token") -> bool:
    above = verb
    while above.dep_ == "conj":
        above = above.head
    if above.dep_ != "ROOT" or not is_negated(verb) or not is_asserted(verb):
        return False
    more = [
        child
        for child in verb.children
        if child.dep_ in ("prep", "dobj", "attr", "advmod")
        and child.lower_ not in ("never", "all")  # "after all"
    ]  # of two, one is a time or a manner: "does not work hard at Acme", "never for long"
    named = any(
        token.pos_ == "PROPN" and token.i > verb.i and token.ent_type_ not in _TIMES
        for token in verb.subtree
    )
    return named and len(more) == 1


_TIMES = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "MONEY", "PERCENT", "QUANTITY"})
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


def without_retractions(text: str) -> tuple[str, list[int]]:
    """Return a text with blanks for words such as ``scratch that``, and where these end."""
    ends = [match.end() for match in _TAKING_BACK.finditer(text)]
    return _TAKING_BACK.sub(lambda match: " " * len(match.group()), text), ends
