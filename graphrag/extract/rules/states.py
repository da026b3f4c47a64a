"""Who is dead and who is alive: ``Ann died in May``, ``was killed``, ``is alive and well``."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lexicon import Manner
from graphrag.extract.rules.lifetime import ALWAYS, CANCELLED, Life, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.phrases import Phrase
from graphrag.ontology.relations import VITAL

if TYPE_CHECKING:
    from spacy.tokens import Token

COPULAS = frozenset("be become remain stay turn".split())
_DYING = frozenset("die perish succumb".split())
_KILLED = frozenset("kill murder assassinate".split())
_WHO = frozenset("he she who which".split())


def read_death(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield who is dead: ``Ann died in May``, ``passed away``, ``was killed``, ``is dead``."""
    word = None if clause.negated else _dying(clause)
    if word is None:
        return
    for subject in clause.subjects:
        one = line.name(subject)
        if one is None or not one.named or one is line.scene.speaker:
            continue  # "I always die in the last two kilometres"
        if subject.pos_ == "PRON" and subject.lower_ not in _WHO:
            continue
        guessed = max(one.votes.values(), default=0) <= 1
        if not (guessed or one.entity_type == "person" or one.votes["person"] > 2):
            continue  # "the engine died"
        one.votes["person"] += 2 if guessed else 0
        manner: Manner = "start" if word == clause.verb else "state"
        life = lifetime(manner, clause, line.periods(clause.verb, word), line.reference)
        if life is not None:
            yield dead(one, word, line, life)


def _dying(clause: Clause) -> "Token | None":
    """Return the word of a clause that says that its subject is dead."""
    if clause.passive:
        survived = clause.lemma == "survive" and "agent" in clause.arguments
        return clause.verb if survived or clause.lemma in _KILLED else None
    gone = clause.lemma == "pass" and any(child.lower_ == "away" for child in clause.verb.children)
    if (
        (gone or clause.lemma in _DYING)
        and (gone or not clause.particles)
        and not clause.arguments.keys() & {"dobj", "as"}
    ):
        return clause.verb
    words = (child for child in clause.verb.children if child.dep_ in ("acomp", "oprd"))
    stated = clause.lemma in ("be", "lie")
    return next((child for child in words if stated and child.lower_ == "dead"), None)


def lies(copula: "Token") -> bool:
    """Tell whether what is somewhere lies there: not ``the Rovers are in Leeds``, ``on Friday``."""
    if copula.lower_ in ("are", "were", "be"):
        return False
    return not any(child.dep_ == "prep" and child.lower_ == "on" for child in copula.children)


def read_living(stated: Iterable[Clause], line: Line) -> Iterator[Draft]:
    """Yield who is not dead: ``Ann is alive and well``, ``did not die``, ``isn't dead``."""
    for clause in stated:
        words = {child.lower_ for child in clause.verb.children if child.dep_ == "acomp"}
        be = clause.lemma in ("be", "remain") and not clause.past
        bare = clause.lemma == "die" and not any(
            child.dep_ in ("prep", "npadvmod", "advcl", "dobj", "tmod")
            for child in clause.verb.children
        )
        said = be and ("dead" if clause.negated else "alive") in words
        if not said and not (bare and clause.negated):
            continue
        for subject in clause.subjects:
            one = line.name(subject)
            if one is not None and one.named and one.votes["organization"] <= 1:
                one.votes["person"] += 2
                yield replace(dead(one, clause.verb, line, CANCELLED), relation=VITAL)


def dead(one: Name, word: "Token", line: Line, life: Life = ALWAYS) -> Draft:
    """Return the claim that somebody is dead, as a word says."""
    phrase = Phrase("dead", word.idx, word.idx + len(word), False)
    return line.draft(one, "has_status", line.scene.add(phrase, line.offset), life)
