"""Lifetimes of random histories against the rules, moment by moment, and what follows from them."""

import cProfile
import pstats
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag.ingest.lifetimes.accounts import line_of
from graphrag.ingest.lifetimes.settle import settle
from graphrag.model.assertion import Date, Void
from graphrag.ontology.relations import Relation, Relations
from graphrag.temporal.moment import from_micros
from tests.ingest.lifetimes.histories import RELATIONS, histories
from tests.ingest.lifetimes.oracle import EVER, NEVER, Oracle
from tests.ingest.lifetimes.telling import NOWHERE, holds_at, rows, statement, tell

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]
DAY = 86_400_000_000
quick = settings(max_examples=20, suppress_health_check=SLOW)


def settled(told, rulings=()):
    return settle(told, RELATIONS, rulings=rulings)


def assert_follows(rules, found):
    """Assert that at every moment what holds is what rules say."""
    value = {one.id: line_of(one, RELATIONS) for one in found.lifetimes}
    for place, moment in enumerate(rules.grid):
        holding = {value[one.id] for one in found.lifetimes if holds_at(one, moment)}
        assert holding == rules.at(place)


def follows(settlement, told):
    """Return what holds, and what is overruled by what: ids depend on the telling."""
    about = {one.id: line_of(one, RELATIONS) for one in told}
    overruled = {(about[one.statement], about[one.against]) for one in settlement.overruled}
    return rows(settlement, RELATIONS), overruled


@settings(max_examples=100, suppress_health_check=SLOW)
@given(histories())
def test_what_holds_at_every_moment_is_what_the_rules_say(history):
    told, rulings = history
    assert_follows(Oracle(told, RELATIONS, rulings), settled(told, rulings))


@quick
@given(histories(), st.randoms(use_true_random=False))
def test_order_of_telling_changes_no_answer(history, random):
    told, rulings = history
    order = list(range(len(told)))
    random.shuffle(order)
    again = [replace(one, seq=seq) for one, seq in zip(told, order, strict=True)]
    random.shuffle(again)
    assert follows(settled(again, rulings), again) == follows(settled(told, rulings), told)


@quick
@given(histories(), st.integers(0, 7))
def test_telling_the_same_again_changes_nothing(history, which):
    told, rulings = history
    again = replace(told[which % len(told)], id="again", fact="again", seq=len(told))
    more = [*told, again]
    assert follows(settled(more, rulings), more) == follows(settled(told, rulings), told)


@quick
@given(histories(), st.sets(st.integers(0, 7)))
def test_what_falls_leaves_what_the_others_say_and_comes_back_as_it_was(history, which):
    told, rulings = history
    which = {number % len(told) for number in which}
    fallen = [
        replace(one, void=Void("retracted")) if number in which else one
        for number, one in enumerate(told)
    ]
    others = [one for number, one in enumerate(told) if number not in which]
    without, alone = settled(fallen, rulings), settled(others, rulings)
    assert follows(without, told) == follows(alone, told)
    assert [one for one in without.lifetimes if one.statements] == [
        one for one in alone.lifetimes if one.statements
    ]
    late = [
        replace(one, seq=len(told) + number) if number in which else one
        for number, one in enumerate(told)
    ]
    assert follows(settled(late, rulings), late) == follows(settled(told, rulings), told)


@quick
@given(histories(most=6), histories(most=6))
def test_strangers_change_nothing(history, other):
    told, rulings = history
    strangers, theirs = other
    strangers = [
        replace(
            one,
            id=f"other {one.id}",
            fact=one.fact and f"other {one.fact}",
            subject=f"other {one.subject}",
            object=one.object and f"other {one.object}",
        )
        for one in strangers
    ]
    theirs = [
        replace(
            one, id=f"other {one.id}", statements=tuple(f"other {id_}" for id_ in one.statements)
        )
        for one in theirs
    ]
    both = settled([*strangers, *told], [*theirs, *rulings])
    ours, alone = settled(told, rulings), settled(strangers, theirs)
    for name in ("lifetimes", "overruled"):
        parts = [*getattr(ours, name), *getattr(alone, name)]
        assert sorted(map(repr, getattr(both, name))) == sorted(map(repr, parts))
    assert both.joins == {**ours.joins, **alone.joins}


@quick
@given(histories())
def test_a_value_has_one_fact_for_each_stretch_and_a_fact_one_id(history):
    told, rulings = history
    found = settled(told, rulings)
    ids = [one.id for one in found.lifetimes]
    assert len(set(ids)) == len(ids)
    assert not set(found.joins) & set(ids)
    assert {*found.joins.values()} <= {*ids}
    assert {one.invalidated_by for one in found.lifetimes} <= {None, *ids}
    stretches = {}
    for one in found.lifetimes:
        if one.closed_as in (*NOWHERE, "past"):
            continue
        assert one.statements
        assert (one.closed_as is None) == (one.invalid_at is None)
        assert one.invalidated_by is not None or one.closed_as != "superseded"
        ends = (one.valid_at or EVER, one.invalid_at or NEVER)
        stretches.setdefault(line_of(one, RELATIONS), []).append(ends)
    for own in stretches.values():
        for (_, end), (start, _) in pairwise(sorted(own)):
            assert end < start


@quick
@given(histories())
def test_every_statement_is_somewhere(history):
    told, rulings = history
    found = settled(told, rulings)
    within = {id_ for one in found.lifetimes for id_ in one.statements}
    overruled = {one.statement for one in found.overruled}
    rows_of = {one.id: one for one in found.lifetimes}
    for one in told:
        if one.void is not None:
            assert one.id not in within
        elif one.object and one.kind != "cancelled" and one.id not in within | overruled:
            assert rows_of[one.fact].closed_as == "cancelled"


@quick
@given(histories())
def test_a_fact_keeps_its_id_while_its_first_statement_stands(history):
    """Each is told as a graph would: a repetition is stored under the fact that it repeats."""
    told, rulings = history
    stored = []
    for one in told:
        before = {fact.id for fact in settled(stored, rulings).lifetimes}
        after = settled([*stored, one], rulings)
        mine = [fact.id for fact in after.lifetimes if one.id in fact.statements]
        repeated = next((id_ for id_ in mine if id_ in before), one.fact)
        stored.append(replace(one, fact=repeated if one.fact else None))
        holding = {
            id_
            for fact in after.lifetimes
            if fact.closed_as not in NOWHERE
            for id_ in fact.statements
        }
        firsts = {}
        for each in stored:
            if each.void is None and each.fact and each.id in holding:
                firsts.setdefault(each.fact, each.id)
        now = settled(stored, rulings)
        for fact, first in firsts.items():
            [kept] = [each for each in now.lifetimes if each.id == now.joins.get(fact, fact)]
            assert first in kept.statements


def busy_person(count):
    """One value after the other, told late, with ends and stretches among them."""
    for number in range(count):
        start = from_micros(number * DAY)
        value, trust = f"place{number % (count // 2)}", float(number % 7 == 0)
        dates = {"since": Date(start), "at": from_micros((number + number % 9) * DAY)}
        if number % 5 == 1:
            dates = {"until": Date(start)}
        if number % 5 == 2:
            dates = {
                "since": Date(start),
                "until": Date(from_micros((number + 2) * 86_400_000_000)),
            }
        if number % 11 == 3:
            dates = {"at": start, "kind": "was"}
        yield statement(
            f"s{number}", f"f{number}", "ann", "works_at", value, trust=trust, seq=number, **dates
        )


def repeated(count):
    for number in range(count):
        yield tell(f"X seen {1900 + number % 100}", number)


def chain(count):
    """Marriages in a chain: every value has two rivals."""
    for number in range(count):
        start = Date(from_micros(number * 3_600_000_000))
        yield statement(
            f"s{number}",
            None,
            f"p{number:04}",
            "married_to",
            f"p{number + 1:04}",
            start,
            seq=number,
        )


def many(count):
    for number in range(count):
        yield tell(f"X{number} from 2020", number, relation="knows")


def pairs_of_one_person(count):
    """Each text names one value beside another: the same pair, or a new one each time."""
    for number in range(count):
        for value in ("X", f"Z{number // 2}"):
            yield tell(f"{value} seen {1900 + number % 100}", number, source=f"text {number}")


def one_pair(count):
    for number in range(count):
        yield tell(
            f"{'XY'[number % 2]} seen {1900 + number % 100}", number, source=f"t{number // 2}"
        )


def plans(count):
    """Plans of one day, told again and again, and of a new day each time."""
    for number in range(count):
        told, day = from_micros(number * DAY), Date(from_micros((count + 3 * number) * DAY), "day")
        for name, since in (("one", Date(from_micros(10**6 * DAY), "day")), ("new", day)):
            yield statement(
                f"{name}{number}",
                None,
                "ann",
                "works_at",
                name,
                since,
                at=told,
                kind="planned",
                seq=number,
            )


STORIES = [busy_person, repeated, chain, many, pairs_of_one_person, one_pair, plans]


@pytest.mark.parametrize("story", STORIES)
def test_cost_grows_with_the_statements_and_not_with_their_square(story):
    calls = {}
    for count in (100, 1000):
        told = [replace(one, id=f"s{number}") for number, one in enumerate(story(count))]
        profile = cProfile.Profile()
        profile.runcall(settle, told, Relations())
        calls[count] = pstats.Stats(profile).total_calls
    assert calls[1000] < 13 * calls[100]


def test_values_without_rivals_are_read_apart():
    relations = Relations([Relation("works_at")])
    told = [tell(f"{value} from 2020", seq) for seq, value in enumerate("XYZ")]
    assert [one.closed_as for one in settle(told, relations).lifetimes] == [None] * 3
