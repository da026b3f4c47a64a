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
            "Wilma Harrow retired in May 2023 after twelve years as head of the Selby Trust.",
            ["Wilma Harrow leads Selby Trust 2011 2023-05"],
        ),
        (
            "Vera Collins died on 3 May 2023. Widow of Thomas, sister of Ruth, mother of Alan. "
            "Headmistress of Oakfield School from 1970 to 1991.",
            [
                f"Vera Collins married_to Thomas - {DAY}",
                f"Vera Collins sibling_of Ruth {DAY} -",
                f"Vera Collins parent_of Alan {DAY} -",
                "Vera Collins leads Oakfield School 1970 1992-01-01",
            ],
        ),
        (
            "HARRIS, Joan. Died on 9 April, aged 77. Teacher at Oak School from 1970 to 1991.",
            ["Joan Harris works_at Oak School 1970 1992-01-01"],
        ),
        (
            "Leon Katz died in April. He leaves a widow, Gwen, and two sons, Rhys and Huw.",
            [f"Leon Katz parent_of Rhys {DAY} -", f"Leon Katz parent_of Huw {DAY} -"],
        ),
        (
            "The farm that Amelia Stone inherited from her uncle in 1996 lies above Kirkby.",
            ["farm owned_by Amelia Stone 1996 -"],
        ),
        (
            "Mr Boyd sold the corner shop to the Petrou brothers in May 2023.",
            [
                "corner shop owned_by Petrou brothers 2023-05 -",
                "corner shop owned_by Boyd - 2023-05",
            ],
        ),
        (
            "Paul Ndiaye, minister of health of Gambaro, resigned on Monday.",
            [f"Paul Ndiaye has_role minister of health - {DAY}"],
        ),
        (
            "The board met Bo Lind in Riga, who works for Latvia Post.",
            [f"Bo Lind works_at Latvia Post {DAY} -"],
        ),
        (
            "Begun in 2017 by Victor Hale, the Harbour School is now directed by Lucy Hale.",
            ["Lucy Hale leads Harbour School 2017 -"],
        ),
        (
            "Peter Wynn was commodore of the Menai Yacht Club from 1988 to 1994.",
            ["Peter Wynn leads Menai Yacht Club 1988 1995-01-01"],
        ),
        (
            "Lena Fisk is the author of Thaw. She leads the soils group at the Kestrel Institute.",
            ["Lena Fisk author_of Thaw - -", f"Lena Fisk works_at Kestrel Institute {DAY} -"],
        ),
        (
            "Lindqvist Instruments was founded in 1946 by the brothers Sven and Arne Lindqvist. "
            "In 1973 the firm moved to larger premises in Malmö.",
            [
                f"Sven sibling_of Arne Lindqvist {DAY} -",
                "Lindqvist Instruments located_in Malmö 1973 -",
            ],
        ),
        (
            "Brookline Foods has appointed Marcus Bell as chief financial officer with effect "
            "from 1 June. He joins from Tesselar.",
            [
                "Marcus Bell works_at Brookline Foods 2024-06-01 -",
                f"Marcus Bell works_at Tesselar - {DAY}",
            ],
        ),
        (
            "Silas Cobb was mayor of Halham from 1881 to 1885 and again from 1890 to 1893.",
            [
                "Silas Cobb leads Halham 1881 1886-01-01",
                "Silas Cobb leads Halham 1890 1894-01-01",
            ],
        ),
        (
            "Patient: Ina Bloor, born 11 June 1958. Penicillin allergy. Medication: metformin "
            "since 2019, ramipril.",
            [
                f"Ina Bloor allergic_to Penicillin {DAY} -",
                "Ina Bloor takes metformin 2019 -",
                f"Ina Bloor takes ramipril {DAY} -",
            ],
        ),
        (
            "Peter Wynn was educated at Friars School and Leeds University.",
            [
                f"Peter Wynn studies_at Friars School - {DAY}",
                f"Peter Wynn studies_at Leeds University - {DAY}",
            ],
        ),
        (
            "Ann Lee left Acme for Globex in 2010. Ann Lee cancelled her subscription to Netflix "
            "in May 2020.",
            [
                "Ann Lee works_at Acme - 2010",
                "Ann Lee works_at Globex 2010 -",
                "Ann Lee subscribed_to Netflix - 2020-05",
            ],
        ),
        (
            "Oak Mill was given to Tom Hale in 2010. Tom Hale sings in the Oak Choir.",
            ["Oak Mill owned_by Tom Hale 2010 -", f"Tom Hale member_of Oak Choir {DAY} -"],
        ),
    ],
)
async def test_prose_of_strangers_is_read(text, stated):
    assert set(stated) <= await read(text)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I've been off the metformin since 1 May.", {"Mia takes metformin - 2024-05-01"}),
        ("I've joined the Tuesday choir.", {f"Mia member_of choir {DAY} -"}),
        (
            "I gave up coffee in January and now drink green tea. I'm learning Italian.",
            {
                "Mia drinks coffee - 2024-01",
                f"Mia drinks green tea {DAY} -",
                f"Mia learns Italian {DAY} -",
            },
        ),
        ("We've been in Bergen since August.", {"Mia lives_in Bergen 2023-08 -"}),
        (
            "Q: Where did you grow up?\nA: In Faro. I have lived in Porto since 2006.",
            {"Mia lives_in Porto 2006 -"},
        ),
        ("My son Finn is 9.", {f"Mia parent_of Finn {DAY} -"}),
        (
            "My landlord is putting the rent up from £850 to £920 in July.",
            {"rent costs £920 2024-07 -", "rent costs £850 - 2024-07"},
        ),
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


@pytest.mark.parametrize(
    ("text", "author"),
    [
        ("Allergy: codeine.", "Dr S. Okoro"),
        ("Bo rang. Allergies: nuts, cats", "Ann Lee"),
        ("Meds for the dog: worming tablets", "Ann Lee"),
    ],
)
async def test_labels_of_health_are_not_of_who_notes_them(text, author):
    assert await read(text, author) == set()


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
