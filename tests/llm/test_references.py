"""What a model refers to: who speaks, which entity and fact it means; texts in their order."""

import re

import pytest

from graphrag import GraphRAG, InputError, LLMError, Models, NewEpisode, Relation, Relations, Rules
from graphrag.extract.llm.wire import ReadFact
from graphrag.testing import HashEmbedder
from tests.conftest import day
from tests.llm.server import Reply


class Model:
    """Answers each text with what a test wrote; ``F:words`` is the known fact with these words."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    async def complete(self, messages, *, answer):
        if answer.__name__ != "Reading":
            return answer.model_validate({"names": [], "exclusive_pairs": []})
        asked = messages[-1].content
        self.asked.append(asked)
        text = next(text for text in self.answers if f"\n{text}\n" in asked)
        entities, facts = self.answers[text]
        given = [fact | {"about": number(fact["about"], asked)} for fact in facts]
        return answer.model_validate({"entities": entities, "facts": given})


def number(about, asked):
    if not (found := re.search(r"F:(.+)$", about)):
        return about
    line = re.search(rf"^(F\d+) {re.escape(found[1])}", asked, re.MULTILINE)
    return about.replace(found[0], line[1] if line else "")


def entity(name, kind="person", known="", *aliases):
    return {"name": name, "type": kind, "aliases": list(aliases), "known": known}


def fact(subject, relation, object_, quote, kind="state", *, sentence="", about="", **dates):
    ends = {"subject": subject, "relation": relation, "object": object_}
    said = {"quote": quote, "fact": sentence, "kind": kind, "about": about}
    return {**ends, **said, "since": "", "until": "", "certainty": "stated", **dates}


def opened(answers):
    model = Model(answers)
    graph = GraphRAG.open("mem://", models=Models(embedder=HashEmbedder(), llm=model))
    graph.model = model
    return graph


async def add(graph, text, date, source="text"):
    return await graph.add_episode(text, reference_time=date, source=source)


async def lines(graph):
    facts = await graph.at(history=True).facts(limit=50)
    return {
        (one.subject, one.relation, one.object): (
            one.valid_at and f"{one.valid_at:%Y-%m-%d}",
            one.invalid_at and f"{one.invalid_at:%Y-%m-%d}",
            one.closed_as,
        )
        for one in facts
    }


# -- who speaks ------------------------------------------------------------------------------------

HULL, BATH = entity("Hull", "place"), entity("Bath", "place")
MOVED = "user: I moved to Bath yesterday."
MOVE = (
    [entity("user"), BATH],
    [fact("user", "lives_in", "Bath", "I moved to Bath yesterday.", about="replaces")],
)


def small_talk(number):
    return f"user: Can you suggest film number {number}?\nassistant: Try Amelie."


@pytest.mark.parametrize(
    ("introduced", "name"),
    [
        ("user: Hi, I'm Dana, Dana Whitfield. I live in Hull.", "Dana Whitfield"),
        ("user: I'm Dana Whitfield. I live in Hull.", "Dana Whitfield"),
        ("user: Dana here. I live in Hull.", "Dana"),
        ("user: Signed, Dana Whitfield. PS: I live in Hull.", "Dana Whitfield"),
    ],
)
async def test_a_user_is_one_person_whatever_the_words_of_the_introduction(introduced, name):
    lives = fact(name, "lives_in", "Hull", "I live in Hull.", sentence=f"{name} lives in Hull.")
    answers = {introduced: ([entity(name), HULL], [lives]), MOVED: MOVE}
    answers |= {small_talk(number): ([], []) for number in range(5)}
    async with opened(answers) as graph:
        await add(graph, introduced, "2025-01-10", "message")
        for number in range(5):
            await add(graph, small_talk(number), f"2025-01-1{number + 1}", "message")
        await add(graph, MOVED, "2025-03-01", "message")
        people = [one.name for one in await graph.entities() if one.entity_type == "person"]
        assert people == [name]
        assert [one.object for one in await graph.at(valid_at="2025-03-02").facts()] == ["Bath"]
    assert f"{name} lives_in Hull" in graph.model.asked[-1]


@pytest.mark.parametrize(
    ("late", "listed"),
    [
        (
            "user: By the way, Dana Whitfield is my name.",
            entity("Dana Whitfield", "person", "", "user"),
        ),
        ("user: I sign as Dana Whitfield.", entity("Dana Whitfield", "person", "E1")),
    ],
)
async def test_a_name_that_comes_late_is_that_of_the_user(late, listed):
    first = "user: I live in Hull."
    lives = fact("user", "lives_in", "Hull", "I live in Hull.", sentence="user lives in Hull.")
    answers = {first: ([entity("user"), HULL], [lives]), late: ([listed], []), MOVED: MOVE}
    async with opened(answers) as graph:
        for text, date in ((first, "2025-01-10"), (late, "2025-02-01"), (MOVED, "2025-03-01")):
            await add(graph, text, date, "message")
        people = [one.name for one in await graph.entities() if one.entity_type == "person"]
        assert people == ["Dana Whitfield"]
        homes = await graph.facts("Dana Whitfield", relation="lives_in")
        assert [home.object for home in homes] == ["Bath"]


async def test_whom_the_user_speaks_of_is_not_the_user():
    text = "user: I hired her in May, my sister Ann runs the shop."
    said = [
        fact("Ann", "works_at", "the shop", "I hired her in May", sentence="Ann was hired in May.")
    ]
    async with opened({text: ([entity("Ann"), entity("user")], said)}) as graph:
        await add(graph, text, "2025-06-01", "message")
        assert {one.name for one in await graph.entities()} >= {"Ann"}
        [ann] = [one for one in await graph.entities() if one.name == "Ann"]
        assert ann.aliases == ()


async def test_a_heading_of_minutes_does_not_speak():
    text = "Present: Tove Berg, Kim Ash\nTove Berg: I lead the depot now."
    leads = fact("I", "leads", "the depot", "I lead the depot now.")
    async with opened({text: ([entity("Tove Berg")], [leads])}) as graph:
        await add(graph, text, "2025-06-01", "message")
        assert [one.name for one in await graph.entities() if one.name == "Present"] == []
        assert ("Tove Berg", "leads", "the depot") in await lines(graph)


# -- which entity ----------------------------------------------------------------------------------

WORKS = "Kai Noor works in Derby with Bo Lim."


async def known_number(listed, text="Bo Lim bought a house in Derby. Kai Noor did not.", **more):
    works = fact("Kai Noor", "works_in", "Derby", "Kai Noor works in Derby")
    first = [entity("Kai Noor"), entity("Derby", "place"), entity("Bo Lim")]
    owns = fact(listed["name"], "owns", "house", "bought a house", **more)
    answers = {WORKS: (first, [works]), text: ([listed, entity("house", "thing")], [owns])}
    async with opened(answers) as graph:
        await add(graph, WORKS, "2025-01-01")
        added = await add(graph, text, "2025-02-01")
        shown = graph.model.asked[-1]
        return added, await lines(graph), {one.name for one in await graph.entities()}, shown


@pytest.mark.parametrize("place", [1, 2, 3])
async def test_a_wrong_number_makes_nobody_another(place):
    added, found, names, shown = await known_number(entity("Bo Lim", "person", f"E{place}"))
    right = f"E{place} Bo Lim" in shown
    assert ("house", "owned_by", "Bo Lim") in found
    assert {"Kai Noor", "Derby", "Bo Lim"} <= names
    assert right == (not [words for words in added.dropped if words.startswith("that 'Bo Lim'")])


async def test_a_number_of_another_family_is_not_believed():
    listed = entity("Udo Rask", "person", "E1")
    text = "Udo Rask bought a house."
    added, _, names, _ = await known_number(listed, text)
    assert "Udo Rask" in names
    assert added.dropped == ("that 'Udo Rask' is 'Kai Noor', of another family name",)


@pytest.mark.parametrize(
    ("object_", "relation"), [("12 people", "has_employees"), ("cooks", "staffed_by")]
)
async def test_only_somebody_is_employed_at_a_place(object_, relation):
    text = f"Kroon employs {object_}."
    employs = fact("Kroon", "employs", object_, text)
    listed = [entity("Kroon", "organization"), entity(object_, "concept")]
    async with opened({text: (listed, [employs])}) as graph:
        await add(graph, text, "2025-01-01")
        assert ("Kroon", relation, object_) in await lines(graph)


async def test_a_purchase_and_a_wedding_begin_what_goes_on():
    text = "Arlo Inc acquired Brim Ltd on 4 May 2024. Ann married Bo on 9 May 2024."
    said = [
        fact(
            "Arlo Inc",
            "acquired",
            "Brim Ltd",
            "Arlo Inc acquired Brim Ltd",
            "event",
            since="2024-05-04",
        ),
        fact("Ann", "married_to", "Bo", "Ann married Bo", "event", since="2024-05-09"),
    ]
    people = [entity("Ann"), entity("Bo")]
    firms = [entity("Arlo Inc", "organization"), entity("Brim Ltd", "organization")]
    async with opened({text: (people + firms, said)}) as graph:
        await add(graph, text, "2024-06-01")
        assert {(one.relation, one.invalid_at) for one in await graph.facts()} == {
            ("owned_by", None), ("married_to", None),
        }  # fmt: skip


@pytest.mark.parametrize("amount", ["1,450", "1 380 €", "2.300 EUR"])
async def test_an_amount_is_named_by_the_text_as_it_stands(amount):
    text = f"The flat costs {amount} now."
    costs = fact("flat", "costs", amount, text)
    async with opened({text: ([entity("flat", "thing")], [costs])}) as graph:
        added = await add(graph, text, "2025-01-01")
        assert added.dropped == ()
        assert len(added.facts) == 1


# -- which fact ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "effect", "reference"),
    [
        ("F2", "", "F2"),
        ("replaces F2", "replaces", "F2"),
        ("Replaces: F12", "replaces", "F12"),
        ("replaces", "replaces", ""),
        ("corrects F2.", "corrects", "F2"),
        ("same as F3", "", "F3"),
        ("ends F3", "", "F3"),
        ("new", "", ""),
        ("", "", ""),
    ],
)
def test_one_field_says_which_fact_is_meant_and_what_becomes_of_it(given, effect, reference):
    read = ReadFact.model_validate(fact("a", "b", "c", "d", about=given))
    assert (read.effect, read.reference) == (effect, reference)


@pytest.mark.parametrize(
    ("former", "kind", "about"),
    [
        ({"kind": "changed", "same": "", "replaces": "F2"}, "state", "replaces F2"),
        ({"kind": "changed", "same": "", "replaces": ""}, "state", "replaces"),
        ({"kind": "correction", "same": "F1", "replaces": ""}, "state", "corrects F1"),
        ({"kind": "holds", "same": "F1", "replaces": ""}, "state", "F1"),
        ({"kind": "event", "same": "", "replaces": "F4"}, "event", "replaces F4"),
    ],
)
def test_an_answer_in_the_shape_of_version_0_2_is_read(former, kind, about):
    ends = {"subject": "a", "relation": "b", "object": "c", "quote": "d"}
    read = ReadFact.model_validate({**ends, **former})
    assert (read.kind, read.about) == (kind, about)


PLAN = "Lennart starts at Kroon on 4 November."
STARTS = fact("Lennart", "works_at", "Kroon", PLAN, "planned", since="2024-11-04")
WHO = [entity("Lennart"), entity("Kroon", "organization")]


@pytest.mark.parametrize("told", ["2024-10-20", "2024-12-02"])
async def test_a_plan_is_called_off_before_its_day_and_after(told):
    off = "Lennart never started at Kroon."
    ends = fact("Lennart", "works_at", "Kroon", off, "cancelled", about="F:Lennart works_at Kroon")
    async with opened({PLAN: (WHO, [STARTS]), off: (WHO, [ends])}) as graph:
        await add(graph, PLAN, "2024-10-08")
        added = await add(graph, off, told)
        assert added.dropped == ()
        assert not await graph.at(valid_at="2025-01-01").facts()
        assert (await lines(graph))["Lennart", "works_at", "Kroon"][2] == "cancelled"
        await graph.log.remove_episode(added.episode)
        assert await graph.at(valid_at="2025-01-01").facts()
        assert (await graph.health.check_all()).findings == ()


async def test_what_was_never_so_is_taken_back_and_what_is_merely_over_is_not():
    joined = "Lennart is a member of the Guild and of the gym since 2020."
    member = [fact("Lennart", "member_of", name, joined, since="2020") for name in ("Guild", "gym")]
    later = "Lennart was never in the Guild. He cancelled the gym on 3 May."
    denied = [
        fact("Lennart", "member_of", "Guild", "Lennart was never in the Guild.", "cancelled",
             about="corrects F:Lennart member_of Guild"),
        fact("Lennart", "member_of", "gym", "He cancelled the gym on 3 May.", "cancelled",
             about="F:Lennart member_of gym", until="2025-05-03"),
    ]  # fmt: skip
    listed = [entity("Lennart"), entity("Guild", "organization"), entity("gym", "organization")]
    async with opened({joined: (listed, member), later: (listed, denied)}) as graph:
        await add(graph, joined, "2023-01-01")
        await add(graph, later, "2025-06-01")
        found = await lines(graph)
        assert found["Lennart", "member_of", "Guild"][2] == "corrected"
        assert found["Lennart", "member_of", "gym"] == ("2020-01-01", "2025-05-03", "ended")


async def test_a_text_that_calls_one_date_off_may_set_another():
    first, later = "The band plays on 9 May.", "The 9th is off, the band plays on 20 May."
    plays = fact("band", "plays_at", "Ropewalk", first, "planned_event", since="2025-05-09")
    moved = [
        fact("band", "plays_at", "Ropewalk", "The 9th is off", "cancelled",
             about="F:band plays_at Ropewalk"),
        fact("band", "plays_at", "Ropewalk", "the band plays on 20 May", "planned_event",
             since="2025-05-20"),
    ]  # fmt: skip
    listed = [entity("band", "organization"), entity("Ropewalk", "place")]
    texts = {f"{first} At the Ropewalk.": (listed, [plays]), f"{later} Ropewalk.": (listed, moved)}
    async with opened(texts) as graph:
        for text, date in zip(texts, ("2025-04-01", "2025-05-01"), strict=True):
            await add(graph, text, date)
        assert not await graph.at(valid_at="2025-05-09T12:00Z").facts()
        assert await graph.at(valid_at="2025-05-20T12:00Z").facts()
        assert not await graph.at(valid_at="2025-05-21T12:00Z").facts()


async def test_an_end_to_come_is_put_off_by_a_newer_one():
    first, later = "The pass is valid until 31 December.", "The pass now runs until 30 June."
    until = fact("Ermeline", "holds", "pass", first, until="2023-12-31")
    longer = fact("Ermeline", "holds", "pass", later, until="2024-06-30")
    listed = [entity("Ermeline"), entity("pass", "thing")]
    texts = {f"{first} Ermeline.": (listed, [until]), f"{later} Ermeline.": (listed, [longer])}
    async with opened(texts) as graph:
        for text, date in zip(texts, ("2023-10-03", "2023-11-20"), strict=True):
            await add(graph, text, date)
        [held] = await graph.at(valid_at="2024-01-01").facts()
        assert held.invalid_at == day("2024-07-01")


@pytest.mark.parametrize(
    ("text", "until", "end"),
    [
        ("Ines leaves Miele on 2 May.", "2025-05-02", "2025-05-03"),
        ("Ines leaves Miele on 1 June.", "2025-06-01", "2025-06-01"),
        ("Ines left Miele on 2 March.", "2025-03-02", "2025-03-02"),
        ("Ines left Miele, her last day was 2 March.", "2025-03-02", "2025-03-03"),
        ("On 12 May Bo takes over from Ines at Miele.", "2025-05-12", "2025-05-12"),
    ],
)
async def test_a_day_to_come_is_the_last_and_a_day_that_is_past_the_first_without_it(
    text, until, end
):
    said = [fact("Ines", "works_at", "Miele", text, "ended", until=until)]
    if "Bo" in text:
        said.append(fact("Bo", "works_at", "Miele", text, "planned", since=until))
    listed = [entity("Ines"), entity("Bo"), entity("Miele", "organization")]
    async with opened({text: (listed, said)}) as graph:
        await add(graph, text, "2025-05-01")
        assert (await lines(graph))["Ines", "works_at", "Miele"][1] == end


# -- in order --------------------------------------------------------------------------------------


async def test_texts_that_bear_on_each_other_are_read_in_order_and_others_side_by_side():
    texts = [f"In the year Person{number} of the town is well." for number in range(6)]
    texts += [f"Then Person{number} of the town is ill." for number in range(2)]
    answers = {text: ([], []) for text in texts}
    under_way, most, order = 0, 0, []

    class Slow(Model):
        side_by_side = 8

        async def complete(self, messages, *, answer):
            nonlocal under_way, most
            import asyncio

            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.05)
            under_way -= 1
            read = await super().complete(messages, answer=answer)
            order.append(next(text for text in texts if f"\n{text}\n" in self.asked[-1]))
            return read

    models = Models(embedder=HashEmbedder(), llm=Slow(answers))
    async with GraphRAG.open("mem://", models=models) as graph:
        await graph.add_episodes([NewEpisode(text, "2025-01-01") for text in texts])
    assert most >= 4
    for number in range(2):
        well, ill = texts[number], texts[6 + number]
        assert order.index(well) < order.index(ill)


async def test_a_relation_of_ones_own_is_kept_whoever_its_object_is():
    text = "Kroon employs 12 people."
    employs = fact("Kroon", "employs", "12 people", text)
    model = Model({text: ([entity("Kroon", "organization")], [employs])})
    models = Models(embedder=HashEmbedder(), llm=model)
    own = Relations([Relation("employs")])
    async with GraphRAG.open("mem://", models=models, rules=Rules(relations=own)) as graph:
        await add(graph, text, "2025-01-01")
        assert ("Kroon", "employs", "12 people") in await lines(graph)


async def test_a_namesake_of_the_user_is_not_the_user():
    first, later = "user: I'm Dana Ray. I live in Hull.", "user: Dana Cole from the bank called me."
    lives = fact(
        "Dana Ray", "lives_in", "Hull", "I live in Hull.", sentence="Dana Ray lives in Hull."
    )
    works = fact("Dana Cole", "works_at", "the bank", "Dana Cole from the bank")
    answers = {
        first: ([entity("Dana Ray"), HULL], [lives]),
        later: ([entity("Dana Cole")], [works]),
    }
    async with opened(answers) as graph:
        await add(graph, first, "2025-01-10", "message")
        await add(graph, later, "2025-01-11", "message")
        assert {one.name for one in await graph.entities(entity_type="person")} == {
            "Dana Ray", "Dana Cole",
        }  # fmt: skip


async def test_the_status_of_the_queue_counts_what_a_batch_lost():
    texts = ["Bo works at Kroon.", "Bo works at Brim."]
    wrong = fact("Bo", "works_at", "Arlo", "Bo works at Arlo.")
    answers = {text: ([entity("Bo")], [wrong]) for text in texts}
    async with opened(answers) as graph:
        first = await add(graph, texts[0], "2025-01-01")
        report = await graph.add_episodes([NewEpisode(texts[1], "2025-01-02")])
        status = await graph.queue.status()
    assert status.dropped == len(first.dropped) + len(report.dropped) >= 2
    assert len(status.notes) == status.dropped


async def test_who_names_herself_as_the_user_is_one_person():
    text = "user: My name is Mara Klein, and I live in Lyon."
    said = [
        fact("user", "named", "Mara Klein", "My name is Mara Klein"),
        fact("user", "lives_in", "Lyon", "I live in Lyon"),
    ]
    listed = [entity("user"), entity("Mara Klein"), entity("Lyon", "place")]
    async with opened({text: (listed, said)}) as graph:
        await add(graph, text, "2025-01-10", "message")
        people = await graph.entities(entity_type="person")
        assert [(one.name, one.aliases) for one in people] == [("Mara Klein", ("User",))]
        assert (await graph.facts("Mara Klein"))[0].object == "Lyon"


@pytest.mark.parametrize("given", [RuntimeError("out of memory"), {"facts": []}])
async def test_a_text_is_kept_if_ones_own_model_fails(given):
    class Own:
        async def complete(self, messages, *, answer):
            if isinstance(given, Exception):
                raise given
            return given

    models = Models(embedder=HashEmbedder(), llm=Own())
    async with GraphRAG.open("mem://", models=models) as graph:
        with pytest.raises(LLMError, match=r"Own\.complete"):
            await add(graph, "Ann lives in Rome.", "2025-01-01")
        assert [one.content for one in await graph.episodes()] == ["Ann lives in Rome."]
        assert (await graph.queue.status()).failed == 1


async def test_a_relation_that_is_a_text_is_named_and_left_out():
    said = fact("Ann", "is very " * 700, "Rome", "Ann lives in Rome.")
    async with opened({"Ann lives in Rome.": ([entity("Ann")], [said])}) as graph:
        added = await add(graph, "Ann lives in Rome.", "2025-01-01")
        assert not added.facts
        assert any("whose relation is a text" in words for words in added.dropped)


async def test_a_batch_reports_the_cost_of_failures_once(server, connect):
    good = Reply('{"entities": [], "facts": []}')
    server.answer = lambda request: Reply("nonsense") if "lost" in str(request) else good
    async with GraphRAG.open("mem://", models=Models(embedder=HashEmbedder(), llm=connect())) as g:
        texts = [NewEpisode("All is fine.", "2025-01-01"), NewEpisode("All is lost.", "2025-01-02")]
        first = await g.add_episodes(texts, on_error="skip")
        assert len(first.failed) == 1
        assert first.usage.calls == len(server.requests) == 4
        server.answer = lambda request: good
        second = await g.add_episodes(texts, on_error="skip")
        assert (second.failed, second.usage.calls) == ([], 1)


async def test_an_undated_plan_needs_a_date_before_it_is_confirmed():
    text = "Ken will move to Oslo."
    plan = fact("Ken", "lives_in", "Oslo", text, "planned")
    rome = "Ken lives in Rome."
    lives = fact("Ken", "lives_in", "Rome", rome)
    listed = [entity("Ken"), entity("Oslo", "place"), entity("Rome", "place")]
    async with opened({rome: (listed, [lives]), text: (listed, [plan])}) as graph:
        await add(graph, rome, "2025-01-01")
        await add(graph, text, "2025-02-01")
        [waiting] = await graph.edit.pending()
        with pytest.raises(InputError, match="valid_at"):
            await graph.edit.confirm(waiting.fact)
        assert [one.object for one in await graph.at(valid_at="2025-03-01").facts()] == ["Rome"]
        await graph.edit.correct(waiting.fact, valid_at="2025-04-01")
        assert [one.object for one in await graph.at(valid_at="2025-03-01").facts()] == ["Rome"]
        assert [one.object for one in await graph.at(valid_at="2025-05-01").facts()] == ["Oslo"]
        assert (await graph.health.check_all()).findings == ()


async def test_an_undated_plan_that_is_said_again_waits_once_and_a_date_settles_it():
    texts = ["Ken will move to Oslo.", "Ken still wants to move to Oslo.", "Ken moved to Oslo."]
    plans = [fact("Ken", "lives_in", "Oslo", text, "planned") for text in texts[:2]]
    moved = fact("Ken", "lives_in", "Oslo", texts[2], since="2025-05-01")
    listed = [entity("Ken"), entity("Oslo", "place")]
    answers = dict(zip(texts, ((listed, [one]) for one in (*plans, moved)), strict=True))
    async with opened(answers) as graph:
        for month, text in enumerate(texts, start=3):
            assert len(await graph.edit.pending()) == (month > 3)
            await add(graph, text, f"2025-0{month}-02")
        [held] = await graph.facts()
        assert (held.object, held.valid_at) == ("Oslo", day("2025-05-01"))


async def test_a_text_may_call_off_a_plan_that_it_names_itself():
    text = "We had planned Riga for 4 May. That is off now."
    said = [
        fact(
            "Ann", "visits", "Riga", "planned Riga for 4 May", "planned_event", since="2025-05-04"
        ),
        fact("Ann", "visits", "Riga", "That is off now.", "cancelled"),
    ]
    async with opened({text: ([entity("Ann"), entity("Riga", "place")], said)}) as graph:
        await graph.add_episode(text, reference_time="2025-04-01", author="Ann")
        assert not await graph.at(valid_at="2025-05-04T12:00Z").facts()


async def test_a_later_spell_that_ended_is_no_plan():
    first = "Ann was in the gym from 2018 to 2020 and is again since 2022."
    said = [
        fact("Ann", "member_of", "gym", "from 2018 to 2020", since="2018", until="2020"),
        fact("Ann", "member_of", "gym", "again since 2022", since="2022"),
    ]
    off = "Ann cancelled the gym."
    ends = fact("Ann", "member_of", "gym", off, "cancelled", about="F:Ann member_of gym (since")
    listed = [entity("Ann"), entity("gym", "organization")]
    async with opened({first: (listed, said), off: (listed, [ends])}) as graph:
        await add(graph, first, "2023-01-01")
        await add(graph, off, "2024-02-01")
        spells = await graph.at(history=True).facts("Ann")
        assert {one.closed_as for one in spells} == {"bounded", "ended"}


async def test_what_was_denied_stays_denied_when_more_is_said_of_both():
    texts = [
        "Ann leads Acme.",
        "That was wrong: Ann never led Acme.",
        "Bo works at Acme.",
        "Ann met Bo.",
    ]
    leads = fact("Ann", "leads", "Acme", texts[0])
    never = fact("Bo", "leads", "Acme", texts[1], "cancelled", about="corrects F:Ann leads Acme")
    more = [
        fact("Bo", "works_at", "Acme", texts[2]),
        fact("Ann", "met", "Bo", texts[3], "event", since="2025-04-01"),
    ]
    listed = [entity("Ann"), entity("Bo"), entity("Acme", "organization")]
    answers = dict(zip(texts, ((listed, [one]) for one in (leads, never, *more)), strict=True))
    async with opened(answers) as graph:
        for month, text in enumerate(texts, start=1):
            await add(graph, text, f"2025-0{month}-02")
        assert ("Ann", "leads") not in {(one.subject, one.relation) for one in await graph.facts()}
        assert (await graph.health.check_all()).findings == ()


async def test_a_declared_type_of_people_is_employed():
    text = "Acme employs Ann."
    employs = fact("Acme", "employs", "Ann", text)
    listed = [entity("Acme", "organization"), entity("Ann", "employee")]
    async with opened({text: (listed, [employs])}) as graph:
        await add(graph, text, "2025-01-01")
        assert ("Ann", "works_at", "Acme") in await lines(graph)


async def test_the_first_refused_request_does_not_turn_schemas_off(server, connect):
    good = Reply('{"entities": [], "facts": []}')
    server.replies = [Reply("this text is not allowed", status=400), good, good, good]
    async with GraphRAG.open("mem://", models=Models(embedder=HashEmbedder(), llm=connect())) as g:
        for number in range(3):
            await g.add_episode(f"All is well {number}.", reference_time="2025-01-01")
    sent = ["response_format" in request for request in server.requests]
    assert sent == [True, False, True, True]


ACME = "Ann has worked at Acme since March 2021."
AT_ACME = fact("Ann", "works_at", "Acme", ACME, since="2021-03-01")
STAFF = [entity("Ann"), entity("Acme", "organization")]


@pytest.mark.parametrize("since", ["", "2018"])
async def test_an_end_before_the_start_of_the_fact_that_it_names_is_reported(since):
    left = "Ann left Acme in May 2019."
    end = fact("Ann", "works_at", "Acme", left, "ended", about="F:Ann works_at Acme",
               since=since, until="2019-05-01")  # fmt: skip
    async with opened({ACME: (STAFF, [AT_ACME]), left: (STAFF, [end])}) as graph:
        await add(graph, ACME, "2021-03-05")
        added = await add(graph, left, "2024-01-01")
        [reported] = added.dropped
        assert "'Ann works_at Acme' is before F1 begins (2021-03-01)" in reported
        [goes_on] = await graph.facts("Ann")
        assert (goes_on.valid_at.year, goes_on.invalid_at) == (2021, None)


BETA, GONE, NEVER = (
    "Ann joined Beta in May 2023.",
    "Ann left Acme in April 2023.",
    "Not Acme, ever.",
)
EFFECTS = {
    BETA: fact("Ann", "works_at", "Beta", BETA, about="replaces F:Ann works_at Acme",
               since="2023-05-02"),
    GONE: fact("Ann", "works_at", "Acme", GONE, "ended", about="F:Ann works_at Acme",
               until="2023-04-02"),
    NEVER: fact("Ann", "works_at", "Acme", NEVER, "cancelled",
                about="corrects F:Ann works_at Acme"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("order", "closed_as", "reported"),
    [
        ((BETA, GONE, NEVER), "corrected", ["Acme ends F1", "Beta replaces F1"]),
        ((BETA, NEVER, GONE), "ended", ["Acme corrects F1"]),
        ((NEVER, GONE, BETA), "ended", ["Acme corrects F1"]),
        ((BETA, GONE), "ended", []),
    ],
)
async def test_of_effects_that_exclude_each_other_the_last_of_the_text_stands(
    order, closed_as, reported
):
    text = " ".join(order)
    told = [EFFECTS[part] for part in sorted(order)]  # the answer has another order
    texts = {ACME: (STAFF, [AT_ACME]), text: ([*STAFF, entity("Beta", "organization")], told)}
    async with opened(texts) as graph:
        await add(graph, ACME, "2021-03-05")
        added = await add(graph, text, "2024-01-01")
        assert (
            sorted(line.split("works_at ")[1].split("'")[0] for line in added.dropped) == reported
        )
        facts = await graph.at(history=True).facts("Ann")
        assert [it.closed_as for it in facts if it.object == "Acme"] == [closed_as]
        assert [it.object for it in await graph.facts("Ann")] == ["Beta"]


async def test_of_two_ends_of_one_fact_the_last_stands():
    text = "Ann left Acme in June 2023. No, it was September 2023."
    ends = [
        fact("Ann", "works_at", "Acme", quote, "ended", about="F:Ann works_at Acme", until=until)
        for quote, until in (("Ann left Acme in June 2023.", "2023-06"),
                             ("No, it was September 2023.", "2023-09"))
    ]  # fmt: skip
    async with opened({ACME: (STAFF, [AT_ACME]), text: (STAFF, ends)}) as graph:
        await add(graph, ACME, "2021-03-05")
        added = await add(graph, text, "2024-01-01")
        assert len(added.dropped) == 1
        assert (await lines(graph))["Ann", "works_at", "Acme"][1:] == ("2023-09-01", "ended")
        assert len(await graph.at(history=True).facts()) == 1
