"""The clauses of a sentence: a verb, its tense and its arguments."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphrag.extract.rules.slots import collect, conjoined, relate
from graphrag.extract.rules.subjects import (
    SUBJECTS,
    bearer,
    is_ruled_out,
    is_task,
    is_told,
    joined_to,
    own_subjects,
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
_BESIDE_NEVER = frozenset("nsubj nsubjpass aux auxpass neg prep dobj punct cc conj".split())
_OF_A_NAME = frozenset("det compound flat nmod punct".split())
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
    """Yield the clauses that say of all the past that something never was: ``never worked at X``.

    Nothing else is said in them, so that it is no denial of a time, a manner or a repetition.
    """
    if sentence.text.rstrip(" \"')").endswith("?") or is_question(sentence):
        return
    for verb in sentence:
        above = verb
        while above.dep_ == "conj":
            above = above.head
        if above.dep_ != "ROOT" or not _is_verb(verb) or not is_stated(verb):
            continue
        if [child.lower_ for child in verb.children if child.dep_ == "neg"] != ["never"]:
            continue
        clause = _clause(verb)
        if (clause.past or clause.perfect) and not clause.pluperfect and _is_bare(verb):
            yield clause


def _is_bare(verb: "Token") -> bool:
    """Tell whether a verb has one argument, which is a name alone, and nothing else."""
    roles = [child for child in verb.children if child.dep_ in ("prep", "dobj")]
    if len(roles) != 1 or any(child.dep_ not in _BESIDE_NEVER for child in verb.children):
        return False
    names = list(roles[0].children) if roles[0].dep_ == "prep" else roles
    return len(names) == 1 and all(
        name.pos_ == "PROPN" and all(child.dep_ in _OF_A_NAME for child in name.children)
        for name in names
    )


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
    others = [subject for subject in subjects if subject != verb]
    objects = [child for child in verb.children if child.dep_ in ("dobj", "attr")][:1]
    negated = (
        bool(words & NEGATIONS)
        or no_longer
        or any(is_ruled_out(token) for token in (verb, *others, *objects))
        or any(is_denying(child) for noun in others + objects for child in noun.children)
        or any(noun.lower_ in NEGATIONS for noun in others + objects)
    )
    passive = any(child.dep_ in ("auxpass", "nsubjpass") for child in verb.children) or (
        verb.tag_ == "VBN"
        and (verb.dep_ in ("acl", "advcl") or (verb.dep_ == "conj" and _is_passive(verb.head)))
        and not any(child.lemma_ == "have" for child in auxiliaries)
    )
    if subjects == [verb] and verb.tag_ == "VBN":  # "Born in Leh"; "sold the car" is active
        passive = not any(child.dep_ == "dobj" for child in verb.children)
    negated = negated or any(child.lower_ in _DENIALS for child in verb.children)
    tags = {verb.tag_, *(child.tag_ for child in auxiliaries)}
    if verb.dep_ in ("pcomp", "advcl") and verb.tag_ == "VBG":
        tags.add(_above(verb).tag_)  # "after graduating she worked"
    if verb.dep_ == "conj" and not auxiliaries and verb.tag_ == verb.head.tag_ == "VBN":
        auxiliaries = [child for child in verb.head.children if child.dep_ in ("aux", "auxpass")]
        tags |= {child.tag_ for child in auxiliaries}  # "was sacked and replaced"
    if verb.dep_ == "conj" and verb.head.tag_ == "VB" and verb.tag_ in ("VB", "VBP"):
        if not own_subjects(verb) and not auxiliaries:  # "I'll rest and see a doctor"
            auxiliaries = [child for child in verb.head.children if child.dep_ == "aux"]
    if verb.dep_ == "advcl" and verb.tag_ == "VBG":  # "I'll watch it, using Mint"
        auxiliaries = auxiliaries + [child for child in verb.head.children if child.tag_ == "MD"]
    perfect = any(child.lemma_.lower() in ("have", "'ve") for child in auxiliaries)
    used = verb.dep_ == "xcomp" and verb.head.lower_ == "used"
    passive = passive or bool(verb.tag_ == "VBN" and {c.dep_ for c in verb.children} & {"agent"})
    if is_told(verb):
        passive, tags = False, {*tags, "VBD"}
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
        relate(clause.arguments, verb, passive=passive)
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
    if verb.dep_ == "acl" and verb.tag_ == "VBD":
        return [verb.head]  # "My boss, Petra, left on Friday"
    if verb.dep_ == "acl" and verb.tag_ in ("VBN", "VBG"):
        return [bearer(verb.head, verb)]
    begun = verb.dep_ == "xcomp" and verb.head.lemma_ in _ASPECT
    if begun and verb.head.lemma_ == "use":
        begun = not any(child.dep_ == "dobj" for child in verb.head.children)  # "using X to sleep"
    if begun or is_task(verb):
        return _subjects(verb.head)
    if verb.dep_ == "ROOT" and _is_dropped(verb):
        return [verb]
    if verb.dep_ == "pcomp" and verb.tag_ == "VBG" and verb.head.lower_ in _WHEN:
        return _subjects(_above(verb)) if _above(verb).pos_ in ("VERB", "AUX") else []
    if verb.dep_ == "advcl" and verb.tag_ in ("VBG", "VBN"):
        if verb.tag_ == "VBN" and verb.i > verb.head.i and not is_told(verb):
            if any(child.dep_ == "dobj" for child in verb.head.children):
                return []  # "he found the man engaged in thought": the object is meant as often
        return _subjects(verb.head)
    return []


def _above(verb: "Token") -> "Token":
    return verb.head.head if verb.dep_ == "pcomp" else verb.head


def _is_dropped(verb: "Token") -> bool:
    """Tell whether a clause leaves out its subject, as notes do: ``sold the car last week``."""
    if verb.tag_ not in ("VBD", "VBN") or verb.doc[-1].text == "?":
        return False
    before = [token for token in verb.sent if token.i < verb.i and not token.is_punct]
    return all(
        token.dep_ in ("advmod", "intj", "aux", "cc", "neg") for token in before
    ) and not any(child.dep_ in ("nsubj", "nsubjpass", "expl") for child in verb.children)


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
