"""``log``."""

import json


def test_the_log_says_when_who_and_what(told):
    done = told("log")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "Log of group default"
    assert "add_episode" in lines[2] and "library" in lines[2]
    assert "+1 episode, +2 entities, +1 fact" in " ".join(done.out.split())
    assert len(told("log", "--limit", "1").out.splitlines()) < len(lines)


def test_the_log_of_an_entity_and_as_json(told):
    shown = json.loads(told("log", "--entity", "Bob", "--json").out)
    assert [event["seq"] for event in shown] == [2]
    assert shown[0]["kind"] == "add_episode" and shown[0]["did"].startswith("+1 episode")
    assert "no entity is called 'Zoe'" in told("log", "--entity", "Zoe").error


def test_following_a_store_that_nobody_else_can_write_to_is_refused(told):
    assert "--follow is for servers" in told("log", "--follow").error
    assert "leave out --entity" in told("log", "--follow", "--entity", "Bob").error
