"""Graphiti, Zep and Mem0 come in with all dates, and nothing is dropped in silence."""

import json

import pytest

from graphrag import InputError
from tests.conftest import day, open_graph, triples


def node(uuid, name, *labels, **more):
    return {
        "uuid": uuid, "name": name, "group_id": "", "labels": ["Entity", *labels],
        "created_at": "2023-01-02T00:00:00Z", "name_embedding": [0.1, 0.2], "summary": "",
        "attributes": {}, **more,
    }  # fmt: skip


def episode(uuid, content, at, **more):
    return {
        "uuid": uuid, "name": uuid, "group_id": "", "labels": [], "created_at": at,
        "source": "text", "source_description": "diary", "content": content, "valid_at": at,
        "entity_edges": [], "episode_metadata": None, **more,
    }  # fmt: skip


def edge(uuid, source, name, target, fact, **more):
    return {
        "uuid": uuid, "group_id": "", "source_node_uuid": source, "target_node_uuid": target,
        "created_at": "2023-01-02T00:00:00Z", "name": name, "fact": fact, "fact_embedding": None,
        "episodes": [], "expired_at": None, "valid_at": None, "invalid_at": None,
        "reference_time": None, "attributes": {}, **more,
    }  # fmt: skip


FIRST, SECOND = "Alice began at Acme.", "Alice is at Globex now, no more at Acme."
GRAPHITI = {
    "nodes": [
        node("n1", "Alice", "Person", summary="An engineer.", attributes={"born": 1990}),
        node("n2", "Acme", "SoftwareCompany"),
        node("n3", "Globex"),
        {
            "uuid": "c1", "name": "Work", "group_id": "", "labels": [], "summary": "Jobs.",
            "created_at": "2023-01-02T00:00:00Z", "name_embedding": None,
        },
        {
            "uuid": "s1", "name": "Diary", "group_id": "", "labels": [], "summary": "",
            "created_at": "2023-01-02T00:00:00Z", "first_episode_uuid": "e1",
            "last_episode_uuid": None, "last_summarized_at": None,
        },
    ],
    "episodes": [
        episode("e1", FIRST, "2020-03-01T00:00:00Z"),
        episode("e2", SECOND, "2022-06-01T00:00:00Z"),
    ],
    "edges": [
        edge(
            "f1", "n1", "WORKS_AT", "n2", "Alice works at Acme", episodes=["e1", "e2"],
            valid_at="2020-03-01T00:00:00Z", invalid_at="2022-06-01T00:00:00Z",
            expired_at="2022-06-02T08:00:00Z", attributes={"role": "engineer"},
        ),
        edge(
            "f2", "n1", "WORKS_AT", "n3", "Alice is at Globex now", episodes=["e2"],
            valid_at="2022-06-01T00:00:00Z",
        ),
        {"uuid": "m1", "group_id": "", "source_node_uuid": "e1", "target_node_uuid": "n1",
         "created_at": "2023-01-02T00:00:00Z"},
        {"uuid": "h1", "group_id": "", "source_node_uuid": "s1", "target_node_uuid": "e1",
         "created_at": "2023-01-02T00:00:00Z"},
        {"uuid": "b1", "group_id": "", "source_node_uuid": "c1", "target_node_uuid": "n1",
         "created_at": "2023-01-02T00:00:00Z"},
    ],
}  # fmt: skip
JOBS = {
    ("Alice", "works_at", "Acme", "2020-03-01", "2022-06-01"),
    ("Alice", "works_at", "Globex", "2022-06-01", None),
}


def apoc(dump):
    """Write a dump as Neo4j's own export has it: flat properties, ends by inner ids."""
    inner, lines = {}, []
    kinds = {"c1": "Community", "s1": "Saga"}
    for number, one in enumerate(dump["nodes"] + dump["episodes"]):
        own = {key: value for key, value in one.items() if value is not None and key != "labels"}
        own |= own.pop("attributes", {})
        labels = ["Episodic"] if "content" in one else one["labels"] or [kinds[one["uuid"]]]
        inner[one["uuid"]] = str(number)
        lines.append({"type": "node", "id": str(number), "labels": labels, "properties": own})
    names = {"m1": "MENTIONS", "h1": "HAS_EPISODE", "b1": "HAS_MEMBER"}
    for number, one in enumerate(dump["edges"]):
        own = {key: value for key, value in one.items() if value is not None}
        own |= own.pop("attributes", {})
        ends = (own.pop("source_node_uuid"), own.pop("target_node_uuid"))
        start, end = ({"id": inner[uuid], "labels": []} for uuid in ends)
        for key, value in own.items():
            if key.endswith("_at"):
                own[key] = value.removesuffix(":00Z") + "Z[UTC]"
        lines.append(
            {"type": "relationship", "id": str(number), "properties": own, "start": start,
             "end": end, "label": names.get(one["uuid"], "RELATES_TO")}
        )  # fmt: skip
    return "\n".join(map(json.dumps, lines))


@pytest.fixture
def export(tmp_path):
    def write(content, name="dump.json"):
        file = tmp_path / name
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    return write


async def everything(graph, name="Alice"):
    facts = await graph.at(history=True).facts(name)
    return {fact.object: fact for fact in facts if fact.retracted_at is None}


@pytest.mark.parametrize("as_text", [json.dumps, apoc], ids=["model_dump_json", "apoc"])
async def test_graphiti_comes_in_with_dates_types_episodes_and_provenance(graph, export, as_text):
    report = await graph.load.memory(export(as_text(GRAPHITI)))
    assert (report.of, report.groups) == ("graphiti", ("default",))
    assert (report.episodes, report.entities, report.facts) == (2, 3, 2)
    facts = await everything(graph)
    assert triples(facts.values()) == JOBS
    alice = await graph.entity("Alice")
    assert (alice.entity_type, alice.attributes["born"]) == ("person", 1990)
    assert alice.attributes["graphiti:n1"]["summary"] == "An engineer."
    assert (await graph.entity("Acme")).entity_type == "software_company"
    first, second = sorted(await graph.episodes(), key=lambda one: one.valid_at)
    assert (first.content, first.valid_at, first.saga) == (FIRST, day("2020-03-01"), "Diary")
    assert facts["Acme"].episodes == (first.id, second.id)
    assert facts["Acme"].attributes["role"] == "engineer"
    assert facts["Acme"].attributes["graphiti:f1"]["expired_at"].startswith("2022-06-02")
    quotes = await graph.sources(facts["Globex"])
    assert [quote.text for quote in quotes] == ["Alice is at Globex now"]
    assert (await graph.health.check()).findings == ()


async def test_what_expired_there_is_closed_here_with_its_reason(graph, export):
    await graph.load.memory(export(GRAPHITI))
    acme = (await everything(graph))["Acme"]
    assert (acme.closed_as, acme.reason) == ("bounded", "closed in Graphiti on 2022-06-02")
    assert [fact.object for fact in await graph.facts("Alice")] == ["Globex"]


async def test_what_does_not_come_in_is_named_with_its_reason(graph, export):
    report = await graph.load.memory(export(GRAPHITI))
    assert [(one.place, one.what) for one in report.left_out] == [
        ("dump.json, nodes, record 4", "community 'Work'"),
        ("dump.json, edges, record 5", "membership of a community"),
    ]
    assert "communities.build()" in report.left_out[0].why
    assert any("vectors stayed behind" in note for note in report.notes)


async def test_records_that_cannot_come_in_keep_out_no_others(graph, export):
    dump = {
        "nodes": [*GRAPHITI["nodes"][:2], node("n9", "...")],
        "edges": [
            edge("f1", "n1", "KNOWS", "n2", "They know each other."),
            edge("f2", "n1", "KNOWS", "n7", "Nobody knows whom."),
            edge("f3", "n1", "KNOWS", "n1", "She knows herself."),
            {"odd": True},
        ],
        "episodes": [episode("e1", "", "2020-01-01T00:00:00Z")],
    }
    report = await graph.load.memory(export(dump))
    assert report.facts == 1
    why = {one.place.removeprefix("dump.json, "): one.why for one in report.left_out}
    assert "no name" in why["nodes, record 3"]
    assert "n7 is not in the export" in why["edges, record 2"]
    assert "same entity" in why["edges, record 3"]
    assert "no kind" in why["edges, record 4"]
    assert "no text" in why["episodes, record 1"]


async def test_a_link_that_says_nothing_is_not_blamed_on_its_ends(graph, export):
    dump = {"nodes": GRAPHITI["nodes"][:2], "edges": [edge("f1", "n1", "", "n2", "")]}
    [left] = (await graph.load.memory(export(dump))).left_out
    assert left.why == "it has neither name nor fact"


@pytest.mark.parametrize("text", [None, 5, " ", ["Ann lives in Rome."]])
async def test_what_is_no_text_is_no_memory_and_no_message(graph, export, text):
    report = await graph.load.memory(export([{"id": "m4", "memory": text}]))
    assert [(one.what, "no text" in one.why) for one in report.left_out] == [("memory m4", True)]
    said = {"thread_id": "t", "messages": [{"uuid": "m1", "role": "user", "content": text}]}
    [left] = (await graph.load.memory(export(said), of="zep")).left_out
    assert "no text" in left.why
    assert await graph.episodes() == []


async def test_importing_again_changes_nothing(graph, export):
    file = export(GRAPHITI)
    await graph.load.memory(file)
    events = len(await graph.log.events())
    report = await graph.load.memory(file)
    assert (report.episodes, report.entities, report.facts) == (0, 0, 0)
    assert len(await graph.log.events()) == events


async def test_what_was_taken_back_here_stays_so(graph, export):
    file = export(GRAPHITI)
    await graph.load.memory(file)
    await graph.edit.retract((await everything(graph))["Globex"])
    await graph.log.remove_episode((await graph.episodes(limit=1))[0])
    report = await graph.load.memory(file)
    assert "Globex" not in {fact.object for fact in await graph.facts("Alice")}
    assert any("removed here" in one.why for one in report.left_out)


async def test_a_later_export_brings_the_end_of_a_fact(graph, export):
    still = json.loads(json.dumps(GRAPHITI))
    still["edges"][0] |= {"invalid_at": None, "expired_at": None}
    await graph.load.memory(export(still, "old.json"))
    assert {fact.object for fact in await graph.facts("Alice")} == {"Acme", "Globex"}
    await graph.load.memory(export(GRAPHITI, "new.json"))
    assert triples((await everything(graph)).values()) == JOBS


@pytest.mark.parametrize("judge", [True, False])
async def test_a_lifetime_with_both_ends_is_never_cut(graph, export, judge):
    dump = json.loads(json.dumps(GRAPHITI))
    dump["edges"][1] |= {"valid_at": "2021-01-01T00:00:00Z"}
    await graph.load.memory(export(dump), judge=judge)
    acme = (await everything(graph))["Acme"]
    assert (acme.valid_at, acme.invalid_at) == (day("2020-03-01"), day("2022-06-01"))


async def test_taking_out_an_episode_takes_back_what_it_alone_states(graph, export):
    await graph.load.memory(export(GRAPHITI))
    [second] = await graph.episodes(limit=1)
    await graph.log.remove_episode(second)
    assert triples((await everything(graph)).values()) == {
        ("Alice", "works_at", "Acme", "2020-03-01", "2022-06-01")
    }


async def test_groups_there_are_groups_here(graph, export):
    dump = {"nodes": [node("n1", "Ann", group_id="home"), node("n2", "Bob", group_id="")]}
    report = await graph.load.memory(export(dump))
    assert set(report.groups) == {"home", "default"}
    assert [one.name for one in await graph.group("home").entities()] == ["Ann"]
    report = await graph.group("all").load.memory(export(dump), one_group=True)
    assert report.groups == ("all",)
    assert {one.name for one in await graph.group("all").entities()} == {"Ann", "Bob"}


async def test_a_fact_that_ends_before_it_begins_keeps_its_end(graph, export):
    dump = {
        "nodes": GRAPHITI["nodes"][:2],
        "edges": [
            edge("f1", "n1", "VISITED", "n2", "Alice saw Acme.", valid_at="2021-01-01T00:00:00Z",
                 invalid_at="2020-01-01T00:00:00Z"),
            edge("f2", "n1", "OWNED", "n2", "Alice owned Acme.", expired_at="2024-01-01T00:00:00Z"),
        ],
    }  # fmt: skip
    report = await graph.load.memory(export(dump))
    facts = await graph.at(history=True).facts("Alice")
    assert ("Alice", "visited", "Acme", None, "2020-01-01") in triples(facts)
    assert next(fact for fact in facts if fact.relation == "owned").invalid_at == day("2024-01-01")
    assert len([note for note in report.notes if "ends" in note]) == 2


async def test_two_facts_of_one_pair_keep_both_their_words(graph, export):
    dump = {
        "nodes": GRAPHITI["nodes"][:2],
        "edges": [
            edge("f1", "n1", "DISCUSSED", "n2", "Alice praised Acme."),
            edge("f2", "n1", "DISCUSSED", "n2", "Alice scolded Acme."),
        ],
    }
    report = await graph.load.memory(export(dump))
    [fact] = await graph.facts("Alice")
    said = {value["fact"] for key, value in fact.attributes.items() if key.startswith("graphiti:")}
    assert said == {"Alice praised Acme.", "Alice scolded Acme."}
    assert any("same two" in note for note in report.notes)


ZEP = [
    {
        "nodes": [
            {"uuid": "n1", "name": "Alice", "summary": "", "created_at": "2024-01-01T00:00:00Z",
             "labels": ["Entity", "User"], "attributes": {}},
        ]
    },
    {
        "user_id": "alice",
        "edges": [
            {"uuid": "f1", "source_node_uuid": "n1", "source_node_name": "Alice",
             "target_node_uuid": "n2", "target_node_name": "Rome", "name": "LIVES_IN",
             "fact": "Alice lives in Rome", "created_at": "2024-01-01T00:00:00Z",
             "valid_at": "2023-05-01T00:00:00Z", "episodes": ["m1"], "score": 0.9},
        ],
    },
    {
        "thread_id": "t1",
        "user_id": "alice",
        "messages": [
            {"uuid": "m1", "role": "user", "name": "Alice", "content": "I live in Rome.",
             "created_at": "2024-01-01T00:00:00Z", "metadata": {"lang": "en"}},
        ],
        "total_count": 1,
    },
]  # fmt: skip


async def test_zep_threads_messages_and_facts_come_in(graph, tmp_path):
    for number, answer in enumerate(ZEP):
        (tmp_path / f"{number}.json").write_text(json.dumps(answer))
    report = await graph.load.memory(tmp_path, one_group=True)
    assert (report.of, report.left_out) == ("zep", ())
    [message] = await graph.episodes()
    assert (message.content, message.saga, message.author) == ("I live in Rome.", "t1", "Alice")
    assert message.metadata["metadata"] == {"lang": "en"}
    [fact] = await graph.facts("Alice")
    assert triples([fact]) == {("Alice", "lives_in", "Rome", "2023-05-01", None)}
    assert fact.episodes == (message.id,)


async def test_zep_s_plain_facts_are_read_and_end_when_they_were_invalid(graph, export):
    facts = {
        "facts": [
            {"uuid": "f1", "fact": "Alice works_at Acme.", "created_at": "2022-01-01T00:00:00Z",
             "invalid_at": "2023-01-01T00:00:00Z", "rating": 0.8},
        ]
    }  # fmt: skip
    await graph.load.memory(export(facts), of="zep")
    assert triples((await everything(graph)).values()) == {
        ("Alice", "works_at", "Acme", "2022-01-01", "2023-01-01")
    }


MEM0 = {
    "results": [
        {"id": "a", "memory": "Alice works_at Globex.", "hash": "h", "metadata": {"topic": "work"},
         "created_at": "2022-01-01T00:00:00+00:00", "updated_at": "2023-01-01T00:00:00+00:00",
         "user_id": "alice"},
        {"id": "b", "memory": "Alice likes tea.", "created_at": "2022-02-01T00:00:00+00:00",
         "updated_at": None, "user_id": "alice"},
    ],
    "relations": [{"source": "Alice", "relationship": "knows", "target": "Bob"}],
}  # fmt: skip
HISTORY = [
    {"id": "h1", "memory_id": "a", "event": "ADD", "old_memory": None, "is_deleted": False,
     "new_memory": "Alice works_at Acme.", "created_at": "2022-01-01T00:00:00+00:00"},
    {"id": "h2", "memory_id": "a", "event": "UPDATE", "old_memory": "Alice works_at Acme.",
     "new_memory": "Alice works_at Globex.", "created_at": "2022-01-01T00:00:00+00:00",
     "updated_at": "2023-01-01T00:00:00+00:00"},
    {"id": "h3", "memory_id": "c", "event": "ADD", "new_memory": "Alice likes jazz.",
     "created_at": "2022-03-01T00:00:00+00:00"},
    {"id": "h4", "memory_id": "c", "event": "DELETE", "old_memory": "Alice likes jazz.",
     "new_memory": None, "created_at": "2022-03-01T00:00:00+00:00",
     "updated_at": "2022-09-01T00:00:00+00:00", "is_deleted": True},
    {"id": "h5", "memory_id": "a", "event": "NONE"},
]  # fmt: skip


async def test_mem0_memories_come_in_with_every_version_and_its_time(graph, export):
    files = [export(MEM0, "memories.json"), export(HISTORY, "history.json")]
    report = await graph.load.memory(files, one_group=True)
    assert (report.of, report.episodes) == ("mem0", 4)
    assert triples((await everything(graph)).values()) == {
        ("Alice", "works_at", "Acme", "2022-01-01", "2023-01-01"),
        ("Alice", "works_at", "Globex", "2023-01-01", None),
        ("Alice", "likes", "tea", "2022-02-01", None),
        ("Alice", "likes", "jazz", "2022-03-01", "2022-09-01"),
        ("Alice", "knows", "Bob", None, None),
    }
    said = {one.content: one for one in await graph.episodes()}
    assert said["Alice works_at Globex."].metadata["metadata"] == {"topic": "work"}
    assert said["Alice likes jazz."].metadata["ended_by"] == "DELETE"
    assert [one.what for one in report.left_out] == ["event NONE of memory a"]


async def test_mem0_again_changes_nothing_and_users_are_groups(graph, export):
    files = [export(MEM0, "memories.json")]
    report = await graph.load.memory(files)
    assert set(report.groups) == {"alice", "default"}  # its relations name no user
    again = await graph.load.memory(files)
    assert (again.episodes, again.entities, again.facts) == (0, 0, 0)


@pytest.mark.parametrize("history_first", [False, True])
async def test_mem0_with_and_without_its_history_says_nothing_twice(graph, export, history_first):
    files = [export(MEM0, "memories.json"), export(HISTORY, "history.json")]
    rounds = [files, files[:1]] if history_first else [files[:1], files]
    for some in rounds:
        await graph.load.memory(some, one_group=True)
    told = [(one.content, one.valid_at) for one in await graph.episodes()]
    assert len(told) == len(set(told)) == 4
    [globex] = await graph.facts("Alice", relation="works_at")
    assert len(globex.episodes) == 1


async def test_a_version_that_was_removed_stays_so_with_its_history(graph, export):
    file = export(MEM0, "memories.json")
    await graph.load.memory(file, one_group=True)
    [globex] = [one for one in await graph.episodes() if "Globex" in one.content]
    await graph.log.remove_episode(globex)
    report = await graph.load.memory([file, export(HISTORY, "history.json")], one_group=True)
    assert any("removed here" in one.why for one in report.left_out)
    assert "Globex" not in {fact.object for fact in await graph.facts("Alice")}


async def test_a_file_that_is_nobody_s_export_is_refused_before_anything_is_written(graph, export):
    with pytest.raises(InputError, match="Graphiti, Zep or Mem0"):
        await graph.load.memory(export([{"subject": "Ann"}]))
    with pytest.raises(InputError, match=r"dump.json, line 2"):
        await graph.load.memory(export('{"uuid": "n1", "name": "Ann"}\n{"uuid": \n'))
    assert await graph.log.events() == []


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ('{\n "uuid": "n1",\n "name": ', "dump.json is no JSON: .* line 3 column 10"),
        ('[{"odd": 1},', "line 1 column 13"),
        ("", "dump.json is empty"),
        ("\x00\x01", "dump.json is no JSON: .* line 1 column 1"),
        ("[" * 200_000, "nested too deep"),
        (None, "there is no file .*dump.json"),
    ],
)
async def test_a_file_that_cannot_be_read_says_why(graph, tmp_path, content, cause):
    file = tmp_path / "dump.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(InputError, match=cause):
        await graph.load.memory(file)


async def test_what_came_in_is_told_again_by_a_replay(export, tmp_path):
    async with open_graph() as graph:
        await graph.load.memory(export(GRAPHITI))
        into = open_graph(f"surrealkv://{tmp_path}/other")
        assert (await graph.log.replay(into)).records > 0
