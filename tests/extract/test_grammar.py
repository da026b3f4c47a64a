"""What plain English says in one or two sentences, and what only looks like it."""

import pytest

from graphrag.extract.rules.extractor import RulesExtractor
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.protocols import ExtractionContext

STATED = [
    ("Ada Lund led the Widget Federation until 1990, when Ramiro Salas took over.",
     "Ramiro Salas leads Widget Federation"),
    ("Ruth Berg got divorced from Paul Ohm in June.", "Ruth Berg married_to Paul Ohm"),
    ("Ruth Berg married Paul Ohm in 2010. Their twins, Noor and Bas, live here.",
     "Paul Ohm parent_of Bas"),
    ("Aino Salo and Henrik Berg have parted.", "Aino Salo partner_of Henrik Berg"),
    ("Ann Lee and Tom Fox were married on 8 June. The couple will live in Bristol from August.",
     "Tom Fox lives_in Bristol"),
    ("Ann Lee gave birth to a son, Leo, on 9 May.", "Ann Lee parent_of Leo"),
    ("The CFO of Orbis Labs is Jan Dekker.", "Jan Dekker works_at Orbis Labs"),
    ("Nina Vogt is a cardiologist at Sana Hospital.", "Nina Vogt works_at Sana Hospital"),
    ("Nina Vogt was hired to run the shop in Bonn.", "Nina Vogt leads shop"),
    ("Ann Lee's last day at Acme Corp is Friday.", "Ann Lee works_at Acme Corp"),
    ("Ann Lee returned to Sana Hospital in May.", "Ann Lee works_at Sana Hospital"),
    ("Ann Lee works at the sawmill.", "Ann Lee works_at sawmill"),
    ("Kolb GmbH is a maker of lenses headquartered in Jena.", "Kolb GmbH located_in Jena"),
    ("Olaf Berg likes Rome. Olaf Berg's bank is Nordea.", "Olaf Berg customer_of Nordea"),
    ("Edwin Marlowe read law at Durham University.", "Edwin Marlowe studies law"),
    ("Ann Lee gave up coffee in 2020.", "Ann Lee drinks coffee"),
    ("Kat Berg lost access to Nimbus in May.", "Kat Berg has_access Nimbus"),
    ("Nina Vogt was promoted to head of sales in May.", "Nina Vogt has_role head of sales"),
    ("Mrs Holt (no. 14) has our spare key.", "Holt keeps spare key"),
    ("Acme Ltd runs the ferry.", "Acme Ltd operates ferry"),
    ("Ann Lee, who has died aged 84, was a vet.", "Ann Lee has_status dead"),
    ("Ann Lee is the widow of Tom Fox.", "Tom Fox has_status dead"),
    ("Ann Lee owns Aalto Bread.", "Aalto Bread owned_by Ann Lee"),
    ("Ann Lee's late father, Bob Lee, was a vet.", "Bob Lee has_status dead"),
    ("Ann Lee was mayor of Bonn until her death in 1998.", "Ann Lee has_status dead"),
    ("The Loom Theatre has been in Leeds since 1990.", "Loom Theatre located_in Leeds"),
    ("Tom Beck has been an associate of the Loom Theatre.", "Tom Beck works_at Loom Theatre"),
    ("Ann Lee runs a cidery, Crooked Orchard, near Hay.", "Ann Lee leads Crooked Orchard"),
    ("The Loom Festival is supported by Acme.", "Acme supports Loom Festival"),
    ("Ann Lee joined the Baltic Coast Guard in 1992.", "Ann Lee works_at Baltic Coast Guard"),
    ("Mara Holt passed away on Friday.", "Mara Holt has_status dead"),
    ("Fab 2 in Penang, which Acme bought in 2021, is closed.", "Fab 2 owned_by Acme"),
    ("Norvia Rail had run the line since 2010.", "Norvia Rail operates line"),
    ("Hae-won Lim was named chief executive of Acme.", "Hae-won Lim leads Acme"),
    ("Min-jun Park joined Acme in 2020.", "Min-jun Park works_at Acme"),
    ("The turnover rose from £3.2 million to £4bn.", "turnover has_value £4bn"),
    ("Tarrow has 2.1 million inhabitants.", "Tarrow has_inhabitants 2.1 million"),
    ("Postage goes up to £4 a month.", "Postage costs £4 a month"),
    ("Cinderbank has its headquarters in Aldermoor.", "Cinderbank located_in Aldermoor"),
    ("Emre Doganay was sworn in as mayor of Bonn.", "Emre Doganay leads Bonn"),
    ("Headcount at Holm Paper is down to 950.", "Holm Paper has_employees 950"),
    ("Hal Brook was re-elected mayor of Bonn.", "Hal Brook leads Bonn"),
    ("Ida Moss's birthday is on May 4th.", "Ida Moss has_birthday May 4th"),
    ("Ida Moss is 41.", "Ida Moss has_age 41"),
    ("Sable Works has 40 employees.", "Sable Works has_employees 40"),
    ("Questions about invoices go to Mara Holt.", "Mara Holt contact_for invoices"),
    ("Mira Holt joined my violin class in May.", "Mira Holt studies_at violin class"),
    ("Leo Holt started at Hill Primary in May.", "Leo Holt studies_at Hill Primary"),
]  # fmt: skip
UNSTATED = [
    ("I'm considering a new job offer with a 50% salary increase to $1,800 monthly.", "earns"),
    ("The score for Leeds is 3, for York 2. Volume is 11.", "has_age"),
    ("Ann Lee joked that I'm 21.", "has_age"),
    ("Ann Lee's favourite band is playing tonight.", "has_favourite_band"),
    ("Please don't use lea@x.com from now on.", "has_email"),
    ("Acme is based in Riga. Acme has an office in London.", "located_in London"),
    ("Post-war Germany hired Ann Lee. Low-cost Ryanair hired Bo Fox.", "Low-cost"),
    ("Ann Lee's brother's company name is Acme.", "sibling_of"),
    ("Ann Lee is on tour from Berlin to Rome.", "works_at"),
    ("The Acme Hotel closed its doors at five.", "has_status"),
    ("I've completed sprint 1, and 12 permutation and combination problems.", "has_value"),
    ("He was sentenced for defrauding Ann Lee's employer of £190,000.", "has_value"),
    ("The Harlow Court heard it. Ann Lee was the firm's bookkeeper.", "works_at"),
    ("Bram: with Pim??", "works_at"),
    ("The label printer offline since Monday is back.", "has_role"),
    ("Ann Lee was at Wrenford Court on Tuesday.", "works_at"),
    (
        "Ann Lee came to Acme as chief executive, succeeding its founder Tom Beck.",
        "Ann Lee has_role founder",
    ),
    ("Ann Lee went on leave on Monday.", "goes_on"),
    ("The Holm Museum opened. Ann Lee is treasurer of the club.", "works_at"),
    ("Ann Lee handed in her notice to Tom Fox.", "responsible_for"),
    ("Ann Lee runs the risk.", "leads"),
    ("Ann Lee opened the meeting.", "founded"),
    ("Ann Lee bought the cake.", "owned_by"),
    ("I'm with Telora now. - Ann Lee", "works_at"),
    ("Ann Lee met Tom Fox. Their son, Leo, is ill.", "parent_of"),
    ("Acme Corp is moving to SAP in May.", "located_in"),
    ("The money goes to Mara Holt.", "contact_for"),
    ("Mara Holt is on call this week.", "responsible_for"),
    ("Mira Holt joined the violin class in May.", "works_at"),
    ("Best newcomer: Ann Lee", "responsible_for"),
    ("Notable people: Ann Lee", "responsible_for"),
    ("Keep: Ann Lee", "responsible_for"),
    ("The committee killed the bill.", "dead"),
    ("Ann Lee owns a bakery in Turku.", "responsible_for"),
    ("Obituary: Emil Roth (12 May 1965 - 12 January 2024)", "responsible_for"),
    ("The Rovers will be in Leeds on Friday.", "located_in"),
    ("The Rovers are in Leeds for the cup tie.", "located_in"),
    ("Hamlet is in French.", "located_in"),
    ("Ann Lee ran a marathon, Bob Fox a mile.", "leads"),
    ("Ann Lee is here with her husband Tom Fox and their twins, Ada and Erik.", "Ada married_to"),
    ("Tom Fox died in hospital at Penrose on 2 January 1994.", "has_status"),
    ("PORTO — Midfielder Ann Lee has signed a deal with Rovers FC.", "PORTO"),
    ("LYON, 3 May (AFP) - Captain Ann Lee has resigned.", "LYON"),
    ("Ulaanbaatar, 4 March – The Rovers Trust, led by Ann Lee, moved to Rome.", "Ulaanbaatar"),
    ("translate into German please: I live in Rome.", "German"),
    ("Ann Lee likes Flexa. Before that it was 22 with Orbicom.", "works_at"),
]
NOTE = "I am on leave until May. Best wishes, Saskia Berg, Deployment Lead, Wavecrest Utilities"


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
    ("Ann Lee worked at Acme from 2001 to 2007 and again from 2011 to 2015.",
     "Ann Lee works_at Acme", "2011-01-01", "2016-01-01"),
    ("Bea Holm, chief executive of Acme, will step down on 1 July. Jo Vale will replace her.",
     "Jo Vale leads Acme", "2024-07-01", None),
    ("Ann Lee met Bob Hale, mayor of Bonn from 2010 to 2014.",
     "Bob Hale leads Bonn", "2010-01-01", "2015-01-01"),
    ("Ann Lee has lived in Rome since New Year.", "Ann Lee lives_in Rome", "2024-01-01", None),
    ("Nora Vale will succeed Tom Beck as treasurer on 1 July. Beck has led Acorn Bank since 2011.",
     "Tom Beck leads Acorn Bank", "2011-01-01", None),
    ("Tom Beck left in 2013 and was replaced by Nora Vale.",
     "Nora Vale succeeds Tom Beck", "2013-01-01", None),
    ("Ann Lee joined Rovers FC on a two-year deal in May 2020.",
     "Ann Lee works_at Rovers FC", "2020-05-01", "2022-05-01"),
    ("Ann Lee was hired by Acme on a six-month contract from 3 March 2023.",
     "Ann Lee works_at Acme", "2023-03-03", "2023-09-03"),
    ("Ann Lee was elected president of Acme on 1 July 2019 for a term of four years.",
     "Ann Lee leads Acme", "2019-07-01", "2023-07-01"),
    ("Acme Rail has run the Salt Coast line since 2010. The state-owned City Trains takes over "
     "on 1 October.", "Acme Rail operates Salt Coast line", "2010-01-01", "2024-10-01"),
    ("Ann Lee was named chief executive of Acme. She succeeds Bo Fox, who retires on 1 July.",
     "Ann Lee leads Acme", "2024-07-01", None),
    ("Nora Vale will succeed Tom Beck as chief executive on 1 July. Beck has led Acorn Bank "
     "since 2011.", "Tom Beck leads Acorn Bank", "2011-01-01", "2024-07-01"),
    ("Nora Vale will succeed Tom Beck as chief executive on 1 July. Beck has led Acorn Bank "
     "since 2011.", "Nora Vale leads Acorn Bank", "2024-07-01", None),
    ("Ann Lee said that she starts at Pennant Mills on 1 October.",
     "Ann Lee works_at Pennant Mills", "2024-10-01", None),
    ("- Treasurer: Ada Brink (until 31 Dec 2023), then Cy Dorn",
     "Cy Dorn has_role treasurer", "2024-01-01", None),
    ("Ann Lee has worked at Acme for ten years, since 2013.",
     "Ann Lee works_at Acme", "2013-01-01", None),
    ("Ann Lee worked in Bonn for eleven years and has led Acme since 2010.",
     "Ann Lee leads Acme", "2010-01-01", None),
    ("Ann Lee worked at Acme until June 2018. Before that she worked at Bolt for five years.",
     "Ann Lee works_at Bolt", "2013-01-01", "2018-07-01"),
    ("Ann Lee left Acme in June 2018. Since then she has worked at Bolt.",
     "Ann Lee works_at Bolt", "2018-06-01", None),
    ("Ann Lee has lived in Rome since 2020, before that in Oslo.",
     "Ann Lee lives_in Rome", "2020-01-01", None),
    ("Ann Lee has lived in Rome since 2020, before that in Oslo.",
     "Ann Lee lives_in Oslo", None, "2020-01-01"),
    ("Ann Lee lived in Oslo until 2019 and has lived in Rome ever since.",
     "Ann Lee lives_in Rome", "2020-01-01", None),
    ("Ann Lee signed a two-year deal with Rovers FC in August 2023.",
     "Ann Lee signed_with Rovers FC", "2023-08-01", "2025-08-01"),
    ("Ann Lee studied medicine at Pune University and graduated in 1996.",
     "Ann Lee studies_at Pune University", None, "1996-01-01"),
    ("Ann Lee, in charge of the mill since 2019, married Bob Hale.",
     "Ann Lee married_to Bob Hale", None, None),
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


async def test_who_signs_a_note_is_its_author_with_what_stands_below():
    read = await told(NOTE)
    assert "Saskia Berg has_role deployment lead" in read
    assert "Saskia Berg works_at Wavecrest Utilities" in read
