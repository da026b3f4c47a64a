"""REST as a client sees it: the same verbs, problems instead of crashes, and who may do what."""

import json
import sys

import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from graphrag.errors import InputError, StoreError
from graphrag.explorer import atlas
from graphrag.explorer.layout import lay_out
from graphrag.serve import rest as routes
from graphrag.serve.grants import LOCAL, Bucket, Grant, Quota, Tokens
from graphrag.serve.openapi import description
from graphrag.serve.server import application, serve
from graphrag.serve.service import Service
from graphrag.serve.tools import mcp_server, tools
from graphrag.serve.verb_table import VERBS
from graphrag.testing import ScriptedLLM
from tests.conftest import open_graph
from tests.serve.conftest import ADMIN, ALICE, BOB, READER, TOKENS, bearer, door
from tests.serve.test_tools import CALLS, called


def problem(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    return answer.json()["detail"]


def validator(name):
    whole = description(secured=False)
    return Draft202012Validator(
        {"$ref": f"#/components/schemas/{name}", "components": whole["components"]}
    )


async def test_every_verb_answers_as_described(rest):
    found = {}
    for name, given in CALLS.items():
        if given.get("fact") == "?":
            given = {**given, "fact": found["ask"]["facts"][0]["id"]}
        answer = await rest.post(f"/v1/{name}", json=given)
        assert answer.status_code == 200, answer.text
        found[name] = answer.json()
        validator(VERBS[name].output.__name__).validate(found[name])
    assert found["ask"]["values"] == ["Globex"]
    assert found["ask"]["facts"][0]["sources"][0]["quote"]


async def test_an_answer_is_a_route_and_no_tool(rest):
    given = {"question": "Where does Alice work?", "valid_at": "2021-01-01"}
    answer = (await rest.post("/v1/answer", json=given)).json()
    validator("AnswerOutput").validate(answer)
    assert (answer["text"], answer["by"]) == ("Acme", "facts")
    [sentence], [source] = answer["sentences"], answer["citations"]
    assert (sentence["citations"], source["episode"]) == ([1], "old letter")
    nothing = (await rest.post("/v1/answer", json={"question": "Why is the sea salt?"})).json()
    assert (nothing["by"], nothing["text"]) == ("nothing", "") and nothing["missing"]
    assert "answer" not in {tool.name for tool in tools()}


async def test_a_question_in_any_language_is_translated_by_the_model_of_the_server():
    read = {"subject": "Alice", "relation": ["works_at"], "object": "?", "earliest": "2020"}
    async with open_graph(llm=ScriptedLLM(read, read)) as graph:
        await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020")
        question = {"question": "Wo arbeitete Alice?"}
        async with door(Service(graph)) as client:
            found = (await client.post("/v1/ask", json=question)).json()
            assert (found["values"], found["facts"][0]["subject"]) == (["Acme"], "Alice")
        async with Client(mcp_server(Service(graph))) as agent:
            assert (await called(agent, "ask", **question))["values"] == ["Acme"]
        async with door(Service(graph)) as client:
            assert "no answer scripted" in problem(await client.post("/v1/ask", json=question), 502)


async def test_records_have_addresses(rest, known):
    [episode, *_] = await known.episodes()
    got = (await rest.get(f"/v1/episodes/{episode.id}")).json()
    assert (got["content"], got["length"]) == (episode.content, len(episode.content))
    assert (await rest.get("/v1/entities/Alice")).json()["name"] == "Alice"
    assert "'zoe'" in problem(await rest.get("/v1/entities/zoe"), 404)
    assert "'zoe'" in problem(await rest.get("/v1/episodes/zoe"), 404)


async def test_what_is_wrong_is_said_in_a_sentence(rest):
    assert "no entity is called" in problem(
        await rest.post("/v1/entity", json={"entity": "Z"}), 422
    )
    assert problem(await rest.post("/v1/search", json={}), 422) == "search: query is missing"
    assert "takes an object" in problem(await rest.post("/v1/search", json=[1]), 422)
    assert "limit '5'" in problem(
        await rest.post("/v1/search", json={"query": "a", "limit": "5"}), 422
    )
    for body in (b"", b"{", b"\xff", b"[" * 100_000, b'{"query": NaN', b'{"query": "\\ud800"}'):
        answer = await rest.post(
            "/v1/search", content=body, headers={"content-type": "application/json"}
        )
        assert answer.status_code in (400, 422), body[:20]
    form = await rest.post("/v1/search", data={"query": "a"})
    assert "application/json" in problem(form, 415)
    for path in ("/v1/search", "/mcp"):
        refusal = await rest.get(path)
        assert problem(refusal, 405)
        assert refusal.headers["allow"] == "POST"
    assert "openapi" in problem(await rest.get("/v2"), 404)
    assert "number of an event" in problem(await rest.get("/v1/events?after=x"), 422)
    assert "no event 99999 to go on after" in problem(await rest.get("/v1/events?after=99999"), 422)


async def test_a_stream_that_the_store_breaks_off_ends_with_its_error(rest, monkeypatch):
    following = routes._next

    async def failing(news):
        event = await following(news)
        if event.seq > 1:
            raise StoreError("the database refused a query: the disk fails")
        return event

    monkeypatch.setattr(routes, "_next", failing)
    answer = await rest.get("/v1/events?after=0")
    assert answer.status_code == 200
    *_, change, error = answer.text.removesuffix("\n\n").split("\n\n")
    assert change.startswith("id: 1\nevent: change\n")
    kind, data = error.split("\n")
    assert kind == "event: error"
    told = json.loads(data.removeprefix("data: "))
    assert (told["status"], told["detail"]) == (503, "the database refused a query: the disk fails")


async def test_a_body_has_a_size(known):
    async with door(Service(known, quota=Quota(body_bytes=1000))) as client:
        large = {"content": "x" * 1000}
        assert "1,000 bytes" in problem(await client.post("/v1/remember", json=large), 413)
        assert (await client.post("/mcp", json=large)).status_code == 413

        async def chunks():
            for _ in range(100):
                yield b"x" * 100

        headers = {"content-type": "application/json"}
        streamed = await client.post("/v1/remember", content=chunks(), headers=headers)
        assert problem(streamed, 413)


async def test_who_asks_too_often_is_told_when_to_come_again(graph):
    quota = Quota(per_second=0.1, burst=3)
    async with door(Service(graph, TOKENS, quota), ALICE) as client:
        codes = [(await client.get("/metrics")).status_code for _ in range(5)]
        assert codes == [200, 200, 200, 429, 429]
        late = await client.get("/metrics")
        assert 1 <= int(late.headers["retry-after"]) <= 10
        assert (await client.get("/metrics", headers=bearer(BOB))).status_code == 200


def test_a_bucket_fills_with_time():
    now = [0.0]
    bucket = Bucket(2, 1, clock=lambda: now[0])
    assert (bucket.take(), bucket.take()) == (0, 0.5)
    now[0] = 0.5
    assert bucket.take() == 0
    with pytest.raises(InputError, match="burst 0"):
        Quota(burst=0)


async def test_without_a_right_token_nothing_is_said(graph):
    async with door(Service(graph, TOKENS)) as client:
        for header in ("", "Bearer", "Bearer x", f"Basic {ALICE}", ALICE, f"Bearer {ALICE}x"):
            headers = {"authorization": header} if header else {}
            for path in ("/metrics", "/v1/entities/Alice", "/mcp", "/groups/alice/metrics"):
                answer = await client.get(path, headers=headers)
                assert problem(answer, answer.status_code)
                assert answer.status_code in (401, 429)
        assert (await client.get("/health")).status_code == 200
        assert (await client.get("/metrics", headers=bearer(ALICE))).status_code == 200


async def test_a_token_of_one_group_sees_nothing_of_another(graph):
    await graph.group("bob").add_fact("Bob", "likes", "chess")
    async with door(Service(graph, TOKENS), ALICE) as client:
        for group in ("bob", "nobody"):
            path = f"/groups/{group}/v1/entity"
            refusal = problem(await client.post(path, json={"entity": "Bob"}), 403)
            assert refusal == f"this token is not for the group {group!r}"
        assert problem(await client.get("/v1/entities/Bob"), 404)
        own = await client.post("/groups/alice/v1/search", json={"query": "chess"})
        assert own.json()["facts"] == []
        assert problem(await client.get("/groups/alice"), 404)
        client.headers.update(bearer(ADMIN))
        assert (await client.get("/groups/bob/v1/entities/Bob")).json()["name"] == "Bob"
        assert problem(await client.get("/groups//v1/entities/Bob"), 404)


async def test_an_id_of_another_group_opens_nothing(graph):
    bob = graph.group("bob")
    told = await bob.add_fact("Bob", "likes", "chess")
    secret = (await bob.add_episode("Bob likes poker.")).episode
    doubt = (await bob.add_fact("Bob", "likes", "cheating", confidence=0.1)).fact
    person = told.fact.subject_id
    await graph.group("alice").add_fact("Alice", "likes", "tea")
    async with door(Service(graph, TOKENS), ALICE) as client:
        for verb, given in (
            ("entity", {"entity": person}),
            ("timeline", {"entity": person}),
            ("path", {"start": person, "end": "Alice"}),
            ("communities", {"community": person}),
            ("correct", {"fact": told.fact.id, "action": "retract"}),
            ("correct", {"fact": told.fact.id, "action": "change", "object": "go"}),
            ("review", {"fact": doubt.id, "action": "confirm"}),
            ("forget", {"entity": person, "confirm": "Bob"}),
            ("forget", {"entity": "Bob"}),
        ):
            answer = await client.post(f"/v1/{verb}", json=given)
            assert "chess" not in problem(answer, 422), verb
        for path in (f"/v1/entities/{person}", f"/v1/episodes/{secret.id}"):
            assert problem(await client.get(path), 404)
        assert (await client.post("/v1/review", json={})).json()["waiting"] == []
    assert {fact.object for fact in await bob.facts("Bob")} == {"chess", "poker"}


async def test_communities_through_time_are_of_the_own_group_and_of_what_was_known(graph):
    await graph.group("bob").add_fact("Bob", "likes", "chess", valid_at="2020")
    await graph.group("alice").add_fact("Alice", "likes", "tea", valid_at="2020")
    async with door(Service(graph, TOKENS), READER) as client:
        verb = "v1/communities_over_time"
        told = (await client.post(f"/{verb}", json={"details": True})).json()
        assert {*told["entities"]["name"]} == {"Alice", "tea"}
        before = (await client.post(f"/{verb}", json={"known_at": "2001-01-01"})).json()
        assert before["communities"] == []
        assert problem(await client.post(f"/groups/bob/{verb}", json={}), 403)
        assert problem(await client.post(f"/{verb}", json={"limit": 201}), 422)
        assert problem(await client.post(f"/{verb}", json={"valid_at": "0001-01-01"}), 422)


async def test_a_missing_extra_is_told_as_not_installed(rest, monkeypatch):
    monkeypatch.setitem(sys.modules, "leidenalg", None)
    answer = await rest.post("/v1/communities_over_time", json={})
    assert "pip install 'surreal-graphrag[temporal]'" in problem(answer, 501)


async def test_a_reading_token_reads_alone(graph):
    async with door(Service(graph, TOKENS), READER) as client:
        writes = {"content": "Bob likes tea."}
        assert "may only read" in problem(await client.post("/v1/remember", json=writes), 403)
        assert (await client.post("/v1/review", json={})).status_code == 200
        assert (await client.post("/v1/search", json={"query": "Bob"})).status_code == 200


async def test_the_log_names_the_token_that_wrote(graph):
    async with door(Service(graph, TOKENS), ALICE) as client:
        fact = {"subject": "Ann", "relation": "likes", "object": "tea"}
        told = (await client.post("/v1/remember", json={"fact": fact})).json()
        id_ = told["learned"][0]["id"]
        await client.post("/v1/correct", json={"fact": id_, "action": "retract"})
        said = {"content": "Ann likes jazz."}
        episode = (await client.post("/v1/remember", json=said)).json()["episode_id"]
    alice = graph.group("alice")
    assert (await alice.log.events())[1].actor == "alice's laptop"
    [stored] = await alice.episodes([episode])
    assert stored.metadata["remembered_by"] == "alice's laptop"


async def test_pages_of_other_origins_are_kept_out(known):
    async with door(Service(known)) as client:
        evil = {"origin": "https://evil.example"}
        assert "may not ask" in problem(await client.get("/health", headers=evil), 403)
        same = {"origin": "http://localhost:8000"}
        fine = await client.get("/health", headers=same)
        assert fine.status_code == 200
        assert "access-control-allow-origin" not in fine.headers
        rebound = {"host": "evil.example:8000"}
        assert problem(await client.get("/metrics", headers=rebound), 421)
        assert problem(await client.post("/mcp", json={}, headers=rebound), 421)


async def test_every_answer_carries_the_headers_of_a_careful_server(rest):
    for path in ("/health", "/v1/entities/Alice", "/nothing", "/mcp"):
        headers = (await rest.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]


async def test_beyond_this_machine_a_token_is_required(graph):
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        with pytest.raises(InputError, match="give tokens"):
            await serve(graph, host=host, port=0)
    with pytest.raises(InputError, match="cannot listen"):
        await serve(graph, host="192.0.2.1", port=1, tokens=TOKENS)


def test_no_token_is_ever_shown():
    assert repr(TOKENS) == "Tokens(alice's laptop, bob's laptop, a dashboard, the owner)"
    service = repr(TOKENS) + repr(TOKENS.grant(b"Bearer x")) + str(vars(Grant))
    assert ALICE not in service
    for secret in ("short", "with a space in it", "näh-0123456789abcdef"):
        with pytest.raises(InputError) as raised:
            Tokens({secret: Grant("ann")})
        assert secret not in str(raised.value)
    with pytest.raises(InputError, match="or two"):
        Tokens([("a" * 16, Grant("ann")), ("b" * 16, Grant("ann"))])
    with pytest.raises(InputError, match="one token"):
        Tokens([("a" * 16, Grant("ann")), ("a" * 16, Grant("bob"))])
    assert Tokens().grant(None) is LOCAL


async def test_it_is_described_by_openapi(known):
    for tokens in (Tokens(), TOKENS):
        service = Service(known, tokens)
        async with door(service) as client:
            got = (await client.get("/openapi.json")).json()
        assert got == json.loads(json.dumps(description(secured=bool(tokens))))
        assert got["openapi"] == "3.1.0"
        assert ("security" in got) is bool(tokens)
        served = {route.path for route in application(service).app.routes} - {
            "/mcp",
            "/openapi.json",
        }
        assert set(got["paths"]) == served
        for schema in got["components"]["schemas"].values():
            Draft202012Validator.check_schema(schema)


async def test_health_readiness_and_counts(known):
    service = Service(known)
    async with door(service) as client:
        assert (await client.get("/ready")).json() == {"status": "ok"}
        await client.post("/v1/search", json={"query": "Alice"})
        await client.post("/v1/entity", json={"entity": "Zoe"})
        lines = (await client.get("/metrics")).text.splitlines()
        assert 'graphrag_calls_total{verb="search",outcome="done"} 1' in lines
        assert 'graphrag_calls_total{verb="entity",outcome="refused"} 1' in lines
        assert 'graphrag_call_seconds_bucket{verb="search",le="+Inf"} 1' in lines
        assert 'graphrag_http_answers_total{status="422"} 1' in lines
        assert "graphrag_calls_running 0" in lines
        service.stopping.set()
        assert (await client.get("/ready")).status_code == 503
        assert (await client.get("/health")).status_code == 200
    await known.close()
    async with door(Service(known)) as client:
        assert (await client.get("/ready")).json() == {"status": "unavailable"}
        assert "is not open" in problem(await client.get("/v1/entities/Alice"), 503)


async def test_what_is_served_is_laid_out_before_anybody_asks(known, monkeypatch):
    laid = []
    monkeypatch.setattr(atlas, "lay_out", lambda *given: laid.append(given) or lay_out(*given))
    service = Service(known)
    await service.prepare()
    assert len(laid) == 1
    async with door(service) as client:
        seen = (await client.post("/v1/atlas", json={})).json()
    assert seen["nodes"]["name"]
    assert len(laid) == 1


async def test_what_cannot_be_prepared_is_told_and_stops_no_server(known, caplog):
    await known.close()
    await Service(known).prepare()
    assert "could not be prepared" in caplog.text
