"""Identifying attributes: identifiers, and particulars that tell namesakes apart.

An equal identifier means the same entity, whatever the name. Identifiers are declared per type, or
of a usual kind: an address, a number of a book, paper, product or researcher, or a foreign key that
looks like one. Particulars (birth, home, maker) are recognised by attribute name; two values are
``same``, ``like`` (one less complete or written otherwise), ``slip`` (a typo), ``other``, or None
if not comparable.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache
from typing import Any, Literal

from graphrag.names.key import REMEMBERED, folded

Identifier = tuple[str, str]
"""Name of the attribute and its value, both normalised."""

USUAL = frozenset("email mail url isbn issn orcid doi iban uuid ean gtin upc asin".split())
_KEY = re.compile(r"(?:^|_)(?:id|uid|guid)$")
_OWN = re.compile(r"^(?:(?P<of>[a-z]+)_(?:no|nr|number|id|uid|guid|uuid)|id|uid|guid|uuid)$")
_NUMBERED: Mapping[str, Set[str]] = {
    "person": set(
        "person employee emp staff user customer client member patient student contact worker "
        "personnel passport".split()
    ),
    "organization": set(
        "company organization organisation org firm supplier vendor customer client".split()
    ),
    "product": {"product", "item", "article"},
    "place": {"place", "location", "site"},
}
"""What a number is of, in the records of something of each type."""
_CLEARLY = 6
"""Characters of a key that is clearly unique; it also has a digit."""
_LONGEST = 400
_LIST = re.compile(r"[\s-]+")


def identifiers(attributes: Mapping[str, Any]) -> Iterator[Identifier]:
    """Yield every attribute that could be declared an identifier, with each of its values."""
    for name, given in attributes.items():
        for value in given if isinstance(given, list | tuple) else (given,):
            if isinstance(value, int) and not isinstance(value, bool):
                value = str(value)
            if isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST:
                yield attribute_key(name), value_key(value)


def unique(
    pairs: Iterable[Identifier], kind: str, declared: Mapping[str, Iterable[str]]
) -> Iterator[Identifier]:
    """Yield those that identify an entity of a type: declared for it, or usual."""
    own = {attribute_key(name) for name in declared.get(kind, ())}
    for name, value in pairs:
        if name not in own and name not in USUAL:
            if len(value) < _CLEARLY or not _KEY.search(name) or not any(map(str.isdigit, value)):
                continue
        yield name, value


def own_keys(pairs: Iterable[Identifier], kind: str) -> frozenset[Identifier]:
    """Return those that number the records of one list, however short: ``id``, ``employee_id``.

    They tell who is who inside one text. Elsewhere number 7 may be anybody, and ``department_id``
    is not the number of a person.
    """
    nouns = _NUMBERED[kind] if kind in _NUMBERED else frozenset[str]().union(*_NUMBERED.values())
    return frozenset(
        (name, value)
        for name, value in pairs
        if (match := _OWN.match(name)) and (match["of"] is None or match["of"] in nouns)
    )


def apart(pairs: Iterable[Identifier], others: Iterable[Identifier]) -> bool:
    """Tell whether two are numbered under one name, and otherwise."""
    left, right = set(pairs), set(others)
    return not left & right and bool({name for name, _ in left} & {name for name, _ in right})


def attribute_key(name: str) -> str:
    """Return the name of an attribute as it is compared: "E-Mail" is "email"."""
    words = _LIST.sub("_", unicodedata.normalize("NFKC", name).casefold().strip())
    return "email" if words in ("e_mail", "email_address", "e_mail_address", "mail") else words


def value_key(value: str) -> str:
    """Return the value of an identifier as it is compared."""
    key = unicodedata.normalize("NFKC", value).casefold().strip()
    return key.removeprefix("mailto:").removeprefix("https://").removeprefix("http://").rstrip("/")


Kind = Literal["born", "died", "year", "people", "phone", "maker", "model", "text", "address"]
Outcome = Literal["same", "like", "slip", "other"]

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("born", re.compile(r"(?:^|_)(?:birth|dob|born|birthday|birth_?date|date_?of_?birth)(?:_|$)")),
    ("died", re.compile(r"(?:^|_)(?:death|died|death_?date|date_?of_?death)(?:_|$)")),
    ("year", re.compile(r"^(?:year|published|released|(?:publication|release)_?(?:year|date))$")),
    ("people", re.compile(r"(?:^|_)(?:author|artist|director|composer|creator|performer)s?$")),
    ("phone", re.compile(r"(?:^|_)(?:phone|mobile|cell|tel|telephone|fax)(?:_|$)")),
    ("maker", re.compile(r"^(?:brand|maker|manufacturer|publisher)(?:_name)?$")),
    ("model", re.compile(r"^(?:model|part|mpn)(?:_?(?:no|nr|number|code|id))?$")),
    ("text", re.compile(r"^(?:description|abstract|details|features)$")),
    (
        "address",
        re.compile(
            r"^(?!(?:ip|mac|web|wallet)_)(?:.*_)?(?:address|addr|street|suburb|city|town|postcode|"
            r"postal|zip|zipcode)(?:_(?:address|line|number|name|code|\d+))*$"
        ),
    ),
)
_MONTHS = {
    name: number
    for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)
}
_PARTS = re.compile(r"\d+|[a-z]{3,}")
_YEARS = range(1000, 2200)
_SEVERAL = re.compile(r"\s*[;,|&]\s*|\s+and\s+")
_ADDRESS = 3
"""Words of an address below which it is only a town."""
_ONE_ADDRESS, _TWO_ADDRESSES = 0.8, 0.6
"""Likeness of the words of two addresses from which they are one, and below which they are two."""
_TEXT, _ONE_TEXT = 5, 85.0
"""Words of a description that says something, and the likeness of two of one thing."""
_LONG, _LONGER = 6, 9
"""Characters of an identifier in which one slip, and two, leave enough."""
_ONE_NAME = 0.8


@lru_cache(4_096)
def kind_of(name: str) -> Kind | None:
    """Return what an attribute of this name, as ``attribute_key`` gives it, is about."""
    return next((kind for kind, words in _KINDS if words.search(name)), None)


def particulars(pairs: Iterable[Identifier]) -> dict[Kind, list[str]]:
    """Return the values of each kind, in the order of their attributes' names."""
    values: dict[Kind, list[str]] = {}
    for name, value in sorted(pairs):
        if (kind := kind_of(name)) is not None:
            values.setdefault(kind, []).append(value)
    return values


def compared(
    own: Mapping[Kind, list[str]], others: Mapping[Kind, list[str]]
) -> dict[Kind, Outcome]:
    """Compare two sets of particulars by each kind that both have."""
    outcomes = {kind: _outcome(kind, own[kind], others[kind]) for kind in own if kind in others}
    return {kind: outcome for kind, outcome in outcomes.items() if outcome is not None}


def slipped(value: str, other: str) -> bool:
    """Tell whether two identifiers differ by no more than a slip of the pen."""
    from rapidfuzz.distance import OSA

    short, long = sorted((_bare(value), _bare(other)), key=len)
    if len(short) < _LONG - 1 or len(long) < _LONG:
        return False
    return OSA.distance(short, long) <= (2 if len(long) >= _LONGER else 1)


def _bare(value: str) -> str:
    return "".join(filter(str.isalnum, value))


def _outcome(kind: Kind, values: list[str], others: list[str]) -> Outcome | None:
    if values == others:
        return None if kind == "address" and _words(values) < _ADDRESS else "same"
    if kind == "address":
        return _addresses(values, others)
    if kind in ("born", "died", "year"):
        return _dates(values[0], others[0])
    if kind == "model":
        return "same" if _bare(values[0]) == _bare(others[0]) else "other"
    if kind == "text":
        return _texts(values, others)
    if kind == "people":
        return _people(values, others)
    if kind == "phone":
        shared = {_bare(value)[-7:] for value in values} & {_bare(value)[-7:] for value in others}
        return "same" if shared else None  # people have several
    return _makers(values[0], others[0])


def _words(values: list[str]) -> int:
    return len(" ".join(values).split())


def _addresses(values: list[str], others: list[str]) -> Outcome | None:
    """Compare the words of whole addresses, whatever parts they are given in."""
    from rapidfuzz import fuzz

    if min(_words(values), _words(others)) < _ADDRESS:
        return None
    ratio = fuzz.token_sort_ratio(*(folded(" ".join(each)) for each in (values, others))) / 100
    if ratio >= _ONE_ADDRESS:
        return "same"
    return "other" if ratio < _TWO_ADDRESSES else "like"


def _texts(values: list[str], others: list[str]) -> Outcome | None:
    """Compare descriptions: of one thing there are many, so that unlike ones say nothing."""
    from rapidfuzz import fuzz

    if min(_words(values), _words(others)) < _TEXT:
        return None
    return "same" if fuzz.token_set_ratio(" ".join(values), " ".join(others)) >= _ONE_TEXT else None


def _dates(value: str, other: str) -> Outcome | None:
    """Compare two dates, of which each may be a year, a month or a day, in any usual writing."""
    from rapidfuzz.distance import OSA

    if (first := _date(value)) is None or (second := _date(other)) is None:
        return None
    (year, rest), (other_year, other_rest) = first, second
    if year == other_year and rest == other_rest:
        return "same"
    if year == other_year and not (rest and other_rest):
        return "like"
    if not (rest and other_rest):
        return "other"
    written = _digits(year, rest)
    others = (_digits(other_year, order) for order in (other_rest, other_rest[::-1]))
    return "slip" if min(OSA.distance(written, like) for like in others) <= 1 else "other"


def _digits(year: int, rest: Iterable[int]) -> str:
    return f"{year}{''.join(f'{part:02}' for part in rest)}"


@lru_cache(REMEMBERED)
def _date(value: str) -> tuple[int, tuple[int, ...]] | None:
    """Return year and the rest of a date, smallest first: which is the month is not always said."""
    parts = [
        _MONTHS.get(part[:3], 0) if part.isalpha() else int(part)
        for part in _PARTS.findall(value.split("t")[0] if value[:4].isdigit() else value)
    ]
    if len(parts) == 1 and parts[0] > 10_000_000:
        parts = [parts[0] // 10_000, parts[0] // 100 % 100, parts[0] % 100]
    years = [part for part in parts if part in _YEARS]
    if not years:
        return None
    return years[0], tuple(sorted(part for part in parts if 0 < part < 32))


def _people(values: list[str], others: list[str]) -> Outcome | None:
    """Compare lists of people by their last words, in any order."""
    left, right = _families(values), _families(others)
    if not left or not right:
        return None
    short, long = sorted((left, right), key=len)
    matched = sum(any(_one_name(name, like) for like in long) for name in short)
    if matched == len(short) == len(long):
        return "same"
    return "like" if matched else "other"


def _families(values: list[str]) -> list[str]:
    names = (name for value in values for name in _SEVERAL.split(html.unescape(value)))
    plain = (folded(name.casefold()).split() for name in names)
    return [words[-1] for words in plain if words and any(map(str.isalpha, words[-1]))]


def _makers(value: str, other: str) -> Outcome:
    left, right = (folded(each).split() for each in (value, other))
    return "same" if left[:1] == right[:1] or not {*left}.isdisjoint(right) else "other"


def _one_name(name: str, other: str) -> bool:
    from rapidfuzz.distance import JaroWinkler

    return JaroWinkler.similarity(name, other) >= _ONE_NAME
