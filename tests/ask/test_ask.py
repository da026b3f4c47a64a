"""Questions of time are answered from the facts, or it is said why not."""

import pytest

from graphrag import GraphRAG, Models, QueryError
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.temporal.moment import utc_now
from graphrag.testing import HashEmbedder, ScriptedExtractor
from tests.ask.conftest import knowing, unlike
from tests.conftest import open_graph

QUESTIONS = (
    # who, what and where at a time
    ("Where did Ada Vance reside in 1985?", ["Leeds"]),
    ("In 1995, who was bailiff of Hull?", ["Cora Lunt"]),
    ("Who resided in York between 1986 and 1991?", ["Ben Rowe", "Ada Vance"]),
    ("Where does Ada Vance live?", ["Hull"]),
    ("Where was Ada Vance employed before 1990?", ["Brook Mill"]),
    # order
    ("What was Ada Vance's first residence?", ["Leeds"]),
    ("Which was the second residence of Ada Vance?", ["York"]),
    ("Who was the last bailiff of Hull?", ["Dan Pym"]),
    ("What was the penultimate residence of Ada Vance?", ["York"]),
    ("Who was bailiff of Hull for the longest time?", ["Dan Pym"]),
    # one after the other
    ("Where did Ada Vance live right before Hull?", ["York"]),
    ("Which residences of Ada Vance began after Leeds?", ["York", "Hull"]),
    ("Who succeeded Ben Rowe as bailiff of Hull?", ["Cora Lunt"]),
    ("Whom did Dan Pym replace as bailiff of Hull?", ["Cora Lunt"]),
    ("Who was Dan Pym's predecessor as bailiff of Hull?", ["Cora Lunt"]),
    ("By whom was Ben Rowe followed as bailiff of Hull?", ["Cora Lunt"]),
    ("What did Ben Rowe inspect next after first inspecting Brook Mill?", ["Hull Harbour Board"]),
    # two clauses
    ("Where did Ada Vance live when Ben Rowe was bailiff of Hull?", ["York"]),
    ("While Ada Vance resided in Leeds, where did Ben Rowe live?", ["York"]),
    ("Did Ada Vance live in York while Dan Pym was bailiff of Hull?", ["no"]),
    ("Did Ada Vance live in York before Ben Rowe was bailiff of Hull?", ["yes"]),
    ("Who was bailiff of Hull when Ada Vance moved to Hull?", ["Cora Lunt"]),
    ("Where was Ben Rowe living at the time Ada Vance was employed at Brook Mill?", ["York"]),
    # dates
    ("Since when has Dan Pym been bailiff of Hull?", ["2002-06-01"]),
    ("Until when was Ben Rowe bailiff of Hull?", ["1994-02-28"]),
    ("In which year did Ada Vance start to live in York?", ["1990"]),
    ("When did Ben Rowe last inspect Brook Mill?", ["1993-02-01"]),
    ("What was the date of the second time that Ben Rowe inspected Brook Mill?", ["1993-02-01"]),
    # lengths and numbers
    ("For how many years did Ada Vance reside in York?", ["11"]),
    ("For how many days was there no bailiff of Hull between Ben Rowe and Cora Lunt?", ["10"]),
    ("How many residences has Ada Vance had?", ["3"]),
    ("How often did Ben Rowe inspect Brook Mill?", ["2"]),
    ("How many times did Ben Rowe inspect Brook Mill in 1991?", ["1"]),
    # which of two
    ("Which came first for Ada Vance, Hull or York?", ["York"]),
    ("Did Ben Rowe inspect Brook Mill or Hull Harbour Board first?", ["Brook Mill"]),
    # directions
    ("Whom did Cora Lunt inspect?", ["Ben Rowe"]),
    ("Who inspected Ben Rowe?", ["Cora Lunt"]),
    ("By whom was Ben Rowe inspected?", ["Cora Lunt"]),
    ("What does Tom Vance own?", ["Brook Mill"]),
    ("Who is the husband of Ada Vance?", ["Tom Vance"]),
    ("Which is the county of the residence of Ada Vance?", ["Humberside"]),
    # nothing known
    ("Where did Ada Vance live in 1970?", []),
    ("Whom did Ben Rowe marry?", []),
    ("Where does Zebulon Quirk live?", []),
    ("Which religion does Ada Vance have?", []),
    ("Where was Ada Vance born?", []),
    ("Has Ada Vance ever lived in Bath?", []),
    ("What is the religion of the husband of Ada Vance?", []),
)


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
async def test_question_is_answered_from_the_facts(town, question, answer):
    found = await town.ask(question)
    assert list(found.values) == answer, found.how
    assert bool(found.missing) is not bool(found)


async def test_answer_shows_its_facts_and_how_it_was_worked_out(town):
    answer = await town.ask("Where did Ada Vance live when Ben Rowe was bailiff of Hull?")
    assert [fact.object for fact in answer.facts] == ["York"]
    assert [fact.subject for fact in answer.bounds] == ["Ben Rowe"]
    assert [entity.name for entity in answer.entities] == ["York"]
    assert answer.query.bounds[0].link == "while"
    assert "1990-01-01 to 2001-01-01" in str(answer)
    assert "resides_in" in answer.how
    assert "York" in answer._repr_html_()
    assert repr(answer) == "Answer('York'; 1 facts)"


async def test_no_answer_says_what_is_missing(town):
    answer = await town.ask("Which religion does Ada Vance have?")
    assert not answer
    assert "known: resides_in, employed_at, wife_of" in answer.missing
    assert not (await town.ask("Why?"))


async def test_now_is_the_moment_of_the_view(town):
    then = town.at(valid_at="1992-06-01")
    assert (await then.ask("Who is bailiff of Hull?")).values == ("Ben Rowe",)
    assert (await then.ask("Who was the last bailiff of Hull?")).values == ("Ben Rowe",)
    assert (await town.ask("Who is bailiff of Hull?")).values == ("Dan Pym",)


async def test_retracted_fact_is_no_answer_but_was_one(town):
    fact = (await town.facts("Dan Pym"))[0]
    known = utc_now()
    await town.edit.retract(fact, "a mistake")
    assert not await town.ask("Who is bailiff of Hull?")
    then = town.at(known_at=known)
    assert (await then.ask("Who is bailiff of Hull?")).values == ("Dan Pym",)
    asked = await town.ask(f"As the records stood on {known:%d %B %Y}, who is bailiff of Hull?")
    assert asked.query.known_at is not None
    assert not await town.ask("As the records stood in 1999, who is bailiff of Hull?")


async def test_date_is_said_as_finely_as_it_was_stated(town):
    await town.add_fact("Cora Lunt", "resides_in", "Bath", valid_at="2004-05", invalid_at="2009")
    since = await town.ask("Since when did Cora Lunt reside in Bath?")
    until = await town.ask("Until when did Cora Lunt reside in Bath?")
    assert (since.values, until.values) == (("2004-05",), ("2009",))
    year = await town.ask("In which year did Cora Lunt start to reside in Bath?")
    assert year.values == ("2004",)


async def test_first_name_stands_for_the_one_who_bears_it():
    models = Models(embedder=HashEmbedder(), extractor=ScriptedExtractor({}))
    async with GraphRAG.open("mem://", models=models) as graph:
        for name in ("Ada Vance", "Ben Rowe"):
            await graph.add_fact(name, "lives_in", "York", subject_type="person")
        assert (await graph.ask("Where does Ada live?")).values == ("York",)


@pytest.mark.parametrize("text", ["", "  ", "who " * 1000])
async def test_what_is_no_question_is_refused(town, text):
    with pytest.raises(QueryError, match="a question has"):
        await town.ask(text)


async def test_the_question_word_settles_what_is_meant():
    facts = (
        ("Yuki Tan", "studies", "law", "2023", None),
        ("Yuki Tan", "studies_at", "Kent University", "2023", None),
        ("Ida Holm", "has_role", "Clerk", "2023", None),
        ("Ida Holm", "works_at", "Acme", "2023", None),
    )
    async with knowing(facts) as graph:
        answers = {
            "What does Yuki Tan study?": ["law"],
            "Where does Yuki Tan study?": ["Kent University"],
            "What is Ida Holm's job?": ["Clerk"],
            "Where does Ida Holm work?": ["Acme"],
        }
        assert await unlike(graph, answers) == {}


async def test_nobody_is_a_place():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        await graph.add_episode("Jude Ell lives with Carl Vega.", reference_time="2024-01-10")
        assert (await graph.ask("Where does Jude Ell live?")).values == ()
        assert (await graph.ask("With whom does Jude Ell live?")).values == ("Carl Vega",)
