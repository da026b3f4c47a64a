"""What a clause's verb states between its subject and its other arguments."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause, hands_over
from graphrag.extract.rules.lifetime import CANCELLED, Life, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.meanings import means
from graphrag.extract.rules.name import Draft, Name, can_be, spells
from graphrag.extract.rules.open_verbs import dated, is_taught, read_open, read_together
from graphrag.extract.rules.renames import NAMING, renamed
from graphrag.extract.rules.subjects import is_definite
from graphrag.extract.rules.trades import is_title
from graphrag.extract.rules.verb_frames import FRAMES, Frame

if TYPE_CHECKING:
    from spacy.tokens import Token

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
    """Yield what a listed verb means; an unlisted one gives a relation of its own name."""
    if clause.lemma in NAMING and not clause.negated and renamed(clause, line):
        return
    if clause.lemma == "sell" and not clause.negated:
        yield from _sold(clause, line)
        return
    matched = False
    for draft in framed(clause, line):
        matched |= draft.relation != "travels_with"
        yield draft
    if not clause.negated and clause.lemma in lexicon.TRAVELLING:
        yield from read_together(clause, line)
    if not matched and not clause.negated:
        yield from read_open(clause, line)


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
                        yield from spells(draft, line.stretches(clause.verb))
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
    if not means(frame, clause, one, other, target):
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
        handed = frame.manner == "end" and target.pos_ == "PROPN" and hands_over(clause.verb)
        if other.votes["place"] or not (clause.after_all or handed):
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


def _sold(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield the new owner in ``sold the mill to the dairy``, and that it is not the old one's."""
    things = clause.subjects if clause.passive else clause.arguments.get("dobj", [])
    for thing in things:
        one = line.name(thing)
        if one is None:
            continue
        for buyer in clause.arguments.get("to", ()):
            other = line.name(buyer)
            if other is not None and (one.named or is_definite(thing)) and other.named:
                yield from dated(clause, "start", (one, "owned_by", other), line)
        for seller in () if clause.passive else clause.subjects:
            owner = line.name(seller)
            kept = one.named or is_definite(thing)
            if owner is not None and owner.named and kept and can_be(owner, "person"):
                yield from dated(clause, "end", (one, "owned_by", owner), line)
