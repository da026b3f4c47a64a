import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.names.key import is_name, name_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice Smith", "ALICE  smith"),
        ("the Scarecrow", "Scarecrow"),
        ("Joe-Michaels", "Joe Michaels"),
        ("Dr. Weiss", "Dr Weiss"),
        ("Harrow Dairy's", "Harrow Dairy"),
        ("“Globex”", "Globex"),
        ("ＡＣＭＥ", "acme"),
        ("Straße", "STRASSE"),
        ("U.S.", "US"),
    ],
)
def test_spellings_of_one_name_share_a_key(one, other):
    assert name_key(one) == name_key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zhang Wei 张", "Zhang Wei 王"),
        ("iPhone 15 红色", "iPhone 15 蓝色"),
        ("C++", "C#"),
        ("Version 1.10", "Version 11.0"),
        ("Account 10-001", "Account 100-01"),
        ("Иван", "Иванна"),
        ("Joe", "Joseph"),
        ("A1", "A-2"),
    ],
)
def test_different_names_keep_different_keys(one, other):
    assert name_key(one) != name_key(other)


@given(st.text())
def test_key_is_stable(name):
    assert name_key(name_key(name)) == name_key(name)


@given(st.lists(st.sampled_from(["the", "A", "an", "Acme", "9", "  ", "s"])).map(" ".join))
def test_plain_words_have_the_key_that_they_have_in_quotes(name):
    assert name_key(name) == name_key(f"“{name}”")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Alice", True),
        ("alice", True),
        ("Alice Johnson", True),
        ("Ludwig van Beethoven", True),
        ("陈 美玲", True),
        ("Alice's friends", False),
        ("Alice’s Mother", False),
        ("James' brother Tom", False),
        ("Alice and the kids", False),
    ],
)
def test_a_phrase_that_begins_with_a_name_is_no_name(words, expected):
    assert is_name(words) is expected
