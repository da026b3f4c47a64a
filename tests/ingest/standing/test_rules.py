"""Standing rules through every door: what ends, what is inferred, and what returns."""

from datetime import UTC, datetime

import pytest

from graphrag import Derives, Ends, InputError, Needs, Relation, Relations
from tests.conftest import open_graph, triples

CLOSES = Ends("closes", when=("?c", "has_state", "closed"), ends=("*", "works_at", "?c"))
BADGE = Needs("badge", fact=("?p", "has_badge", "*"), support=[("?p", "works_at", "*")])
BOSS = Derives(
    "boss",
    head=("?p", "reports_to", "?q"),
    body=[("?p", "on_team", "?t"), ("?q", "leads", "?t")],
)
FOLLOW = Derives(
    "follow",
    head=("?p", "lives_in", "?x"),
    body=[("?p", "lives_with", "?q"), ("?q", "lives_in", "?x")],
    unless=[("?p", "travels_to", "*")],
)
RULES = (CLOSES, BADGE, BOSS, FOLLOW)


def opened(*rules, **options):
    return open_graph(standing=rules or RULES, **options)


async def sound(graph):
    assert (await graph.health.check_all()).findings == ()


async def test_what_a_beginning_ends_says_by_what_and_why():
    async with opened() as graph:
        job = (await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")).fact
        await graph.add_fact("Ben", "works_at", "Globex", valid_at="2020")
        closing = await graph.add_fact("Acme", "has_state", "closed", valid_at="2024-03-01")
        [ended] = closing.changed
        assert (ended.id, ended.closed_as, ended.invalidated_by) == (
            job.id,
            "ended",
            closing.fact.id,
        )
        assert ended.reason == "rule 'closes': Acme has state closed."
        assert len(await graph.audit.contradictions()) == 0
        assert ended.invalid_at == datetime(2024, 3, 1, tzinfo=UTC)
        assert triples(await graph.facts("Ben")) == {
            ("Ben", "works_at", "Globex", "2020-01-01", None)
        }
        await sound(graph)


async def test_a_fact_triggers_the_rule_of_the_documentation_under_either_name():
    async with opened() as graph:
        await graph.add_fact("Ann", "works_at", "Acme Corp", valid_at="2020")
        await graph.add_fact("Acme Corp", "has_status", "closed", valid_at="2024-03-01")
        assert await graph.facts("Ann") == []
        await sound(graph)


async def test_that_something_is_over_begins_nothing():
    only = Ends("only", when=("*", "likes", "?x"), ends=("*", "likes", "?x"))
    async with opened(only) as graph:
        await graph.add_fact("Cid", "likes", "Ann", valid_at="2020-01-01")
        await graph.add_fact("Ben", "likes", "Ann", valid_at="2020-01-02")
        await graph.add_fact("Cid", "likes", "Ann", invalid_at="2020-01-05")
        assert [fact.subject for fact in await graph.facts(relation="likes")] == ["Ben"]
        await sound(graph)


async def test_what_is_begun_on_that_day_or_later_stays():
    async with opened() as graph:
        await graph.add_fact("Acme", "has_state", "closed", valid_at="2024-03-01")
        for name, day in (("Ann", "2024-02-29"), ("Ben", "2024-03-01"), ("Cid", "2025-01-01")):
            await graph.add_fact(name, "works_at", "Acme", valid_at=day)
        assert {fact.subject for fact in await graph.facts(relation="works_at")} == {"Ben", "Cid"}
        await sound(graph)


async def test_what_ended_for_good_returns_only_when_it_is_said_anew():
    async with opened() as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        await graph.add_fact("Ann", "has_badge", "badge 7", valid_at="2020")
        await graph.add_fact("Acme", "has_state", "closed", valid_at="2024-03-01")
        await graph.add_fact("Ann", "works_at", "Beta", valid_at="2025")
        assert await graph.facts("Ann", relation="has_badge") == []
        await graph.add_fact("Ann", "has_badge", "badge 7", valid_at="2025-02")
        every = await graph.at(history=True).facts("Ann", relation="has_badge")
        assert triples(every) == {
            ("Ann", "has_badge", "badge 7", "2020-01-01", "2024-03-01"),
            ("Ann", "has_badge", "badge 7", "2025-02-01", None),
        }
        await sound(graph)


async def test_what_needs_support_falls_with_it_and_says_so():
    async with opened() as graph:
        job = (await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")).fact
        await graph.add_fact("Ann", "has_badge", "badge 7", valid_at="2021")
        await graph.edit.invalidate(job, "2022-05-01")
        [badge] = await graph.at(history=True).facts("Ann", relation="has_badge")
        assert (badge.closed_as, badge.invalidated_by) == ("ended", job.id)
        assert badge.reason == "rule 'badge': no longer so: Ann works at Acme."
        await sound(graph)


async def test_what_never_had_support_holds_nowhere():
    async with opened() as graph:
        told = await graph.add_fact("Ann", "has_badge", "badge 7", valid_at="2021")
        badge, why = told.fact, "rule 'badge': nothing supports it"
        assert (badge.closed_as, badge.reason) == ("overruled", why)
        assert told.notes == (f"'Ann has badge badge 7.' holds at no time: {why}",)
        assert repr(badge) == "Fact(Ann has badge badge 7, overruled)"
        assert [stage.status for stage in await graph.timeline("Ann")] == ["overruled"]
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        [badge] = await graph.facts("Ann", relation="has_badge")
        assert (badge.retracted_at, badge.reason) == (None, None)
        await sound(graph)


async def test_nobody_knows_that_what_has_no_start_ever_lacked_support():
    async with opened() as graph:
        await graph.add_fact("Ann", "has_badge", "badge 7")
        job = (await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")).fact
        assert len(await graph.facts("Ann", relation="has_badge")) == 1
        await graph.edit.invalidate(job, "2022")
        [badge] = await graph.at(history=True).facts("Ann", relation="has_badge")
        assert badge.invalid_at == datetime(2022, 1, 1, tzinfo=UTC)
        await sound(graph)


async def test_an_inferred_fact_holds_as_long_as_what_it_rests_on():
    async with opened() as graph:
        team = (await graph.add_fact("Ann", "on_team", "Red", valid_at="2020")).fact
        lead = await graph.add_fact("Bob", "leads", "Red", valid_at="2021")
        [boss] = await graph.facts("Ann", relation="reports_to")
        assert (boss.origin, boss.provenance) == ("inferred", ("rule boss",))
        assert boss.derived_from == (team.id, lead.fact.id)
        await graph.add_fact("Cid", "leads", "Red", valid_at="2023")
        assert triples(await graph.at(history=True).facts("Ann", relation="reports_to")) == {
            ("Ann", "reports_to", "Bob", "2021-01-01", "2023-01-01"),
            ("Ann", "reports_to", "Cid", "2023-01-01", None),
        }
        await sound(graph)


async def test_what_is_said_is_not_inferred_beside_it():
    async with opened() as graph:
        await graph.add_fact("Ann", "on_team", "Red", valid_at="2020")
        await graph.add_fact("Bob", "leads", "Red", valid_at="2020")
        said = await graph.add_fact(
            "Ann", "reports_to", "Bob", valid_at="2021", invalid_at="2023", source="list"
        )
        every = await graph.at(history=True).facts("Ann", relation="reports_to")
        assert [(one.origin, one.valid_at.year, one.invalid_at) for one in every] == [
            ("inferred", 2020, datetime(2021, 1, 1, tzinfo=UTC)),
            ("manual", 2021, datetime(2023, 1, 1, tzinfo=UTC)),
            ("inferred", 2023, None),
        ]
        assert every[0].reason == "rule 'boss': it was said then: Ann reports to Bob."
        await sound(graph)
        await graph.edit.retract(said.fact)
        [boss] = await graph.facts("Ann", relation="reports_to")
        assert (boss.origin, boss.valid_at.year) == ("inferred", 2020)
        await sound(graph)


async def test_a_chain_that_is_told_in_any_order_has_each_link_once():
    within = Derives(
        "within",
        head=("?a", "part_of", "?c"),
        body=[("?a", "part_of", "?b"), ("?b", "part_of", "?c")],
    )
    async with opened(within) as graph:
        for one, other in ("AB", "BC", "CD", "AD", "AC"):
            await graph.add_fact(one, "part_of", other, valid_at="2020")
        every = await graph.at(history=True).facts(relation="part_of")
        links = sorted(one.subject + one.object for one in every)
        assert links == ["AB", "AC", "AD", "BC", "BD", "CD"]
        await sound(graph)


async def test_colleagues_are_inferred_once_and_not_from_either_side():
    together = Derives(
        "together",
        head=("?p", "colleague_of", "?q"),
        body=[("?p", "works_at", "?c"), ("?q", "works_at", "?c")],
    )
    async with opened(together) as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        await graph.add_fact("Bob", "works_at", "Acme", valid_at="2021")
        assert len(await graph.facts(relation="colleague_of")) == 1
        assert len(await graph.facts("Bob", relation="colleague_of")) == 1


async def test_a_dated_end_is_newer_than_a_rule_that_acts_before_it():
    async with opened() as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2015")
        await graph.add_fact("Ann", "works_at", "Acme", invalid_at="2023", source="letter")
        await graph.add_fact("Acme", "has_state", "closed", valid_at="2021")
        assert triples(await graph.at(history=True).facts("Ann")) == {
            ("Ann", "works_at", "Acme", "2015-01-01", "2023-01-01")
        }
        await sound(graph)


async def test_inference_goes_on_from_what_was_inferred_unless_something_is_said():
    async with opened() as graph:
        await graph.add_fact("Ann", "lives_with", "Ben", valid_at="2020")
        await graph.add_fact("Ben", "lives_with", "Cid", valid_at="2020")
        await graph.add_fact("Cid", "lives_in", "Rome", valid_at="2019")
        assert {one.subject for one in await graph.facts("Rome")} == {"Ann", "Ben", "Cid"}
        await graph.add_fact("Ben", "travels_to", "Paris", valid_at="2022", invalid_at="2023")
        for year, there in ((2021, {"Ann", "Ben", "Cid"}), (2022, {"Cid"})):
            view = graph.at(valid_at=str(year))
            assert {one.subject for one in await view.facts("Rome")} == there
        assert {one.subject for one in await graph.facts("Rome")} == {"Ann", "Ben", "Cid"}
        await sound(graph)


@pytest.mark.parametrize("way", ["retract", "revert", "remove_episode"])
async def test_what_a_rule_did_is_undone_with_what_caused_it(way):
    async with opened() as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        await graph.add_fact("Ann", "has_badge", "badge 7", valid_at="2020")
        before = triples(await graph.facts())
        added = await graph.add_episode("Acme has_state closed from 2024-03-01.")
        assert await graph.facts("Ann") == []
        if way == "retract":
            [state] = await graph.facts("Acme")
            await graph.edit.retract(state)
        elif way == "revert":
            await graph.log.revert((await graph.log.events(limit=1))[-1])
        else:
            await graph.log.remove_episode(added.episode)
        assert triples(await graph.facts()) == before
        await sound(graph)


async def test_the_graph_as_known_before_a_rule_acted_is_as_it_was():
    async with opened() as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        known_at = (await graph.log.events(limit=1))[-1].at
        await graph.add_fact("Acme", "has_state", "closed", valid_at="2024-03-01")
        then = graph.at(known_at=known_at)
        assert triples(await then.facts("Ann")) == {("Ann", "works_at", "Acme", "2020-01-01", None)}
        assert await then.audit.absence("Ann", "works_at") is None


async def test_absence_says_since_when_and_by_what():
    async with opened() as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        closing = await graph.add_fact("Acme", "has_state", "closed", valid_at="2024-03-01")
        absence = await graph.audit.absence("Ann", "works_at")
        assert absence.since == datetime(2024, 3, 1, tzinfo=UTC)
        assert [one.id for one in absence.ended_by] == [closing.fact.id]
        assert str(absence) == (
            "not known since 2024-03-01: Ann works at Acme ended "
            "(rule 'closes': Acme has state closed.)"
        )
        assert str(await graph.audit.absence("Ann", "owns")) == "not known: Ann owns"
        assert await graph.at(valid_at="2022").audit.absence("Ann", "works_at") is None


async def test_summaries_say_what_is_over_as_over():
    async with opened() as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        await graph.add_fact("Ann", "on_team", "Red", valid_at="2020")
        lead = await graph.add_fact("Bob", "leads", "Red", valid_at="2021")
        await graph.add_fact("Acme", "has_state", "closed", valid_at="2024-03-01")
        await graph.edit.retract(lead.fact)
        ann = await graph.entity("Ann")
        assert (
            ann.summary == "on team Red (from 2020-01-01); works at Acme (2020-01-01 to 2024-03-01)"
        )


async def test_a_person_changes_what_an_inferred_fact_rests_on_and_not_the_fact():
    async with opened() as graph:
        await graph.add_fact("Ann", "on_team", "Red", valid_at="2020")
        await graph.add_fact("Bob", "leads", "Red", valid_at="2021")
        [boss] = await graph.facts("Ann", relation="reports_to")
        with pytest.raises(InputError, match="was inferred by rule boss: change the facts"):
            await graph.edit.retract(boss)


async def test_what_was_inferred_from_an_erased_thing_is_erased_with_it():
    async with opened() as graph:
        await graph.add_fact("Ann", "on_team", "Red", valid_at="2020")
        await graph.add_fact("Bob", "leads", "Red", valid_at="2021")
        await graph.erase.entity("Red")
        assert await graph.at(history=True).facts() == []
        await sound(graph)


async def test_rules_hold_for_tables_and_for_copies(tmp_path):
    rows = [
        {"subject": "Ann", "relation": "on_team", "object": "Red", "valid_at": "2020"},
        {"subject": "Bob", "relation": "leads", "object": "Red", "valid_at": "2021"},
        {"subject": "Ann", "relation": "works_at", "object": "Acme", "valid_at": "2020"},
        {"subject": "Acme", "relation": "has_state", "object": "closed", "valid_at": "2022"},
    ]
    async with opened() as graph:
        await graph.load.facts(rows, batch=1)
        before = triples(await graph.facts())
        assert ("Ann", "reports_to", "Bob", "2021-01-01", None) in before
        assert not any(relation == "works_at" for _, relation, *_ in before)
        await sound(graph)
        path = tmp_path / "graph.jsonl"
        await graph.export.file(path)
        async with opened() as other:
            await other.load.group(path)
            assert triples(await other.facts()) == before
            await sound(other)


async def test_a_fact_that_waits_triggers_nothing_until_it_is_confirmed():
    async with opened() as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        state = await graph.add_fact("Acme", "has_state", "closed", valid_at="2024", confidence=0.1)
        assert len(await graph.facts("Ann")) == 1
        await graph.edit.confirm(state.fact)
        assert await graph.facts("Ann") == []
        await sound(graph)


async def test_inverses_and_synonyms_are_read_as_one():
    relations = Relations().having(Relation("employed_by", synonym_of="works_at"))
    async with opened(relations=relations) as graph:
        await graph.add_fact("Acme", "employs", "Ann", valid_at="2020")
        await graph.add_fact("Ben", "employed_by", "Acme", valid_at="2020")
        await graph.add_fact("Acme", "has_state", "closed", valid_at="2024")
        assert [fact.relation for fact in await graph.facts("Acme")] == ["has_state"]
        await sound(graph)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([lambda: Ends("e", when=("?c", "is"), ends=("?c", "has", "*"))], "rule 'e': when is"),
        ([lambda: Needs("n", fact=("?c", "has", "*"), support=[])], "rule 'n': support is empty"),
        ([lambda: Needs("n", fact=("?c", "?r", "*"), support=[("?c", "is", "*")])], "no relation"),
        (
            [lambda: Derives("d", head=("?a", "sees", "?b"), body=[("?a", "likes", "?c")])],
            "rule 'd': the head says '\\?b'",
        ),
        ([lambda: CLOSES, lambda: CLOSES], "two standing rules are called 'closes'"),
        ([lambda: "closes"], "no standing rule"),
    ],
)
def test_a_rule_that_means_nothing_is_refused_by_name(rules, words):
    with pytest.raises(InputError, match=words):
        opened(*(one() for one in rules))


def test_what_would_follow_from_its_own_absence_is_refused():
    alone = Derives(
        "alone",
        head=("?a", "is_free", "?b"),
        body=[("?a", "knows", "?b")],
        unless=[("?a", "is_busy", "?b")],
    )
    busy = Needs("busy", fact=("?a", "is_busy", "?b"), support=[("?a", "is_free", "?b")])
    with pytest.raises(InputError, match="own absence"):
        opened(alone, busy)


async def test_rules_that_are_new_to_a_store_are_applied_to_all_that_is_there(tmp_path):
    url = f"surrealkv://{tmp_path / 'store'}"
    async with open_graph(url) as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        await graph.add_fact("Acme", "has_state", "closed", valid_at="2024-03-01")
        await graph.add_fact("Ann", "on_team", "Red", valid_at="2020")
        await graph.add_fact("Bob", "leads", "Red", valid_at="2021")
        before = triples(await graph.at(history=True).facts())
    async with open_graph(url, standing=RULES) as graph:
        assert not (await graph.health.check()).sound
        changed = await graph.edit.settle(reason="rules of today")
        assert {fact.relation for fact in changed} == {"works_at", "reports_to"}
        assert len(await graph.facts("Ann", relation="reports_to")) == 1
        assert await graph.edit.settle() == ()
        await sound(graph)
    async with open_graph(url) as graph:
        await graph.edit.settle()
        left = [one for one in await graph.at(history=True).facts() if one.retracted_at is None]
        assert triples(left) == before
        await sound(graph)


async def test_what_a_less_trusted_source_says_ends_nothing_of_a_better_one():
    async with opened(trust={"rumours": -1}) as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        await graph.add_fact("Ben", "works_at", "Acme", valid_at="2020", source="rumours")
        await graph.add_fact("Acme", "has_state", "closed", valid_at="2024", source="rumours")
        assert [one.subject for one in await graph.facts("Acme", relation="works_at")] == ["Ann"]
        await sound(graph)


async def test_each_of_two_spells_ends_what_its_beginning_ends_whatever_is_looked_at():
    leaving = Ends("leaving", when=("?x", "joins", "*"), ends=("*", "likes", "?x"))
    async with opened(leaving) as graph:
        await graph.add_fact("Ann", "joins", "Acme", valid_at="2024-01-14")
        await graph.add_fact("Ann", "joins", "Acme", valid_at="2024-01-11")
        await graph.add_fact("Ann", "likes", "Ben", valid_at="2024-01-04")
        await graph.add_fact("Ben", "likes", "Ann", valid_at="2024-01-03")
        left, cooled = "Ann ends:joins Acme from 2024-01-12.", "Ann ends:likes Ben from 2024-01-06."
        await graph.add_episode(left, reference_time="2024-01-12")
        # Settled anew beside both spells, of which the later one has kept both statements.
        await graph.add_episode(cooled, reference_time="2024-01-06")
        known = await graph.at(history=True).facts("Ben", relation="likes")
        assert ("Ben", "likes", "Ann", "2024-01-03", "2024-01-11") in triples(known)
        await sound(graph)
