"""Which relation a verb states between its subject and one of its arguments, as a table.

A row is a class of verbs with their argument: ``dobj``, ``agent``, ``attr``, ``gerund`` or a
preposition. What is not here is no fact of a kind that one can rely on.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graphrag.extract.rules.lexicon import ORG, PERSON, PLACE, Manner


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
_OO, _OL, _P, _O = f"{ORG}>{ORG}", f">{PLACE}", f"{PERSON}>", f">{ORG}"
_OP = f"{ORG}>{PERSON}"
_LIKING = "like love enjoy adore prefer"


_WORK = (
    *_frame("work", "at for", "works_at", "state", _PO),
    *_frame("work", "on", "works_on", "state", _P),
    *_frame("teach nurse cook lecture serve intern", "at", "works_at", "state", _PO),
    *_frame("join", "dobj", "works_at", "start", _PO),
    *_frame("start begin", "at with", "works_at", "start", _PO),
    *_frame("take get find accept", "job_at position_at post_at", "works_at", "start", _PO),
    *_frame("lose quit", "job_at position_at post_at", "works_at", "end", _PO),
    *_frame("hold take get receive", "degree_from degree_at phd_from", "studies_at", "end", _PO),
    *_frame("spend", "year_at year_with month_at", "works_at", "state", _PO),
    *_frame("employ hire recruit", "dobj", "works_at", "start", _OP, swap=True),
    *_frame("employ hire", "dobj", "employs", "start", _PP),
    *_frame("employ hire recruit", "agent", "works_at", "state", _O, passive=True),
    *_frame("leave quit", "dobj", "works_at", "end", _PO),
    *_frame("leave", "for", "works_at", "start", _PO),
    *_frame("return", "to", "works_at", "start", _PO),
    *_frame("stop", "at", "works_at", "end", _PO),
    *_frame("take", "over_dobj", "responsible_for", "start", _P, bare=True),
    *_frame("resign retire", "from", "works_at", "end", _PO),
    *_frame("step stand", "down_from", "works_at", "end", _PO),
    *_frame("join", "from", "works_at", "end", _PO),
    *_frame("fire dismiss sack", "dobj", "works_at", "end", _OP, swap=True),
    *_frame("fire dismiss sack", "agent", "works_at", "end", _O, passive=True),
    *_frame("stand fill step", "in_for", "stands_in_for", "state", _PP),
    *_frame("lead head chair run manage captain direct edit command", "dobj", "leads", "state", _P),
    *_frame("lead head chair manage edit command", "agent", "leads", "state", swap=True),
    *_frame("join", "dobj", "member_of", "start", _OO),
    *_frame("report", "to", "reports_to", "state", _PP),
    *_frame("supervise", "dobj", "supervises", "state", _PP),
    *_frame("mentor", "dobj", "mentors", "state", _PP),
    *_frame("succeed replace", "dobj", "succeeds", "event", _PP),
    *_frame("succeed replace", "agent by", "succeeds", "event", _PP, swap=True, passive=True),
    *_frame("take", "over_from", "succeeds", "event", _PP),
    *_frame("coach train", "agent", "coaches", "state", swap=True),
    *_frame("conduct captain", "agent", "leads", "state", swap=True),
    *_frame("captain skipper", "dobj", "commands", "state", _P),
    *_frame("organise organize", "agent", "organises", "state", swap=True),
    *_frame("host", "dobj", "hosts", "event"),
    *_frame("host", "agent", "hosts", "state", swap=True),
    *_frame("represent", "dobj", "represents", "state"),
    *_frame("treat", "agent", "treated_by", "state"),
    *_frame("supervise advise", "agent", "supervised_by", "state", _PP),
    *_frame("maintain oversee coordinate", "dobj", "responsible_for", "state", _P, bare=True),
    *_frame("look", "after", "responsible_for", "state", _P),
    *_frame("maintain oversee coordinate", "agent", "responsible_for", "state", swap=True),
)
_HOMES = (
    *_frame("live reside dwell", "in at on", "lives_in", "state", _PL),
    *_frame("stay", "in", "lives_in", "state", _PL, present=True),
    *_frame("live reside", "with", "lives_with", "state", _PP),
    *_frame("settle", "in", "lives_in", "start", _PL),
    *_frame("grow", "up_in", "lives_in", "state", _PL),
    *_frame("raise", "in", "lives_in", "end", _PL, passive=True),
    *_frame("move relocate emigrate", "to into", "lives_in", "start", _PL),
    *_frame("return", "to", "lives_in", "start", _PL),
    *_frame("move relocate", "in_with", "lives_with", "start", _PP),
    *_frame("move", "from out_of", "lives_in", "end", _PL),
    *_frame("bear", "in at", "born_in", "timeless", _PL, passive=True),
    *_frame("die", "in at", "died_in", "event", _PL),
    *_frame("be come hail originate", "from", "comes_from", "timeless", _PL),
    *_frame("move relocate", "to into", "located_in", "start", f"{ORG}>{PLACE}"),
    *_frame("move relocate", "from", "located_in", "end", f"{ORG}>{PLACE}"),
    *_frame("base locate headquarter house", "in", "located_in", "state", _OL, passive=True),
    *_frame("lie stand", "in", "located_in", "state", f"{PLACE}>{PLACE}"),
)
_FAMILY = (
    *_frame("marry wed", "dobj to", "married_to", "start", _PP),
    *_frame("divorce", "dobj from", "married_to", "end", _PP),
    *_frame("break split", "up_with with", "partner_of", "end", _PP),
)
_STUDY = (
    *_frame("study train", "at", "studies_at", "state", _PO),
    *_frame("attend", "dobj", "studies_at", "state", _PO),
    *_frame("educate school train", "at", "studies_at", "state", _PO, passive=True),
    *_frame("graduate", "from", "studies_at", "end", _PO),
    *_frame("study", "dobj", "studies", "state", _P, bare=True),
    *_frame("study train", "under with", "taught_by", "state", _PP),
    *_frame("teach", "agent", "taught_by", "state", _PP),
    *_frame("speak", "dobj", "speaks", "state", _P),
    *_frame("learn", "dobj", "learns", "state", _P, present=True),
    *_frame("read", "dobj", "studies", "state", _P, bare=True),
    *_frame("read", "at", "studies_at", "state", _PO),
    *_frame("teach", "dobj", "teaches", "state", _P, bare=True),
)
_BODIES = (
    *_frame("found establish cofound co-found", "dobj", "founded", "timeless", _O),
    *_frame("found establish start open", "agent", "founded", "timeless", swap=True),
    *_frame("open launch start create", "dobj", "founded", "timeless", _PO),
    *_frame("set", "up_dobj", "founded", "timeless", _O),
    *_frame("set", "up_agent", "founded", "timeless", swap=True),
    *_frame("found establish", "in", "located_in", "timeless", f"{ORG}>{PLACE}", passive=True),
    *_frame("acquire", "dobj", "acquired", "start", _OO),
    *_frame("acquire", "agent", "acquired", "start", f"{ORG}>", swap=True),
    *_frame("buy purchase", "dobj", "owned_by", "start", swap=True),
    *_frame("buy purchase own", "agent", "owned_by", "start"),
    *_frame("sell", "dobj", "owned_by", "end", _P, swap=True),
    *_frame("sell", "to", "owned_by", "start", passive=True),
    *_frame("own", "dobj", "owned_by", "state", swap=True),
    *_frame("belong", "to", "owned_by", "state"),
    *_frame("take", "over_agent", "owned_by", "start", passive=True),
    *_frame("pass", "from", "owned_by", "end"),
    *_frame("operate", "dobj", "operates", "state"),
    *_frame("operate run", "agent", "operates", "state", swap=True),
    *_frame("fund finance", "dobj", "funds", "state"),
    *_frame("fund finance", "agent", "funds", "state", swap=True),
    *_frame("sponsor", "agent", "sponsors", "state", swap=True),
    *_frame("sponsor", "dobj", "sponsors", "state"),
    *_frame("let lease rent", "to", "rents", "start", passive=True, swap=True),
    *_frame("record", "for", "signed_to", "state", f">{ORG}"),
    *_frame("perform", "at", "performs_at", "event"),
    *_frame("supply", "agent", "supplies", "state", swap=True),
    *_frame("play ride race skate box bowl bat row", "for", "plays_for", "state", _PO),
    *_frame("transfer post second", "to", "works_at", "start", _PO, passive=True),
    *_frame("represent", "agent", "represents", "state", swap=True),
    *_frame("insure", "with", "insured_with", "state", passive=True),
    *_frame("bank", "with", "customer_of", "state", _P),
    *_frame("meet rehearse", "in at", "meets_in", "state", f"{ORG}>{PLACE}", present=True),
)
_WORKS = (
    *_frame("write author compose", "dobj", "author_of", "timeless", _P),
    *_frame("write author compose", "agent", "author_of", "timeless", f">{PERSON}", swap=True),
    *_frame("design invent develop create build direct produce", "agent", "created_by", "timeless"),
    *_frame("design invent develop create", "dobj", "created_by", "timeless", swap=True),
    *_frame("win", "dobj", "won", "event"),
    *_frame("award", "dobj", "won", "event", passive=True),
    *_frame("fix solve", "agent", "fixed", "event", f">{PERSON}", swap=True),
)
_HABITS = (
    *_frame(_LIKING, "dobj gerund", "likes", "state", _P, bare=True, present=True),
    *_frame("dislike hate detest", "dobj gerund", "dislikes", "state", _P, bare=True, present=True),
    *_frame("use", "dobj", "uses", "state"),
    *_frame("switch upgrade migrate", "to", "uses", "start"),
    *_frame("switch upgrade migrate", "from", "uses", "end"),
    *_frame("run", "dobj", "operates", "state"),
    *_frame("run", "on dobj", "runs_on", "state"),
    *_frame("play", "dobj", "plays", "state", _P, bare=True),
    *_frame("drive", "dobj", "drives", "state", _P),
    *_frame("lease rent", "dobj", "rents", "start", _P, bare=True),
    *_frame("cancel", "dobj", "subscribed_to", "end", _P),
    *_frame("subscribe", "to", "subscribed_to", "state"),
    *_frame("follow", "agent", "follows", "event", _PP, swap=True, passive=True),
)
_HEALTH = (
    *_frame("diagnose", "with", "has_condition", "start", _P, passive=True, bare=True),
    *_frame("suffer", "from", "has_condition", "state", _P, bare=True),
    *_frame("take", "dobj", "takes", "state", _P, bare=True, present=True),
    *_frame("undergo", "dobj", "had_surgery", "event", _P, bare=True),
)


def _by_verb(rows: Iterable[Row]) -> Mapping[str, Mapping[str, tuple[Frame, ...]]]:
    table: dict[str, dict[str, tuple[Frame, ...]]] = {}
    for verb, slot, frame in rows:
        slots = table.setdefault(verb, {})
        slots[slot] = (*slots.get(slot, ()), frame)
    return table


_ROWS = (*_WORK, *_HOMES, *_FAMILY, *_STUDY, *_BODIES, *_WORKS, *_HABITS, *_HEALTH)
FRAMES = _by_verb(_ROWS)
"""Verb and argument to what they can state; the first row that fits counts."""
