"""Contacts: people with their addresses and companies, from vCard or CSV files or dictionaries."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphrag.errors import InputError, MissingExtraError
from graphrag.ingest.given import End, GivenFact, given_end, given_fact
from graphrag.io.files import read_whole
from graphrag.io.tables import read_file
from graphrag.model.checks import shown
from graphrag.model.values import JSON
from graphrag.names.key import name_key

Row = dict[str, Any]
Contacts = str | Path | Iterable[Mapping[str, Any]]
"""A ``.vcf``, ``.csv`` or ``.tsv`` file, or dictionaries with the fields of ``Contact``."""


@dataclass(frozen=True, slots=True)
class Contact:
    """A person of an address book."""

    name: str
    email: Sequence[str] = ()
    phone: Sequence[str] = ()
    company: str = ""
    title: str = ""  # their position there
    aliases: Sequence[str] = ()


_FIELDS = ("name", "email", "phone", "company", "title", "aliases")
_SEVERAL = ("email", "phone", "aliases")
_HEADERS = {
    header: field
    for field, headers in {
        "name": "name, full name, fullname, display name",
        "given": "first name, given name",
        "family": "last name, family name, surname",
        "email": "email, e mail, email address, e mail address, e mail value, mail",
        "phone": "phone, telephone, phone number, phone value, mobile phone, business phone, "
        "home phone, primary phone, mobile",
        "company": "company, organization, organisation, organization name, employer",
        "title": "title, job title, organization title, role, position",
        "aliases": "alias, aliases, nickname, nick name",
    }.items()
    for header in headers.split(", ")
}
"""Column names in exported address books, without digits and punctuation."""
_LONGEST = 4_000_000  # characters of a line: photos are lines of base64
_MARKS = re.compile(r"[\W\d_]+")
_SEVERAL_IN = re.compile(r"\s*(?:;|:::)\s*")


def read_contacts(contacts: Contacts) -> Iterator[tuple[str, Contact]]:
    """Yield contacts, each with what to call it in an error."""
    placed: Iterator[tuple[str, Mapping[str, Any]]]
    if not isinstance(contacts, str | Path):
        placed = checked_rows(contacts, "contact", _FIELDS)
    elif Path(contacts).suffix.casefold() in (".csv", ".tsv"):
        placed = _table_rows(Path(contacts))
    else:
        placed = _card_rows(Path(contacts))
    for place, row in placed:
        yield place, _contact(row, place)


def checked_rows(
    rows: Iterable[Mapping[str, Any]], what: str, fields: Sequence[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield dictionaries with these fields, each with what to call it in an error."""
    for number, row in enumerate(rows, 1):
        place = f"{what} {number}: "
        if not isinstance(row, Mapping):
            raise InputError(f"{place}{shown(row)} is no dictionary")
        if unknown := [name for name in row if name not in fields]:
            use = ", ".join(fields)
            raise InputError(f"{place}there is no field {shown(unknown[0])}: use {use}")
        yield place, row


def contact_end(contact: Contact) -> End:
    """Return the person, to be found by e-mail first."""
    attributes: dict[str, JSON] = {}
    for name, values in (("email", contact.email), ("phone", contact.phone)):
        if values:
            attributes[name] = values[0] if len(values) == 1 else list(values)
    return given_end(contact.name, "person", aliases=tuple(contact.aliases), attributes=attributes)


def contact_facts(
    contact: Contact, place: str, *, reference_time: Any, source: str | None
) -> Iterator[GivenFact]:
    """Yield what a contact says of a person."""
    person = contact_end(contact)
    for relation, value, kind in (
        ("works_at", contact.company, "organization"),
        ("has_role", contact.title, "concept"),
    ):
        if name_key(value) and name_key(value) != name_key(contact.name):
            yield given_fact(
                person,
                relation,
                given_end(value, kind, what=relation),
                reference_time=reference_time,
                source=source,
                origin="structural",
                place=place,
            )


def read_text(path: Path) -> str:
    """Return the text of a file."""
    try:
        text = read_whole(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None
    for line in text.splitlines():
        if len(line) > _LONGEST:
            begins = f"the line that begins {line[:20]!r}"
            raise InputError(f"{path}: {begins} has more than {_LONGEST:,} characters")
    return text


def _card_rows(path: Path) -> Iterator[tuple[str, Row]]:
    text = read_text(path)
    try:
        from vobject.base import VObjectError, readComponents
    except ImportError:
        raise MissingExtraError("reading a vCard file", "interchange") from None
    number = 0
    try:
        # Lines that are none are passed over; quoted-printable is how version 2.1 writes letters.
        for card in readComponents(text, ignoreUnreadable=True, allowQP=True):
            if card.name == "VCARD":
                number += 1
                yield f"{path.name}, contact {number}: ", _card_row(card.contents)
    except (VObjectError, ValueError, LookupError) as error:
        raise InputError(f"{path}: the VCARD after contact {number}: {error}") from None
    if not number and text.strip():
        raise InputError(f"{path} holds no VCARD")


def _card_row(lines: Mapping[str, Sequence[Any]]) -> Row:
    def texts(name: str) -> list[str]:
        return [text for line in lines.get(name, ()) if (text := str(line.value).strip())]

    names = texts("fn")
    if not names and "n" in lines:
        parts = lines["n"][0].value
        given = (parts.given, parts.additional, parts.family)
        names = [" ".join(filter(None, map(_joined, given)))]
    emails = [email.removeprefix("mailto:") for email in texts("email")]
    organizations = [_joined(line.value[0]).strip() for line in lines.get("org", ())]
    return {
        "name": next(iter([*filter(None, names), *emails]), ""),
        "email": tuple(dict.fromkeys(emails)),
        "phone": tuple(number.removeprefix("tel:") for number in texts("tel")),
        "company": next(iter(organizations), ""),
        "title": next(iter(texts("title") or texts("role")), ""),
        "aliases": tuple(
            part.strip() for text in texts("nickname") for part in text.split(",") if part.strip()
        ),
    }


def _joined(part: str | Sequence[str]) -> str:
    return part if isinstance(part, str) else " ".join(part)


def _table_rows(path: Path) -> Iterator[tuple[str, Row]]:
    """Yield the contacts of a table as Google, Outlook and others export it."""
    for place, row in read_file(path):
        if isinstance(row, InputError):
            raise InputError(f"{place}{row}")
        cells: dict[str, list[str]] = {}
        known = {name: _HEADERS.get(_MARKS.sub(" ", name.casefold()).strip()) for name in row}
        if not any(known.values()):
            raise InputError(f"{place}no column is known: name them {', '.join(_FIELDS)}")
        for name, field in known.items():
            if field is not None and (cell := (row[name] or "").strip()):
                cells.setdefault(field, []).append(cell)
        yield place, _table_row(cells)


def _table_row(cells: Mapping[str, Sequence[str]]) -> Row:
    parts = [cells[field][0] for field in ("given", "family") if field in cells]

    def first(field: str) -> str:
        return next(iter(cells.get(field, ())), "")

    def every(field: str) -> tuple[str, ...]:
        texts = (part.strip() for cell in cells.get(field, ()) for part in _SEVERAL_IN.split(cell))
        return tuple(dict.fromkeys(filter(None, texts)))

    return {
        "name": first("name") or " ".join(parts) or first("email"),
        **{field: every(field) for field in _SEVERAL},
        **{field: first(field) for field in ("company", "title")},
    }


def _contact(row: Mapping[str, Any], place: str) -> Contact:
    given: dict[str, Any] = {"name": ""}
    for name, value in row.items():
        if value is None:
            continue
        if name in _SEVERAL:
            value = tuple(value) if isinstance(value, list | tuple | set) else (value,)
        for text in value if name in _SEVERAL else (value,):
            if not isinstance(text, str):
                raise InputError(f"{place}{name} is {shown(text)}: expected text")
        given[name] = value
    if not name_key(given["name"]):
        raise InputError(f"{place}it has neither a name nor an e-mail address")
    return Contact(**given)
