"""Random histories: one to eight statements of every kind about a few people, and rulings."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from graphrag.ingest.lifetimes import Exclusion
from graphrag.model.assertion import Date, Void
from graphrag.ontology.relations import Relation, Relations
from tests.ingest.lifetimes.telling import statement

RELATIONS = Relations().having(
    Relation("job", synonym_of="works_at"),
    Relation("born_in", single_valued=True, timeless=True),
    Relation("died", ends=("works_at", "leads", "married_to")),
    Relation("divorced", symmetric=True, ends_between=("married_to",)),
    Relation("seat", single_valued=True, single_holder=True),
)
JOBS = [("ann", "works_at", value) for value in "XYZ"] + [
    ("ann", "job", "Y"),
    ("X", "employs", "ann"),
]
MARRIAGES = [
    ("ann", "married_to", "bob"),
    ("bob", "married_to", "ann"),
    ("bob", "married_to", "cid"),
]
SEATS = [(one, "seat", value) for one in ("ann", "bob") for value in "XY"]
POOLS = (
    JOBS[:2],
    JOBS[:2],
    JOBS,
    [*JOBS, ("bob", "works_at", "X"), ("Y", "employs", "bob")],
    [*JOBS[:2], ("ann", "died", "X"), ("ann", "leads", "X"), ("X", "led_by", "cid")],
    [*MARRIAGES, ("cid", "married_to", "dan"), ("bob", "divorced", "ann"), ("bob", "died", "X")],
    [*MARRIAGES, ("ann", "engaged_to", "bob"), ("cid", "engaged_to", "ann")],
    SEATS,
    SEATS,
    [("ann", "likes", "X"), ("ann", "dislikes", "X"), ("ann", "likes", "Y")],
    [("ann", "visited", "X"), ("ann", "knows", "X")],
    [("ann", "born_in", "X"), ("ann", "born_in", "Y")],
    [*JOBS[:2], *MARRIAGES, *SEATS, ("ann", "visited", "X"), ("ann", "born_in", "X")],
)
"""What a history is about: values that meet in different ways."""
YEARS = range(2011, 2016)
DATES = (
    [Date(datetime(year, 1, 1, tzinfo=UTC), "year") for year in YEARS]
    + [Date(datetime(year, 1, 1, tzinfo=UTC)) for year in YEARS]
    + [Date(datetime(2013, month, 1, tzinfo=UTC), "month") for month in (1, 3, 7)]
    + [Date(datetime(2013, 3, day, tzinfo=UTC), "day") for day in (1, 20)]
    + [Date(datetime(2013, 7, 9, 12, tzinfo=UTC)), Date(datetime(2014, 2, 2, tzinfo=UTC), "day")]
)
MOMENTS = sorted({date.moment for date in DATES} | {DATES[-1].moment + timedelta(hours=5)})
KINDS = ("state",) * 10 + ("was", "was", "event", "event", "planned", "planned", "cancelled")
KINDS = (*KINDS, "timeless")
SHAPES = (
    ("since",) * 3
    + ("since at",) * 2
    + ("since until",) * 2
    + ("until", "until at", "at", "at", "")
)
"""Which dates are told; a kind may need others."""


@st.composite
def statements(draw, number, triples):
    subject, relation, object_ = draw(st.sampled_from(triples))
    kind, shape = draw(st.sampled_from(KINDS)), draw(st.sampled_from(SHAPES))
    since, until = draw(st.sampled_from(DATES)), draw(st.sampled_from(DATES))
    at = draw(st.sampled_from(MOMENTS)) if "at" in shape or kind == "was" else None
    if kind in ("cancelled", "timeless"):
        shape = ""
    elif kind in ("event", "planned") and "since" not in shape:
        shape = "since"
        if kind == "event" and draw(st.booleans()):
            at = draw(st.sampled_from(MOMENTS))
    since, until = (since if "since" in shape else None), (until if "until" in shape else None)
    if since is not None and until is not None:
        after = until.start if until.precision == "exact" else until.end
        until = until if after > since.start else None
    if kind == "was" and since is not None and until is None and at <= since.moment:
        since = None
    ends = kind == "cancelled" or (kind in ("state", "was") and since is None and until is not None)
    if ends and draw(st.integers(0, 4)) == 0:
        object_ = ""
    return statement(
        f"s{number}",
        f"f{number}" if object_ else None,
        subject,
        relation,
        object_,
        since,
        until,
        at,
        kind,
        trust=draw(st.sampled_from((0.0, 0.0, 0.0, 1.0, 2.0))),
        seq=number,
        source=draw(st.sampled_from(("text1", "text2", f"text{number}"))),
        untyped=draw(st.integers(0, 19)) == 0,
        as_given=draw(st.integers(0, 5)) == 0,
        void=Void("retracted") if draw(st.integers(0, 11)) == 0 else None,
    )


@st.composite
def histories(draw, most=8):
    """Return statements about values that meet, and rulings on them."""
    triples = draw(st.sampled_from(POOLS))
    count = draw(st.sampled_from([*range(1, most + 1), most, most - 1, most - 2]))
    told = [draw(statements(number, triples)) for number in range(count)]
    for number in range(1, count):
        if draw(st.integers(0, 4)) == 0 and told[number - 1].object:  # one text states both
            subject, relation, object_ = draw(st.sampled_from(triples))
            ends = {"subject": subject, "relation": relation, "object": object_}
            told[number] = replace(
                told[number - 1], id=f"s{number}", fact=f"f{number}", seq=number, **ends
            )
    ids = st.sampled_from([one.id for one in told])
    pairs = draw(st.lists(st.tuples(ids, ids), max_size=1))
    return told, [Exclusion(f"r{number}", pair) for number, pair in enumerate(pairs)]
