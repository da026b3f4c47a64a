"""What is told by the order of words, and what cannot be what a fact would make it."""

import pytest

from tests.extract.test_prose import extract

STATED = {
    "Tessel Ltd bought the mill from Ann Lee in 2006.": {
        "mill owned_by Tessel Ltd", "mill owned_by Ann Lee",
    },
    "Ann Lee has been at home in Hull since 2011.": {"Ann Lee lives_in Hull"},
    "Ann Lee gave notice at Tessel Ltd in May.": {"Ann Lee works_at Tessel Ltd"},
    "Bob Dorn takes over from Ann Lee as caretaker on Monday.": {
        "Bob Dorn has_role caretaker", "Ann Lee has_role caretaker",
    },
    "Ann Lee hands the running of Tessel Ltd to Bob Dorn.": {
        "Ann Lee leads Tessel Ltd", "Bob Dorn leads Tessel Ltd",
    },
    "Ann Lee was found guilty of fraud on Monday.": {"Ann Lee convicted_of fraud"},
    "Moorings and berths: Ann Lee.": {"Ann Lee responsible_for moorings and berths"},
    "Tickets 45, early birds 36.": {"tickets costs 45"},
    "Hi, I'm Ann. Born in Leh, based in Hull since 2019.": {
        "Ann born_in Leh", "Ann lives_in Hull",
    },
    "Ann Lee is with the Kweneng Institute.": {"Ann Lee works_at Kweneng Institute"},
    "I met Ann Lee, with Globex since 2018.": {"Ann Lee works_at Globex"},
    "Ann Lee attended the Goethe Institute.": {"Ann Lee studies_at Goethe Institute"},
}  # fmt: skip
NOT_STATED = {
    "Mr and Mrs Lee and their daughter Ida moved.": "Mr ",
    "Bernadette opened at nine.": "has_status",
    "The loan is down to 310 from October.": "has_status",
    "Acme Corp is moving to SAP in May.": "located_in",
    "Guests: Ann Lee, Bob Dorn.": "responsible_for",
    "Ann Lee had dinner in Leeds, with Rachael.": "works_at",
    "Ann Lee automates payroll with AI tools and with her coordinator, Bob Dorn.": "works_at",
    "Ann Lee attended the Berlin Summit.": "studies_at",
    "Ann Lee is with Rachael tonight.": "uses",
}


async def told(text):
    claims = (await extract(text)).claims
    return {f"{claim.subject.name} {claim.relation} {claim.object.name}" for claim in claims}


@pytest.mark.parametrize("text", STATED)
async def test_a_construction_states(text):
    assert STATED[text] <= await told(text)


@pytest.mark.parametrize("text", NOT_STATED)
async def test_what_cannot_be_is_not_stated(text):
    assert not [fact for fact in await told(text) if NOT_STATED[text] in fact]


async def test_times_of_an_apposition_date_no_other_verb():
    read = await extract("Bob Dorn, mayor of Hull from 1990 to 1998, has died aged 80.")
    [death] = [claim for claim in read.claims if claim.relation == "has_status"]
    assert death.valid_at is None or death.valid_at.year > 1998
