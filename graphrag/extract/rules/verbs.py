"""What a verb states between its subject and its other arguments: a table, and its reader."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lexicon import ORG, PERSON, PLACE, Manner
from graphrag.extract.rules.lifetime import CANCELLED, Life, lifetime
from graphrag.extract.rules.name import CandidateClaim, Name, can_be
from graphrag.extract.rules.renames import NAMING, renamed
from graphrag.extract.rules.sentence import Sentence
from graphrag.extract.rules.slots import is_definite, is_pastime
from graphrag.extract.rules.trades import is_title

if TYPE_CHECKING:
    from spacy.tokens import Token


@dataclass(frozen=True, slots=True)
class Frame:
    """A verb with one of its arguments."""

    relation: str
    manner: Manner
    subject: str = ""
    """Entity type that the subject must have or can be given; empty for any."""
    object: str = ""
    """Entity type that the object must have or can be given; empty for any."""
    swap: bool = False
    """True if the clause's object is the relation's subject."""
    passive: bool | None = None
    """True if the clause must be in the passive, False if in the active; None for either."""
    bare: bool = False
    """True if a common noun says enough: ``takes metformin``."""
    present: bool = False
    """True if only the present says it: who stayed in an inn did not live there."""


Row = tuple[str, str, Frame]
"""A verb, one of its arguments, and what the two state."""


def _frame(
    verbs: str,
    slots: str,
    relation: str,
    manner: Manner,
    types: str = "> ",
    *,
    swap: bool = False,
    passive: bool | None = None,
    bare: bool = False,
    present: bool = False,
) -> list[Row]:
    """Return the rows of some verbs; ``types`` are those of subject and object, "person>place"."""
    subject, _, object_ = types.replace(" ", "").partition(">")
    rows: list[Row] = []
    for slot in slots.split():
        voice = False if passive is None and slot == "dobj" else passive
        voice = True if slot.endswith("agent") else voice
        frame = Frame(relation, manner, subject, object_, swap, voice, bare, present)
        rows += ((verb, slot, frame) for verb in verbs.split())
    return rows


_PO, _PL, _PP = f"{PERSON}>{ORG}", f"{PERSON}>{PLACE}", f"{PERSON}>{PERSON}"
_OO, _OL, _P, _O = f"{ORG}>{ORG}", f"{ORG}>{PLACE}", f"{PERSON}>", f">{ORG}"


_WORK = (
    *_frame("work", "at for", "works_at", "state", _PO),
    *_frame("teach nurse", "at", "works_at", "state", _PO),
    *_frame("join", "dobj", "works_at", "start", _PO),
    *_frame("start begin", "at with", "works_at", "start", _PO),
    *_frame("transfer", "to", "works_at", "start", _PO, passive=True),
    *_frame("employ hire recruit", "dobj", "works_at", "start", f"{ORG}>{PERSON}", swap=True),
    *_frame("employ hire", "dobj", "employs", "start", _PP),
    *_frame("leave", "dobj", "works_at", "end", _PO),
    *_frame("leave", "for", "works_at", "start", _PO),
    *_frame("stop", "at", "works_at", "end", _PO),
    *_frame("resign retire", "from", "works_at", "end", _PO),
    *_frame("step stand", "down_from", "works_at", "end", _PO),
    *_frame("fire dismiss sack", "dobj", "works_at", "end", f"{ORG}>{PERSON}", swap=True),
    *_frame("join", "from", "works_at", "end", _PO),
    *_frame("lead head chair run manage captain direct edit command", "dobj", "leads", "state", _P),
    *_frame("lead head chair manage edit command", "agent", "leads", "state", swap=True),
    *_frame("join", "dobj", "member_of", "start", _OO),
    *_frame("report", "to", "reports_to", "state", _PP),
    *_frame("succeed replace", "dobj", "succeeds", "event", _PP),
    *_frame("succeed replace", "agent by", "succeeds", "event", _PP, swap=True, passive=True),
    *_frame("take", "over_from", "succeeds", "event", _PP),
    *_frame("host", "agent", "hosts", "state", swap=True),
    *_frame("represent", "dobj", "represents", "state"),
    *_frame("look", "after", "responsible_for", "state", _P),
)
_HOMES = (
    *_frame("live reside dwell", "in at on", "lives_in", "state", _PL),
    *_frame("stay", "in", "lives_in", "state", _PL, present=True),
    *_frame("live reside", "with", "lives_with", "state", _PP),
    *_frame("grow", "up_in", "lives_in", "state", _PL),
    *_frame("move relocate emigrate", "to into", "lives_in", "start", _PL),
    *_frame("move", "from out_of", "lives_in", "end", _PL),
    *_frame("bear", "in at", "born_in", "timeless", _PL, passive=True),
    *_frame("die", "in at", "died_in", "event", _PL),
    *_frame("be", "from", "comes_from", "timeless", _PL),
    *_frame("move relocate", "to into", "located_in", "start", _OL),
    *_frame("move relocate", "from", "located_in", "end", _OL),
    *_frame("base headquarter locate", "in", "located_in", "state", f">{PLACE}", passive=True),
)
_FAMILY = (
    *_frame("marry wed", "dobj to", "married_to", "start", _PP),
    *_frame("divorce", "dobj from", "married_to", "end", _PP),
)
_STUDY = (
    *_frame("study train", "at", "studies_at", "state", _PO),
    *_frame("educate", "at", "studies_at", "state", _PO, passive=True),
    *_frame("graduate", "from", "studies_at", "end", _PO),
    *_frame("study train", "under with", "taught_by", "state", _PP),
    *_frame("study", "dobj", "studies", "state", _P, bare=True),
    *_frame("teach", "agent", "taught_by", "state", _PP),
    *_frame("teach", "dobj", "teaches", "state", _P, bare=True),
    *_frame("speak", "dobj", "speaks", "state", _P),
)
_BODIES = (
    *_frame("found establish cofound co-found", "dobj", "founded", "timeless", _O),
    *_frame("found establish start open", "agent", "founded", "timeless", swap=True),
    *_frame("open launch start create", "dobj", "founded", "timeless", _PO),
    *_frame("set", "up_dobj", "founded", "timeless", _O),
    *_frame("acquire", "dobj", "acquired", "start", _OO),
    *_frame("buy purchase", "dobj", "owned_by", "start", swap=True),
    *_frame("buy purchase own", "agent", "owned_by", "start"),
    *_frame("sell", "dobj", "owned_by", "end", _P, swap=True),
    *_frame("sell", "to", "owned_by", "start", passive=True),
    *_frame("own", "dobj", "owned_by", "state", swap=True),
    *_frame("belong", "to", "owned_by", "state"),
    *_frame("fund finance", "dobj", "funds", "state"),
    *_frame("fund finance", "agent", "funds", "state", swap=True),
    *_frame("sponsor", "dobj", "sponsors", "state"),
    *_frame("sponsor", "agent", "sponsors", "state", swap=True),
    *_frame("let", "to", "rents", "start", passive=True, swap=True),
    *_frame("perform", "at", "performs_at", "event"),
    *_frame("play", "for", "plays_for", "state", _PO),
    *_frame("meet rehearse", "in at", "meets_in", "state", _OL, present=True),
)
_HABITS = (
    *_frame("win", "dobj", "won", "event"),
    *_frame("like love enjoy", "dobj gerund", "likes", "state", _P, bare=True, present=True),
    *_frame("run", "on dobj", "runs_on", "state"),
    *_frame("play", "dobj", "plays", "state", _P, bare=True),
    *_frame("lease rent", "dobj", "rents", "start", _P, bare=True),
    *_frame("cancel", "dobj", "subscribed_to", "end", _P),
    *_frame("diagnose", "with", "has_condition", "start", _P, passive=True, bare=True),
    *_frame("take", "dobj", "takes", "state", _P, bare=True, present=True),
)


def _by_verb(rows: Iterable[Row]) -> Mapping[str, Mapping[str, tuple[Frame, ...]]]:
    table: dict[str, dict[str, tuple[Frame, ...]]] = {}
    for verb, slot, frame in rows:
        slots = table.setdefault(verb, {})
        slots[slot] = (*slots.get(slot, ()), frame)
    return table


_ROWS = (*_WORK, *_HOMES, *_FAMILY, *_STUDY, *_BODIES, *_HABITS)
FRAMES = _by_verb(_ROWS)
"""Verb and argument to what they can state; the first row that fits counts."""


_TRANSITIVE = frozenset("move relocate finish stop start begin".split())
_SINGLE = frozenset({"det", "poss", "predet", "relcl"})
_PRESENT = frozenset({"VBZ", "VBP", "VBG"})
_WITH_THE = frozenset(
    "works_at leads responsible_for owned_by funds studies_at rents founded".split()
)
"""Relations that ``the farm`` can be an end of."""
_PROPERTY = frozenset("farm shop pub flat cottage land business restaurant workshop".split())
_SCENIC = frozenset("open start create set".split())
"""Verbs of what is done in passing: ``opened the meeting``."""


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
    if clause.is_over_with(target):
        manner = "end"
    kinds = {other.text.split()[-1].lower(), target.lower_}
    if clause.lemma == "join" and relation == "works_at" and kinds & lexicon.CLUB_WORDS:
        relation = "member_of"
    elif clause.lemma == "start" and relation == "works_at" and kinds & lexicon.SCHOOLS:
        relation = "studies_at"
    for name, type_ in ((one, frame.subject), (other, frame.object)):
        if type_ and name.named:
            name.votes[type_] += 3
    life = lifetime(manner, clause, line.periods_of(clause.verb), line.reference)
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
        case "likes" if target.pos_ in ("NOUN", "PRON"):
            # "the energy", "your cake" were liked then and there, "live music" always is.
            head = target
            while head.dep_ == "conj":
                head = head.head
                marks |= {child.dep_ for child in head.children}
            between = clause.verb.doc[clause.verb.i + 1 : target.i]
            doing = any(token.tag_ == "VBG" for token in between)  # "prefer limiting it"
            return target.pos_ != "PRON" and not doing and not _SINGLE & marks
        case "likes":
            called = any(child.pos_ == "NOUN" for child in target.children)
            return not called and (target.tag_ != "VBG" or is_pastime(target))
        case "lives_in" | "works_at" if clause.lemma in _TRANSITIVE:
            return "dobj" not in clause.arguments  # "moved its office", "finished a bookmark at"
        case "comes_from":
            return other.votes["place"] > 0  # "is on leave from Acme"
        case "owned_by" if frame.swap and not clause.passive:
            # "I'll buy Ann her favourite cake"
            return clause.lemma == "own" or not other.votes["person"]
        case "takes":
            return word in lexicon.MEDICINES or word.endswith(lexicon.MEDICINE_ENDINGS)
        case "teaches":
            return word in lexicon.SUBJECTS or target.ent_type_ == "LANGUAGE"
        case _:
            return True
