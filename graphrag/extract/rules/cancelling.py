"""What is called off, taken back or put off: ``the merger with Castor is off``."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lifetime import CANCELLED, Life, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name
from graphrag.model.extraction import Claim, Mention
from graphrag.temporal.period import shift

if TYPE_CHECKING:
    from spacy.tokens import Token

_PLANS = {
    "merger": "merged_with",
    "takeover": "owned_by",
    "acquisition": "owned_by",
    "wedding": "married_to",
    "marriage": "married_to",
    "engagement": "engaged_to",
    "move": "lives_in",
    "relocation": "lives_in",
    "transfer": "plays_for",
    "job": "works_at",
    "position": "works_at",
    "offer": "works_at",
}
"""Nouns of what is planned, to the relation that it would begin."""
_ONES = frozenset({"lives_in", "plays_for", "works_at"})
"""Relations of somebody with where to that is."""
_PREPOSITIONS = frozenset({"with", "to", "of", "between", "at", "from"})
_OFF = frozenset({"off", "cancelled", "canceled"})
_CALLED = frozenset("cancel scrap abandon shelve drop call_off withdraw rescind turn_down".split())

_WITHDRAWN = frozenset({"withdraw", "rescind", "cancel"})
_PUT_OFF = frozenset(
    "postpone delay defer reschedule move push_back push put_off bring_forward".split()
)


def read_cancelling(
    clause: Clause, line: Line, drafts: Sequence[Draft], unnamed: list[Claim]
) -> Iterator[Draft]:
    """Yield the plans that a clause says will not happen, or at another time.

    Args:
        clause: What says so.
        line: The sentence.
        drafts: What the text said before: "the move" is the one that it told of.
        unnamed: Takes what is called or put off though the text says nowhere whose plan it was.
    """
    said = {child.lower_ for child in clause.verb.children}
    particle = next((word for word in ("off", "back", "forward", "down") if word in said), "")
    key = "_".join(filter(None, (clause.lemma, particle)))
    off = clause.lemma == "be" and bool(said & (_OFF | {"dead"}))
    off = off or key in _CALLED or (clause.lemma == "fall" and "through" in said)
    periods = line.periods(clause.verb) if key in _PUT_OFF else []
    if clause.negated or not (off or periods):
        return
    active = bool(clause.arguments.get("dobj")) and not clause.passive
    for noun in clause.arguments["dobj"] if active else clause.subjects:
        relation = "" if noun == clause.verb else _PLANS.get(noun.lemma_.lower(), "")
        if not relation:
            yield from _gone(noun, clause, line) if off and not active else ()
            continue
        people = _names(clause.subjects, line) if active else []
        one, other = _ends(noun, relation, people, line)
        if active and one in people and noun.lemma_ == "offer" and clause.lemma in _WITHDRAWN:
            one, other = None, one  # "Acme withdrew its offer"
        for plan in _planned(drafts, relation, one, other, line):
            one, other = plan.subject, plan.object
            if periods:
                plan.life = _begun(plan.life, line, clause)
                return
        if one is None:
            unnamed.append(_unnamed(relation, other, line, clause if periods else None))
        elif periods and other is not None:
            draft = line.draft(one, relation, other, _begun(Life(), line, clause))
            draft.corrects = True
            yield draft
        elif not periods:
            over = lifetime("end", clause, line.periods(clause.verb), line.reference)
            life = over if relation == "engaged_to" else None  # it was so until then
            yield line.draft(one, relation, other, life or CANCELLED)
            if noun.lemma_ == "wedding" and over is not None:
                yield replace(line.draft(one, "engaged_to", other, over), of_known=True)


def _gone(noun: "Token", clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield that what was planned with a name is off: ``Lisbon is off, we stay in Leeds``.

    Not ``Tom is off to Riga``, ``Acme is off the hook``, ``Acme withdrew from the tender``.
    """
    name, speaker = line.name(noun), line.scene.speaker
    off = [child for child in clause.verb.children if child.lower_ in _OFF]
    beside = [child for word in (clause.verb, *off) for child in word.children]
    more = any(child.dep_ in ("prep", "pobj", "dobj", "attr", "npadvmod") for child in beside)
    if more or not (clause.passive or (clause.lemma == "be" and off)):
        return
    if noun.pos_ == "PROPN" and name is not None and speaker is not None and name is not speaker:
        for relation in sorted(_ONES):
            yield replace(line.draft(speaker, relation, name, CANCELLED), of_known=True)


def _unnamed(relation: str, other: Name | None, line: Line, put_off: Clause | None) -> Claim:
    """Return what is said of a plan of somebody whom only what is known can tell."""
    start, end = (line.offset + line.sentence.start_char, line.offset + line.sentence.end_char)
    life = CANCELLED if put_off is None else _begun(Life(), line, put_off)
    return Claim(
        Mention("", start=start, end=start),
        relation,
        None if other is None else other.mention(),
        line.prefix + line.sentence.text.strip(),
        start,
        end,
        valid_at=life.start,
        valid_precision=life.start_precision,
        corrects=put_off is not None,
        confidence=0.8,
        kind=life.kind,
    )


def _begun(life: Life, line: Line, clause: Clause) -> Life:
    period = replace(line.periods(clause.verb)[0], bound="in")
    if period.start < line.reference:  # "put off until August" means the next one
        period = replace(period, start=shift(period.start, "year", 1))
    return life.beginning(period)


def _planned(
    drafts: Sequence[Draft], relation: str, one: Name | None, other: Name | None, line: Line
) -> list[Draft]:
    """Return the last plan of the text that the words can mean."""
    found = [
        draft
        for draft in drafts
        if draft.relation == relation
        and draft.life.start is not None
        and draft.life.start > line.reference
        and (one is None or one in (draft.subject, draft.object))
        and (other is None or other in (draft.subject, draft.object))
    ]
    return found[-1:]


def _ends(
    noun: "Token", relation: str, people: list[Name], line: Line
) -> tuple[Name | None, Name | None]:
    """Return whose plan it is, and with or to whom or where."""
    owner = line.scene.possessor_of(noun, line.offset)
    own = [owner] if owner is not None and owner.named else people
    found = list(own)
    for child in noun.children:
        if child.dep_ == "compound" and child.pos_ == "PROPN" and relation == "works_at":
            found += _names([child], line)  # "the Acme job"
        if child.dep_ == "prep" and child.lower_ in _PREPOSITIONS:
            targets = [target for target in child.children if target.dep_ == "pobj"]
            targets += [one for target in targets for one in target.children if one.dep_ == "conj"]
            names = _names(targets, line)
            found += [name for name in names if name not in found]
    if relation in _ONES and not own and found:
        return line.scene.speaker, found[0]  # "the move to Oslo is off": that of who says so
    if relation == "owned_by" and own and found[1:]:
        return found[1], found[0]  # "Acme's takeover of Castor"
    return (found[0] if found else None), (found[1] if found[1:] else None)


def _names(tokens: list["Token"], line: Line) -> list[Name]:
    names = (line.name(token) for token in tokens)
    return [name for name in names if name is not None and name.named]
