"""What a clause's verb states between its subject and its other arguments."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lexicon import PATTERNS, Pattern
from graphrag.extract.rules.line import Line, lifetime
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.renames import NAMING, renamed

if TYPE_CHECKING:
    from spacy.tokens import Token

_PATTERNS: dict[str, list[Pattern]] = {}
for _pattern in PATTERNS:
    for _verb in _pattern.verbs:
        _PATTERNS.setdefault(_verb, []).append(_pattern)

MEANT = frozenset(pattern.relation for pattern in PATTERNS)
"""Relations that mean something precise."""
_OPEN_SLOTS = (
    "gerund",
    "dobj",
    "with",
    "to",
    "into",
    "at",
    "in",
    "on",
    "through",
    "for",
    "about",
    "across",
    "from",
    "around",
    "over",
    "along",
    "beside",
    "upon",
)
_BARE_SLOTS = ("gerund", "dobj")
_NEAR = 7
"""Words between a verb and a prepositional object; farther ones are often misattached."""


def read_verb(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield what a listed verb means; an unlisted one gives a relation of its own name."""
    if clause.lemma in NAMING and renamed(clause, line):
        return
    if clause.lemma == "sell":
        yield from _sold(clause, line)
        return
    matched = False
    for pattern in _PATTERNS.get(clause.lemma, ()):
        if pattern.passive != clause.passive and (pattern.passive or pattern.slot == "dobj"):
            continue
        for subject in clause.subjects:
            for target in clause.arguments.get(pattern.slot, ()):
                draft = _matched(pattern, clause, subject, target, line)
                if draft is not None:
                    matched |= pattern.kind != "event"
                    yield draft
    if not clause.negated and clause.lemma in lexicon.TRAVELLING:
        yield from _together(clause, line)
        yield from _at_side(clause, line)
    if not matched and not clause.negated:
        yield from _open(clause, line)


def _matched(
    pattern: Pattern, clause: Clause, subject: "Token", target: "Token", line: Line
) -> Draft | None:
    one, other = line.name(subject), line.name(target)
    if one is None or other is None or one is other or not one.named:
        return None
    if not (can_be(one, pattern.subject) and can_be(other, pattern.object)):
        return None
    if pattern.relation == "owned_by" and not other.named:
        return None  # "he bought a hat" owns no hat that one could speak of again
    if clause.lemma in ("leave", "quit") and not other.votes[pattern.object]:
        return None  # one leaves towns and rooms as well
    relation, kind = pattern.relation, "end" if clause.no_longer else pattern.kind
    if clause.lemma == "join" and other.text.split()[-1].lower() in lexicon.CLUB_WORDS:
        relation = "member_of"
    for name, type_ in ((one, pattern.subject), (other, pattern.object)):
        if type_:
            name.votes[type_] += 3
    life = lifetime(kind, clause, line.periods(clause.verb), line.reference)
    if pattern.swap:
        one, other = other, one
    return line.draft(one, relation, other, life, ends=kind == "end")


def _together(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield who goes with whom in ``Dorothy and the Lion walked along the road``."""
    names = dict.fromkeys(name for token in clause.subjects if (name := line.name(token)))
    travellers = [name for name in names if can_be(name, "person")]
    life = lifetime("event", clause, line.periods(clause.verb), line.reference)
    for other in travellers[1:]:
        yield line.draft(travellers[0], "travels_with", other, life)


def _at_side(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield who goes ``at Dorothy's side``."""
    for side in (*clause.arguments.get("at", ()), *clause.arguments.get("by", ())):
        other = line.scene.possessor_of(side, line.offset) if side.lower_ == "side" else None
        for subject in clause.subjects if other is not None else ():
            one = line.name(subject)
            if one is None or one is other or other is None or not can_be(one, "person"):
                continue
            life = lifetime("event", clause, line.periods(clause.verb), line.reference)
            yield line.draft(one, "travels_with", other, life)


def _open(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield what an unlisted verb links: named subject, verb, specific object."""
    if clause.passive or clause.future:
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
        if not lexicon.says_enough(clause.lemma, clause.particles, slot):
            continue
        relation = verb if slot in _BARE_SLOTS else f"{verb}_{slot}"
        if not relation.isidentifier():
            continue
        for target in clause.arguments.get(slot, ()):
            if slot not in _BARE_SLOTS and target.i - clause.verb.i > _NEAR:
                continue
            other = line.name(target)
            for subject in clause.subjects:
                one = line.name(subject)
                if one is None or other is None or one is other or not one.named:
                    continue
                if relation in MEANT and not other.named:
                    continue  # "lives in the midst of": no home
                life = lifetime("event", clause, line.periods(clause.verb), line.reference)
                yield line.draft(one, relation, other, life)


def _sold(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield the new owner in ``sold the mill to the dairy``."""
    for thing in clause.subjects if clause.passive else clause.arguments.get("dobj", []):
        for buyer in clause.arguments.get("to", ()):
            one, other = line.name(thing), line.name(buyer)
            if one is not None and other is not None and one.named and other.named:
                life = lifetime("start", clause, line.periods(clause.verb), line.reference)
                yield line.draft(one, "owned_by", other, life)


def third_person(lemma: str) -> str:
    """Return ``goes`` for ``go``, ``carries`` for ``carry``: how a relation reads."""
    if lemma == "have":
        return "has"
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{lemma}es"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return f"{lemma[:-1]}ies"
    return f"{lemma}s"


def can_be(name: Name, type_: str) -> bool:
    """Tell whether a name may have a type: it has it, or nothing speaks strongly for another."""
    if not type_:
        return True
    if not name.named:
        return False
    rivals = [votes for kind, votes in name.votes.items() if kind != type_]
    return name.votes[type_] >= max(rivals, default=0) or max(rivals, default=0) <= 1
