"""In which state something is: ``is closed``, ``out of order``, ``was demolished``, ``reopened``.

Verbs of a change leave their subject in its outcome, adjectives and phrases name the state. What
such a verb says of somebody is no state of theirs, and what has no name must be that one thing at a
time that the text tells.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
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
_LYING = COPULAS | frozenset("go lie stand sit keep get fall come".split())
_OUTCOMES = {
    "open": "open", "reopen": "open", "close": "closed", "shut": "closed", "die": "dead",
    "retire": "retired", "drown": "dead", "break": "broken", "sink": "sunk", "fail": "failed",
    "resume": "resumed", "restart": "restarted", "fold": "folded", "collapse": "collapsed",
    "expire": "expired", "lapse": "lapsed", "perish": "dead", "succumb": "dead",
}  # fmt: skip
"""Verbs without an object that put their subject in a state."""
_ACTED = frozenset(
    "open reopen close shut destroy demolish raze dismantle scrap withdraw suspend discontinue "
    "abolish cancel postpone abandon evacuate flood drain repair restore renovate rebuild "
    "refurbish modernise modernize decommission deactivate disable enable activate block seal "
    "damage wreck "
    "sink lose steal dissolve liquidate disband halt pause freeze ban repeal deprecate archive "
    "complete finish break fix settle shelve scrap mothball ground seize condemn declare extend "
    "list privatise privatize nationalise nationalize electrify automate vacate empty resume "
    "restart relaunch shorten clear acquit cure relegate promote exhibit display isolate".split()
)
"""Verbs whose object is in the state that their participle names."""
_DEEDS = frozenset(
    "close shut destroy demolish raze dismantle scrap suspend discontinue abolish cancel postpone "
    "abandon evacuate flood decommission disband ban repeal deprecate shelve wreck reopen".split()
)
"""Those of them that say it of their object whoever did it."""
_ACTED_WITH = frozenset(
    "shut_down take_down pull_down tear_down knock_down burn_down break_down break_up wind_up "
    "blow_up wash_away wash_out sweep_away switch_off switch_on turn_off turn_on phase_out "
    "call_off put_off lay_up close_down burn_out rule_out sell_out tow_away cut_off".split()
)
_ALONE_WITH = frozenset(
    "shut_down burn_down break_down close_down fall_down burn_out die_out shut_up dry_up go_down "
    "go_under".split()
)
_KILLED = frozenset("kill murder assassinate".split())
_OF_PERSONS = frozenset(
    "dead unemployed retired pregnant single widowed divorced sober injured convicted acquitted "
    "cleared cured".split()
)
_EITHER = frozenset("suspended injured banned missing available unavailable".split())
_STATES = frozenset(
    "open closed shut bankrupt insolvent discontinued decommissioned unemployed retired pregnant "
    "single widowed divorced idle vacant dark derelict disused defunct dormant offline online live "
    "inactive unavailable extinct overdue obsolete deprecated mothballed broken faulty "
    "flooded out down missing suspended banned sober injured roofless unsafe "
    "dead primary default mandatory optional compulsory operational".split()
)
"""Adjectives of a state that lasts."""
_SAME = {"shut": "closed", "reopened": "open"}
_SITUATIONS = frozenset(
    "under repair,under construction,under renovation,under review,on leave,on sabbatical,"
    "on strike,in hospital,in prison,in jail,in custody,in rehab,in remission,on hold,on loan,"
    "in storage,in ruins,in administration,in receivership,in liquidation,in quarantine,in use,"
    "out of order,out of service,out of use,out of print,out of stock,out of action,"
    "off sick,on display,on tour,at sea,in force,on parole,on bail,on call,on duty".split(",")
)
_PEOPLES = frozenset(
    "on leave,on sabbatical,in hospital,in prison,in jail,in custody,in rehab,in remission,"
    "off sick,on parole,on bail,on tour,on call,on duty".split(",")
)
_FOR_GOOD = re.compile(r"\b(?:for good|for ever|forever|permanently|for the last time)\b")
_WHO = frozenset("he she i who which".split())
_DEFINITE = frozenset({"the", "this", "our", "my", "their", "its", "his", "her", "both"})


def read_status(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield ``the bridge is closed``, ``will be under repair``, ``reopened``, ``is on leave``."""
    if clause.negated and not clause.no_longer:
        return
    found = state_of(clause)
    if found is None:
        return
    words, token, subjects = found
    for subject in subjects:
        one = line.name(subject)
        if one is None or (subject.pos_ == "PRON" and subject.lower_ not in _WHO):
            continue
        if not _bears(one, words) or (one is line.scene.speaker and words == "dead"):
            continue  # "I always die in the last two kilometres"
        manner: Manner = "start" if token == clause.verb else "state"
        manner = "end" if clause.no_longer else manner
        life = lifetime(manner, clause, line.periods(clause.verb, token), line.reference)
        planned = clause.lemma in ("cancel", "postpone", "call", "put")  # read with its plan
        if words == "dead" and one.named and max(one.votes.values(), default=0) <= 1:
            one.votes["person"] += 2
        if life is None or not (one.named or (_is_that(subject, life) and not planned)):
            continue  # any bridge, any meeting
        phrase = Phrase(words, token.idx, token.idx + len(token), False)
        yield line.draft(one, "has_status", line.scene.add(phrase, line.offset), life)
        away = words in ("on leave", "on sabbatical") and not clause.past
        for body in clause.arguments.get("from", ()) if away else ():
            named = body.pos_ == "PROPN" and body.ent_type_ not in ("GPE", "DATE")
            if named and (firm := line.name(body)) is not None and firm is not one:
                firm.votes["organization"] += 3
                yield line.draft(one, "works_at", firm)  # "on leave from Acme until June"


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


def _bears(one: Name, words: str) -> bool:
    """Tell whether a state is one of people, where somebody is said to be in it, or of things."""
    person = one.entity_type == "person" or one.votes["person"] > 2
    if words in _EITHER:
        return True
    if words in _OF_PERSONS or words in _PEOPLES:
        return person or max(one.votes.values(), default=0) <= 1
    guess = one.named and " " not in one.text and max(one.votes.values(), default=0) <= 1
    done = words in ("open", "closed", "fall down", "go down", "shut up", "burn out")
    return not person and not (guess and done)  # "Bernadette opened", "Toto had fallen down"


def _is_that(subject: "Token", life: Life) -> bool:
    """Tell whether a thing without a name can be spoken of again: that one, at a time."""
    if subject.pos_ != "NOUN" or subject.lemma_.lower() in lexicon.EMPTY_NOUNS:
        return False
    if life.start is None and life.end is None:
        return False
    before = {child.lower_ for child in subject.children if child.dep_ in ("det", "poss")}
    return bool(before & _DEFINITE)


def state_of(clause: Clause) -> "tuple[str, Token, list[Token]] | None":
    """Return the state a clause puts something in, the word that says so, and what is in it."""
    verb = clause.verb
    phrasal = "_".join((clause.lemma, *_particles(verb)))
    acted = clause.arguments.get("dobj") or clause.arguments.get("agent")
    doors = clause.arguments.get("dobj", [])
    if clause.lemma in ("close", "shut") and not clause.passive and doors:
        lasting = _FOR_GOOD.search(verb.sent.text)
        if lasting and doors[0].lemma_ == "door":
            return "closed", verb, clause.subjects  # "closed its doors for good"
    if clause.passive:
        if phrasal in _ACTED_WITH:
            return f"{verb.lower_} {phrasal.partition('_')[2]}", verb, clause.subjects
        if clause.lemma in _KILLED or (clause.lemma == "survive" and "agent" in clause.arguments):
            return "dead", verb, clause.subjects  # "is survived by her sons"
        if clause.lemma in _ACTED and "dobj" not in clause.arguments:
            return _OUTCOMES.get(clause.lemma, verb.lower_), verb, clause.subjects
    elif clause.lemma in ("lose", "take") and any(map(_own_life, clause.arguments.get("dobj", ()))):
        return "dead", verb, clause.subjects
    elif clause.arguments.get("dobj") and (phrasal in _ACTED_WITH or clause.lemma in _DEEDS):
        participle = _OUTCOMES.get(clause.lemma) or _participle(verb)
        return participle, verb, clause.arguments["dobj"]
    elif not acted:
        if phrasal == "pass_away":
            return "dead", verb, clause.subjects
        if phrasal in _ALONE_WITH:
            return phrasal.replace("_", " "), verb, clause.subjects
        if phrasal in _OUTCOMES and "as" not in clause.arguments:
            return _OUTCOMES[clause.lemma], verb, clause.subjects
    if clause.lemma not in _LYING:
        return None
    for child in verb.children:
        if child.dep_ in ("acomp", "oprd", "advmod", "prt") and child.lower_ in _STATES:
            particle = child.dep_ in ("advmod", "prt")
            onwards = particle and verb.doc[child.i + 1 : child.i + 2].text in ("to", "by", "from")
            if not particle or (clause.lemma == "be" and not onwards):  # "is down to 310"
                return _SAME.get(child.lower_, child.lower_), child, clause.subjects
        words = " ".join([child.lower_, *(t.lower_ for t in verb.doc[child.i + 1 : child.i + 3])])
        for phrase in (words, words.rpartition(" ")[0]):
            if phrase in _SITUATIONS:
                return phrase, child, clause.subjects
    return None


def _own_life(noun: "Token") -> bool:
    """Tell whether it is ``her life`` that is lost, ``her own life`` that is taken."""
    before = {child.lower_ for child in noun.children}
    own = noun.head.lemma_ == "lose" or "own" in before
    return noun.lemma_ == "life" and own and bool(before & {"his", "her", "their"})


def _participle(verb: "Token") -> str:
    word = verb.lemma_.lower()
    ending = "d" if word.endswith("e") else "ed"
    doubled = word[-1] if word in ("scrap", "ban") else ""
    consonant = word.endswith("y") and word[-2] not in "aeo"  # "destroyed"
    return f"{word[:-1]}ied" if consonant else f"{word}{doubled}{ending}"


def _particles(verb: "Token") -> list[str]:
    following = verb.doc[verb.i + 1] if verb.i + 1 < len(verb.doc) else None
    if following is not None and following.head == verb and following.dep_ in ("prt", "advmod"):
        return [following.lower_]
    return []
