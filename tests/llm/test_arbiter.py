"""The second question: only when something is open, all at once, never beyond the rules."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from graphrag import (
    BudgetExceededError,
    Case,
    Claim,
    Conflict,
    Doubt,
    Entity,
    Extraction,
    ExtractionError,
    Fact,
    LLMArbiter,
    LLMError,
    Mention,
    NewEpisode,
    Relations,
    Ruling,
)
from graphrag.ingest.intake import prepare
from graphrag.ingest.read_episode import decide
from graphrag.testing import ScriptedLLM
from tests.conftest import PlainExtractor, day, open_graph, triples
from tests.ingest.meeting import meet

NOW = datetime(2024, 6, 1, tzinfo=UTC)


def person(id_, name, summary=""):
    return Entity(id_, "default", NOW, name, name.casefold(), "person", summary=summary)


def told(id_, subject, relation, object_, start="2024-01-01", end=None):
    return Fact(
        id_,
        "default",
        NOW,
        subject,
        object_,
        subject,
        relation,
        object_,
        f"{subject} {relation} {object_}.",
        valid_at=day(start),
        invalid_at=day(end) if end else None,
    )


CASE = Case(
    prepare(NewEpisode("A. Lee uses Emacs.", "2024-06-01")),
    (Doubt(Mention("A. Lee", "person"), (person("1", "Ann Lee"), person("2", "Abe Lee"))),),
    (
        Conflict(
            Claim(Mention("A. Lee"), "uses", Mention("Emacs"), "A. Lee uses Emacs.", 0, 18),
            told("f", "1", "uses", "vim"),
        ),
    ),
)


async def test_one_question_carries_doubts_and_conflicts():
    llm = ScriptedLLM({"names": [{"name": 1, "candidate": 2}], "exclusive_pairs": [1]})
    ruling = await LLMArbiter(llm).decide(CASE)
    assert ruling == Ruling({CASE.doubts[0].mention: "2"}, {}, CASE.conflicts)
    (asked,) = llm.asked
    assert "candidate 1: Ann Lee" in asked[-1].content
    assert "old (since 2024-01-01): 1 uses vim. new: A. Lee uses Emacs." in asked[-1].content


async def test_none_of_the_candidates_is_an_answer():
    llm = ScriptedLLM({"names": [{"name": 1, "candidate": 0}], "exclusive_pairs": []})
    ruling = await LLMArbiter(llm).decide(CASE)
    assert ruling.entity_of == {}
    assert ruling.distinct == {CASE.doubts[0].mention: ("1", "2")}


@pytest.mark.parametrize(
    "answer",
    [
        {"names": [{"name": 7, "candidate": 1}], "exclusive_pairs": []},
        {"names": [{"name": 1, "candidate": 9}], "exclusive_pairs": [4, 0, -1]},
    ],
)
async def test_answers_to_what_was_not_asked_are_ignored(answer):
    assert await LLMArbiter(ScriptedLLM(answer)).decide(CASE) == Ruling()


WRONG_ANSWERS = [
    {"names": "Ann", "exclusive_pairs": "1"},
    {"names": {"1": 2}, "exclusive_pairs": {"1": True}},
    {"names": None, "exclusive_pairs": None},
    {"names": [None, 1, "x", [], {}], "exclusive_pairs": [None, "x", [], {}, 1.5]},
    {"names": [{"name": True, "candidate": True}], "exclusive_pairs": [True]},
    {"names": [{"name": 1, "candidate": "first"}], "exclusive_pairs": ["first"]},
    {"names": [{"name": 1, "candidate": -1}], "exclusive_pairs": [-1]},
    {"names": [{"name": 1, "candidate": 10**30}], "exclusive_pairs": [10**30]},
    {"names": [{"name": 1, "candidate": float("inf")}], "exclusive_pairs": [float("nan")]},
    {"names": [{"name": 1}], "exclusive_pairs": [2]},
    {"names": [{"name": 1, "candidate": 1}, {"name": 1, "candidate": 2}], "exclusive_pairs": [0]},
    {"names": [{"name": 9, "candidate": 1}] * 100_000, "exclusive_pairs": [9] * 100_000},
    {"names": [{"name": 1, "candidate": "9" * 9000}], "exclusive_pairs": ["9" * 9000]},
]


@pytest.mark.parametrize("answer", WRONG_ANSWERS, ids=lambda answer: str(answer)[:40])
async def test_an_answer_of_a_wrong_shape_decides_nothing(answer):
    assert await LLMArbiter(ScriptedLLM(answer)).decide(CASE) == Ruling()


async def test_one_wrong_part_spoils_no_other():
    answer = {"names": [{"name": 1, "candidate": "2"}, "x"], "exclusive_pairs": ["x", 1]}
    ruling = await LLMArbiter(ScriptedLLM(answer)).decide(CASE)
    assert ruling == Ruling({CASE.doubts[0].mention: "2"}, {}, CASE.conflicts)


MENTION, STRANGER = CASE.doubts[0].mention, Mention("Zoe")
WRONG_RULINGS = {
    "no maps": Ruling(["1"], "12", 1),
    "nothing at all": Ruling(None, None, None),
    "a stranger": Ruling({STRANGER: "1"}, {STRANGER: ("1",)}, ()),
    "no candidate": Ruling({MENTION: "9"}, {MENTION: ("9",)}, ()),
    "keys of other types": Ruling({"A. Lee": "1", 1: "1", None: "1"}, {"A. Lee": ("1",)}, ()),
    "ids of other types": Ruling({MENTION: 1}, {MENTION: (1, None, ["1"], {})}, ()),
    "a number of ids": Ruling({MENTION: ("1", "2")}, {MENTION: 1}, ()),
    "pairs of other types": Ruling({}, {}, (None, 1, "x", CASE, [])),
    "a pair not asked about": Ruling(
        {}, {}, (Conflict(CASE.conflicts[0].claim, told("g", "1", "uses", "ed")),)
    ),
    "half of a surrogate pair": Ruling({MENTION: "\ud83d"}, {MENTION: ("\ud83d",)}, ()),
}


@pytest.mark.parametrize("ruling", WRONG_RULINGS.values(), ids=WRONG_RULINGS)
async def test_a_ruling_on_what_was_not_asked_is_left_out(ruling):
    class Wrong:
        async def decide(self, case):
            return ruling

    assert await decide(Wrong(), CASE) == Ruling()


async def test_of_a_ruling_that_contradicts_itself_the_entity_that_is_meant_stays():
    class Torn:
        async def decide(self, case):
            return Ruling({MENTION: "1"}, {MENTION: ["1", "2", "9"]}, [*case.conflicts, None])

    assert await decide(Torn(), CASE) == Ruling({MENTION: "1"}, {MENTION: ("2",)}, CASE.conflicts)


async def test_a_wrong_ruling_writes_what_the_rules_alone_would():
    class Wild(Always):
        async def decide(self, case):
            await super().decide(case)
            return Ruling({STRANGER: "x"}, {None: 1}, ("x", *[None] * 10_000))

    wild = Wild()
    facts = await tell(wild, "Ann drives_to Acme.", "Ann drives_to Beta.")
    assert wild.cases
    assert facts == await tell(Never(), "Ann drives_to Acme.", "Ann drives_to Beta.")


class Always:
    """Say that every conflict is one."""

    def __init__(self):
        self.cases = []

    async def decide(self, case):
        self.cases.append(case)
        return Ruling(exclusive=case.conflicts)


class Never(Always):
    """Say that no conflict is one."""

    async def decide(self, case):
        self.cases.append(case)
        return Ruling()


@pytest.fixture
async def arbiter():
    return Always()


async def tell(arbiter, *sentences):
    async with open_graph(extractor=PlainExtractor(), arbiter=arbiter) as graph:
        for number, sentence in enumerate(sentences, 1):
            await graph.add_episode(sentence, reference_time=f"2024-0{number}-01")
        return triples(await graph.at(history=True).facts("Ann"))


async def test_what_the_rules_decide_is_not_asked(arbiter):
    await tell(arbiter, "Ann works_at Acme. Ann likes tea.", "Ann works_at Beta. Ann likes coffee.")
    assert arbiter.cases == []


async def test_a_repetition_is_not_asked(arbiter):
    await tell(arbiter, "Ann drinks_much tea.", "Ann drinks_much tea. Bob drinks_much tea.")
    assert arbiter.cases == []


async def test_facts_that_never_hold_together_are_not_asked(arbiter):
    await tell(
        arbiter, "Ann chairs_over Acme from 2010 to 2012.", "Ann chairs_over Beta from 2020."
    )
    assert arbiter.cases == []


async def test_an_undeclared_relation_with_another_object_is_asked_and_closed(arbiter):
    facts = await tell(arbiter, "Ann drives_to Acme.", "Ann drives_to Beta.")
    ((conflict,),) = [case.conflicts for case in arbiter.cases]
    assert (conflict.fact.object, conflict.claim.object.name) == ("Acme", "Beta")
    assert facts == {
        ("Ann", "drives_to", "Acme", "2024-01-01", "2024-02-01"),
        ("Ann", "drives_to", "Beta", "2024-02-01", None),
    }


async def test_relations_of_one_name_in_two_words_are_asked(arbiter):
    await tell(arbiter, "Ann teaches_at Acme.", "Ann teaches_for Beta.")
    assert len(arbiter.cases) == 1


async def test_a_denial_between_the_same_two_is_asked_and_another_relation_is_not(arbiter):
    await tell(arbiter, "Ann trusts_in Acme.", "Ann distrusts_in Acme.")
    assert len(arbiter.cases) == 1
    await tell(arbiter, "Ann advises_on Acme.", "Ann sued_over Acme.")
    assert len(arbiter.cases) == 1


async def test_a_relation_known_to_hold_many_values_is_not_asked_about_again():
    arbiter = Never()
    many = [
        "Ann plays_on piano.",
        "Ann plays_on organ.",
        "Ann plays_on harp.",
        "Bob plays_on tuba.",
    ]
    await tell(arbiter, *many, "Bob plays_on lute.")
    assert [len(case.conflicts) for case in arbiter.cases] == [1]


async def test_several_values_in_one_text_show_that_a_relation_holds_many(arbiter):
    await tell(arbiter, "Ann plays_on piano.", "Ann plays_on organ. Ann plays_on harp.")
    assert arbiter.cases == []


async def test_with_whom_one_works_is_no_rival_of_where(arbiter):
    await tell(arbiter, "Ann works_at Acme.", "Ann works_with Bob.")
    assert arbiter.cases == []


async def test_what_replaces_something_by_its_own_words_is_asked_about():
    class Switching(PlainExtractor):
        async def extract(self, context):
            found = await super().extract(context)
            marked = "now" in context.episode.name
            claims = (replace(claim, replaces=marked) for claim in found.claims)
            return Extraction(claims=tuple(claims))

    arbiter = Never()
    async with open_graph(extractor=Switching(), arbiter=arbiter) as graph:
        await graph.add_episode("Ann plays_on piano. Ann plays_on organ.", reference_time="2024-01")
        await graph.add_episode("Ann plays_on harp.", reference_time="2024-02")
        assert arbiter.cases == []
        await graph.add_episode("Ann plays_on lute.", reference_time="2024-03", name="now")
        [case] = arbiter.cases
        assert {one.fact.object for one in case.conflicts} == {"piano", "organ", "harp"}


async def test_a_failing_arbiter_leaves_nothing_behind():
    class Broken:
        async def decide(self, case):
            raise RuntimeError("no idea")

    async with open_graph(arbiter=Broken()) as graph:
        await graph.add_episode("Ann drives_to Acme.", reference_time="2024-01-01")
        with pytest.raises(
            ExtractionError, match="the arbiter Broken failed on episode 'Ann drives_to B"
        ):
            await graph.add_episode("Ann drives_to Beta.", reference_time="2024-02-01")
        assert (await graph.stats()).episodes == 1


@pytest.mark.parametrize("error", [LLMError("no valid answer"), RuntimeError("its own bug")])
async def test_a_model_that_gives_no_decision_costs_nothing_that_was_read(error, caplog):
    class Mute:
        async def complete(self, messages, *, answer):
            raise error

    async with open_graph(arbiter=LLMArbiter(Mute())) as graph:
        await graph.add_episode("Ann drives_to Acme.", reference_time="2024-01-01")
        added = await graph.add_episode("Ann drives_to Beta.", reference_time="2024-02-01")
        assert added.episode.status == "done"
        assert added.dropped == ("a decision on the open points (1): the arbiter gave none",)
        assert {fact.object for fact in await graph.facts("Ann")} == {"Acme", "Beta"}
    assert caplog.text.count("the arbiter decided nothing") == 1


async def test_a_spent_budget_of_the_arbiter_stores_nothing():
    class Poor:
        async def complete(self, messages, *, answer):
            raise BudgetExceededError("all is spent")

    async with open_graph(arbiter=LLMArbiter(Poor())) as graph:
        await graph.add_episode("Ann drives_to Acme.", reference_time="2024-01-01")
        with pytest.raises(BudgetExceededError):
            await graph.add_episode("Ann drives_to Beta.", reference_time="2024-02-01")
        assert (await graph.stats()).episodes == 1


@pytest.mark.parametrize(
    ("old", "closed"),
    [
        (told("old", "ann", "uses", "vim"), True),
        (told("old", "bob", "drives", "emacs"), True),
        (told("old", "bob", "uses", "vim"), False),
        (told("old", "ann", "uses", "vim", end="2024-03-01"), False),
    ],
    ids=["same subject", "same object", "no common end", "over before"],
)
def test_the_rules_keep_the_last_word(old, closed):
    new = told("new", "ann", "uses", "emacs", start="2024-06-01")
    verdict = meet(new, [old], Relations(), now=NOW, excludes={"old"})
    assert verdict.new is not None
    assert (old.id in verdict.changed) is closed


def test_a_late_told_older_fact_gets_its_own_end():
    newer = told("newer", "ann", "uses", "emacs", start="2024-06-01")
    older = told("older", "ann", "uses", "vim", start="2024-01-01")
    verdict = meet(older, [newer], Relations(), now=NOW, excludes={"newer"})
    assert verdict.changed == {}
    assert verdict.new.invalid_at == day("2024-06-01")
    assert verdict.new.reason.endswith("(an arbiter decided)")
