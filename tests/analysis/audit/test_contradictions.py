"""Where sources disagree: what was settled and why, and what is still open."""

import pytest

from graphrag import QueryError, Relation, Relations, TimeError
from graphrag.protocols import Ruling
from graphrag.temporal.moment import utc_now
from tests.conftest import day, open_graph
from tests.edit.faint import open_unsure


async def tell(graph, *stories):
    for text, when in stories:
        await graph.add_episode(text, reference_time=when, name=f"letter of {when}")


def pairs(found):
    return [(one.fact.object, one.other and one.other.object, one.outcome) for one in found]


MOVES = (
    ("Alice works_at Acme from 2020.", "2020-02-01"),
    ("Alice works_at Globex from 2023.", "2023-02-01"),
)


async def test_a_closed_fact_names_what_closed_it_by_which_rule_and_both_sources(graph):
    await tell(graph, *MOVES)
    [one] = await graph.audit.contradictions()
    assert (one.fact.object, one.other.object) == ("Acme", "Globex")
    assert (one.outcome, one.rule, one.open) == ("ended", "single_valued", False)
    assert one.why == "works_at holds one value at a time"
    assert (one.disputed.start, one.disputed.end) == (day("2023-01-01"), None)
    [mine], [theirs] = one.quotes, one.other_quotes
    assert mine.text == "Alice works_at Acme from 2020."
    assert theirs.episode.name == "letter of 2023-02-01"
    assert one.at == one.fact.expired_at


async def test_outcomes_and_rules_of_what_is_settled(graph):
    await tell(
        graph,
        ("Alice lives_in Rome from 2020.", "2020"),
        ("Alice lives_in Paris from 2020.", "2021"),
        ("Ann leads Acme from 2019.", "2019"),
        ("Bob leads Acme from 2022.", "2022"),
        ("Carol works_at Acme from 2020.", "2020"),
        ("Carol works_at Beta from 2020 in fact.", "2021"),
        ("Dan likes tea.", "2021"),
    )
    [tea] = await graph.facts(relation="likes")
    await graph.edit.correct(tea, object="milk", reason="misheard")
    found = {
        (one.fact.relation, one.fact.object): (one.outcome, one.rule)
        for one in await graph.audit.contradictions()
    }
    assert len(await graph.audit.contradictions(outcomes=["replaced", "corrected"])) == 2
    assert len(await graph.audit.contradictions(outcomes=["open", "both"])) == 1
    assert found == {
        ("lives_in", "Rome"): ("open", "single_valued"),
        ("leads", "Acme"): ("ended", "single_holder"),
        ("works_at", "Acme"): ("corrected", "correction"),
        ("likes", "tea"): ("corrected", "by_hand"),
    }


async def test_what_an_arbiter_decided_is_told_as_such():
    class Decided:
        async def decide(self, case):
            return Ruling(exclusive=case.conflicts)

    async with open_graph(arbiter=Decided()) as graph:
        await tell(
            graph,
            ("Alice edited_by Bob from 2020.", "2020"),
            ("Alice edited_by Carol from 2022.", "2022"),
        )
        [one] = await graph.audit.contradictions()
        assert (one.fact.object, one.outcome, one.rule) == ("Bob", "ended", "arbiter")
        assert one.why == "an arbiter decided that they exclude each other"


async def test_one_that_likes_and_dislikes_at_a_time_is_a_contradiction(graph):
    await tell(graph, ("Carol likes tea from 2020.", "2020"))
    await graph.add_fact("Carol", "dislikes", "tea", valid_at="2024")
    [one] = await graph.audit.contradictions()
    assert (one.outcome, one.rule) == ("ended", "exclusive_with")
    assert one.why == "likes and dislikes exclude each other"


async def test_what_is_open_stands_beside_the_other(graph):
    await tell(graph, ("Alice works_at Acme from 2020. Alice works_at Beta from 2020.", "2021"))
    [one] = await graph.audit.contradictions()
    assert (one.outcome, one.open, one.rule) == ("both", True, "single_valued")
    assert one.disputed.start == day("2020-01-01")


async def test_what_a_later_declaration_excludes_is_open(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        await tell(
            graph,
            ("Alice speaks_for Acme from 2020 to 2022.", "2020"),
            ("Alice speaks_for Beta from 2021 to 2024.", "2021"),
            ("Alice speaks_for Globex from 2023.", "2023"),
        )
        assert not await graph.audit.contradictions()
    one_voice = Relations().having(Relation("speaks_for", single_valued=True))
    async with open_graph(url, relations=one_voice) as graph:
        found = await graph.audit.contradictions()
        assert pairs(found) == [("Beta", "Globex", "open"), ("Acme", "Beta", "open")]
        assert found.open == found.found and not found.settled
        disputed = found.found[1].disputed
        assert (disputed.start, disputed.end) == (day("2021-01-01"), day("2022-01-01"))
        assert pairs(await graph.audit.contradictions("2023-06", axis="world")) == [
            ("Beta", "Globex", "open")
        ]
        assert pairs(await graph.at(valid_at="2021-06").audit.contradictions()) == [
            ("Acme", "Beta", "open")
        ]
        assert len(await graph.at(history=True, valid_at="2021-06").audit.contradictions()) == 2


async def test_what_waits_for_review_is_open():
    async with open_unsure() as graph:
        await tell(
            graph,
            ("Alice works_at Acme from 2020.", "2020"),
            ("?? Alice works_at Beta from 2022.", "2022"),
        )
        [one] = await graph.audit.contradictions()
        assert (one.fact.object, one.other.object, one.outcome) == ("Beta", "Acme", "waiting")
        await graph.edit.confirm(one.fact)
        assert pairs(await graph.audit.contradictions()) == [("Acme", "Beta", "ended")]


async def test_two_holders_of_a_table_that_nobody_was_to_judge_are_none(graph):
    rows = [
        {"subject": who, "relation": "leads", "object": "Acme", "valid_at": "2020"}
        for who in ("Ann", "Bob")
    ]
    await graph.load.facts(rows, judge=False)
    assert not await graph.audit.contradictions()


async def test_a_married_couple_is_no_contradiction_and_a_triangle_is(graph):
    await tell(graph, ("Ann married_to Bob. Cid married_to Bob.", "2020"))
    [one] = await graph.audit.contradictions()
    assert {one.fact.subject, one.other.subject} == {"Ann", "Cid"}


async def test_a_fact_that_ends_before_it_starts_is_impossible(graph):
    await tell(graph, ("Alice works_at Acme from 2020.", "2020"))
    ingestion = graph.handle.session
    await ingestion.store.query("UPDATE relates_to SET invalid_at = d'2019-01-01T00:00:00Z';")
    await ingestion.catalog.reload("default")
    [one] = await graph.audit.contradictions()
    assert (one.outcome, one.other, one.disputed) == ("impossible", None, None)
    assert str(one).splitlines()[-1] == "why        it ends before it starts"
    assert one.why in (await graph.audit.contradictions())._repr_html_()


async def test_windows_of_system_time_are_half_open(graph):
    start = utc_now()
    await tell(graph, *MOVES)
    [one] = await graph.audit.contradictions(start)
    assert not await graph.audit.contradictions(start, one.at)
    assert len(await graph.audit.contradictions(one.at)) == 1
    assert not await graph.at(known_at=start).audit.contradictions()


async def test_what_was_settled_is_open_or_unknown_before(graph):
    await tell(graph, *MOVES)
    before = utc_now()
    [globex] = await graph.facts("Alice")
    await graph.edit.retract(globex)
    assert not await graph.audit.contradictions()
    assert pairs(await graph.at(known_at=before).audit.contradictions()) == [
        ("Acme", "Globex", "ended")
    ]


async def test_the_latest_come_first_and_the_rest_is_counted(graph):
    await tell(graph, *MOVES, ("Alice works_at Beta from 2024.", "2024-02-01"))
    found = await graph.audit.contradictions(limit=1)
    assert pairs(found) == [("Globex", "Beta", "ended")]
    assert (len(found), found.left_out) == (1, 1)
    assert repr(found) == "Contradictions('default': 0 open, 1 settled, 1 left out)"


async def test_a_report_shows_itself(graph):
    assert str(await graph.audit.contradictions()) == "no contradictions"
    assert "no contradictions" in (await graph.audit.contradictions())._repr_html_()
    await tell(graph, *MOVES)
    found = await graph.audit.contradictions()
    assert str(found).splitlines() == [
        "ended      Alice works at Acme (2020-01-01 to 2023-01-01), confidence 1.00",
        "           “Alice works_at Acme from 2020.” (letter of 2020-02-01, 2020-02-01)",
        "by         Alice works at Globex (since 2023-01-01), confidence 1.00",
        "           “Alice works_at Globex from 2023.” (letter of 2023-02-01, 2023-02-01)",
        "why        works_at holds one value at a time",
    ]
    assert found._repr_html_().count("<svg") == 3  # and the years above them
    [row] = found.to_dataframe().to_dict("records")
    assert (row["text"], row["other"], row["rule"]) == (
        "Alice works at Acme",
        "Alice works at Globex",
        "single_valued",
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"since": "2022", "until": "2022"}, QueryError),
        ({"since": "soonish"}, TimeError),
        ({"axis": "time"}, QueryError),
        ({"limit": 0}, QueryError),
        ({"outcomes": ["settled"]}, QueryError),
        ({"outcomes": ()}, QueryError),
    ],
)
async def test_what_makes_no_window_is_refused(graph, arguments, error):
    with pytest.raises(error):
        await graph.audit.contradictions(**arguments)
