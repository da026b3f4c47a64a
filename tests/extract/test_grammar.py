"""What plain English says in one or two sentences, and what only looks like it."""

import pytest

from graphrag.extract.rules.extractor import RulesExtractor
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.protocols import ExtractionContext

STATED = [
    ("Ruth Berg got divorced from Paul Ohm in June.", "Ruth Berg married_to Paul Ohm"),
    ("Aino Salo and Henrik Berg have parted.", "Aino Salo partner_of Henrik Berg"),
    ("Nina Vogt is a cardiologist at Sana Hospital.", "Nina Vogt works_at Sana Hospital"),
    ("Nina Vogt was hired to run the shop in Bonn.", "Nina Vogt leads shop"),
    ("Ann Lee works at the sawmill.", "Ann Lee works_at sawmill"),
    ("Ann Lee owns Aalto Bread.", "Aalto Bread owned_by Ann Lee"),
    ("Hae-won Lim was named chief executive of Acme.", "Hae-won Lim leads Acme"),
    ("Min-jun Park joined Acme in 2020.", "Min-jun Park works_at Acme"),
    ("Emre Doganay was sworn in as mayor of Bonn.", "Emre Doganay leads Bonn"),
    ("Hal Brook was re-elected mayor of Bonn.", "Hal Brook leads Bonn"),
    ("Leo Holt started at Hill Primary in May.", "Leo Holt studies_at Hill Primary"),
]  # fmt: skip
UNSTATED = [
    ("Mr and Mrs Lee and their daughter Ida moved.", "Mr "),
    ("Ann Lee had dinner in Leeds, with Rachael.", "works_at"),
    ("Ann Lee automates payroll with AI tools and with her coordinator, Bob Dorn.", "works_at"),
    ("Ann Lee attended the Berlin Summit.", "studies_at"),
    ("Ann Lee is with Rachael tonight.", "uses"),
    ("Acme is based in Riga. Acme has an office in London.", "located_in London"),
    ("Post-war Germany hired Ann Lee. Low-cost Ryanair hired Bo Fox.", "Low-cost"),
    ("Ann Lee's brother's company name is Acme.", "sibling_of"),
    ("Ann Lee is on tour from Berlin to Rome.", "works_at"),
    ("The Harlow Court heard it. Ann Lee was the firm's bookkeeper.", "works_at"),
    ("Bram: with Pim??", "works_at"),
    ("The label printer offline since Monday is back.", "has_role"),
    ("Ann Lee was at Wrenford Court on Tuesday.", "works_at"),
    (
        "Ann Lee came to Acme as chief executive, succeeding its founder Tom Beck.",
        "Ann Lee has_role founder",
    ),
    ("The Holm Museum opened. Ann Lee is treasurer of the club.", "works_at"),
    ("Ann Lee opened the meeting.", "founded"),
    ("Ann Lee bought the cake.", "owned_by"),
    ("I'm with Telora now. - Ann Lee", "works_at"),
    ("Ann Lee met Tom Fox. Their son, Leo, is ill.", "parent_of"),
    ("Ann Lee owns a bakery in Turku.", "responsible_for"),
    ("Ann Lee ran a marathon, Bob Fox a mile.", "leads"),
    ("Ann Lee is here with her husband Tom Fox and their twins, Ada and Erik.", "Ada married_to"),
    ("PORTO — Midfielder Ann Lee has signed a deal with Rovers FC.", "PORTO"),
    ("LYON, 3 May (AFP) - Captain Ann Lee has resigned.", "LYON"),
    ("Ulaanbaatar, 4 March – The Rovers Trust, led by Ann Lee, moved to Rome.", "Ulaanbaatar"),
    ("translate into German please: I live in Rome.", "German"),
    ("Ann Lee likes Flexa. Before that it was 22 with Orbicom.", "works_at"),
]


async def told(text):
    episode = prepare(NewEpisode(text, "2024-06-10T12:00:00Z"))
    read = await RulesExtractor().extract(ExtractionContext(episode))
    return [
        f"{claim.subject.name} {claim.relation} {claim.object.name if claim.object else ''}"
        for claim in read.claims
    ]


@pytest.mark.parametrize(("text", "fact"), STATED)
async def test_reads_what_is_stated(text, fact):
    assert fact in await told(text)


@pytest.mark.parametrize(("text", "relation"), UNSTATED)
async def test_reads_nothing_into_what_only_looks_like_it(text, relation):
    assert not [fact for fact in await told(text) if relation in fact]


DATED = [
    ("Ann Lee met Bob Hale, mayor of Bonn from 2010 to 2014.",
     "Bob Hale leads Bonn", "2010-01-01", "2015-01-01"),
    ("Ann Lee has lived in Rome since New Year.", "Ann Lee lives_in Rome", "2024-01-01", None),
    ("Nora Vale will succeed Tom Beck as treasurer on 1 July. Beck has led Acorn Bank since 2011.",
     "Tom Beck leads Acorn Bank", "2011-01-01", None),
    ("Tom Beck left in 2013 and was replaced by Nora Vale.",
     "Nora Vale succeeds Tom Beck", "2013-01-01", None),
    ("Ann Lee said that she starts at Pennant Mills on 1 October.",
     "Ann Lee works_at Pennant Mills", "2024-10-01", None),
    ("Ann Lee has worked at Acme for ten years, since 2013.",
     "Ann Lee works_at Acme", "2013-01-01", None),
    ("Ann Lee worked in Bonn for eleven years and has led Acme since 2010.",
     "Ann Lee leads Acme", "2010-01-01", None),
    ("Ann Lee left Acme in June 2018. Since then she has worked at Bolt.",
     "Ann Lee works_at Bolt", "2018-06-01", None),
    ("Ann Lee has lived in Rome since 2020, before that in Oslo.",
     "Ann Lee lives_in Oslo", None, "2020-01-01"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fact", "start", "end"), DATED)
async def test_dates_belong_to_what_they_stand_beside(text, fact, start, end):
    episode = prepare(NewEpisode(text, "2024-06-10T12:00:00Z"))
    claims = (await RulesExtractor().extract(ExtractionContext(episode))).claims
    lives = {
        f"{one.subject.name} {one.relation} {one.object.name}": tuple(
            moment and moment.date().isoformat() for moment in (one.valid_at, one.invalid_at)
        )
        for one in claims
    }
    assert lives[fact] == (start, end)
    assert not {"Ann Lee has_status leave"} & lives.keys()
