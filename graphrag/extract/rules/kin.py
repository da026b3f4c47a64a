"""Who is whose relative: ``Ann's sister Eva``, ``their twins, Ines and Paul``, ``her aunt``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lexicon import KIN
from graphrag.extract.rules.lifetime import ALWAYS, GONE, Life, lifetime
from graphrag.extract.rules.name import CandidateClaim, Name, gender_of
from graphrag.extract.rules.sentence import Sentence
from graphrag.extract.rules.slots import conjoined
from graphrag.extract.rules.trades import is_former

if TYPE_CHECKING:
    from spacy.tokens import Token

_PAIRS = {"engaged": "engaged_to", "married": "married_to"}
_BLOOD = frozenset({"parent_of", "sibling_of", "grandparent_of", "cousin_of", "aunt_or_uncle_of"})
_EX = frozenset({"ex-wife", "ex-husband", "ex-partner"})


def read_kin(line: Sentence, stated: list[Clause]) -> Iterator[CandidateClaim]:
    """Yield what the nouns of kinship of a sentence say of those with a name."""
    true = {clause.verb.i for clause in stated}
    for noun in line.sentence:
        word = noun.lemma_.lower()
        if noun.pos_ not in ("NOUN", "PROPN") or (word not in KIN and not _former(noun)):
            continue
        for owner in _owners(noun, line):
            for token in _named(noun, true):
                other = line.name(token)
                if other is None or other is owner or not other.named:
                    continue
                yield from _related(owner, other, noun, line)


def _former(noun: "Token") -> bool:
    return noun.lower_ in _EX


def _owners(noun: "Token", line: Sentence) -> list[Name]:
    """Return whose relative it is: of ``her``, ``Ann's``, ``of Ann``, or the subject's."""
    within = noun.dep_ in ("compound", "nmod") and noun.head.pos_ == "PROPN"
    of = [*noun.children, *(noun.head.children if within else ())]  # "whose father Albert Lee"
    words = [child for child in of if child.dep_ == "poss"]
    for child in noun.children if not words else ():
        if child.dep_ == "prep" and child.lower_ in ("of", "to"):
            words += [target for target in child.children if target.dep_ == "pobj"]
    several = [token for word in words for token in (word, *word.conjuncts)]
    found = (line.name(member) for word in several for member in line.scene.members(word))
    return [name for name in found if name is not None and name.named]


def _named(noun: "Token", true: set[int]) -> list["Token"]:
    """Return the names of relatives that a noun of kinship introduces, or is said of."""
    after = [child for child in noun.children if child.dep_ == "appos" and child.pos_ == "PROPN"]
    called = [child for child in noun.children if child.lower_ in ("called", "named")]
    after += [token for child in called for token in child.children if token.dep_ == "oprd"]
    if after and noun.tag_ == "NN":
        return after[:1]  # "her wife Eva and their twins, Ada and Erik"
    if after:
        return [token for child in after for token in conjoined(child)]
    if noun.dep_ in ("compound", "nmod") and noun.head.pos_ == "PROPN" and noun.pos_ == "NOUN":
        return conjoined(noun.head)
    if noun.dep_ == "appos" and noun.head.pos_ == "PROPN":
        return [noun.head]
    if noun.dep_ == "attr" and noun.head.lemma_ == "be" and noun.head.i in true:
        return [c for c in noun.head.children if c.dep_ == "nsubj" and c.pos_ == "PROPN"]
    if noun.dep_ == "nsubj" and noun.head.lemma_ == "be" and noun.head.i in true:
        return [c for c in noun.head.children if c.dep_ == "attr" and c.pos_ == "PROPN"]
    return []


def _is_in_law(noun: "Token") -> bool:
    """Tell whether a word of kin goes on: ``mother-in-law``."""
    after = noun.doc.text[noun.idx + len(noun) :].lower()
    return after.startswith(("-in-law", " in law", " in-law"))


def _related(owner: Name, other: Name, noun: "Token", line: Sentence) -> Iterator[CandidateClaim]:
    word = noun.lower_ if noun.lower_ in KIN else noun.lemma_.lower().removeprefix("ex-")
    relation, reverse = ("relative_of", False) if _is_in_law(noun) else KIN[word]
    for name in (owner, other):
        name.votes["person"] += 2
    other.gender = other.gender or gender_of(word)
    ended = is_former(noun) or _former(noun)
    bereft = word in ("widow", "widower")
    life: Life = GONE if bereft or (ended and relation not in _BLOOD) else ALWAYS
    one, two = (owner, other) if reverse else (other, owner)
    yield line.draft(one, relation, two, life)


def read_pair(clause: Clause, line: Sentence) -> Iterator[CandidateClaim]:
    """Yield ``Anna and Ben became engaged``, ``Anna is married to Ben``, ``they divorced``."""
    states = [child for child in clause.verb.children if child.dep_ == "acomp"]
    states += [clause.verb] if clause.passive else []
    relation = next((_PAIRS[state.lower_] for state in states if state.lower_ in _PAIRS), None)
    manner = "end" if clause.no_longer else "start"
    parted = clause.lemma in ("split", "break") and "up" in clause.particles
    parted |= clause.lemma == "part" and clause.perfect
    active = not clause.passive or clause.lemma == "divorce"  # "they got divorced"
    if (clause.lemma in ("divorce", "separate", "marry") or parted) and active:
        if not (clause.arguments.keys() & {"dobj", "from", "to"}) and len(clause.subjects) > 1:
            relation = "partner_of" if parted else "married_to"
            manner = "start" if clause.lemma == "marry" else "end"
    if relation is None or (clause.negated and not clause.no_longer):
        return
    people = [*clause.subjects, *(target for state in states for target in _partners(state))]
    names = list(dict.fromkeys(name for token in people if (name := line.name(token))))
    if len(names) != 2 or not all(name.named for name in names):
        return
    for name in names:
        name.votes["person"] += 3
    periods = line.periods(clause.verb, *states)
    if manner == "start" and clause.lemma == "be" and not any(p.bound == "in" for p in periods):
        life = lifetime("state", clause, periods, line.reference)
    else:
        life = lifetime("end" if manner == "end" else "start", clause, periods, line.reference)
    if life is not None:
        yield line.draft(names[0], relation, names[1], life)


def _partners(state: "Token") -> Iterator["Token"]:
    for child in state.children:
        if child.dep_ == "prep" and child.lower_ == "to":
            yield from (target for target in child.children if target.dep_ == "pobj")
