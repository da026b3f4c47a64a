"""Files that are broken, cut, changed or made to harm: refused by line, and the store untouched."""

import asyncio
import gzip
import json
from hashlib import sha256

import pytest

from graphrag import InputError
from tests.conftest import open_graph


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """Return the lines of a small export, without its seal."""
    file = tmp_path_factory.mktemp("good") / "good.jsonl"

    async def make():
        async with open_graph() as graph:
            await graph.add_episode("Alice works_at Acme.", reference_time="2020", saga="diary")
            await graph.communities.build()
            await graph.export.file(file)

    asyncio.run(make())
    return [json.loads(line) for line in file.read_text().splitlines()[:-1]]


@pytest.fixture(scope="module")
async def graph():
    async with open_graph() as opened:
        await opened.group("mine").add_fact("Ann", "likes", "tea")
        yield opened


def sealed(lines):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    end = {"record": "end", "lines": len(lines), "sha256": sha256(text.encode()).hexdigest()}
    return text + json.dumps(end) + "\n"


async def refused(graph, tmp_path, content, match):
    """Import what cannot be, and look whether anything is left of it."""
    file = tmp_path / "bad.jsonl"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=match) as caught:
        await graph.load.group(file)
    assert "bad.jsonl" in str(caught.value)
    assert [group.name for group in await graph.groups().list()] == ["mine"]
    assert (await graph.health.check_all()).records == 3


def changed(good, kind, **fields):
    """Return the lines with fields of the first one of a kind changed; None takes one away."""
    lines = [dict(line) for line in good]
    line = lines[0] if kind == "header" else next(one for one in lines if one.get("record") == kind)
    for name, item in fields.items():
        line[name] = item
        if item is None:
            del line[name]
    return lines


WRONG = [
    ("header", {"format": "something"}, "line 1: this is no graph that was exported"),
    ("header", {"version": 2}, r"line 1: the format has version 2, .* knows 1: upgrade"),
    ("header", {"group": "a\nb\x00"}, "is no name"),
    ("header", {"counts": {"fact": 7}}, "its first line says 7 fact"),
    ("header", {"vectors": "yes"}, "line 1: the header lacks"),
    ("episode", {"record": "program"}, "record 'program' is not known: expected one of episode"),
    ("episode", {"record": ["fact"]}, "is not known"),
    ("episode", {"source": "evil"}, "'source' is 'evil': expected one of message, text"),
    ("episode", {"valid_at": "soon"}, r"'valid_at' is 'soon': expected a moment such as"),
    ("episode", {"valid_at": "2020-01-01"}, "it has no time zone"),
    ("episode", {"content": 7}, "'content' is 7: expected text"),
    ("episode", {"content": None}, "episode lacks 'content'"),
    ("episode", {"group_id": "mine"}, "episode has no field 'group_id'"),
    ("episode", {"embedding": "AAAA"}, "'embedding' has 0.75 numbers, expected 64"),
    ("episode", {"embedding": "?"}, "expected float32 numbers in base64"),
    ("episode", {"metadata": []}, r"'metadata' is a list of 0: expected an object"),
    ("entity", {"id": ""}, "'id' is '': expected an id"),
    ("entity", {"aliases": [1]}, r"expected a list of texts"),
    ("fact", {"subject_id": "elsewhere"}, "it leads to entity 'elsewhere', which no line before"),
    ("fact", {"confidence": "high"}, "'confidence' is 'high': expected a number"),
    ("fact", {"observed": 1}, "'observed' is 1: expected true or false"),
    ("fact", {"statements": "soon"}, "'statements' has an invalid statement"),
    ("fact", {"statements": '[{"pending": 1}]'}, "'statements' has an invalid statement"),
    ("fact", {"statements": '[{"kind": "lie"}]'}, "'statements' has an invalid statement"),
    ("fact", {"statements": '[{"void": {}}]'}, "'statements' has an invalid statement"),
    ("mention", {"start": True}, "'start' is True: expected a whole number"),
    ("event", {"seq": 2}, "this is event 2, expected event 1"),
    ("event", {"changes": "[]"}, "an event has seq, at, actor"),
    ("event", {"changes": [{"record": "x"}]}, "a change has record"),
    (
        "event",
        {"changes": [{"record": "fact:x", "before": {"valid_at": "x"}, "after": None}]},
        "'valid_at' is 'x', no moment",
    ),
]


async def test_a_wrong_line_is_named_with_what_would_be_right(graph, good, tmp_path):
    for kind, fields, match in WRONG:
        await refused(graph, tmp_path, sealed(changed(good, kind, **fields)), match)


async def test_no_record_may_be_there_twice(graph, good, tmp_path):
    entity = next(line for line in good if line.get("record") == "entity")
    place = good.index(entity)
    twice = [*good[: place + 1], entity, *good[place + 1 :]]
    await refused(graph, tmp_path, sealed(twice), f"line {place + 2}: entity .* is there twice")


async def test_what_was_cut_or_changed_on_the_way_is_noticed(graph, good, tmp_path):
    text = sealed(good)
    lines = text.splitlines(keepends=True)
    await refused(graph, tmp_path, "", "is cut short after line 0")
    await refused(graph, tmp_path, "".join(lines[:-1]), f"cut short after line {len(lines) - 1}")
    await refused(graph, tmp_path, text[: len(text) // 2], "is cut short")
    await refused(graph, tmp_path, "".join(lines[:3] + lines[4:]), "the export had|leads to|has")
    await refused(graph, tmp_path, text + "{}\n", "nothing may follow the last line")
    tampered = text.replace("Alice works_at Acme.", "Alice works_at Beta.", 1)
    await refused(graph, tmp_path, tampered, "do not have the checksum")
    packed = gzip.compress(text.encode())
    await refused(graph, tmp_path, packed[:-20], "damaged or cut short")
    await refused(graph, tmp_path, packed[:40] + b"\0\0\0\0" + packed[44:], "damaged|no JSON|cut")


async def test_what_is_no_export_at_all_is_refused(graph, good, tmp_path):
    header = json.dumps(good[0]) + "\n"
    await refused(graph, tmp_path, b"\x80\x81\n", "line 1 is no JSON")
    await refused(graph, tmp_path, '{"subject": "Ann"}\n', "line 1: this is no graph")
    await refused(graph, tmp_path, header + "[]\n", "line 2 is no object")
    await refused(graph, tmp_path, header + "[" * 100_000 + "\n", "line 2 is no JSON")
    await refused(graph, tmp_path, header + '{"record": 1' + "0" * 5000 + "}\n", "is no JSON")
    with pytest.raises(InputError, match="there is no file"):
        await graph.load.group(tmp_path / "nowhere.jsonl")


def agreed(good, kind, **fields):
    """Return the lines with fields of the first one of a kind changed, in the log as well."""
    lines = json.loads(json.dumps(changed(good, kind, **fields)))
    row = next(one for one in lines if one.get("record") == kind)
    for event in (one for one in lines if one.get("record") == "event"):
        for change in event["changes"]:
            if change["record"].endswith(f":{row['id']}"):
                change["after"] |= fields
    return lines


def without(good, kind):
    """Return the lines without the first one of a kind, and with another count of them."""
    lines = json.loads(json.dumps(good))
    lines.remove(next(one for one in lines if one.get("record") == kind))
    lines[0]["counts"][kind] -= 1
    return lines


def first(good, kind):
    return next(one for one in good if one.get("record") == kind)


async def test_what_leads_to_a_stranger_is_refused(graph, good, tmp_path):
    own = first(good, "entity")["id"]
    source = first(good, "fact")["sources"][0]
    cases = [
        ("entity", {"merged_into": "stranger"}, "entity '.*' leads to entity 'stranger', which no"),
        ("entity", {"distinct_from": ["stranger"]}, "leads to entity 'stranger', which no line"),
        ("entity", {"merged_into": own}, f"entity '{own}' is merged into itself"),
        ("fact", {"invalidated_by": "stranger"}, "fact '.*' leads to relates_to 'stranger'"),
        ("fact", {"sources": [source | {"episode": "gone"}]}, "it rests on episode 'gone', which"),
        ("fact", {"sources": [source | {"end": 2**70}]}, "it rests on characters 0 to 1180"),
        ("fact", {"sources": [{"episode": 7}]}, "a source has episode, start and end"),
    ]
    for kind, fields, match in cases:
        await refused(graph, tmp_path, sealed(agreed(good, kind, **fields)), match)


async def test_what_contradicts_its_own_log_is_refused(graph, good, tmp_path):
    contradicts = "is not what the events of the file make of it"
    cases = [
        ("fact", {"text": "Alice owns Acme."}),
        ("fact", {"valid_at": "1999-01-01T00:00:00Z"}),
        ("entity", {"attributes": {"salary": 1}}),
        ("episode", {"removed_at": "2021-01-01T00:00:00Z"}),
    ]
    for kind, fields in cases:
        await refused(graph, tmp_path, sealed(changed(good, kind, **fields)), contradicts)
    own = first(good, "mention")["id"]
    await refused(graph, tmp_path, sealed(without(good, "mention")), f"refer to mentions:{own}")
    silent = json.loads(json.dumps(good))
    for event in (one for one in silent if one.get("record") == "event"):
        event["changes"] = [one for one in event["changes"] if not one["record"].endswith(own)]
    await refused(graph, tmp_path, sealed(silent), f"no event refers to mentions:{own}")


async def test_what_only_the_database_sees_is_named_by_its_lines_and_taken_back(
    graph, good, tmp_path
):
    file = tmp_path / "bad.jsonl"
    file.write_text(sealed(agreed(good, "fact", confidence=7)))
    with pytest.raises(Exception, match=r"bad\.jsonl, lines \d+ to \d+: nothing was written"):
        await graph.load.group(file)
    assert [group.name for group in await graph.groups().list()] == ["mine"]
    assert (await graph.health.check_all()).records == 3
