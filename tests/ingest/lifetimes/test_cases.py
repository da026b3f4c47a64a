"""The worked cases: what statements of one person's job say, in every order of telling."""

from itertools import permutations

import pytest

from graphrag.ingest.lifetimes.settle import settle
from graphrag.ontology.relations import Relation, Relations
from tests.ingest.lifetimes.telling import date, held, listed, rows, tell, tell_all

RELATIONS = Relations()
ANYTHING = Relations([Relation("works_at")])
"""With which a person may work in several places at once."""

# The story, what holds at which moments, how many facts hold some time, what is listed.
CASES = [
    ("X from 2011; Y from 2012; X from 2013; Y from 2014",
     {"2010": "", "2011": "X", "2012": "Y", "2013": "X", "2014": "Y", "2024": "Y"}, 4, set()),
    ("X from 2011; X from 2013; Y from 2012",
     {"2011": "X", "2012": "Y", "2013": "X", "2024": "X"}, 3, set()),
    ("X from 2012; X from 2011", {"2010": "", "2011": "X", "2012": "X", "2024": "X"}, 1, set()),
    ("X seen 2021; Y since 2020, told 2022", {"2019": "", "2020": "Y", "2021": "Y", "2024": "Y"},
     1, {("X", "Y")}),
    ("X seen 2021; Y since 2022, told 2022", {"2020": "", "2021": "X", "2022": "Y", "2024": "Y"},
     2, set()),
    ("X 2010 to 2020; Y 2013 to 2015",
     {"2012": "X", "2014": "XY", "2017": "X", "2021": ""}, 2, set()),
    ("X from 2010; Y 2013 to 2015", {"2012": "X", "2014": "Y", "2017": ""}, 2, set()),
    ("X since 2010, told 2016; Y 2013 to 2015", {"2012": "X", "2014": "XY", "2017": "X"},
     2, set()),
    ("X 2019 to 2022; Y from 2021", {"2020": "X", "2021": "XY", "2022": "Y", "2024": "Y"},
     2, set()),
    ("X 2019 to 2024; Y from 2021", {"2020": "X", "2021": "XY", "2023": "XY", "2024": "Y"},
     2, set()),
    ("X left 2022; Y from 2020", {"2019": "X", "2020": "XY", "2021": "XY", "2022": "Y"},
     2, set()),
    ("X from 2018; Y from 2020; X left 2022",
     {"2017": "", "2019": "X", "2021": "XY", "2022": "Y", "2024": "Y"}, 2, set()),
    ("X from 2018; Y from 2020; X left 2022 exactly, told 2022",
     {"2017": "", "2019": "X", "2021": "Y", "2024": "Y"}, 2, set()),
    ("X seen 2011; X seen 2013", {"2010": "", "2011": "X", "2012": "X", "2024": "X"}, 1, set()),
    ("X 1988 to 1989; X 1991 to 1993",
     {"1988": "X", "1990": "", "1991": "X", "1993": ""}, 2, set()),
    ("X from 2015; X from 2015-06-10",
     {"2015-03": "", "2015-06-09": "", "2015-06-10": "X", "2024": "X"}, 1, set()),
    ("X from 2018; X left 2020; X from 2022",
     {"2017": "", "2019": "X", "2020": "", "2021": "", "2022": "X", "2024": "X"}, 2, set()),
    ("X left 2020", {"2000": "X", "2019": "X", "2020": ""}, 1, set()),
    ("X seen 2015; X left 2014, told 2014",
     {"2013": "X", "2014": "", "2015": "X", "2024": "X"}, 2, set()),
    ("X always; Y from 2019", {"1990": "X", "2018": "X", "2019": "Y", "2024": "Y"}, 2, set()),
    ("was Y, told 2023; X seen 2022",
     {"2010": "", "2021": "", "2022": "X", "2024": "X"}, 2, set()),
    ("X planned from 2025, told 2024; X cancelled, told 2024-12",
     {"2024": "", "2025": "", "2026": ""}, 0, set()),
    ("X from 2019, trust 1; Y from 2021", {"2018": "", "2019": "X", "2021": "X", "2024": "X"},
     1, {("X", "Y")}),
    ("X event 2021-05-03",
     {"2021-05-02": "", "2021-05-03": "X", "2021-05-04": "", "2024": ""}, 1, set()),
    ("X timeless 1980-05-03", {"1979": "X", "1980-05-03": "X", "2024": "X"}, 1, set()),
]  # fmt: skip


def told_in_every_order(story):
    return [tell_all(story, order) for order in permutations(range(story.count(";") + 1))]


@pytest.mark.parametrize(
    ("story", "answers", "facts", "overruled"), CASES, ids=[case[0] for case in CASES]
)
def test_worked_case_in_every_order(story, answers, facts, overruled):
    outcomes = []
    for told in told_in_every_order(story):
        found = settle(told, RELATIONS)
        assert {at: held(found, at) for at in answers} == {at: {*answers[at]} for at in answers}
        assert len(rows(found)) == facts
        assert listed(found, told) == overruled
        outcomes.append(rows(found))
    assert all(outcome == outcomes[0] for outcome in outcomes)


@pytest.mark.parametrize("sources", [("text", "text"), ("one", "other")])
def test_two_values_of_one_evidence_moment_both_hold(sources):
    told = [tell(f"{value} seen 2021", seq, source=sources[seq]) for seq, value in enumerate("XY")]
    found = settle(told, RELATIONS)
    assert held(found, "2021") == held(found, "2024") == {"X", "Y"}
    assert not found.overruled


def lifetime(story, value, relations=RELATIONS):
    """Return the only fact of a value: its ends, whether it was only seen, how it is closed."""
    [one] = [one for one in settle(tell_all(story), relations).lifetimes if one.object == value]
    ends = tuple(f"{end:%Y-%m-%d}" if end else None for end in (one.valid_at, one.invalid_at))
    return *ends, one.observed, one.closed_as, one.invalidated_by


@pytest.mark.parametrize(
    ("story", "value", "expected"),
    [
        ("X from 2010; Y from 2012", "X", ("2010-01-01", "2012-01-01", False, "superseded", "f1")),
        ("X from 2010; Y 2013 to 2015", "X",
         ("2010-01-01", "2013-01-01", False, "superseded", "f1")),
        ("X from 2010; X left 2012; Y from 2012", "X",
         ("2010-01-01", "2012-01-01", False, "ended", None)),
        ("X 2010 to 2012; Y from 2012", "X", ("2010-01-01", "2012-01-01", False, "bounded", None)),
        ("X seen 2010", "X", ("2010-01-01", None, True, None, None)),
        ("X seen 2010; X from 2010", "X", ("2010-01-01", None, False, None, None)),
        ("X seen 2010; X from 2009", "X", ("2009-01-01", None, False, None, None)),
        ("X from 2010; X seen 2009", "X", ("2009-01-01", None, True, None, None)),
        ("X left 2020", "X", (None, "2020-01-01", False, "ended", None)),
        ("X always", "X", (None, None, False, None, None)),
        ("was X, told 2023", "X", (None, "2023-01-01", False, "past", None)),
        ("was X, told 2023; Y seen 2022", "X", (None, "2023-01-01", False, "past", None)),
        ("X seen 2021; Y since 2020, told 2022", "X",
         ("2021-01-01", None, True, "overruled", "f1")),
        ("X from 2021; Y from 2019, trust 1", "X",
         ("2021-01-01", None, False, "overruled", "f1")),
        ("X planned from 2025, told 2024; X cancelled, told 2024-12", "X",
         ("2025-01-01", None, False, "cancelled", None)),
        ("X event 2021-05-03", "X", ("2021-05-03", "2021-05-04", False, "bounded", None)),
        ("X event 2021-05", "X", ("2021-05-01", "2021-06-01", False, "bounded", None)),
        ("X timeless 1980-05-03", "X", (None, None, False, None, None)),
    ],
)  # fmt: skip
def test_fields_of_a_fact(story, value, expected):
    assert lifetime(story, value) == expected


# How the rules are read where they leave room; see graphrag/ingest/lifetimes/settle.py.
READINGS = [
    # -- dates as precise as they were told
    ("a month inside a year", "X from 2015-06; X from 2015", {"2015-05": "", "2015-06": "X"}),
    ("a day inside a month inside a year", "X from 2015; X from 2015-06; X from 2015-06-10",
     {"2015-06-09": "", "2015-06-10": "X"}),
    ("the other value's dates are its own", "X from 2015; Y from 2015-06-10",
     {"2015-03": "X", "2015-07": "Y"}),
    ("a text of that spring knows better", "X since 2015, told 2015-03; X from 2015-06-10",
     {"2015-02": "X", "2015-07": "X"}),
    ("an end, too", "X from 2010; X left 2015; X left 2015-06-10",
     {"2015-06-09": "X", "2015-06-10": ""}),
    ("of a stretch told whole", "X 2010 to 2015; X left 2015-06-10",
     {"2015-06-09": "X", "2015-06-10": ""}),
    ("seen in the year in which it ended", "X seen 2015-03-01; X left 2015, told 2016",
     {"2015-02-28": "", "2015-03-01": "X", "2015-03-02": "", "2017": ""}),
    ("seen after the end was told", "X seen 2015-03-01; X left 2015, told 2015-02",
     {"2015-02": "", "2015-03-01": "X", "2017": "X"}),
    ("one year from both ends", "X 2015 to 2015", {"2014": "", "2015-06": "X", "2016": ""}),
    # -- ends
    ("an end without an object", "X from 2010; quit 2015", {"2014": "X", "2015": ""}),
    ("an end is no evidence against what begins with it", "X from 2010; X left 2015; Y from 2015",
     {"2014": "X", "2015": "Y", "2024": "Y"}),
    ("seen at the moment of its end", "X seen 2015; X left 2015 exactly",
     {"2014": "X", "2015": "", "2016": ""}),
    ("a stretch and what goes on from it", "X 2010 to 2015; X from 2015",
     {"2014": "X", "2015": "X", "2024": "X"}),
    ("an end between two evidences", "X since 2010, told 2020; X left 2015",
     {"2014": "X", "2016": "X"}),
    ("a better trusted end", "X since 2010, told 2020; X left 2015, trust 1",
     {"2014": "X", "2016": "", "2021": ""}),
    ("a less trusted end", "X from 2010, trust 1; X left 2015", {"2014": "X", "2016": "X"}),
    ("back after a better trusted end", "X seen 2020; X left 2015, trust 1",
     {"2014": "X", "2016": "", "2021": "X"}),
    ("an end to come", "X seen 2024; X left 2030, told 2024", {"2029": "X", "2031": ""}),
    ("a stretch told whole is not cut by its own end", "X 2010 to 2020; X left 2015",
     {"2014": "X", "2016": "X", "2021": ""}),
    ("the end of a rival", "X from 2010; Y left 2015", {"2009": "Y", "2014": "XY", "2016": "X"}),
    ("the end of a rival, undated", "X from 2010; Y left 2015 exactly, told 2015",
     {"2009": "", "2014": "X", "2016": "X"}),
    ("an end after another value began", "X from 2010; Y from 2012; Z 2013 to 2014; X left 2015",
     {"2011": "X", "2012": "Y", "2013": "Z", "2014": "X", "2016": ""}),
    # -- unknown starts
    ("back to where another value ended", "X 2010 to 2012; Y left 2020",
     {"2009": "", "2011": "X", "2013": "Y", "2019": "Y", "2021": ""}),
    ("back at an unknown moment", "X 2000 to 2005; X left 2020",
     {"2004": "X", "2006": "", "2019-12-30": "", "2021": ""}),
    ("back at an unknown moment after it was over", "was X, told 2010; X left 2020",
     {"2009": "", "2012": "", "2019-12-30": "", "2021": ""}),
    ("back to an end without an object", "quit 2010; X left 2020",
     {"2009": "", "2012": "X", "2021": ""}),
    ("what was so, at no moment that is known", "was X, told 2023; Y 2010 to 2012",
     {"2009": "", "2011": "Y", "2013": "", "2024": ""}),
    ("what was so before it is", "was X, told 2010; X from 2015",
     {"2009": "", "2012": "", "2016": "X"}),
    ("what was so is known to have been so", "was X, told 2023; X 2010 to 2012",
     {"2009": "", "2011": "X", "2013": ""}),
    ("what was so is over", "X from 2010; was X, told 2023", {"2009": "", "2022": "X", "2024": ""}),
    ("what was so does not end another", "was X, told 2023; Y from 2020", {"2024": "Y"}),
    ("was so since", "X from 2010; Y from 2012; was X from 2014, told 2020",
     {"2011": "X", "2013": "Y", "2015": "X", "2021": ""}),
    # -- trust
    ("a trusted value runs beside a stretch", "X from 2010, trust 1; Y 2013 to 2015",
     {"2014": "XY", "2017": "X"}),
    ("the trusted one ends, the other has newer evidence",
     "X from 2010, trust 1; X left 2015, trust 1; Y since 2012, told 2020",
     {"2011": "X", "2013": "X", "2016": "Y", "2021": "Y"}),
    ("or older", "X from 2010, trust 1; X left 2015, trust 1; Y from 2012",
     {"2013": "X", "2016": "Y"}),
    ("a trusted stretch, told whole", "X 2010 to 2015, trust 1; Y from 2012",
     {"2013": "X", "2016": "Y"}),
    ("newer among the trusted", "X from 2010, trust 1; Y from 2012, trust 1", {"2013": "Y"}),
    ("a less trusted start widens nothing", "X from 2015, trust 1; X from 2012",
     {"2013": "", "2016": "X"}),
    ("nor does what a less trusted source saw before", "X from 2015, trust 1; X seen 2012",
     {"2013": "", "2016": "X"}),
    ("nor a stretch that reaches over the start", "X from 2015, trust 1; X 2012 to 2017",
     {"2013": "", "2016": "X", "2018": "X"}),
    ("a stretch before it is another one", "X from 2015, trust 1; X 2010 to 2012",
     {"2011": "X", "2013": "", "2016": "X"}),
    ("and so is one that a rival ends", "X from 2015, trust 1; X from 2010; Y 2012 to 2014",
     {"2011": "X", "2013": "Y", "2014-06": "", "2016": "X"}),
    ("where no start was stated, one may be", "X seen 2015, trust 1; X from 2012",
     {"2011": "", "2013": "X", "2016": "X"}),
    ("said of no time, it is of the same", "X from 2015, trust 1; X always",
     {"2013": "", "2016": "X"}),
    ("a less trusted date refines nothing", "X from 2015, trust 1; X from 2015-06-10",
     {"2015-03": "X", "2016": "X"}),
    ("but is refined", "X from 2015; X from 2015-06-10, trust 1", {"2015-03": "", "2016": "X"}),
    ("nor is an end refined", "X from 2010, trust 1; X left 2015, trust 1; X left 2015-06-10",
     {"2014": "X", "2015-03": "", "2016": ""}),
    ("nor by what was seen", "X left 2015, told 2016, trust 1; X seen 2015-06-10",
     {"2014": "X", "2015-03": "", "2015-07": "", "2017": ""}),
    ("nor moved", "X from 2010, trust 1; X left 2015, trust 1; X left 2020",
     {"2014": "X", "2016": "", "2019-12-31": "", "2021": ""}),
    ("nor put off", "X 2010 to 2015, trust 1; X from 2015", {"2014": "X", "2016": ""}),
    ("begun anew, after a gap", "X 2010 to 2015, trust 1; X from 2016",
     {"2014": "X", "2015-06": "", "2017": "X"}),
    # -- plans
    ("a plan is read as what it plans", "X planned from 2025, told 2024; Y seen 2024",
     {"2024": "Y", "2025": "X"}),
    ("a state to come is a plan", "X from 2025, told 2024; X cancelled, told 2024-12",
     {"2026": ""}),
    ("called off in the month it was planned for", "X planned from 2025-03, told 2024; "
     "X cancelled, told 2025-03-02", {"2025-04-01": ""}),
    ("called off when it had begun", "X planned from 2025-03-01, told 2024; "
     "X cancelled, told 2025-03-02", {"2025-04-01": "X"}),
    ("cancelled by somebody trusted less", "X planned from 2025, told 2024, trust 1; "
     "X cancelled, told 2024-12", {"2026": "X"}),
    ("planned anew", "X planned from 2025, told 2024; X cancelled, told 2024-12; "
     "X planned from 2026, told 2025", {"2025": "", "2026": "X"}),
    ("what began is no plan", "X from 2020, told 2024; X cancelled, told 2024-12", {"2025": "X"}),
    ("a bounded plan", "X planned 2025 to 2027, told 2024; X cancelled, told 2024-12",
     {"2026": ""}),
    # -- others
    ("an event leaves what runs alone", "X from 2020; Y event 2021-05-03",
     {"2021-05-03": "XY", "2021-05-04": "X"}),
    ("a stretch around a start without more", "X from 2012; Y 2010 to 2015",
     {"2011": "Y", "2013": "XY", "2016": "X"}),
    ("a stretch and a start of one moment", "X from 2012; Y 2012 to 2015",
     {"2013": "XY", "2016": "X"}),
]  # fmt: skip


# What a plan is, what one text states together, and what says nothing of any time.
AMENDMENTS = [
    # -- plans
    ("a plan is moved by a newer plan", "X planned from 2025-03-03, told 2025-02-01; "
     "X planned from 2025-03-20, told 2025-02-20", {"2025-03-10": "", "2025-03-21": "X"}),
    ("brought forward, too", "X planned from 2025-03-20, told 2025-02-01; "
     "X planned from 2025-03-03, told 2025-02-20", {"2025-03-02": "", "2025-03-10": "X"}),
    ("by a report of when it came to be", "X planned from 2025-05-01, told 2025-04; "
     "X since 2025-05-12, told 2025-06-10", {"2025-05-05": "", "2025-05-13": "X"}),
    ("a report of a month agrees", "X planned from 2025-05-04, told 2025-04; "
     "X since 2025-05, told 2025-06-10", {"2025-05-03": "", "2025-05-05": "X"}),
    ("a plan after the end of another is of its own", "X planned from 2031, told 2024-01; "
     "X left 2033; X planned from 2034, told 2024-02",
     {"2026": "", "2032": "X", "2033-06": "", "2035": "X"}),
    ("moved by nobody less trusted", "X planned from 2025-03-03, told 2025-02-01, trust 1; "
     "X planned from 2025-03-20, told 2025-02-20", {"2025-03-10": "X"}),
    ("a plan for another time, once the first is past", "X event 2025-03-03, told 2025-02; "
     "X event 2026-03-20, told 2026-02", {"2025-03-03": "X", "2025-03-04": "", "2026-03-20": "X"}),
    ("two plans of one text", "X event 2025-03-03, told 2025-02; X event 2025-03-20, told 2025-02",
     {"2025-03-03": "X", "2025-03-10": "", "2025-03-20": "X"}),
    ("one delivery, moved and made", "X event 2025-03-03, told 2025-02-01; "
     "X event 2025-03-20, told 2025-02-20; X event 2025-03-22, told 2025-03-25",
     {"2025-03-03": "", "2025-03-20": "", "2025-03-22": "X", "2025-03-23": ""}),
    ("a planned act is an act", "X event 2025-05-04, told 2025-04",
     {"2025-05-03": "", "2025-05-04": "X", "2025-05-05": "", "2026": ""}),
    ("and can be called off", "X event 2025-05-04, told 2025-04; X cancelled, told 2025-05",
     {"2025-05-04": ""}),
    ("what began as planned and was left is not moved by a return",
     "X planned from 2025-03-03, told 2025-02; X left 2025-06-01; X from 2027",
     {"2025-04": "X", "2026": "", "2028": "X"}),
    # -- what says nothing of any time
    ("an undated word widens no start", "X from 2024-04; X always", {"2020": "", "2025": "X"}),
    ("nor what was seen", "X seen 2024-04; X always", {"2020": "", "2025": "X"}),
    ("nor an end", "X from 2010; X left 2015; X always", {"2012": "X", "2016": ""}),
    ("nor a stretch", "X 2010 to 2012; X always", {"2009": "", "2011": "X", "2013": ""}),
    ("nor a day", "X event 2021-05-03; X always",
     {"2021-05-02": "", "2021-05-03": "X", "2024": ""}),
    ("nor does it come before a rival", "X 2010 to 2012; Y from 2013; X always",
     {"2009": "", "2011": "X", "2014": "Y"}),
    ("alone, its start is unknown", "X always; X always", {"2000": "X", "2024": "X"}),
    ("and it can end", "X always; X left 2015 exactly, told 2015", {"2014": "X", "2016": ""}),
    ("a less trusted date is none of it", "X always, trust 1; X from 2024", {"2020": "X"}),
    # -- side by side
    ("naming one again does not end the other", "X seen 2020, text a; Y seen 2020, text a; "
     "X seen 2021", {"2020": "XY", "2022": "XY"}),
    ("nor does its date", "X seen 2020, text a; Y seen 2020, text a; Y since 2019, told 2022",
     {"2019": "Y", "2020": "XY", "2023": "XY"}),
    ("who comes instead ends both", "X seen 2020, text a; Y seen 2020, text a; Z from 2022",
     {"2021": "XY", "2022": "Z"}),
    ("a newer pair ends who is not in it", "X seen 2020, text a; Y seen 2020, text a; "
     "X seen 2022, text b; Z seen 2022, text b", {"2021": "XY", "2022": "XZ", "2024": "XZ"}),
    ("an end ends one", "X seen 2020, text a; Y seen 2020, text a; X left 2021",
     {"2020-06": "XY", "2022": "Y"}),
    ("before they were named together each ended the other", "X from 2016; Y from 2018; "
     "X seen 2020, text a; Y seen 2020, text a", {"2017": "X", "2019": "Y", "2021": "XY"}),
    ("what one text tells of two years is no pair", "X from 2016, text a; Y from 2018, text a",
     {"2017": "X", "2019": "Y"}),
    ("nor what two texts tell of one", "X seen 2020, text a; Y seen 2020, text b; X seen 2021",
     {"2020": "XY", "2022": "X"}),
    ("a more trusted word takes no notice", "X seen 2020, text a; Y seen 2020, text a; "
     "X seen 2021, trust 1", {"2020": "XY", "2022": "X"}),
]  # fmt: skip
WORDS = [*READINGS, *AMENDMENTS]


@pytest.mark.parametrize(("reading", "story", "answers"), WORDS, ids=[row[0] for row in WORDS])
def test_reading(reading, story, answers):
    outcomes = []
    for told in told_in_every_order(story):
        found = settle(told, RELATIONS)
        assert {at: held(found, at) for at in answers} == {at: {*answers[at]} for at in answers}
        outcomes.append(rows(found))
    assert all(outcome == outcomes[0] for outcome in outcomes)


@pytest.mark.parametrize(
    ("story", "answers"),
    [
        ("X from 2011; Y from 2012; X left 2013", {"2012": "XY", "2014": "Y"}),
        ("X from 2011; X left 2013; X from 2014", {"2012": "X", "2013": "", "2015": "X"}),
        ("X from 2011; Y from 2012; quit 2013", {"2012": "XY", "2013": ""}),
        ("was X, told 2013; Y from 2010", {"2009": "", "2012": "Y", "2013": "Y"}),
    ],
)
def test_a_relation_of_many_gives_each_value_a_line_of_its_own(story, answers):
    for told in told_in_every_order(story):
        found = settle(told, ANYTHING)
        assert {at: held(found, at) for at in answers} == {at: {*answers[at]} for at in answers}
        assert not found.overruled


def test_a_day_in_another_zone_is_as_long_as_a_day():
    found = settle([tell("X event 2021-05-03")], RELATIONS)
    [one] = found.lifetimes
    assert (one.invalid_at - one.valid_at).days == 1
    assert date("2021-05").end - date("2021-05").start == 31 * 86_400_000_000
