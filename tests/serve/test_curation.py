"""The verbs that only REST has: the graph to draw, who is one, undoing; and the explorer's page."""

import pytest
from jsonschema import Draft202012Validator

from graphrag.serve.openapi import description
from graphrag.serve.service import Service
from graphrag.serve.tools import tools
from graphrag.serve.verb_table import VERBS
from tests.serve.conftest import ALICE, READER, TOKENS, bearer, door


async def ask(client, verb, **given):
    answer = await client.post(f"/v1/{verb}", json=given)
    assert answer.status_code == 200, answer.text
    whole = description(secured=False)
    schema = {"$ref": f"#/components/schemas/{VERBS[verb].output.__name__}"}
    Draft202012Validator({**schema, "components": whole["components"]}).validate(answer.json())
    return answer.json()


@pytest.fixture
async def smiths(graph):
    await graph.add_episode(
        "Jonathan Smith works_at Acme from 2020-01-01.", reference_time="2020-02-01"
    )
    await graph.add_episode(
        "Jonathon Smith lives_in Paris from 2021-01-01.", reference_time="2021-02-01"
    )
    return graph


@pytest.fixture
async def rest(smiths):
    async with door(Service(smiths)) as client:
        yield client


def test_an_agent_has_no_more_tools_for_it():
    names = {tool.name for tool in tools()}
    assert len(names) == 13
    assert not {"atlas", "candidates", "log", "revert"} & names
    assert not {"merge", "keep_apart", "rename", "split"} & names


async def test_the_graph_to_draw_of_all_times_or_of_one(rest):
    whole = await ask(rest, "atlas")
    assert len(whole["nodes"]["id"]) == 4 and len(whole["facts"]["id"]) == 2
    assert whole["writes"] is True
    then = await ask(rest, "atlas", valid_at="2020-06-01")
    assert len(then["facts"]["id"]) == 1
    assert (await ask(rest, "atlas", known_at="2001-01-01"))["nodes"]["id"] == []


async def test_two_are_proposed_merged_and_taken_apart(rest, smiths):
    [pair] = (await ask(rest, "candidates"))["candidates"]
    keep, other = pair["entity"], pair["other"]
    assert {keep["entity"]["name"], other["entity"]["name"]} == {"Jonathan Smith", "Jonathon Smith"}
    assert keep["facts"][0]["sources"][0]["quote"]
    ids = keep["entity"]["id"], other["entity"]["id"]
    merged = await ask(rest, "merge", keep=ids[0], other=ids[1], reason="one man")
    assert (merged["kind"], merged["actor"], merged["note"]) == ("merge", "local", "one man")
    assert len(await smiths.facts(ids[0])) == 2
    undone = await ask(rest, "revert", event=merged["seq"], reason="they are two")
    assert len(await smiths.facts(ids[0])) == 1
    apart = await ask(rest, "keep_apart", one=ids[0], other=ids[1], reason="cousins")
    assert (await ask(rest, "candidates"))["candidates"] == []
    log = (await ask(rest, "log", limit=3))["events"]
    assert [event["seq"] for event in log] == [merged["seq"], undone["seq"], apart["seq"]]


async def test_an_entity_is_renamed_and_called_as_before(rest, smiths):
    done = await ask(
        rest, "rename", entity="Jonathan Smith", name="Jonathan Smythe", reason="misspelt"
    )
    assert (done["kind"], done["actor"], done["note"]) == ("rename", "local", "misspelt")
    renamed = await smiths.entity("Jonathan Smith")
    assert (renamed.name, renamed.aliases) == ("Jonathan Smythe", ("Jonathan Smith",))
    taken = {"entity": "Jonathan Smythe", "name": "Jonathon Smith"}
    refused = await rest.post("/v1/rename", json=taken)
    assert refused.status_code == 422 and "Jonathon Smith" in refused.json()["detail"]
    await ask(rest, "revert", event=done["seq"], reason="it was right")
    assert (await smiths.entity("Jonathan Smith")).name == "Jonathan Smith"


async def test_facts_are_split_off_and_come_back(rest, smiths):
    await ask(rest, "merge", keep="Jonathan Smith", other="Jonathon Smith", reason="one man")
    [fact, _] = sorted(await smiths.facts("Jonathan Smith"), key=lambda one: one.relation)
    done = await ask(
        rest, "split", entity="Jonathan Smith", name="Jon", facts=[fact.id], reason="two"
    )
    assert done["event"]["kind"] == "split"
    assert [one.relation for one in await smiths.facts("Jon")] == ["lives_in"]
    await ask(rest, "revert", event=done["event"]["seq"], reason="one after all")
    assert len(await smiths.facts("Jonathan Smith")) == 2


async def test_the_log_of_a_fact_says_which_event_to_undo(rest, smiths):
    [fact] = await smiths.facts("Jonathan Smith")
    done = await ask(rest, "correct", fact=fact.id, action="retract", reason="a slip")
    assert done["note"] == "a slip"
    [event] = (await ask(rest, "log", fact=fact.id, limit=1))["events"]
    assert (event["kind"], event["note"]) == ("retract", "a slip")
    await ask(rest, "revert", event=event["seq"], reason="no slip")
    assert await smiths.facts("Jonathan Smith")


async def test_a_token_without_writes_may_look_and_not_touch(known):
    await known.group("alice").add_episode("Alice likes tea.", reference_time="2020-01-01")
    async with door(Service(known, TOKENS), READER) as client:
        assert (await ask(client, "atlas"))["writes"] is False
        await ask(client, "log")
        for verb, given in (
            ("merge", {"keep": "Alice", "other": "tea"}),
            ("keep_apart", {"one": "Alice", "other": "tea"}),
            ("rename", {"entity": "Alice", "name": "Al"}),
            ("split", {"entity": "Alice", "name": "Al", "facts": ["x"]}),
            ("revert", {"event": 1}),
        ):
            refused = await client.post(f"/v1/{verb}", json=given)
            assert refused.status_code == 403, verb
            assert "may only read" in refused.json()["detail"]
        assert (await client.post("/groups/bob/v1/atlas", json={})).status_code == 403


async def test_the_page_needs_no_token_and_has_nothing_of_a_graph(known):
    async with door(Service(known, TOKENS)) as client:
        for path in ("/", "/explore", "/groups/alice/explore", "/groups/nobody/explore"):
            page = await client.get(path)
            assert page.status_code == 200, path
            assert page.headers["content-type"].startswith("text/html")
            policy = page.headers["content-security-policy"]
            assert "script-src 'self'" in policy and "unsafe" not in policy
            assert "Alice" not in page.text
        script = await client.get("/groups/alice/explore/app.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert (await client.get("/explore/secrets.js")).status_code == 404
        assert (await client.get("/explore/%2e%2e/atlas.py")).status_code == 404
        assert (await client.post("/v1/atlas", json={})).status_code == 401
        assert (await client.get("/exploredata")).status_code == 401
        client.headers.update(bearer(ALICE))
        assert (await client.get("/explore/x/y")).status_code == 404
    async with door(Service(known), hosts=("localhost",)) as client:
        foreign = await client.get("/", headers={"host": "evil.example"})
        assert foreign.status_code == 421
