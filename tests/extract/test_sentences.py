"""Where a sentence ends and which name begins one: what the parser cannot know by itself."""

import pytest

from tests.extract.test_prose import told

NAMES = (
    "Ann Lee,Oluwaseun,Mei,Fatima Zahra,Bjørn,Siobhán,Kwame,Priya Nair,Dmitri,Yuki,Aroha,Zoltán,"
    "Thandiwe,Iñigo,Nguyen,Ayşe,Rose,Pat,Grace,Amir"
).split(",")


@pytest.mark.parametrize("form", ["", " Corp", " Inc", " Ltd", " Co"])
async def test_of_two_sentences_about_one_name_both_are_read(form):
    lost = []
    for name in NAMES:
        stated = {f"{name} works_at Acme{form}", f"{name} lives_in Rome"}
        if await told(f"{name} works at Acme{form}. {name} lives in Rome.") != stated:
            lost.append(name)
    assert not lost


async def test_two_who_work_at_one_firm_both_do():
    for name in (*NAMES, "Will"):
        stated = {f"{name} works_at Acme", "Bob works_at Acme"}
        assert await told(f"{name} works at Acme. Bob works at Acme.") == stated


async def test_a_legal_form_before_a_title_ends_no_sentence():
    text = "Acme Inc. President Bob Stone said that he lives in Rome."
    assert "Bob Stone lives_in Rome" in await told(text)


async def test_a_noun_that_opens_a_sentence_is_no_name():
    for text in ("Music plays in Rome.", "Staff like Rome."):
        assert not await told(text)
