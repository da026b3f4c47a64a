"""The clauses of a sentence: a verb, its tense and its arguments."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphrag.extract.rules.slots import (
    SUBJECTS,
    bearer,
    collect,
    conjoined,
    is_ruled_out,
    is_task,
    joined_to,
    own_subjects,
    relate,
)
from graphrag.extract.rules.truth import NEGATIONS, is_denying, is_over, is_question, is_stated

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_DENIALS = frozenset(
    "dont doesnt didnt havent hasnt hadnt isnt arent wasnt werent wont cant couldnt wouldnt "
    "shouldnt aint".split()
)
"""Contractions as people type them."""
_WHEN = frozenset({"after", "before", "since", "by", "on", "upon", "while"})
_ASPECT = frozenset({"start", "begin", "continue", "keep", "use"})


@dataclass(slots=True)
class Clause:
    """A verb with its arguments as tokens; conjoined arguments are listed one by one."""

    verb: "Token"
    lemma: str
    subjects: list["Token"]
    passive: bool
    negated: bool
    no_longer: bool
    after_all: bool
    """``not after all``: what was said before is taken back."""
    future: bool
    past: bool
    perfect: bool
    pluperfect: bool = False
    """``had worked``."""
    over: bool = False
    """``once``, ``formerly``, ``used to``: it is said to be past."""
    particles: tuple[str, ...] = ()
    """``up`` of ``sign up``."""
    arguments: dict[str, list["Token"]] = field(default_factory=dict)
    """``dobj``, ``attr``, ``agent`` and prepositions to head nouns; ``gerund`` to verbs."""

    @property
    def lasting(self) -> bool:
        """``has been working``: it goes on."""
        return self.perfect and not self.pluperfect and self.verb.tag_ == "VBG"

    @property
    def coming(self) -> bool:
        """``is going``: what is under way, or planned."""
        return self.verb.tag_ == "VBG" and not self.past and not self.perfect

    def is_over_with(self, noun: "Token") -> bool:
        """Tell whether it is so no longer: of ``no longer in Rome but in Paris`` only Rome."""
        between = noun.doc[self.verb.i : noun.i]
        return self.no_longer and not any(token.lower_ == "but" for token in between)


def clauses(sentence: "Span") -> Iterator[Clause]:
    """Yield the clauses of a sentence that are stated as true, in order.

    Left out are questions, conditions, wishes, rumours, modal and hypothetical clauses. Negated
    clauses come only with ``no_longer``.
    """
    for clause in _all(sentence):
        if not clause.negated or clause.no_longer or clause.after_all:
            yield clause


def _all(sentence: "Span") -> Iterator[Clause]:
    if sentence.text.rstrip(" \"')").endswith("?") or is_question(sentence):
        return
    for verb in sentence:
        if not _is_verb(verb) or verb.dep_ in ("aux", "auxpass"):
            continue
        clause = _clause(verb)
        if clause.subjects and is_stated(verb):
            yield clause


def denials(sentence: "Span") -> Iterator[Clause]:
    """Yield the clauses that say that something never was: ``never worked at X``."""
    if sentence.text.rstrip(" \"')").endswith("?") or is_question(sentence):
        return
    for verb in sentence:
        above = verb
        while above.dep_ == "conj":
            above = above.head
        if above.dep_ != "ROOT" or not _is_verb(verb) or not is_stated(verb):
            continue
        clause = _clause(verb)
        never = any(child.dep_ == "neg" and child.lower_ == "never" for child in verb.children)
        more = [child for child in verb.children if child.dep_ in ("prep", "dobj", "advmod")]
        past = (clause.past or clause.perfect) and not clause.pluperfect
        if never and past and len(more) == 1:  # no denial of a time or a manner
            yield clause


def _is_verb(token: "Token") -> bool:
    if token.pos_ in ("VERB", "AUX"):
        return True
    # "Ann and Bob work at Acme": tagged as a noun, but it has a subject.
    return token.pos_ == "NOUN" and any(child.dep_ == "nsubj" for child in token.children)


def _clause(verb: "Token") -> Clause:
    auxiliaries = [child for child in verb.children if child.dep_ in ("aux", "auxpass")]
    words = {child.lower_ for child in verb.children if child.dep_ in ("neg", "advmod")}
    no_longer = (
        any(
            child.lower_ == "longer" and any(part.lower_ == "no" for part in child.children)
            for child in verb.children
        )
        or "anymore" in words
    )
    subjects = _subjects(verb)
    objects = [child for child in verb.children if child.dep_ in ("dobj", "attr")][:1]
    negated = (
        bool(words & NEGATIONS)
        or no_longer
        or any(is_ruled_out(token) for token in (verb, *subjects, *objects))
        or any(is_denying(child) for noun in subjects + objects for child in noun.children)
        or any(noun.lower_ in NEGATIONS for noun in subjects + objects)
    )
    passive = any(child.dep_ in ("auxpass", "nsubjpass") for child in verb.children) or (
        verb.tag_ == "VBN"
        and (verb.dep_ in ("acl", "advcl") or (verb.dep_ == "conj" and _is_passive(verb.head)))
        and not any(child.lemma_ == "have" for child in auxiliaries)
    )
    negated = negated or any(child.lower_ in _DENIALS for child in verb.children)
    tags = {verb.tag_, *(child.tag_ for child in auxiliaries)}
    if verb.dep_ in ("pcomp", "advcl") and verb.tag_ == "VBG":
        tags.add(_above(verb).tag_)  # "after graduating she worked"
    perfect = any(child.lemma_.lower() in ("have", "'ve") for child in auxiliaries)
    used = verb.dep_ == "xcomp" and verb.head.lower_ == "used"
    passive = passive or bool(verb.tag_ == "VBN" and {c.dep_ for c in verb.children} & {"agent"})
    clause = Clause(
        verb=verb,
        lemma=verb.lemma_.lower(),
        subjects=subjects,
        passive=passive,
        negated=negated,
        no_longer=no_longer,
        after_all=negated and "after all" in verb.sent.text.lower(),
        future=any(child.lower_ in ("will", "'ll", "shall") for child in auxiliaries),
        past="VBD" in tags,
        perfect=perfect,
        pluperfect=perfect and "VBD" in {child.tag_ for child in auxiliaries},
        over=used or is_over(verb),
        particles=tuple(
            child.lower_
            for child in verb.children
            if child.dep_ == "prt" or (child.dep_ == "advmod" and child.lower_ == "down")
        ),
    )
    collect(clause.arguments, verb)
    if verb.dep_ == "relcl":
        relate(clause.arguments, verb)
    return clause


def _subjects(verb: "Token") -> list["Token"]:
    own = own_subjects(verb)
    if own:
        return conjoined(own[-1])  # of two, the first is a vocative: "Ann, I got a letter"
    if any(child.dep_ == "expl" for child in verb.children):
        return []  # "there was a queue"
    joined = joined_to(verb)
    if joined is not None:
        return [] if _interrupted(verb) else _subjects(joined)
    if verb.dep_ == "acl" and verb.tag_ in ("VBN", "VBG"):
        return [bearer(verb.head)]
    begun = verb.dep_ == "xcomp" and verb.head.lemma_ in _ASPECT
    if begun and verb.head.lemma_ == "use":
        begun = not any(child.dep_ == "dobj" for child in verb.head.children)  # "using X to sleep"
    if begun or is_task(verb):
        return _subjects(verb.head)
    if verb.dep_ == "pcomp" and verb.tag_ == "VBG" and verb.head.lower_ in _WHEN:
        return _subjects(_above(verb)) if _above(verb).pos_ in ("VERB", "AUX") else []
    if verb.dep_ == "advcl" and verb.tag_ in ("VBG", "VBN"):
        return _subjects(verb.head)
    return []


def _above(verb: "Token") -> "Token":
    return verb.head.head if verb.dep_ == "pcomp" else verb.head


def _interrupted(verb: "Token") -> bool:
    """Tell whether another subject stands between a joined verb and the one it is joined to.

    In ``it roared so that she was afraid and shut the gate`` the parser often joins ``shut`` to
    ``roared``; who shut it is then unclear.
    """
    return any(
        token.dep_ in SUBJECTS and token.head.i < verb.i and token.head.dep_ != "relcl"
        for token in verb.doc[verb.head.i + 1 : verb.i]
    )


def _is_passive(verb: "Token") -> bool:
    return any(child.dep_ in ("auxpass", "nsubjpass") for child in verb.children)
