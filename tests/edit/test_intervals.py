"""Every way in which the lifetimes of an old and a new fact can meet, for every kind of relation.

The cases beside those of ``tests/test_invalidate.py``: a row says what becomes of both facts.
"""

import pytest

from graphrag.ontology.relations import Relations
from tests.conftest import day
from tests.ingest.meeting import meet
from tests.ingest.test_meeting import NOW, fact, interval

RELATIONS = Relations()
GONE = "retracted"

# Of equal evidence both hold, what was told with both ends is never cut and is as new as its start,
# and an end says nothing of a rival.
# Old and new as (start, end, told); what becomes of both as an interval, GONE, or None for a fact
# that is not stored, respectively not changed.
EXCLUSIVE = [
    # -- equal lifetimes
    ("equal, told later", (2020, None, 2020), (2020, None, 2021), (2020, None), None),
    ("equal, told together", (2020, None, 2020), (2020, None, 2020), (2020, None), None),
    ("equal, told earlier", (2020, None, 2021), (2020, None, 2020), (2020, None), None),
    ("equal and closed", (2020, 2022, 2020), (2020, 2022, 2021), (2020, 2022), None),
    ("equal start, ends sooner", (2020, 2024, 2020), (2020, 2022, 2021), (2020, 2022), None),
    ("equal start, ends later", (2020, 2022, 2020), (2020, 2024, 2021), (2020, 2024), None),
    ("equal end", (2020, 2024, 2020), (2022, 2024, 2021), (2022, 2024), None),
    # -- missing dates
    ("both starts missing", (None, None, 2020), (None, None, 2021), (None, None), None),
    ("both starts missing, earlier", (None, None, 2021), (None, None, 2020), (None, None), None),
    ("old start missing", (None, None, 2020), (2022, None, 2022), (2022, None), (None, 2022)),
    ("old start missing, over", (None, 2021, 2020), (2022, None, 2022), (2022, None), None),
    ("old start missing, ends within", (None, 2023, 2020), (2022, None, 2022),
     (2022, None), None),
    ("new start missing", (2020, None, 2020), (None, None, 2021), (None, 2020), None),
    ("new start missing, ends before", (2020, None, 2020), (None, 2019, 2021), (None, 2019), None),
    ("new start missing, ends within", (2020, None, 2020), (None, 2022, 2023), (None, 2022), None),
    # -- disjoint
    ("new after old", (2018, 2019, 2018), (2020, 2021, 2020), (2020, 2021), None),
    ("new before old", (2020, 2021, 2020), (2018, 2019, 2021), (2018, 2019), None),
    ("new meets the end of old", (2018, 2020, 2018), (2020, None, 2020), (2020, None), None),
    ("new meets the start of old", (2020, None, 2020), (2018, 2020, 2021), (2018, 2020), None),
    # -- overlapping
    ("new overlaps the end of old", (2018, 2021, 2018), (2020, 2023, 2020),
     (2020, 2023), None),
    ("new overlaps the start of old", (2020, 2023, 2020), (2018, 2021, 2021), (2018, 2021), None),
    ("new inside old", (2018, 2024, 2018), (2020, 2022, 2020), (2020, 2022), None),
    ("new around old", (2020, 2022, 2020), (2018, 2024, 2022), (2018, 2024), None),
    # -- late arrival: told later, true earlier
    ("late, open", (2022, None, 2022), (2020, None, 2023), (2020, 2022), None),
    ("late, told of an earlier time", (2022, None, 2022), (2020, None, 2020), (2020, 2022), None),
    # -- a known end in the future
    ("old ends in the future", (2020, 2090, 2020), (2024, None, 2024), (2024, None), None),
    ("new ends in the future", (2020, None, 2020), (2024, 2090, 2024), (2024, 2090), (2020, 2024)),
    ("new begins in the future", (2020, None, 2020), (2080, None, 2024),
     (2080, None), (2020, 2080)),
]  # fmt: skip


def moment(year):
    return year if year is None or isinstance(year, str) else f"{year}-01-01"


def placed(triple, when, id_):
    start, end, told = when
    return fact(triple, moment(start), moment(end), told=moment(told), id_=id_)


def shown(outcome):
    if outcome is None or outcome == GONE:
        return outcome
    return tuple(moment(year) for year in outcome)


@pytest.mark.parametrize(
    ("old_triple", "new_triple"),
    [
        ("alice works_at acme", "alice works_at beta"),
        ("bob leads acme", "carol leads acme"),
        ("alice married_to bob", "carol married_to alice"),
        ("alice likes tea", "alice dislikes tea"),
    ],
    ids=["single value", "single holder", "symmetric", "declared opposites"],
)
@pytest.mark.parametrize(
    ("old", "new", "new_after", "old_after"),
    [case[1:] for case in EXCLUSIVE],
    ids=[case[0] for case in EXCLUSIVE],
)
def test_facts_that_exclude_each_other(old_triple, new_triple, old, new, new_after, old_after):
    stored, told = placed(old_triple, old, "old"), placed(new_triple, new, "new")
    verdict = meet(told, [stored], RELATIONS, now=NOW)
    assert interval(verdict.new) == shown(new_after)
    assert interval(verdict.changed.get("old")) == shown(old_after)
    for victim, victor in ((verdict.changed.get("old"), told), (verdict.new, stored)):
        if victim is None or victim.invalidated_by is None:
            continue
        assert victim.invalidated_by == victor.id
        if victim.retracted_at is None:
            assert victim.expired_at == NOW
            assert victim.reason == f"ended by: {victor.text}"
        else:
            assert (victim.retracted_at, victim.expired_at) == (NOW, None)
            assert victim.reason == f"replaced by: {victor.text}"
    assert (old_after is None) == (verdict.changed == {})


@pytest.mark.parametrize(
    ("old_triple", "new_triple"),
    [
        ("alice likes tea", "alice likes coffee"),
        ("alice works_at acme", "bob works_at acme"),
        ("alice works_at acme", "alice lives_in paris"),
        ("alice likes tea", "alice dislikes milk"),
        ("bob leads acme", "bob leads beta"),
        ("alice knows bob", "bob knows alice"),
    ],
)
@pytest.mark.parametrize(
    ("old", "new"), [case[1:3] for case in EXCLUSIVE], ids=[case[0] for case in EXCLUSIVE]
)
def test_facts_that_do_not_exclude_each_other_both_stay_as_told(old_triple, new_triple, old, new):
    told = placed(new_triple, new, "new")
    verdict = meet(told, [placed(old_triple, old, "old")], RELATIONS, now=NOW)
    assert (interval(verdict.new), verdict.changed) == (interval(told), {})


# What was told before is told again: a repetition (None), or a lifetime of its own.
AGAIN = [
    ("equal", (2020, None), (2020, None), None, (2020, None)),
    ("equal and closed", (2020, 2022), (2020, 2022), None, (2020, 2022)),
    ("starts later", (2020, None), (2021, None), None, (2020, None)),
    ("starts where it had ended", (2018, 2020), (2020, None), None, (2018, None)),
    ("begins again", (2018, 2020), (2024, None), (2024, None), None),
    ("was so before, too", (2024, None), (2018, 2020), (2018, 2020), None),
    ("starts sooner, both stated", (2022, None), (2020, None), None, (2020, None)),
    ("gives the end", (2020, None), (2020, 2024), None, (2020, 2024)),
    ("gives a start", (None, None), (2020, None), None, (2020, None)),
    ("a future end is no news", (2020, 2090), (2022, None), None, (2020, 2090)),
    ("overlaps the end", (2018, 2021), (2020, 2023), None, (2018, 2023)),
]


@pytest.mark.parametrize(
    ("old_triple", "new_triple"),
    [
        ("alice works_at acme", "alice works_at acme"),
        ("alice likes tea", "alice likes tea"),
        ("alice married_to bob", "bob married_to alice"),
    ],
    ids=["single value", "any number", "symmetric"],
)
@pytest.mark.parametrize(
    ("old", "new", "new_after", "old_after"),
    [case[1:] for case in AGAIN],
    ids=[case[0] for case in AGAIN],
)
def test_the_same_told_again(old_triple, new_triple, old, new, new_after, old_after):
    stored = placed(old_triple, (*old, 2020), "old")
    told = placed(new_triple, (*new, 2021), "new")
    verdict = meet(told, [stored], RELATIONS, now=NOW)
    assert interval(verdict.new) == shown(new_after)
    if old_after is None:
        assert verdict.changed == {}
    else:
        assert interval(verdict.changed["old"]) == shown(old_after)
        assert verdict.changed["old"].episodes == ("episode-old", "episode-new")
        assert verdict.changed["old"].invalidated_by is None


async def test_a_fact_told_from_its_other_end_closes_like_any_other(graph):
    await graph.add_episode("Acme led_by Bob from 2020.", reference_time="2020-05-01")
    await graph.add_episode("Carol leads Acme from 2022.", reference_time="2022-05-01")
    await graph.add_episode("Acme led_by Dave from 2021.", reference_time="2023-05-01")
    told = {fact.subject: fact for fact in await graph.at(history=True).facts("Acme")}
    assert {name: interval(one) for name, one in told.items()} == {
        "Bob": ("2020-01-01", "2021-01-01"),
        "Dave": ("2021-01-01", "2022-01-01"),
        "Carol": ("2022-01-01", None),
    }
    assert {one.relation for one in told.values()} == {"leads"}
    assert told["Bob"].invalidated_by == told["Dave"].id
    assert told["Bob"].reason == "ended by: Acme led_by Dave from 2021."
    assert told["Dave"].invalidated_by == told["Carol"].id


@pytest.mark.parametrize(
    ("old", "end", "old_after"),
    [
        ((2020, None), 2022, (2020, 2022)),
        ((None, None), 2022, (None, 2022)),
        ((2020, 2090), 2022, None),
        ((2020, 2021), 2022, None),
        ((2023, None), 2022, None),
    ],
    ids=["running", "start unknown", "told whole", "over before", "starts later"],
)
def test_an_end(old, end, old_after):
    stored = placed("alice works_at acme", (*old, 2020), "old")
    told = fact("alice works_at ?", None, moment(end), id_="new")
    verdict = meet(told, [stored], RELATIONS, now=NOW, ends=True)
    assert verdict.new is None
    assert interval(verdict.changed.get("old")) == shown(old_after)
    if old_after is not None:
        assert verdict.changed["old"].reason == f"ended: {told.text}"
        assert verdict.changed["old"].expired_at == NOW


def test_one_fact_closes_every_one_that_it_excludes_and_each_says_so():
    stored = [
        fact("alice married_to bob", "2018-01-01", id_="a"),
        fact("carol married_to dave", "2019-01-01", id_="b"),
    ]
    told = fact("alice married_to carol", "2022-01-01", id_="new")
    verdict = meet(told, stored, RELATIONS, now=NOW)
    assert interval(verdict.new) == ("2022-01-01", None)
    assert {
        id_: (victim.invalid_at, victim.invalidated_by, victim.reason)
        for id_, victim in verdict.changed.items()
    } == {id_: (day("2022-01-01"), "new", "ended by: alice married_to carol") for id_ in ("a", "b")}


def test_a_fact_that_begins_inside_a_stretch_told_whole_stands_beside_it():
    stored = [
        fact("alice works_at acme", "2018-01-01", "2022-01-01", id_="a"),
        fact("alice works_at beta", "2022-01-01", id_="b"),
    ]
    told = fact("alice works_at gamma", "2020-01-01", id_="new")
    verdict = meet(told, stored, RELATIONS, now=NOW)
    assert interval(verdict.new) == ("2020-01-01", "2022-01-01")
    assert verdict.new.invalidated_by == "b"
    assert verdict.changed == {}
