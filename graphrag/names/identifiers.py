"""Attributes that belong to one entity only: who has the same one is the same, whatever the name.

Which attributes those are is declared for each type, or one of the usual: an address, a number of a
book, a paper or a researcher, or a key of another system if it looks like one.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Identifier = tuple[str, str]
"""Name of the attribute and its value, both normalised."""

USUAL = frozenset("email mail url isbn issn orcid doi iban uuid ean gtin upc asin".split())
_KEY = re.compile(r"(?:^|_)(?:id|uid|guid)$")
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
    found: Iterable[Identifier], kind: str, declared: Mapping[str, Iterable[str]]
) -> Iterator[Identifier]:
    """Yield those that identify an entity of a type: declared for it, or usual."""
    own = {attribute_key(name) for name in declared.get(kind, ())}
    for name, value in found:
        if name in own or name in USUAL or (_KEY.search(name) and _clearly(value)):
            yield name, value


def attribute_key(name: str) -> str:
    """Return the name of an attribute as it is compared: "E-Mail" is "email"."""
    words = _LIST.sub("_", unicodedata.normalize("NFKC", name).casefold().strip())
    return "email" if words in ("e_mail", "email_address", "e_mail_address", "mail") else words


def value_key(value: str) -> str:
    """Return the value of an identifier as it is compared."""
    key = unicodedata.normalize("NFKC", value).casefold().strip()
    return key.removeprefix("mailto:").removeprefix("https://").removeprefix("http://").rstrip("/")


def _clearly(value: str) -> bool:
    return len(value) >= _CLEARLY and any(map(str.isdigit, value))
