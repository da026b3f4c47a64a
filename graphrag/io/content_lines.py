"""Content lines, the common form of vCard (RFC 6350) and iCalendar (RFC 5545) files.

A line is ``NAME;PARAMETER=value:VALUE``, long ones are folded, and values escape commas, semicolons
and line ends. Only what contacts and meetings need is read; everything else is passed over.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag.errors import InputError

_LONGEST = 4_000_000
"""Characters of a line: photos are lines of base64."""
_FOLD = re.compile(r"\r?\n[ \t]")
_HEAD = re.compile(r'(?P<name>[\w.-]+)(?P<parameters>(?:;[\w-]+(?:=(?:"[^"]*"|[^":;]*))?)*):')
_PARAMETER = re.compile(r';(?P<name>[\w-]+)(?:=(?P<value>"[^"]*"|[^":;]*))?')
_ESCAPE = re.compile(r"\\([\\,;:nN])")


@dataclass(frozen=True, slots=True)
class Line:
    """One property of a component."""

    name: str
    value: str
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return the value as a person reads it."""
        return unescaped(self.value).strip()

    def parts(self, mark: str = ";") -> list[str]:
        """Return the parts of a compound value."""
        return [unescaped(part).strip() for part in _split(self.value, mark)]


def components(text: str, kind: str, *, what: str) -> Iterator[Sequence[Line]]:
    """Yield the lines of each component of one kind, those of components inside it left out.

    Raises:
        InputError: if a component is never ended, there is none at all, or a line is too long.
    """
    depth, found = 0, False
    inside: list[Line] = []
    for line in _lines(text, what):
        mark = line.value.strip().upper()
        if line.name == "BEGIN" and (depth or mark == kind):
            depth += 1
            found = True
        elif line.name == "END" and depth:
            depth -= 1
            if depth == 0:
                yield inside
                inside = []
        elif depth == 1:
            inside.append(line)
    if depth:
        raise InputError(f"{what}: a {kind} is not ended; the file is cut off")
    if not found and text.strip() and "BEGIN:" not in text.upper():
        raise InputError(f"{what} holds no {kind}")


def unescaped(value: str) -> str:
    """Return a value without its escapes."""
    return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def _lines(text: str, what: str) -> Iterator[Line]:
    for raw in _FOLD.sub("", text.lstrip("\ufeff")).splitlines():
        if len(raw) > _LONGEST:
            raise InputError(
                f"{what}: the line that begins {raw[:20]!r} has more than {_LONGEST:,} characters"
            )
        if head := _HEAD.match(raw):
            parameters = {
                found["name"].upper(): (found["value"] or "").strip('"')
                for found in _PARAMETER.finditer(head["parameters"])
            }
            # "item1.EMAIL" is an EMAIL: the group only ties it to its label.
            name = head["name"].rpartition(".")[2].upper()
            yield Line(name, raw[head.end() :], parameters)


def _split(value: str, mark: str) -> list[str]:
    return re.split(rf"(?<!\\){re.escape(mark)}", value)
