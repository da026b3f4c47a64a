"""Statements in words, as the worked cases write them: ``X from 2011``, ``X left 2014, told 2015``.

``X from 2015-06-10``, ``X 2010 to 2020``, ``X seen 2021``, ``X left 2020``, ``X always``,
``was X, told 2023``, ``X planned from 2025, told 2024``, ``X cancelled, told 2024-12``,
``X event 2021-05-03``, ``X timeless``; then ``told DATE``, ``trust NUMBER`` and ``text NAME``. A
date is as precise as it is written, or ``2020 exactly``. ``quit 2020`` ends whatever it was. What
has one ``text`` is stated in one text.
"""

import re
from datetime import UTC, datetime

from graphrag.ingest.lifetimes import Statement
from graphrag.ingest.lifetimes.accounts import line_of
from graphrag.model.assertion import Date
from graphrag.ontology.relations import Relations
from graphrag.temporal.moment import parse_moment

BUILT_IN = Relations()
PRECISION = {4: "year", 7: "month", 10: "day"}
WORDS = re.compile(
    r"(?P<was>was )?(?P<value>[A-Z]\w*|quit)"
    r"(?: (?P<verb>from|since|seen|left|always|planned(?: from)?|cancelled|event|timeless))?"
    r"(?: ?(?P<one>[\d-]{4,10})(?P<exactly> exactly)?)?(?: to (?P<two>[\d-]{4,10}))?"
    r"(?:, told (?P<told>[\d-]{4,10}))?(?:, trust (?P<trust>\d))?(?:, text (?P<text>\w+))?$"
)
KINDS = {verb: verb for verb in ("planned", "cancelled", "event", "timeless")}


def statement(
    id, fact, subject, relation, object="", since=None, until=None, at=None, kind="state", **more
):
    """Return a statement; what it is about comes first."""
    about = {"fact": fact, "subject": subject, "relation": relation, "object": object}
    return Statement(id, since, until, at, kind, **about, **more)


def date(text):
    return Date(parse_moment(text), PRECISION[len(text)])


def moment(text):
    return parse_moment(text)


def tell(words, seq=0, *, relation="works_at", subject="ann", source="", **more):
    """Return the statement that words tell; it is its own first fact."""
    found = WORDS.match(words)
    assert found is not None, words
    verb, value = found["verb"], found["value"]
    kind = "was" if found["was"] else KINDS.get((verb or "-").split()[0], "state")
    one, two = (found[name] and date(found[name]) for name in ("one", "two"))
    if found["exactly"]:
        one = Date(one.moment)
    told = found["told"] and moment(found["told"])
    since, until = one, two
    if verb == "left" or value == "quit":
        since, until = None, one
    if verb == "seen":
        since, told = None, told or one.moment
    return Statement(
        id=more.pop("id", f"s{seq}"),
        fact=more.pop("fact", None if value == "quit" else f"f{seq}"),
        subject=subject,
        relation=relation,
        object="" if value == "quit" else value,
        since=since,
        until=until,
        at=told,
        kind=kind,
        trust=float(found["trust"] or 0),
        seq=seq,
        source=source or found["text"] or f"episode{seq}",
        text=words,
        **more,
    )


def tell_all(story, order=None, **more):
    """Return the statements of a story, told in an order."""
    sentences = [each.strip() for each in story.split(";")]
    order = range(len(sentences)) if order is None else order
    place = {sentence: number for number, sentence in enumerate(order)}
    return [
        tell(sentence, place[number], id=f"s{number}", fact=f"f{number}", **more)
        for number, sentence in enumerate(sentences)
    ]


def holds_at(lifetime, at):
    """Tell whether a fact holds at a moment of world time."""
    if lifetime.closed_as in (*NOWHERE, "past") or (
        lifetime.valid_at is not None and at < lifetime.valid_at
    ):
        return False
    return lifetime.invalid_at is None or at < lifetime.invalid_at


def held(settlement, text):
    """Return which objects hold at a moment."""
    at = moment(text)
    return {one.object for one in settlement.lifetimes if holds_at(one, at)}


NOWHERE = ("overruled", "corrected", "cancelled", "retracted")


def rows(settlement, relations=BUILT_IN):
    """Return the facts that hold at some time, in words of values: ids depend on the telling."""
    named = {one.id: line_of(one, relations) for one in settlement.lifetimes}
    return sorted(
        (
            named[one.id],
            one.valid_at or EARLIEST,
            one.invalid_at or LATEST,
            one.observed,
            one.closed_as or "",
            named.get(one.invalidated_by, ()),
        )
        for one in settlement.lifetimes
        if one.closed_as not in NOWHERE
    )


def listed(settlement, told):
    """Return what is overruled as the two values."""
    about = {one.id: one.object for one in told}
    return {
        tuple(sorted((about[one.statement], about[one.against]))) for one in settlement.overruled
    }


EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)
