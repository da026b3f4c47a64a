"""Every way in which two facts can meet, as a table."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.model.assertion import Void
from graphrag.model.values import Fact, Span
from graphrag.ontology.relations import Relation, Relations
from tests.conftest import day
from tests.ingest.meeting import equal_evidence, meet, said

NOW = day("2026-01-01")
RELATIONS = Relations()


def fact(triple, start=None, end=None, *, told="2020-01-01", id_="old", observed=False):
    subject, relation, object_ = triple.split()
    object_ = "" if object_ == "?" else object_
    return Fact(
        id=id_,
        group_id="g",
        created_at=NOW,
        subject_id=subject,
        object_id=object_,
        subject=subject,
        relation=relation,
        object=object_,
        text=triple,
        valid_at=day(start) if start else None,
        invalid_at=day(end) if end else None,
        reference_time=day(told),
        observed=observed,
        sources=(Span(f"episode-{id_}", 0, 1),),
    )


def interval(item):
    if item is None:
        return None
    if item.retracted_at:
        return "retracted"
    return tuple(m.date().isoformat() if m else None for m in (item.valid_at, item.invalid_at))


def tell(new, *old, relations=RELATIONS, **kind):
    verdict = meet(new, old, relations, now=NOW, **kind)
    return interval(verdict.new), {id_: interval(item) for id_, item in verdict.changed.items()}


A, B = "alice works_at acme", "alice works_at beta"


@pytest.mark.parametrize(
    ("case", "old", "new", "expected_new", "expected_old"),
    [
        ("later start closes the earlier", (A, "2020-01-01"), (B, "2023-01-01"),
         ("2023-01-01", None), ("2020-01-01", "2023-01-01")),
        ("unknown start counts as earliest", (A, None), (B, "2023-01-01"),
         ("2023-01-01", None), (None, "2023-01-01")),
        ("late arrival gets a closed interval", (A, "2020-01-01"), (B, "2018-01-01"),
         ("2018-01-01", "2020-01-01"), None),
        ("new without a start is before everything", (A, "2020-01-01"), (B, None),
         (None, "2020-01-01"), None),
        ("disjoint, new after old", (A, "2020-01-01", "2021-01-01"), (B, "2022-01-01"),
         ("2022-01-01", None), None),
        ("disjoint, new before old", (A, "2020-01-01"), (B, "2010-01-01", "2011-01-01"),
         ("2010-01-01", "2011-01-01"), None),
        ("meeting intervals do not overlap", (A, "2020-01-01", "2021-01-01"), (B, "2021-01-01"),
         ("2021-01-01", None), None),
        ("what was told whole is not cut", (A, "2020-01-01", "2030-01-01"), (B, "2023-01-01"),
         ("2023-01-01", None), None),
        ("nor at its end", (A, "2020-01-01", "2022-01-01"), (B, "2021-01-01"),
         ("2021-01-01", None), None),
        ("additive relations never retire each other", ("alice likes tea", "2020-01-01"),
         ("alice likes coffee", "2021-01-01"), ("2021-01-01", None), None),
        ("declared opposites do", ("alice likes tea", "2020-01-01"),
         ("alice dislikes tea", "2021-01-01"),
         ("2021-01-01", None), ("2020-01-01", "2021-01-01")),
        ("opposites about something else do not", ("alice likes tea", "2020-01-01"),
         ("alice dislikes milk", "2021-01-01"), ("2021-01-01", None), None),
        ("other subjects are left alone", ("bob works_at acme", "2020-01-01"),
         (B, "2021-01-01"), ("2021-01-01", None), None),
        ("a new leader ends the old one's term", ("bob leads acme", "2020-01-01"),
         ("carol leads acme", "2021-01-01"),
         ("2021-01-01", None), ("2020-01-01", "2021-01-01")),
        ("one leader may lead two", ("bob leads acme", "2020-01-01"),
         ("bob leads beta", "2021-01-01"), ("2021-01-01", None), None),
        ("marriage excludes from either side", ("alice married_to bob", "2020-01-01"),
         ("carol married_to alice", "2021-01-01"),
         ("2021-01-01", None), ("2020-01-01", "2021-01-01")),
        ("an ended fact begins again as a new one", (A, "2018-01-01", "2020-01-01"),
         (A, "2024-01-01"), ("2024-01-01", None), None),
    ],
)  # fmt: skip
def test_two_facts(case, old, new, expected_new, expected_old):
    stored = fact(*old)
    told = fact(*new, id_="new", told="2021-01-01")
    changed = {} if expected_old is None else {"old": expected_old}
    assert tell(told, stored) == (expected_new, changed), case


@pytest.mark.parametrize("told", ["2019-01-01", "2020-01-01", "2021-01-01"])
def test_of_equal_starts_both_hold_whenever_they_were_told(told):
    new = fact(B, "2020-01-01", id_="new", told=told)
    assert tell(new, fact(A, "2020-01-01")) == (("2020-01-01", None), {})


def test_two_values_in_one_text_both_stand():
    old, new = fact(A, "2020-01-01"), fact(B, "2020-01-01", id_="new")
    new = replace(new, sources=old.sources)
    assert tell(new, old) == (("2020-01-01", None), {})


def test_repetition_adds_a_source_and_nothing_else():
    verdict = meet(
        fact(A, "2021-01-01", id_="new", observed=True),
        [fact(A, "2020-01-01")],
        RELATIONS,
        now=NOW,
    )
    assert verdict.new is None
    assert verdict.changed["old"].episodes == ("episode-old", "episode-new")
    assert interval(verdict.changed["old"]) == ("2020-01-01", None)


def test_repetition_with_a_stated_start_replaces_an_observed_one():
    old = fact(A, "2021-06-01", observed=True)
    assert tell(fact(A, "2019-01-01", id_="new"), old) == (None, {"old": ("2019-01-01", None)})


def test_repetition_that_names_the_end_closes_the_fact():
    new = fact(A, "2021-01-01", "2025-01-01", id_="new", observed=True)
    assert tell(new, fact(A, "2020-01-01")) == (None, {"old": ("2020-01-01", "2025-01-01")})


def test_symmetric_fact_told_from_the_other_side_is_a_repetition():
    new = fact("bob married_to alice", "2021-01-01", id_="new", observed=True)
    old = fact("alice married_to bob", "2020-01-01")
    assert tell(new, old) == (None, {"old": ("2020-01-01", None)})


def test_late_report_does_not_bridge_another_job():
    """Acme now, Beta before; "she is at Acme" from before Beta is a job of its own."""
    acme, beta = fact(A, "2021-01-01"), fact(B, "2020-01-01", "2021-01-01", id_="beta")
    new = fact(A, "2018-01-01", id_="new", told="2018-01-01")
    assert tell(new, acme, beta) == (("2018-01-01", "2020-01-01"), {})


@pytest.mark.parametrize("object_", ["acme", "?"])
def test_end_closes_the_running_fact(object_):
    end = fact(f"alice works_at {object_}", None, "2023-01-01", id_="new")
    assert tell(end, fact(A, "2020-01-01"), ends=True) == (
        None,
        {"old": ("2020-01-01", "2023-01-01")},
    )


def test_end_of_something_unknown_is_a_fact_with_an_unknown_start():
    end = fact(A, None, "2023-01-01", id_="new", told="2023-06-01")
    assert tell(end, ends=True) == ((None, "2023-01-01"), {})


def test_end_at_an_unknown_moment_of_something_unknown_holds_at_none():
    end = fact(A, None, "2023-01-01", id_="new", told="2023-01-01")
    assert tell(end, ends=True) == ((None, "2023-01-01"), {})


@pytest.mark.parametrize(
    ("case", "beta", "expected"),
    [
        ("after one that was over", ("2015-01-01", "2018-01-01"), ("2018-01-01", "2023-01-01")),
        ("beside one that began earlier", ("2021-01-01", None), (None, "2023-01-01")),
        ("beside one, after another", ("2021-01-01", None, "2015-01-01", "2018-01-01"),
         ("2018-01-01", "2023-01-01")),
        ("beside one that always was", (None, None), (None, "2023-01-01")),
        ("before one that began then", ("2023-01-01", None), (None, "2023-01-01")),
        ("before one to come", ("2024-01-01", None), (None, "2023-01-01")),
    ],
)  # fmt: skip
def test_end_of_something_unknown_reaches_back_to_where_another_value_ended(case, beta, expected):
    end = fact(A, None, "2023-01-01", id_="new", told="2023-06-01")
    pairs = zip(beta[::2], beta[1::2], strict=True)
    known = [fact(B, *times, id_=f"beta{number}") for number, times in enumerate(pairs)]
    assert tell(end, *known, ends=True) == (expected, {})


def test_end_to_come_says_that_it_holds_until_then():
    end = fact(A, None, "2030-01-01", id_="new", told="2025-01-01")
    assert tell(end, fact(B, "2021-01-01"), ends=True) == (
        ("2025-01-01", "2030-01-01"),
        {"old": ("2021-01-01", "2025-01-01")},
    )


def test_end_at_the_moment_of_observation_reaches_back_to_where_another_value_ended():
    end = fact(A, None, "2020-01-01", id_="new")
    acme = fact(A, "2020-01-01", observed=True)
    over = fact(B, "2010-01-01", "2015-01-01", id_="beta")
    until_then = fact(B, "2010-01-01", "2020-01-01", id_="beta")
    assert tell(end, acme, over, ends=True) == (None, {"old": ("2015-01-01", "2020-01-01")})
    assert tell(end, acme, until_then, ends=True) == (None, {"old": (None, "2020-01-01")})


def test_inverse_end_without_an_object_ends_what_is_stored_the_other_way():
    end = fact("acme led_by ?", None, "2023-01-01", id_="new")
    bob, cid = (
        fact(f"{name} leads {firm}", "2020-01-01", id_=name)
        for name, firm in (("bob", "acme"), ("cid", "beta"))
    )
    assert tell(end, bob, cid, ends=True) == (None, {"bob": ("2020-01-01", "2023-01-01")})


def test_what_a_table_gives_excludes_nothing_of_a_table():
    old, new = replace(fact(A, "2020-01-01"), as_given=True), fact(B, "2023-01-01", id_="new")
    assert tell(replace(new, as_given=True), old) == (("2023-01-01", None), {})
    assert tell(new, old) == (("2023-01-01", None), {"old": ("2020-01-01", "2023-01-01")})


def test_what_is_told_whole_keeps_both_ends():
    late = fact(A, "2019-01-01", "2024-01-01", id_="new")
    new = meet(late, [fact(B, "2021-01-01")], RELATIONS, now=NOW).new
    assert interval(new) == ("2019-01-01", "2024-01-01")
    assert new.closed_as == "bounded"


def test_end_of_an_unnamed_unknown_adds_nothing():
    end = fact("alice works_at ?", None, "2023-01-01", id_="new")
    assert tell(end, ends=True) == (None, {})


def test_end_that_is_already_known_only_adds_a_source():
    end = fact(A, None, "2022-01-01", id_="new", told="2023-01-01")
    verdict = meet(end, [fact(A, "2020-01-01", "2022-01-01")], RELATIONS, now=NOW, ends=True)
    assert interval(verdict.changed["old"]) == ("2020-01-01", "2022-01-01")
    assert verdict.changed["old"].episodes == ("episode-old", "episode-new")


def test_end_at_the_moment_of_observation_leaves_an_unknown_start():
    end = fact(A, None, "2020-01-01", id_="new")
    old = fact(A, "2020-01-01", observed=True)
    assert tell(end, old, ends=True) == (None, {"old": (None, "2020-01-01")})


def test_divorce_ends_a_marriage_told_from_the_other_side():
    end = fact("bob married_to alice", None, "2023-01-01", id_="new")
    old = fact("alice married_to bob", "2020-01-01")
    assert tell(end, old, ends=True) == (None, {"old": ("2020-01-01", "2023-01-01")})


def test_correction_retracts_the_wrong_fact_and_takes_its_start():
    new = fact(B, "2021-06-01", id_="new", observed=True)
    old = fact(A, "2021-05-01")
    assert tell(new, old, corrects=True) == (("2021-05-01", None), {"old": "retracted"})


def test_what_was_retracted_takes_no_part():
    old = fact(A, "2020-01-01")
    [one] = said(old, 0).statements
    old = replace(old, statements=(replace(one, void=Void("retracted")),))
    assert tell(fact(B, "2021-01-01", id_="new"), old) == (("2021-01-01", None), {})


def test_loser_names_winner_and_reason():
    verdict = meet(fact(B, "2023-01-01", id_="new"), [fact(A, "2020-01-01")], RELATIONS, now=NOW)
    closed = verdict.changed["old"]
    assert (closed.invalidated_by, closed.expired_at) == ("new", NOW)
    assert closed.reason == f"ended by: {B}"


def test_a_user_can_allow_two_jobs():
    relations = RELATIONS.having(Relation("works_at"))
    new = fact(B, "2021-01-01", id_="new")
    assert tell(new, fact(A, "2020-01-01"), relations=relations) == (("2021-01-01", None), {})


moments = st.dates(day("2000-01-01").date(), day("2030-01-01").date()).map(
    lambda date: date.isoformat()
)


@given(
    st.lists(st.tuples(st.sampled_from(["acme", "beta", "gamma"]), moments, moments), max_size=8)
)
def test_no_order_of_telling_leaves_two_values_of_unequal_evidence_at_one_moment(stories):
    stored = {}
    for number, (where, start, told) in enumerate(stories):
        new = fact(f"alice works_at {where}", start, id_=str(number), told=told)
        stored = meet(new, list(stored.values()), RELATIONS, now=NOW).facts
    held = [item for item in stored.values() if item.retracted_at is None]
    for one in held:
        assert one.valid_at is None or one.invalid_at is None or one.valid_at < one.invalid_at
        for other in held:
            if one.id < other.id:
                apart = (one.invalid_at and one.invalid_at <= other.valid_at) or (
                    other.invalid_at and other.invalid_at <= one.valid_at
                )
                assert apart or equal_evidence(one, other, stored.values()), (one, other)
