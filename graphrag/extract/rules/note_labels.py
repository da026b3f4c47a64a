"""Which relation the label of a note stands for, as a table, and of whom one of health is."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from graphrag.extract.rules.lexicon import (
    ILLNESS_ENDINGS,
    ILLNESSES,
    ORG,
    PERSON,
    PLACE,
    on_relation,
)
from graphrag.extract.rules.trades import JOBS, OFFICES

if TYPE_CHECKING:
    from graphrag.extract.rules.name import Name

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
    ("allergy allergies", "allergic_to", "of_topic", ""),
    ("medication medications medicine medicines meds", "takes", "of_topic", ""),
    ("diagnosis diagnoses", "has_condition", "of_topic", ""),
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
_COMMON = frozenset({"allergic_to", "takes", "has_condition"})
_MANY = _COMMON | {"has_access", "keeps", "speaks"}


def label_of(text: str) -> Label | None:
    """Return what a label says, by its noun; None if it is of no known kind."""
    text = _AWHILE.sub("", text.strip())
    words = text.split()
    if not words:
        return None
    head = _OF.split(text)[0].split()[-1].lower()
    plain = " ".join(words).removeprefix("The ").removeprefix("the ")
    plain = plain if plain.isupper() else plain[:1].lower() + plain[1:]
    if head in _BY_WORD:
        _, relation, form, kind = _BY_WORD[head]
        topic = _OF.split(plain, maxsplit=1)
        if form == "of_label" and len(topic) > 1:
            plain = topic[1]  # "Supplier for gloves": of gloves
        if relation in _COMMON and len(topic) > 1:
            return None  # "Meds for the dog"
        return Label(plain, relation, form, kind, relation in _COMMON, relation in _MANY)
    singular = head.removesuffix("s") if head not in _ROLES else head
    if singular in _ROLES and singular != "member":
        plain = plain.removeprefix("new ").removeprefix("current ").removeprefix("old ")
        plain = plain if head == singular else plain.removesuffix("s")
        return Label(plain, "has_role", "role", PERSON, many=head != singular)
    return None


def task_of(text: str) -> Label | None:
    """Return the label of who does what: ``Moorings and berths``; not ``Date``, nor ``Room 12``."""
    plain = _AWHILE.sub("", text.strip())
    words = plain.split()
    if not words or len(words) > _LONGEST or words[-1].lower() in _NO_TASKS or plain.isupper():
        return None
    alone = len(words) == 1 and words[0].lower() in ("contact", "contacts")
    if alone or any(word[:1].isupper() for word in words[1:]) or words[0].lower() in _NO_TASKS:
        return None
    if any(word.isdigit() for word in words):
        return None  # a place with a number: somebody is in it
    if words[0].lower() in _RANKS or words[-1].lower().endswith(_NO_WORK):
        return None  # "Best newcomer", "Notable people", "Teachers confirmed"
    return Label(plain[:1].lower() + plain[1:], "responsible_for", "role", PERSON, many=True)


_AWHILE = re.compile(
    r" (?:until further notice|(?:from|as of|as from|until|since) (?:today|now|then|tomorrow)|"
    r"for now|this week|today|now)$",
    re.IGNORECASE,
)
_OF = re.compile(r" (?:of|for) ")
_RANKS = frozenset(
    "best worst top most favourite favorite notable famous other more former next".split()
)
"""Words before what is a list of names, not of tasks."""
_NO_WORK = ("ed", "ers", "ors", "ists", "people")
"""How the last word of a label ends that says what somebody is, or became."""
_HEALERS = frozenset({"Dr", "Doctor", "Nurse", "Prof", "GP", "MD", "RN"})
"""Whose notes on health are of somebody else."""
_UNTOLD = frozenset(
    "no nil none nkda nka known unknown denies denied declined refused refuses see chart stopped "
    "discontinued suspected possible query under review rule ruled out for of was tested "
    "negative".split()
)
"""Words of a label's value that say that there is nothing, or not for sure."""
_ALLERGY = re.compile(
    r"^\W*(?!(?i:no|possible|suspected|drug|food|severe|known|query)\b)(?P<what>[^\W\d]+) "
    r"allergy\W*$"
)
_LONGEST = 4
_NO_TASKS = frozenset(
    "account date time dates day year month when where who what why how from to cc bcc subject "
    "re note notes ps nb item items agenda minutes present absent apologies attendees attending "
    "guests author authors by photo photos text source sources title name names topic about via "
    "page cause reason result results next born died birth death age sex phone tel email mail "
    "web address place venue location news update correction example question answer status "
    "comment patient pt client customer user parents mother father wife husband children son "
    "daughter brother sister friends partner winner winners loser score final birthday "
    "congratulations welcome thanks urgent important warning reminder summary history background "
    "decision starring cast director artist band song album book film see also edit edited page "
    "file fixed added removed changed keep drop buy yes no maybe talk new members member "
    "newcomers guest speaker obituary memorial profile portrait interview tribute".split()
)
"""Labels of names that have nothing to do."""


def is_ones_own(relation: str, value: str, about: "Name") -> bool:
    """Tell whether a label of health gives what it names, and of whom the note is about."""
    words = value.lower().split()
    if _HEALERS & {word.strip(".") for word in about.text.split()} or _UNTOLD & {*words}:
        return False
    single = words[-1].removesuffix("s")
    match relation:
        case "takes":
            return on_relation(words[0]) == "takes" or on_relation(single) == "takes"
        case "has_condition":
            return single in ILLNESSES or words[-1].endswith(ILLNESS_ENDINGS)
        case _:
            return len(words) <= len(("tree", "nuts"))


def allergy_in(text: str) -> tuple[str, int] | None:
    """Return what ``Penicillin allergy`` names, and where."""
    known = _ALLERGY.match(text)
    return None if known is None else (known["what"], known.start("what"))
