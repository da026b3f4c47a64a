"""Plain prose of many kinds, as strangers write it: what each sentence states, and only once."""

import pytest

from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.extract.rules.extractor import RulesExtractor
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.protocols import ExtractionContext
from tests.benchmarks.extraction import prediction_of

DAY = "2024-05-06"


async def read(text, author=None):
    episode = prepare(NewEpisode(text, DAY, author=author))
    claims = (await RulesExtractor().extract(ExtractionContext(episode))).claims
    return {
        f"{one['subject']} {one['relation']} {one['object']}"
        + "".join(f" {one[end] or '-'}" for end in ("valid_from", "valid_to"))
        for one in (prediction_of(claim, episode) for claim in claims)
    }


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            "Vera Collins was headmistress of Oakfield School from 1970 to 1991. Vera Collins is "
            "the widow of Thomas.",
            [
                f"Vera Collins married_to Thomas - {DAY}",
                "Vera Collins leads Oakfield School 1970 1992-01-01",
            ],
        ),
        (
            "Begun in 2017 by Victor Hale, the Harbour School is now headed by Lucy Hale.",
            ["Lucy Hale leads Harbour School 2017 -"],
        ),
        (
            "Peter Wynn was commodore of the Menai Yacht Club from 1988 to 1994.",
            ["Peter Wynn leads Menai Yacht Club 1988 1995-01-01"],
        ),
        (
            "Peter Wynn was educated at Friars School and Leeds University.",
            [
                f"Peter Wynn studies_at Friars School - {DAY}",
                f"Peter Wynn studies_at Leeds University - {DAY}",
            ],
        ),
    ],
)
async def test_prose_of_strangers_is_read(text, stated):
    assert set(stated) <= await read(text)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I've joined the Tuesday choir.", {f"Mia member_of choir {DAY} -"}),
        ("I now play chess.", {f"Mia plays chess {DAY} -"}),
        (
            "Q: Where did you grow up?\nA: In Faro. I have lived in Porto since 2006.",
            {"Mia lives_in Porto 2006 -"},
        ),
        ("My son Finn is 9.", {f"Mia parent_of Finn {DAY} -"}),
    ],
)
async def test_what_somebody_writes_of_themselves_is_read(text, stated):
    assert await read(text, "Mia") == stated


@pytest.mark.parametrize(
    "text",
    [
        "People write that Mia Holt trained in Prague.",
        "Our team moved from Jira to Linear last month.",
        "The River Tarn joins the Garonne near Moissac.",
        "The company's office is now at 3 Station Road.",
        "Marcus Bell retires at the end of the season after 14 years at Ashby Town.",
        "Guide price £285,000, reduced from £310,000.",
        "I moved to Leeds in 2019 and work at Acme. Read More",
        "Bo Lind opened the meeting. Treasurer of Oak Club absent.",
        "Joan Bell had no children, Rhys Owen told the court.",
        "Globex sent the wrong parts again. We are based in Leeds.",
        "Patient: Tom Hale, seen today. Allergies: nil known. Medication: declined.",
        "The jury awarded 5 million dollars to Globex in damages.",
    ],
)
async def test_what_only_looks_like_it_states_nothing(text):
    assert await read(text) == set()


async def test_odd_texts_are_read_without_an_error():
    extractor = NeuralExtractor(RulesExtractor())
    for text in ("For Arsenal, Bo Lind has played since 2020.", "...", "Pt", "PT Astra", "Of."):
        for author in ("?", "...", None):
            episode = prepare(NewEpisode(text, DAY, author=author))
            await extractor.extract(ExtractionContext(episode))


async def test_a_newspaper_answers_no_questions():
    assert await read("Q: Where do you live?\nA: I live in Leeds.", "The Guardian") == set()


async def test_the_last_line_of_a_text_says_who_wrote_it():
    text = "I am a baker. I live in Pecs. Eszter Balog"
    assert await read(text) == {
        f"Eszter Balog has_role baker {DAY} -",
        f"Eszter Balog lives_in Pecs {DAY} -",
    }
