"""What a verb links that no table knows: its own name is the relation.

Most verbs say nothing that outlives their sentence ("the meeting saw a debate"), and a fact of that
kind is worse than none. So only deeds count, of somebody with a name, done to or with something
that has a name or is told apart by more than one word.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lexicon import Manner
from graphrag.extract.rules.lifetime import Life, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name, can_be
from graphrag.extract.rules.verb_frames import MEANT

if TYPE_CHECKING:
    from spacy.tokens import Token


def third_person(lemma: str) -> str:
    """Return ``goes`` for ``go``, ``carries`` for ``carry``: how a relation reads."""
    if lemma == "have":
        return "has"
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{lemma}es"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return f"{lemma[:-1]}ies"
    return f"{lemma}s"


_OPEN_SLOTS = tuple(
    "gerund dobj with to into at in on through for about across from around over along "
    "beside upon".split()
)
_BARE_SLOTS = ("gerund", "dobj")
_NEAR = 7
"""Words between a verb and a prepositional object; farther ones are often misattached."""
_JOINING = frozenset({"join", "start", "begin"})
_MEMORABLE = lexicon.TRAVELLING | frozenset(
    "meet visit help save rescue kill defeat beat attack betray adopt sign invite destroy "
    "discover capture fight free support sue accuse arrest praise befriend kiss build paint "
    "release photograph interview train defend protect raise name heal cure trust forgive warn "
    "criticise criticize oppose endorse nominate invent record explore plant bake knit compose "
    "restore repair organise organize donate perform participate volunteer register enroll "
    "attend compete publish present launch graduate apply practise practice".split()
)
"""Deeds that are still told of when the scene is over: not that somebody woke somebody."""
_LIGHT = frozenset("have get take make give put".split())
"""Verbs that say nothing without a name: ``has time``, ``takes a break``."""

_PASTIMES = frozenset(
    "hike swim run jog walk dance paint draw sketch cook bake read write sing knit sew crochet "
    "garden fish camp climb ski skate snowboard surf cycle bike ride sail row kayak canoe dive "
    "travel photograph sculpt code program box fence wrestle bowl hunt shop volunteer game "
    "meditate stretch train teach act juggle skydive snorkel backpack birdwatch craft "
    "woodwork blog stream collect compose improvise weave embroider quilt".split()
)
"""What is a pastime without an object."""
_ROOMS = frozenset("room hall house gate door tower kitchen cottage chamber stairs".split())
_MEETING = (lexicon.TRAVELLING | {"attend"}) - {"visit"}
_APPOINTED = lexicon.TRAVELLING | {"meet"}
_BARE = frozenset(third_person(verb) for verb in _MEMORABLE)
_SETTING_OUT = frozenset({"start", "set"})
_WAYS = frozenset("for toward towards across through along down up over into".split())
_THIS = frozenset("this that these those some another any".split())
_IDIOMS = frozenset("for about across over upon through with into".split())


def read_open(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield what an unlisted verb links: named subject, verb, specific object."""
    if clause.future or clause.verb.dep_ == "advcl":
        return  # "feedback on my talk, praising it": who praised is not clear
    if clause.lemma == "invite" and "to" in clause.arguments:
        yield from _invited(clause, line)
        return
    if clause.passive or clause.lemma not in _MEMORABLE | lexicon.ACTIVITIES:
        return
    if (clause.lemma, *clause.particles) == ("sign", "up") and "dobj" in clause.arguments:
        return
    if clause.verb.pos_ != "VERB" or "dative" in clause.arguments:
        return
    verb = "_".join((third_person(clause.lemma), *clause.particles))
    if clause.lemma == "get":
        verb = "has" if clause.perfect else "gets"
    for slot in _OPEN_SLOTS:
        if slot not in _BARE_SLOTS and "dobj" in clause.arguments:
            return
        if slot == "gerund" and clause.lemma not in lexicon.ACTIVITIES:
            continue
        if clause.lemma in ("go", "come") and slot in ("on", "from", "for", "with", "over"):
            continue  # "went on leave", "went to a lad from Tarvin"
        if not lexicon.says_enough(clause.lemma, clause.particles, slot):
            continue
        if clause.lemma in _JOINING and slot in ("at", "in", "on", "with"):
            continue  # "starts at the depot in March"
        relation = verb if slot in _BARE_SLOTS else f"{verb}_{slot}"
        if relation.isidentifier():
            for target in clause.arguments.get(slot, ()):
                if slot in _BARE_SLOTS or target.i - clause.verb.i <= _NEAR:
                    yield from _linked(clause, relation, target, line)


def _linked(clause: Clause, relation: str, target: "Token", line: Line) -> Iterator[Draft]:
    other = line.name(target)
    related = clause.verb.dep_ == "relcl"
    which = target.pos_ == "PRON" and target.lower_ not in ("who", "whom")
    if related and (relation not in _BARE or which):
        return  # "that stuff I baked at the shelter", "the site on Acme, which I finished"
    if target.tag_ == "VBG" and not is_pastime(target):
        return
    for subject in clause.subjects:
        one = line.name(subject)
        if one is None or other is None or one is other or not one.named:
            continue
        if subject == clause.verb:
            continue
        if subject.lower_ == "we" and clause.lemma not in lexicon.TRAVELLING:
            continue  # who else was there, and whether that was one of them, is not clear
        if relation in MEANT and not other.named:
            continue  # "lives in the midst of": no home
        if not other.named and not _is_own(clause, subject, target, other):
            continue
        if clause.lemma in _MEETING and other.named and other.votes["person"] >= 2:
            continue  # "came to her"
        if (clause.lemma, *clause.particles) == ("help", "up"):
            continue
        life = lifetime("event", clause, line.periods(clause.verb), line.reference)
        outing = clause.lemma in lexicon.TRAVELLING | {"go"} and not other.named
        if (
            life is not None
            and outing
            and (life.start is None or relation.rpartition("_")[2] in _IDIOMS)
        ):
            continue  # one of many walks
        pointed = not other.named and any(child.lower_ in _THIS for child in target.children)
        if life is not None and pointed and life.start is None:
            continue  # "this amazing series"
        if clause.coming and life is not None and life.start is None and clause.lemma in _APPOINTED:
            continue  # "I'm meeting Bob, and don't know what to expect": one day
        if life is not None and not _is_indoors(clause, other):
            yield line.draft(one, relation, other, life)


def _invited(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield who is invited to what, without a day: the one that is named is the party's."""
    guests = clause.subjects if clause.passive else clause.arguments.get("dobj", [])
    for target in clause.arguments["to"]:
        other = line.name(target)
        for guest in guests:
            one = line.name(guest)
            if one is not None and other is not None and one is not other and one.named:
                if other.votes["person"] < 2 and (other.named or " " in other.text):
                    yield line.draft(one, "invited_to", other, Life(kind="event"))


def is_pastime(verb: "Token") -> bool:
    """Tell whether a gerund says what somebody does for pleasure: ``painting``, ``playing chess``.

    Of a verb that needs an object, or a manner, the bare form says nothing: "playing", "talking".
    """
    if any(child.dep_ in ("dobj", "attr") for child in verb.children):
        return True
    return verb.lemma_.lower() in _PASTIMES and not any(c.dep_ == "poss" for c in verb.subtree)


def _is_indoors(clause: Clause, other: Name) -> bool:
    """Tell whether somebody only walks about a house: ``entered the Throne Room``."""
    moved = clause.lemma in lexicon.TRAVELLING | {"go"}
    return moved and other.text.split()[-1].lower() in _ROOMS


def _is_own(clause: Clause, subject: "Token", target: "Token", other: Name) -> bool:
    """Tell whether somebody says of themselves what they did with some thing in particular."""
    if subject.lower_ not in ("i", "we"):
        return False
    if target.tag_ == "VBG" or clause.lemma in lexicon.TRAVELLING:
        return True
    return " " in other.text and clause.lemma not in _LIGHT


def read_together(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield who goes with whom in ``Dorothy and the Lion walked along the road``."""
    if clause.lemma in _SETTING_OUT and not (clause.particles or clause.arguments.keys() & _WAYS):
        return  # "working on it, starting in May"
    if clause.lemma == "go" and any(map(_is_outing, clause.arguments.get("to", ()))):
        return  # "went to a flea market": an evening, no journey
    names = dict.fromkeys(name for token in clause.subjects if (name := line.name(token)))
    travellers = [name for name in names if can_be(name, "person")]
    for other in travellers[1:]:
        yield from dated(clause, "event", (travellers[0], "travels_with", other), line)
    yield from _at_side(clause, line)


def _is_outing(target: "Token") -> bool:
    return any(child.lower_ in ("a", "an", "this", "some") for child in target.children)


def _at_side(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield who goes ``at Dorothy's side``."""
    for side in (*clause.arguments.get("at", ()), *clause.arguments.get("by", ())):
        other = line.scene.possessor_of(side, line.offset) if side.lower_ == "side" else None
        for subject in clause.subjects if other is not None else ():
            one = line.name(subject)
            if one is None or one is other or other is None or not can_be(one, "person"):
                continue
            yield from dated(clause, "event", (one, "travels_with", other), line)


def dated(
    clause: Clause, manner: Manner, fact: tuple[Name, str, Name], line: Line
) -> Iterator[Draft]:
    """Yield a fact with the times of its clause."""
    life = lifetime(manner, clause, line.periods(clause.verb), line.reference)
    if life is not None:
        yield line.draft(*fact, life)


def is_taught(clause: Clause, target: "Token", other: Name) -> bool:
    """Tell whether somebody ``joined my violin class`` or ``started at Hill Primary`` to learn."""
    if clause.lemma not in _JOINING or "as" in clause.arguments:
        return False
    taught = lexicon.LESSONS if clause.lemma == "join" else lexicon.SCHOOLS
    return bool({target.lemma_.lower(), other.text.split()[-1].lower()} & taught)
