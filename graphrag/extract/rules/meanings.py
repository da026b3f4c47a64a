"""Which of its senses a verb has: ``run`` a firm or a race, ``take`` a tablet or a bus."""

from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.name import Name
from graphrag.extract.rules.open_verbs import is_pastime
from graphrag.extract.rules.subjects import is_charge
from graphrag.extract.rules.verb_frames import Frame

if TYPE_CHECKING:
    from spacy.tokens import Token


_TRANSITIVE = frozenset("move relocate finish stop start begin".split())
_SINGLE = frozenset({"det", "poss", "predet", "relcl"})
_PLAYED = frozenset("game role part song trick joke music card".split())
_STAGED = frozenset("film movie play opera show series documentary musical".split())
_POINTING = frozenset("poss that this these those another some any each every no".split())
_OPERATED = frozenset("line route service ferry crossing bus tram mine quarry".split())
_MARKS = frozenset("\"'“‘«")


def means(frame: Frame, clause: Clause, one: Name, other: Name, target: "Token") -> bool:
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
            return not (clause.past or clause.perfect) and is_charge(target)
        case "responsible_for" if clause.lemma == "own":
            return not {"det", "poss"} & {child.dep_ for child in target.children}
        case "responsible_for" if frame.bare and not other.named:
            return one.votes["person"] >= 2
        case "travels_with" if clause.lemma == "go" and clause.coming:
            return bool(clause.arguments.keys() - {"with"})  # "I'm going with Ann": she is chosen
        case "travels_with":
            return bool(one.votes["person"] or other.votes["person"])
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
