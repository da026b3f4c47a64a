"""``check`` and ``repair``."""

import asyncio
import json

from tests.conftest import open_graph


def damage(tmp_path, sql):
    async def run():
        async with open_graph(f"surrealkv://{tmp_path}/graph-store") as graph:
            await graph.handle.session.store.query(sql)

    asyncio.run(run())


def test_a_sound_graph_is_code_0(told):
    done = told("check")
    assert done.code == 0
    assert done.out.splitlines()[0].endswith("records and 2 events of default checked")
    assert done.out.splitlines()[-1] == "sound"
    shown = json.loads(told("check", "--all-groups", "--json").out)
    assert (shown["sound"], shown["groups"], shown["findings"]) == (True, ["default"], [])
    assert told("repair").code == 0


def test_findings_are_code_1_and_repair_mends_them(told, tmp_path):
    damage(tmp_path, "UPDATE entity SET embedding = NONE WHERE name = 'Bob';")
    done = told("check")
    assert done.code == 1
    assert "Findings (1)" in done.out and "has no embedding" in done.out
    assert "surreal-graphrag repair" in done.out
    assert done.err == ""
    [finding] = json.loads(told("check", "--json").out)["findings"]
    assert finding["repairable"] is True
    done = told("repair")
    assert done.code == 0
    assert "Repaired (1)" in done.out and done.out.splitlines()[-1] == "sound"
    assert told("check").code == 0


def test_what_is_left_is_code_1(told, tmp_path):
    damage(tmp_path, "UPDATE relates_to SET text = 'other';")
    assert told("check").code == 1
    done = told("repair")
    assert done.code == 1
    assert "Left (3)" in done.out and "not sound" in done.out
    shown = json.loads(told("repair", "--json").out)
    assert (shown["repaired"], len(shown["left"]), shown["events"]) == ([], 3, 0)


def test_many_findings_are_cut_for_people(cli, tmp_path):
    (tmp_path / "many.txt").write_text("".join(f"Ann{n} works_at Acme. " for n in range(60)))
    assert cli("add", "many.txt").code == 0
    damage(tmp_path, "UPDATE relates_to SET text = 'other';")
    assert "and 10 more: --json lists them all" in cli("check").out


def test_misuse_is_code_2(told):
    done = told("check", "--group", "others")
    assert done.code == 2
    assert "no group 'others'" in done.error
