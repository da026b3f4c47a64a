import asyncio
import json

import pytest

from tests.conftest import open_graph


@pytest.fixture
def town():
    async def prepare():
        async with open_graph("surrealkv://graph-store") as graph:
            await graph.add_episode(
                "Ann works_at Acme. Bob works_at Acme. Ann married_to Bob.",
                reference_time="2021-01-01",
            )
            await graph.add_episode("Eve lives_in Paris.", reference_time="2022-01-01")

    return lambda: asyncio.run(prepare())


def test_communities_are_built_listed_shown_and_drawn(cli, town, tmp_path):
    town()
    built = cli("communities", "build").out
    assert built.startswith("2 communities") and "Acme: " in built and "3 members" in built
    assert cli("communities", "update").out == built
    shown = cli("communities", "show", "acme").out
    assert "Ann works at Acme (as of 2021-01-01)" in shown
    assert "2 communities drawn into map.svg" in cli("communities", "draw", "map.svg").out


def test_communities_as_json_and_of_another_day(cli, town):
    town()
    cli("communities", "build")
    found = json.loads(cli("communities", "list", "--json").out)
    assert [(one["level"], len(one["members"])) for one in found] == [(0, 3), (0, 2)]
    then = json.loads(cli("communities", "list", "--at", "2021-06-01", "--json").out)
    assert [one["id"] for one in then] == [found[0]["id"]]
    shown = json.loads(cli("communities", "show", found[0]["id"], "--json").out)
    assert shown["fact_count"] == 3 and len(shown["entities"]) == 3
    asked = json.loads(cli("communities", "ask", "who lives in Paris?", "--json").out)
    assert asked["communities"][0]["id"] == found[1]["id"]


def test_a_community_that_is_not_there_is_one_line(cli, town):
    town()
    done = cli("communities", "show", "Acme")
    assert done.code == 2 and "communities.build()" in done.err
    assert cli("communities", "list").out.strip() == "no communities"


def test_communities_over_time_are_shown_drawn_and_given_as_json(cli, town, tmp_path):
    town()
    asked = ("communities", "over-time", "--every", "year", "--end", "2024-01-01")
    shown = cli(*asked, "--draw", "flow.svg").out
    assert "2021 2022 2023" in shown and "Acme: " in shown
    assert "2022-01-01  Paris: Eve born" in shown
    found = json.loads(cli(*asked, "--json").out)
    assert [[len(some) for some in one["members"]] for one in found["communities"]] == [
        [3, 3, 3],
        [0, 2, 2],
    ]
    assert [(one["kind"], one["at"][:4]) for one in found["events"]] == [("born", "2022")]
    wrong = cli("communities", "over-time", "--every", "eon").err
    assert "'eon' is not one of 'month', 'quarter', 'year', 'decade'" in wrong
