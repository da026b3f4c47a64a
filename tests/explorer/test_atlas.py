"""A group laid out: what is in it, where it lies, and the page that carries it."""

import json
import re
import tomllib
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from graphrag.errors import InputError, QueryError
from graphrag.explorer import part, served
from graphrag.explorer.layout import LayoutEdges, lay_out, place_new
from tests.conftest import day

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "graphrag" / "explorer" / "static"


async def careers(graph):
    await graph.add_episode("Alice works_at Acme from 2018-01-01.", reference_time="2018-02-01")
    await graph.add_episode("Alice works_at Globex from 2022-06-01.", reference_time="2022-07-01")
    await graph.add_episode("Bob knows Alice.", reference_time="2022-08-01")


def lines(atlas):
    names, facts = atlas.nodes["name"], atlas.facts
    columns = ("subject", "relation", "object", "start", "end")
    return {
        (names[subject], atlas.relations[relation], names[object_], start, end)
        for subject, relation, object_, start, end in zip(
            *(facts[column] for column in columns), strict=True
        )
    }


def seconds(text):
    return int(day(text).timestamp())


async def test_facts_of_all_times_are_in_it_with_their_lifetimes(graph):
    await careers(graph)
    atlas = await graph.export.atlas()
    assert lines(atlas) == {
        ("Alice", "works_at", "Acme", seconds("2018-01-01"), seconds("2022-06-01")),
        ("Alice", "works_at", "Globex", seconds("2022-06-01"), None),
        ("Bob", "knows", "Alice", seconds("2022-08-01"), None),
    }
    assert atlas.nodes["name"][0] == "Alice"  # best connected first
    assert repr(atlas) == "Atlas('default', 4 entities, 3 facts, 0 left out)"


async def test_what_was_not_known_yet_is_not_in_it(graph):
    await graph.add_episode("Alice works_at Acme from 2018-01-01.", reference_time="2018-02-01")
    then = (await graph.log.events())[-1].at
    await graph.add_episode("Alice works_at Globex from 2022-06-01.", reference_time="2022-07-01")
    atlas = await graph.at(known_at=then).export.atlas()
    assert lines(atlas) == {("Alice", "works_at", "Acme", seconds("2018-01-01"), None)}


async def test_what_is_retracted_or_waits_is_not_drawn(graph):
    fact = (await graph.add_fact("Ann", "likes", "tea")).fact
    await graph.add_fact("Ann", "likes", "jazz", confidence=0.1)
    await graph.add_fact("Ann", "likes", "rain")
    await graph.edit.retract(fact, "a joke")
    assert {line[2] for line in lines(await graph.export.atlas())} == {"rain"}


async def test_a_large_graph_is_cut_to_its_best_connected(graph):
    for number in range(6):
        await graph.add_fact("hub", "knows", f"P{number}")
    atlas = await graph.export.atlas(limit=3)
    assert (len(atlas.nodes["id"]), atlas.left_out) == (3, 4)
    with pytest.raises(QueryError, match="limit"):
        await graph.export.atlas(limit=0)


async def test_what_lies_somewhere_stays_there_when_others_come_or_go(graph):
    for number in range(12):
        await graph.add_fact(f"P{number}", "knows", f"P{(number + 1) % 12}")
    before = place_of(await graph.export.atlas())
    await graph.add_fact("P3", "knows", "Zoe")
    await graph.identity.merge("P5", "P6", reason="one man")
    after = place_of(await graph.export.atlas())
    assert all(after[name] == before[name] for name in before.keys() & after.keys())
    assert "Zoe" in after and "P6" not in after


def place_of(atlas):
    return dict(
        zip(atlas.nodes["name"], zip(atlas.nodes["x"], atlas.nodes["y"], strict=True), strict=True)
    )


async def test_communities_are_those_that_are_stored_and_reach_who_left(graph):
    for who in ("Ann", "Ben", "Cleo"):
        await graph.add_fact(who, "works_at", "Initech", valid_at="2020-01-01")
    await graph.add_fact("Dan", "works_at", "Initech", valid_at="2010-01-01", invalid_at="2012")
    await graph.add_fact("Eli", "plays_for", "Owls", valid_at="2020-01-01")
    [first, *_] = await graph.communities.build()
    atlas = await graph.export.atlas()
    community = dict(zip(atlas.nodes["name"], atlas.nodes["community"], strict=True))
    assert community["Dan"] == community["Ann"] == 0
    assert community["Eli"] != 0
    assert atlas.communities[0] == {"name": first.name, "members": 5}


def test_the_same_graph_lies_the_same_way_and_no_community_over_another():
    chance = np.random.default_rng(3)
    labels = np.repeat(np.arange(30), 20)
    one = chance.integers(0, 600, 1500)
    other = labels[one] * 20 + chance.integers(0, 20, 1500)
    other[::10] = chance.integers(0, 600, 150)
    places = lay_out(labels, LayoutEdges(one, other))
    assert np.array_equal(places, lay_out(labels, LayoutEdges(one, other)))
    middles = np.array([places[labels == label].mean(axis=0) for label in range(30)])
    away = np.hypot(*(places - middles[labels]).T)
    between = np.hypot(*(middles[:, None] - middles[None]).transpose(2, 0, 1))
    np.fill_diagonal(between, np.inf)
    assert between.min() > away.mean()


def test_newcomers_lie_beside_those_they_know():
    places = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 0.0]])
    known = np.array([True, True, False])
    found = place_new(places, known, LayoutEdges(np.array([2]), np.array([1])))
    assert np.array_equal(found[:2], places[:2])
    assert np.hypot(*(found[2] - places[1])) < 4


async def test_the_page_carries_its_data_and_lets_nothing_else_run(graph):
    await graph.add_fact("</script><b>", "likes", "<!--", text="<img src=x onerror=alert(1)>")
    html = (await graph.show()).to_html()
    assert not re.search(r'(?:src|href)="(?!data:)', html)  # it loads nothing
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', html)[1]
    assert json.loads(data)["nodes"]["name"] == ["</script><b>", "<!--"]
    assert "<" not in data
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    assert policy.startswith("default-src &#x27;none&#x27;")
    assert policy.count("sha256-") == html.count("<script>") + html.count("<style>")
    assert "unsafe" not in policy


async def test_it_is_kept_as_a_file(graph, tmp_path):
    await careers(graph)
    file = (await graph.at(valid_at="2020-01-01").show()).save(tmp_path / "graph.html")
    assert '"at":"2020-01-01' in file.read_text("utf-8")
    with pytest.raises(InputError, match=r"end its name in \.html"):
        (await graph.show()).save(tmp_path / "graph.pdf")
    done = await graph.export.file(tmp_path / "whole.html.gz")
    assert (done.format, done.records) == ("html", {"entity": 4, "fact": 3})


async def test_an_empty_group_has_an_empty_page(graph):
    atlas = await graph.show()
    assert (atlas.nodes["id"], atlas.communities) == ([], [])
    assert "iframe" in atlas._repr_html_()


def test_the_vendored_bundles_are_those_that_were_published():
    for bundle in json.loads((STATIC / "vendor" / "vendor.json").read_text("utf-8")):
        content = (STATIC / "vendor" / bundle["file"]).read_bytes()
        assert sha256(content).hexdigest() == bundle["sha256"]
        assert bundle["license"] == "MIT"
        assert all((STATIC / "vendor" / name).exists() for name in bundle["licenses"])


def test_an_installed_wheel_has_every_file_of_the_page():
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    patterns = setuptools["package-data"]["graphrag.explorer"]
    packed = {file for pattern in patterns for file in STATIC.parent.glob(pattern)}
    assert "graphrag.explorer" in setuptools["packages"]
    assert {file for file in STATIC.rglob("*") if file.is_file()} <= packed


def test_the_served_page_names_only_files_that_are_served():
    html = served()
    names = re.findall(r'(?:src|href)="explore/([^"]+)"', html)
    assert len(names) == 14 and all(part(name) for name in names)
    assert "<script>" not in html and "style=" not in html
    assert part("../atlas.py") is None
