"""What a clause's verb states between its subject and its other arguments."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lifetime import CANCELLED, Life, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name, can_be
from graphrag.extract.rules.renames import NAMING, renamed
from graphrag.extract.rules.subjects import is_definite, is_pastime, is_taught
from graphrag.extract.rules.trades import is_title
from graphrag.extract.rules.verb_frames import FRAMES, Frame

if TYPE_CHECKING:
    from spacy.tokens import Token

_TRANSITIVE = frozenset("move relocate finish stop start begin".split())
_SINGLE = frozenset({"det", "poss", "predet", "relcl"})
_PLAYED = frozenset("game role part song trick joke music card".split())
_STAGED = frozenset("film movie play opera show series documentary musical".split())
_POINTING = frozenset("poss that this these those another some any each every no".split())
_OPERATED = frozenset("line route service ferry crossing bus tram mine quarry".split())
_MARKS = frozenset("\"'“‘«")
_CLUB_VERBS = frozenset({"leave", "join", "quit"})
_ENDING = frozenset({"stop", "quit", "finish", "cease"})
_NEAR = 5
_PRESENT = frozenset({"VBZ", "VBP", "VBG"})
_ACRONYM = re.compile(r"[A-Z]{4,}")
_WITH_THE = frozenset(
    "works_at leads operates responsible_for owned_by funds supplies uses studies_at rents "
    "founded".split()
)
"""Relations that ``the farm`` can be an end of."""
_PROPERTY = frozenset("farm shop pub flat cottage land business restaurant workshop".split())
_OPENING, _HANDLING = {"open", "start", "launch", "create", "set"}, {"use", "drop", "abandon"}


def read_verb(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield what a listed verb means; of a verb that names nothing is stated."""
    if clause.lemma not in NAMING or clause.negated or not renamed(clause, line):
        yield from framed(clause, line)


def framed(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield what a listed verb states with each of its arguments."""
    rows = FRAMES.get(clause.lemma, {})
    stopped = clause.verb.dep_ == "xcomp" and clause.verb.head.lemma_ in _ENDING
    for slot, targets in clause.arguments.items():
        name = "_".join((*clause.particles, slot))
        frames = rows.get(name, ())
        for target in targets:
            for subject in clause.subjects:
                for frame in frames:
                    if frame.passive is not None and frame.passive != clause.passive:
                        continue
                    draft = _matched(frame, clause, subject, target, line, stopped=stopped)
                    if draft is not None:
                        yield draft
                        break


def _matched(
    frame: Frame, clause: Clause, subject: "Token", target: "Token", line: Line, *, stopped: bool
) -> Draft | None:
    one, other = line.name(subject), line.name(target)
    if one is None or other is None or one is other:
        return None
    if subject.lower_ == "it" and frame.subject == lexicon.PERSON:
        return None  # "before that it was 22 with Orbicom"
    if frame.present and not _is_now(clause):
        return None
    club = one.plays and clause.lemma in _CLUB_VERBS and target.pos_ == "PROPN"
    the = any(child.lower_ == "the" for child in target.children)  # "the Baltic Coast Guard"
    as_what = clause.lemma == "join" and ("as" in clause.arguments or the)
    if club or (as_what and target.pos_ == "PROPN"):  # "joins Hill Moran as a partner": a firm
        other.votes["organization"] += 3
    if not (can_be(one, frame.subject) and can_be(other, frame.object, bare=frame.bare)):
        return None
    if not _means(frame, clause, one, other, target):
        return None
    if frame.relation == "succeeds" and target.pos_ != "PROPN":
        return None
    if not _tell_enough(frame, clause.lemma, (one, subject), (other, target)):
        return None
    relation, manner = frame.relation, frame.manner
    lent = any(word.lower_ == "loan" for word in clause.arguments.get("on", ()))
    if lent and clause.lemma == "join" and manner == "end":
        return None  # "joined Rovers on loan from City": City's all the same
    clubs = {other.text.split()[-1].lower(), target.lower_} & lexicon.CLUB_NAMES
    if club or (lent and relation == "works_at" and (clubs or one.plays)):
        relation = "plays_for"
    elif clause.lemma in ("leave", "quit", "return") and not other.votes[frame.object]:
        if other.votes["place"] or not clause.after_all:
            return None  # one leaves towns and rooms as well
    if clause.lemma == "be" and frame.relation == "works_at":
        if subject.lower_ == "i" and "with" in clause.arguments:
            return None  # "I'm with Telora": it sells me something as often
        if not other.votes[frame.object] or target.i - clause.verb.i > _NEAR:
            return None
        taught = "with" not in clause.arguments and target.lower_ in lexicon.SCHOOLS
        if clause.verb.i - subject.i > _NEAR or taught:
            return None  # who is at a college may teach or study there
    body = other.votes["organization"] > other.votes["place"] and one.votes["person"] < 2
    body = body and clause.lemma == "move"  # "Acme is moving to SAP"
    if frame.object == "place" and (body or (other.named and _ACRONYM.fullmatch(other.text))):
        return None
    if clause.is_over_with(target) or stopped:
        manner = "end"
    if relation == "located_in" and one.entity_type == "person":
        relation = "lives_in"  # "based in Rotterdam"
    clubs = {other.text.split()[-1].lower(), target.lower_} & lexicon.CLUB_WORDS
    if clause.lemma == "join" and relation == "works_at" and clubs:
        relation = "member_of"
    elif relation == "works_at" and is_taught(clause, target, other):
        relation = "studies_at"
    sure = clause.lemma != "leave" or other.votes[frame.object] != 1  # or the tagger's guess
    for name, type_ in ((one, frame.subject), (other, frame.object)):
        if type_ and name.named and (sure or name is one):
            name.votes[type_] += 3
    periods = line.periods_of(clause.verb, target)
    if relation in ("hosts", "organises") and periods and manner == "state":
        manner = "event"  # "the party is hosted by Bo on Saturday"
    life = lifetime(manner, clause, periods, line.reference)
    if clause.after_all:  # "not leaving Acme after all": there she is
        life = Life() if frame.manner == "end" else CANCELLED
    if life is None or (clause.lemma == "be" and life.is_brief and relation == "works_at"):
        return None  # "was at Wrenford Court on Tuesday"
    if frame.swap:
        one, other = other, one
    draft = line.draft(one, relation, other, life)
    draft.corrects |= clause.after_all and frame.manner == "end"
    return draft


def _is_now(clause: Clause) -> bool:
    """Tell whether a clause is in the present: ``I gave up coffee and now drink tea``."""
    joined = clause.verb.tag_ == "VB" and clause.verb.dep_ == "conj"
    now = joined and any(child.lower_ == "now" for child in clause.verb.children)
    return now or (not clause.past and (clause.future or clause.verb.tag_ in _PRESENT))


def _tell_enough(
    frame: Frame, lemma: str, first: tuple[Name, "Token"], second: tuple[Name, "Token"]
) -> bool:
    """Tell whether the two ends can be spoken of again.

    One must have a name. The other may be a common noun where that says enough (``takes
    metformin``), or one that is the only of its kind (``the project is funded by ...``).
    """
    (one, subject), (other, target) = first, second
    if one.named and other.named:
        return True
    if one.named:
        if target.lower_ in lexicon.GENERIC or target.lower_ in lexicon.CLUB_WORDS:
            if not any(child.dep_ == "compound" for child in target.children):
                return target.lower_ in lexicon.CLUB_WORDS and frame.relation == "member_of"
        if frame.object == "organization" and target.lower_ in lexicon.ORG_WORDS:
            return is_definite(target)
        if frame.relation in _WITH_THE and is_definite(target):
            word, bought = target.lemma_.lower(), lemma in ("buy", "purchase")
            if lemma in _OPENING or (lemma in _HANDLING and one.votes["person"]):
                return False  # "opened the meeting", "used his axe"
            if frame.relation == "leads" and (target.tag_ == "NNS" or lemma == "lead"):
                return word in _PROPERTY | lexicon.ORG_WORDS | lexicon.CLUB_WORDS
            kept = not bought or word in lexicon.ORG_WORDS | lexicon.PLACE_WORDS | _PROPERTY
            return frame.bare or (kept and word not in lexicon.IDIOMS)
        return frame.bare or (frame.passive is True and is_definite(target))
    someone = subject.lemma_.lower() in lexicon.ANIMATE or is_title(subject)
    if subject.lower_ in lexicon.GENERIC or someone:
        return False  # "the company" is one that has a name
    own = is_definite(subject) or " " in one.text
    own = own and not any(child.lower_ in ("a", "an") for child in subject.children)
    return other.named and subject.pos_ == "NOUN" and own


def _means(frame: Frame, clause: Clause, one: Name, other: Name, target: "Token") -> bool:
    """Tell whether a verb of many senses has the one of the frame with this object."""
    word = target.lemma_.lower()
    match frame.relation:
        case "likes" | "dislikes" if _next(clause).tag_ == "VBG" and target.tag_ != "VBG":
            return False  # "prefer limiting screen time"
        case "likes" | "dislikes" if target.pos_ in ("NOUN", "PRON"):
            # "the energy", "your cake" were liked then and there, "live music" always is.
            nouns = [target]
            while nouns[-1].dep_ == "conj":
                nouns.append(nouns[-1].head)
            marks = {child.dep_ for noun in nouns for child in noun.children}
            return target.pos_ != "PRON" and not _SINGLE & marks
        case "likes" | "dislikes":  # but not "I love the thought, Bob!"
            called = target.pos_ == "PROPN" and any(c.pos_ == "NOUN" for c in target.children)
            return not called and (target.tag_ != "VBG" or is_pastime(target))
        case "lives_in" | "works_at" if clause.lemma in _TRANSITIVE:
            return "dobj" not in clause.arguments  # "moved its office", "finished a bookmark at"
        case "leads" if clause.lemma == "run" and (word in _OPERATED or one.is_body()):
            return False  # it operates the line
        case "leads" if clause.lemma == "direct":
            before = clause.verb.doc[clause.verb.i : target.i]
            staged = any(token.lower_ in _STAGED for token in (*before, *clause.subjects))
            return not staged and (not clause.passive or not _is_made(clause, one))
        case "created_by" if clause.lemma == "direct":
            return _is_made(clause, one)
        case "studies" if target.tag_ == "NNS" or target.tag_ == "VBG":
            return target.lower_.endswith(("ics", "languages"))  # "studied the faces of the crowd"
        case "plays" if target.pos_ == "NOUN":
            marks = {part for one in target.children for part in (one.lower_, one.dep_)}
            return clause.verb.dep_ != "advcl" and word not in _PLAYED and not _POINTING & marks
        case "comes_from" if "on" in clause.arguments:
            return False  # "is on leave from Acme"
        case "uses":  # "packages installed using pip": they use nothing
            asides = ("acl",) if one.votes["person"] and not clause.past else ("acl", "advcl")
            learnt = target.ent_type_ in ("NORP", "LANGUAGE") or word in lexicon.SUBJECTS
            return clause.verb.dep_ not in asides and not learnt
        case "studies_at" if clause.lemma == "attend":  # "attended the Berlin Summit"
            words = {*other.text.lower().split(), *(one.lower_ for one in target.lefts)}
            others = lexicon.GATHERINGS | lexicon.CLUB_WORDS | {"the"}
            return bool(words & lexicon.SCHOOLS) or not words & others
        case "founded" if clause.lemma == "set":
            return not other.text.isupper()
        case "founded" if clause.lemma in ("start", "begin"):
            return not set(_before(target, clause)) & _MARKS  # "just started "The Bear""
        case "responsible_for" if clause.lemma == "look" and _next(clause).lower_ != "after":
            return False  # "looking for a break after the move"
        case "responsible_for" if clause.lemma == "maintain" and not other.named:
            # "maintained a curfew", "maintains two hours of sleep": kept up, not looked after
            return not (clause.past or clause.perfect) and is_definite(target)
        case "responsible_for" if clause.lemma == "own":
            return not {"det", "poss"} & {child.dep_ for child in target.children}
        case "responsible_for" if frame.bare and not other.named:
            return one.votes["person"] >= 2
        case "owned_by" if clause.particles == ("over",) and word in lexicon.CLUB_WORDS:
            return False  # "has taken over the payments team"
        case "owned_by" if frame.swap and not clause.passive:
            if clause.lemma == "own":
                other.votes["person"] = 0  # whatever its name looks like
            return not other.votes["person"]  # "I'll buy Ann her favourite cake"
        case "operates" if clause.lemma == "run":
            definite = any(child.dep_ == "det" for child in target.children)
            return definite and (one.votes["organization"] > 1 or word in _OPERATED)
        case "takes":
            return word in lexicon.MEDICINES or word.endswith(lexicon.MEDICINE_ENDINGS)
        case "has_condition" if clause.lemma in ("contract", "catch"):
            return word in lexicon.ILLNESSES or word.endswith(lexicon.ILLNESS_ENDINGS)
        case "plays_for" if (clause.lemma in ("transfer", "loan") and clause.passive) or (
            clause.lemma == "sign" and "dobj" in clause.arguments and not frame.swap
        ):  # "signed a contract with Brill Motors"
            return one.plays or other.text.split()[-1].lower() in lexicon.CLUB_WORDS
        case "won" if clause.lemma in ("receive", "collect"):
            return other.text.split()[-1].lower() in lexicon.PRIZES
        case "studies" | "teaches" if clause.lemma in ("read", "teach"):
            return word in lexicon.SUBJECTS or target.ent_type_ == "LANGUAGE"
        case "supervises" if clause.lemma == "advise":
            return not {"on", "about", "to", "against"} & clause.arguments.keys()
        case "drinks":
            marks = {child.dep_ for child in target.children} & {"det", "poss", "nummod"}
            return word in lexicon.DRINKS if clause.lemma == "give" else not marks
        case "member_of" if clause.lemma in ("move", "switch", "transfer", "enter"):
            return word in lexicon.CLUB_WORDS
        case "member_of" if frame.subject == "organization":
            return one.votes["organization"] >= 2  # "Alice left Acme": she is none
        case "member_of" if clause.lemma in ("sit", "serve"):
            return bool({other.text.split()[-1].lower(), word} & lexicon.CLUB_WORDS)
        case "leads" if clause.lemma == "lead" and not clause.passive:
            return other.votes["person"] < 2  # "she led him in"
        case _:
            return True


def _is_made(clause: Clause, one: Name) -> bool:
    """Tell whether what was directed is a film or a play: a body is so as long as it is led."""
    return clause.verb.dep_ != "acl" and clause.past and one.votes["organization"] < 2


def _before(noun: "Token", clause: Clause) -> str:
    """Return the text between the verb and the last word of its object."""
    return noun.doc.text[clause.verb.idx : noun.idx]


def _next(clause: Clause) -> "Token":
    """Return the word after the verb; the verb where it is the last one."""
    return clause.verb.doc[clause.verb.i : clause.verb.i + 2][-1]
