"""Which relation the label of a note stands for, as a table."""

from dataclasses import dataclass
from typing import Literal

from graphrag.extract.rules.lexicon import ORG, PERSON, PLACE
from graphrag.extract.rules.trades import JOBS, OFFICES

Form = Literal["role", "of_label", "of_topic"]
"""``role``: the value has the label as its office; ``of_label``: the value is the subject and the
label the object; ``of_topic``: who or what the note is about is the subject."""


@dataclass(frozen=True, slots=True)
class Label:
    """A label, and what it says of its value."""

    text: str
    relation: str
    form: Form
    value: str = ""
    """Type of what the value names."""
    common: bool = False
    """True if a common noun is a value."""
    many: bool = False
    """True if it may list several."""


_TABLE: tuple[tuple[str, str, Form, str], ...] = (
    ("broadband internet wifi electricity gas power heating phone mobile water catering cleaning "
     "hosting security", "supplies", "of_label", ORG),
    ("insurance", "insured_with", "of_topic", ORG),
    ("bank", "customer_of", "of_topic", ORG),
    ("gym club team", "member_of", "of_topic", ORG),
    ("system software tool database platform app cms crm erp", "uses", "of_topic", ""),
    ("access login rights permissions", "has_access", "of_label", PERSON),
    ("key keys", "keeps", "of_label", PERSON),
    ("address home", "lives_in", "of_topic", PLACE),
    ("venue location place", "located_in", "of_topic", PLACE),
    ("school university college", "studies_at", "of_topic", ORG),
    ("employer job work", "works_at", "of_topic", ORG),
    ("languages", "speaks", "of_topic", ""),
    ("owner", "owned_by", "of_topic", ""),
    ("sponsor", "sponsors", "of_label", ORG),
    ("supplier vendor provider contractor", "supplies", "of_label", ORG),
    ("book", "reads", "of_topic", "work"),
    ("contract", "holds_contract", "of_label", ORG),
)  # fmt: skip
_BY_WORD = {word: row for row in _TABLE for word in row[0].split()}
_ROLES = (
    JOBS | OFFICES | frozenset("landlord landlady cleaner tenant backup host agent lead".split())
)
_MANY = frozenset({"has_access", "keeps", "speaks"})


def label_of(text: str) -> Label | None:
    """Return what a label says, by its last word; None if it is of no known kind."""
    words = text.strip().split()
    if not words:
        return None
    head = words[-1].lower()
    plain = " ".join(words).removeprefix("The ").removeprefix("the ")
    plain = plain if plain.isupper() else plain[:1].lower() + plain[1:]
    if head in _BY_WORD:
        _, relation, form, kind = _BY_WORD[head]
        return Label(plain, relation, form, kind, many=relation in _MANY)
    singular = head.removesuffix("s") if head not in _ROLES else head
    if singular in _ROLES:
        plain = plain.removeprefix("new ").removeprefix("current ").removeprefix("old ")
        plain = plain if head == singular else plain.removesuffix("s")
        return Label(plain, "has_role", "role", PERSON, many=head != singular)
    return None
