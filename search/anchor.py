"""When the events of a question were: "before the move" becomes a time if a fact tells of the move.

The words of the event are looked up among the facts that were ever told, those about the entities
of the question first of all. A guess, so it only prefers: what overlaps the time comes first.
"""

from dataclasses import replace

import numpy as np

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.search.query_events import Anchor
from graphrag.search.query_time import Said, When
from graphrag.search.seeds import named_entities
from graphrag.search.visibility import Visible
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import from_micros

_ENOUGH = 0.5
"""Share of the event's words, the rare ones weighing more, that a fact must have."""


def anchored(when: When, question: str, index: GroupIndex, ever: Visible) -> When:
    """Return what a question says of time, with the time of each event that a fact tells of.

    Args:
        when: What its words alone say.
        question: The question.
        index: The facts to look in.
        ever: What is visible of all times.
    """
    known = ever.facts & (ever.retracted == FOREVER) & (ever.valid != BEGINNING)
    named = named_entities(question, index, ever)
    if named:
        about = np.zeros(len(ever.entities), dtype=np.bool_)
        about[named] = True
        subject, object_ = ever.ends
        known &= about.take(subject) | about.take(object_)
    said = [one for anchor in when.anchors if (one := _placed(anchor, index, ever, known))]
    return replace(when, said=(*when.said, *said), filters=False) if said else when


def _placed(anchor: Anchor, index: GroupIndex, ever: Visible, known: np.ndarray) -> Said | None:
    postings = index.facts.postings
    whole = postings.whole(anchor.words)
    if not whole or not known.any():
        return None
    scores = np.where(known, postings.scores(anchor.words), 0.0)
    row = int(scores.argmax())
    if scores[row] < _ENOUGH * whole:
        return None
    start = from_micros(int(ever.valid[row]))
    end = None if ever.invalid[row] == FOREVER else from_micros(int(ever.invalid[row]))
    match anchor.bound:
        case "before":
            interval = Interval(end=start)
        case "until":
            interval = Interval(end=end or start)
        case "after" | "since":
            interval = Interval(start=start)
        case "in":
            if end is not None and end <= start:
                return None
            interval = Interval(start, end)
    return Said(f"{anchor.bound} {anchor.words}", interval, anchor.bound)
