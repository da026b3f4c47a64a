"""``ask``: the answer with its facts, how it was worked out, or why there is none."""

import json


def test_answer_comes_with_its_facts(told):
    done = told("ask", "Where does Alice work?")
    assert done.code == 0
    assert done.out.splitlines()[0] == "Globex"
    assert "since 2023-06-01" in done.out


def test_past_as_json_and_how(told):
    done = told("ask", "Where does Alice work?", "--at", "2021-01-01", "--json")
    assert json.loads(done.out)["values"] == ["Acme"]
    assert "works_at" in told("ask", "Where does Alice work?", "--how").out


def test_no_answer_says_why(told):
    done = told("ask", "Where does Zebulon work?")
    assert done.code == 1
    assert "no answer" in done.out
