"""``ask``: the answer with its facts, how it was worked out, or why there is none."""

import json


def test_answers_have_sources_and_the_exit_code_tells_whether_there_is_one(told):
    done = told("answer", "Where does Alice work?", "--at", "2021-01-01")
    assert done.code == 0 and done.out.splitlines()[0] == "Acme"
    assert "[1] 20" in done.out
    form = json.loads(told("answer", "Where does Alice work?", "--json").out)
    assert form["by"] == "facts" and form["sentences"][0]["citations"] == [1]
    done = told("answer", "Why is the sea salt?")
    assert done.code == 1 and "not in the graph" in done.out
    assert told("answer", " ").code == 2


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
