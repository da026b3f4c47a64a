"""What a clause's verb states between its subject and its other arguments."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lifetime import CANCELLED, Life, lifetime
from graphrag.extract.rules.line import Sentence
from graphrag.extract.rules.name import CandidateClaim, Name, can_be
from graphrag.extract.rules.renames import NAMING, renamed
from graphrag.extract.rules.subjects import is_definite, is_pastime
from graphrag.extract.rules.trades import is_title
from graphrag.extract.rules.verb_frames import FRAMES, Frame

if TYPE_CHECKING:
    from spacy.tokens import Token

_TRANSITIVE = frozenset("move relocate finish stop start begin".split())
_SINGLE = frozenset({"det", "poss", "predet", "relcl"})
_POINTING = frozenset("poss that this these those another some any each every no".split())
_OPERATED = frozenset("line route service ferry crossing bus tram mine quarry".split())
_PRESENT = frozenset({"VBZ", "VBP", "VBG"})
_WITH_THE = frozenset(
    "works_at leads operates responsible_for owned_by funds supplies uses studies_at rents "
    "founded".split()
)
"""Relations that ``the farm`` can be an end of."""
_PROPERTY = frozenset("farm shop pub flat cottage land business restaurant workshop".split())
_SCENIC = frozenset("open start create set use".split())
"""Verbs of what is done in passing: ``opened the meeting``, ``used his axe``."""


def read_verb(clause: Clause, line: Sentence) -> Iterator[CandidateClaim]:
    """Yield what a listed verb states with each of its arguments; a renaming states nothing."""
    if clause.lemma in NAMING and renamed(clause, line):
        return
    rows = FRAMES.get(clause.lemma, {})
    for slot, targets in clause.arguments.items():
        frames = rows.get("_".join((*clause.particles, slot)), ())
        for target in targets:
            for subject in clause.subjects:
                for frame in frames:
                    if frame.passive is not None and frame.passive != clause.passive:
                        continue
                    draft = _matched(frame, clause, subject, target, line)
                    if draft is not None:
                        yield draft
                        break


def _matched(
    frame: Frame, clause: Clause, subject: "Token", target: "Token", line: Sentence
) -> CandidateClaim | None:
    one, other = line.name(subject), line.name(target)
    if one is None or other is None or one is other:
        return None
    if frame.present and (clause.past or clause.verb.tag_ not in _PRESENT):
        return None
    if not (can_be(one, frame.subject) and can_be(other, frame.object, bare=frame.bare)):
        return None
    if not _means(frame, clause, one, other, target):
        return None
    if not _tell_enough(frame, clause.lemma, (one, subject), (other, target)):
        return None
    relation, manner = frame.relation, frame.manner
    if clause.lemma in ("leave", "quit") and not other.votes[frame.object]:
        if target.pos_ != "PROPN" or other.votes["place"]:
            return None  # one leaves towns and rooms as well
    if clause.lemma == "move" and frame.object == "place" and one.is_body():
        if frame.subject == lexicon.PERSON:
            return None  # "Acme is moving to Oslo" is another row's
    if clause.is_over_with(target):
        manner = "end"
    if relation == "located_in" and one.entity_type == "person":
        relation = "lives_in"  # "based in Rotterdam"
    kinds = {other.text.split()[-1].lower(), target.lower_}
    if clause.lemma == "join" and relation == "works_at" and kinds & lexicon.CLUB_WORDS:
        relation = "member_of"
    elif clause.lemma == "start" and relation == "works_at" and kinds & lexicon.SCHOOLS:
        relation = "studies_at"
    for name, type_ in ((one, frame.subject), (other, frame.object)):
        if type_ and name.named:
            name.votes[type_] += 3
    life = lifetime(manner, clause, line.periods_of(clause.verb, target), line.reference)
    if clause.after_all:  # "not leaving Acme after all": there she is
        life = Life() if frame.manner == "end" else CANCELLED
    if life is None:
        return None
    if frame.swap:
        one, other = other, one
    draft = line.draft(one, relation, other, life)
    draft.corrects |= clause.after_all and frame.manner == "end"
    return draft


def _tell_enough(
    frame: Frame, lemma: str, first: tuple[Name, "Token"], second: tuple[Name, "Token"]
) -> bool:
    """Tell whether the two ends can be spoken of again.

    One must have a name. The other may be a common noun where that says enough (``takes
    metformin``), or one that is the only of its kind (``the project is funded by ...``).
    """
    (name, subject), (other, target) = first, second
    if name.named and other.named:
        return True
    word = target.lemma_.lower()
    if name.named:
        compound = any(child.dep_ == "compound" for child in target.children)
        if target.lower_ in lexicon.GENERIC and not compound:
            return target.lower_ in lexicon.CLUB_WORDS and frame.relation == "member_of"
        if frame.relation in _WITH_THE and is_definite(target):
            if lemma in _SCENIC:
                return False
            if frame.relation == "leads" and (target.tag_ == "NNS" or lemma == "lead"):
                return word in _PROPERTY | lexicon.ORG_WORDS | lexicon.CLUB_WORDS
            return lemma != "buy" or word in lexicon.ORG_WORDS | lexicon.PLACE_WORDS | _PROPERTY
        return frame.bare or (frame.passive is True and is_definite(target))
    someone = subject.lemma_.lower() in lexicon.ANIMATE or is_title(subject)
    if subject.lower_ in lexicon.GENERIC or someone:
        return False  # "the company" is one that has a name
    return other.named and (is_definite(subject) or " " in name.text)


def _means(frame: Frame, clause: Clause, one: Name, other: Name, target: "Token") -> bool:
    """Tell whether a verb of many senses has the one of the frame with this object."""
    word = target.lemma_.lower()
    marks = {child.dep_ for child in target.children}
    match frame.relation:
        case "likes" | "dislikes" if target.pos_ in ("NOUN", "PRON"):
            # "the energy", "your cake" were liked then and there, "live music" always is.
            head = target
            while head.dep_ == "conj":
                head = head.head
                marks |= {child.dep_ for child in head.children}
            between = clause.verb.doc[clause.verb.i + 1 : target.i]
            doing = any(token.tag_ == "VBG" for token in between)  # "prefer limiting it"
            return target.pos_ != "PRON" and not doing and not _SINGLE & marks
        case "likes" | "dislikes":
            called = any(child.pos_ == "NOUN" for child in target.children)
            return not called and (target.tag_ != "VBG" or is_pastime(target))
        case "lives_in" | "works_at" if clause.lemma in _TRANSITIVE:
            return "dobj" not in clause.arguments  # "moved its office", "finished a bookmark at"
        case "lives_in" if frame.manner == "end":
            return other.votes["place"] > 0  # "moved from sales to support"
        case "plays" if target.pos_ == "NOUN":
            return not _POINTING & (marks | {child.lower_ for child in target.children})
        case "comes_from":
            return other.votes["place"] > 0  # "is on leave from Acme"
        case "owned_by" if frame.swap and not clause.passive:
            # "I'll buy Ann her favourite cake"
            return clause.lemma == "own" or not other.votes["person"]
        case "leads" if clause.lemma == "run" and (word in _OPERATED or one.is_body()):
            return False  # it operates the line
        case "studies_at" if clause.lemma == "attend":  # not the Berlin Summit
            return bool({other.text.split()[-1].lower(), word} & lexicon.SCHOOLS)
        case "operates" if clause.lemma == "run":
            return "det" in marks and (one.votes["organization"] > 1 or word in _OPERATED)
        case "uses":
            return clause.verb.dep_ not in ("acl", "advcl")  # "packages installed using pip"
        case "takes":
            return word in lexicon.MEDICINES or word.endswith(lexicon.MEDICINE_ENDINGS)
        case "studies" | "teaches" if clause.lemma in ("read", "teach"):
            return word in lexicon.SUBJECTS or target.ent_type_ == "LANGUAGE"
        case "leads" if clause.lemma == "lead" and not clause.passive:
            return other.votes["person"] < 2  # "she led him in"
        case _:
            return True
