"""Whatever is read: what is refused is reported, and what is stored fits."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from graphrag.model.extraction import Claim, Extraction, Mention
from tests.ontology.test_ontology import REFUSE, UNTYPED

ATTRIBUTES = st.dictionaries(
    st.sampled_from(["email", "age", "size", "role", "shoes"]),
    st.sampled_from(["a@b.org", "12", -1, "large", None, [1]]),
    max_size=3,
)
MENTIONS = st.builds(
    Mention,
    st.sampled_from(["Alice", "Acme", "Paris"]),
    st.sampled_from(["person", "manager", "organization", "place", "thing"]),
    attributes=ATTRIBUTES,
)
CLAIMS = st.builds(
    Claim,
    MENTIONS,
    st.sampled_from(["works_at", "employs", "married_to", "likes"]),
    st.none() | MENTIONS,
    st.just("."),
    st.just(0),
    st.just(1),
    ends=st.booleans(),
    attributes=ATTRIBUTES,
)
EXTRACTIONS = st.builds(
    Extraction, st.lists(MENTIONS, max_size=3).map(tuple), st.lists(CLAIMS, max_size=3).map(tuple)
)


def bare(extraction):
    """Return an extraction without attributes, which are stored as what they are declared."""
    return replace(
        extraction,
        mentions=tuple(replace(one, attributes={}) for one in extraction.mentions),
        claims=tuple(replace(one, attributes={}) for one in extraction.claims),
    )


@given(EXTRACTIONS)
def test_what_is_let_in_fits(told):
    once, _ = REFUSE.check(told)
    assert REFUSE.check(once) == (once, ())


@given(EXTRACTIONS)
def test_without_a_violation_nothing_is_changed_or_missing(told):
    for ontology in (REFUSE, UNTYPED):
        checked, violations = ontology.check(told)
        assert violations or bare(checked) == bare(told)


@given(EXTRACTIONS)
def test_untyped_keeps_every_entity_and_every_fact(told):
    checked, violations = UNTYPED.check(told)
    assert [one.name for one in checked.mentions] == [one.name for one in told.mentions]
    assert [one.text for one in checked.claims] == [one.text for one in told.claims]
    assert all(violation.kept for violation in violations if violation.kind != "attribute")
    marked = [claim for claim in checked.claims if claim.untyped]
    assert bool(marked) == any(violation.kind == "pair" for violation in violations)
