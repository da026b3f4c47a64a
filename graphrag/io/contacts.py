"""Contacts: people with their addresses and companies, from vCard or CSV files or dictionaries."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphrag.errors import InputError
from graphrag.ingest.given import End, GivenFact, given_end, given_fact
from graphrag.io.content_lines import Line, components
from graphrag.io.files import read_whole
from graphrag.io.tables import read_file
from graphrag.model.checks import shown
from graphrag.model.values import JSON
from graphrag.names.key import name_key

Contacts = str | Path | Iterable[Mapping[str, Any]]
"""A ``.vcf``, ``.csv`` or ``.tsv`` file, or dictionaries with the fields of ``Contact``."""


@dataclass(frozen=True, slots=True)
class Contact:
    """A person of an address book."""

    name: str
    email: Sequence[str] = ()
    phone: Sequence[str] = ()
    company: str = ""
    title: str = ""
    """What they do there."""
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
"""What address books call the columns of their tables, without digits and marks."""
_MARKS = re.compile(r"[\W\d_]+")
_SEVERAL_IN = re.compile(r"\s*(?:;|:::)\s*")


def read_contacts(contacts: Contacts) -> Iterator[tuple[str, Contact]]:
    """Yield contacts, each with what to call it in an error.

    Raises:
        InputError: naming the contact that cannot be used.
    """
    if isinstance(contacts, str | Path):
        path = Path(contacts)
        if path.suffix.casefold() in (".csv", ".tsv"):
            for place, row in read_file(path):
                if isinstance(row, InputError):
                    raise InputError(f"{place}{row}")
                yield place, _checked(_of_table(row, place), place)
            return
        for number, lines in enumerate(components(read_text(path), "VCARD", what=str(path)), 1):
            place = f"{path.name}, contact {number}: "
            yield place, _checked(_of_card(lines), place)
    else:
        for number, row in enumerate(contacts, 1):
            place = f"contact {number}: "
            if not isinstance(row, Mapping):
                raise InputError(f"{place}{shown(row)} is no dictionary")
            if unknown := [name for name in row if name not in _FIELDS]:
                raise InputError(
                    f"{place}there is no field {shown(unknown[0])}: use {', '.join(_FIELDS)}"
                )
            given: dict[str, Any] = {
                name: _several(value) if name in _SEVERAL else value
                for name, value in row.items()
                if value is not None
            }
            yield place, _checked(Contact(**{"name": "", **given}), place)


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
    """Return the text of a file.

    Raises:
        InputError: if there is none, or it is too large to be read as a whole.
    """
    try:
        return read_whole(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None


def _of_card(lines: Sequence[Line]) -> Contact:
    def texts(name: str) -> list[str]:
        return [line.text for line in lines if line.name == name and line.text]

    names = texts("FN")
    for line in lines:
        if line.name == "N" and not names:
            family, given, middle, *_ = [*line.parts(), "", "", ""]
            names = [" ".join(filter(None, (given, middle, family)))]
    emails = [email.removeprefix("mailto:") for email in texts("EMAIL")]
    company = next((line.parts()[0] for line in lines if line.name == "ORG"), "")
    return Contact(
        name=next(iter(names), "") or next(iter(emails), ""),
        email=tuple(dict.fromkeys(emails)),
        phone=tuple(number.removeprefix("tel:") for number in texts("TEL")),
        company=company,
        title=next(iter(texts("TITLE") or texts("ROLE")), ""),
        aliases=tuple(
            part for line in lines if line.name == "NICKNAME" for part in line.parts(",") if part
        ),
    )


def _of_table(row: Mapping[str, Any], place: str) -> Contact:
    """Return the contact of a row as Google, Outlook and others export it."""
    cells: dict[str, list[str]] = {}
    known = {name: _HEADERS.get(_MARKS.sub(" ", name.casefold()).strip()) for name in row}
    if not any(known.values()):
        raise InputError(f"{place}no column is known: name them {', '.join(_FIELDS)}")
    for name, field in known.items():
        if field is not None and (cell := (row[name] or "").strip()):
            cells.setdefault(field, []).append(cell)
    parts = [cells[field][0] for field in ("given", "family") if field in cells]

    def first(field: str) -> str:
        return cells.get(field, [""])[0]

    def every(field: str) -> tuple[str, ...]:
        found = (part.strip() for cell in cells.get(field, ()) for part in _SEVERAL_IN.split(cell))
        return tuple(dict.fromkeys(filter(None, found)))

    return Contact(
        name=first("name") or " ".join(parts) or first("email"),
        email=every("email"),
        phone=every("phone"),
        company=first("company"),
        title=first("title"),
        aliases=every("aliases"),
    )


def _several(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple | set) else (value,)


def _checked(contact: Contact, place: str) -> Contact:
    for name in _FIELDS:
        value = getattr(contact, name)
        for one in value if name in _SEVERAL else (value,):
            if not isinstance(one, str):
                raise InputError(f"{place}{name} is {shown(one)}: expected text")
    if not name_key(contact.name):
        raise InputError(f"{place}it has neither a name nor an e-mail address")
    return contact
