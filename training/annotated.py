"""Annotated texts: read, checked and counted. The guide says how they are written.

``python -m training.annotated FILES`` names every mistake with its file and line, and counts.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graphrag.extract.neural.annotation import FLAGS, ROLES

RELATIONS: Final = tuple(
    sorted(
        (
            "works_at has_role leads reports_to responsible_for works_on member_of plays_for "
            "coaches commands succeeds represents scheduled_for substitutes_for founded owns "
            "part_of supplies customer_of works_with sponsors insured_by has_contract_with "
            "operates produces sells rents hosts organises replaces has_name lives_in located_in "
            "comes_from born_in died_in meets_in performs_at born_on died_on takes_place_on due_on "
            "valid_until costs earns pays has_capacity has_population has_size has_limit "
            "has_version has_contact has_age has_status married_to engaged_to partner_of parent_of "
            "sibling_of relative_of friend_of lives_with has_pet studies_at studies has_degree "
            "taught_by teaches has_condition allergic_to takes treated_by had_procedure has_diet "
            "likes dislikes plays speaks uses subscribed_to has_access holds_licence requires "
            "enabled_for supports runs_on author_of created fixed won"
        ).split()
    )
)
"""What may be stated; a network's numbers of them are their places here."""
KINDS: Final = "poltrcvsnd"
"""The first letters of ids: the first is kind 1 of the network, and so on."""
WRITER: Final = "p0"
"""The id of the author whom a heading names."""
_ID = re.compile(rf"\|([{KINDS}]\d+)$")
_LEFT_OVER = re.compile(r"\|[a-z]\d")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_SHORTEST = 3
"""Words of a fact: subject, relation, object."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters ``start:end`` of a text that mean something."""

    start: int
    end: int
    id: str

    @property
    def kind(self) -> int:
        """Return what it is, as the network numbers it."""
        return KINDS.index(self.id[0]) + 1


@dataclass(frozen=True, slots=True)
class Fact:
    """What a line of a text states, by the ids of its mentions."""

    subject: str
    relation: str
    object: str
    start: int
    """Where the line that states it begins in the text."""
    end: int
    dates: tuple[tuple[str, str], ...] = ()
    """What a date is to it ("from"), and its id."""
    flags: frozenset[str] = frozenset()
    denied: bool = False
    """A careless reader would take it, but the text does not state it."""


@dataclass(frozen=True, slots=True)
class Text:
    """One annotated text."""

    where: str
    """File and line of its heading."""
    written: str
    genre: str
    author: str | None
    text: str
    mentions: tuple[Mention, ...]
    facts: tuple[Fact, ...]


class AnnotationError(ValueError):
    """Texts have mistakes; the message is one line for each, with its file and line."""


def texts_of(paths: Iterable[Path]) -> list[Text]:
    """Return the texts of some files.

    Raises:
        AnnotationError: if they have mistakes.
    """
    texts, mistakes = read(paths)
    if mistakes:
        raise AnnotationError("\n".join(mistakes))
    return texts


def read(paths: Iterable[Path]) -> tuple[list[Text], list[str]]:
    """Return the texts of some files, and their mistakes; facts with a mistake are left out."""
    texts: list[Text] = []
    mistakes: list[str] = []
    for path in paths:
        draft: _Draft | None = None
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
            where = f"{path}:{number}"
            try:
                if line.startswith("## "):
                    texts += [draft.text()] if draft else []
                    draft = None
                    draft = _Draft(where, line)
                elif draft is not None and line.strip():
                    draft.add(line)
            except ValueError as error:
                mistakes.append(f"{where}: {error}")
        texts += [draft.text()] if draft else []
    return texts, mistakes


class _Draft:
    """A text of which not all lines are read."""

    def __init__(self, where: str, heading: str) -> None:
        written, *rest = (part.strip() for part in heading[3:].split("|"))
        if not _DATE.fullmatch(written):
            raise ValueError(f"{written!r} is no date like 2019-09-24")
        self._where = where
        self._written = written
        self._genre = rest[0] if rest else ""
        authors = [part.removeprefix("author=") for part in rest if part.startswith("author=")]
        self._author = authors[0].strip() if authors else None
        self._text = ""
        self._line = (0, 0)
        self._mentions: list[Mention] = []
        self._facts: list[Fact] = []

    def text(self) -> Text:
        """Return what was read."""
        return Text(
            self._where,
            self._written,
            self._genre,
            self._author,
            self._text,
            tuple(self._mentions),
            tuple(self._facts),
        )

    def add(self, line: str) -> None:
        """Read one more line.

        Raises:
            ValueError: if it has a mistake.
        """
        if line.startswith(">"):
            self._facts.append(self._fact(line[1:].strip()))
            return
        body = line.rstrip(" ¶")
        breaks = line.count("¶", len(body))
        plain, found = _marked(body)
        at = len(self._text)
        self._text += plain + ("\n" * breaks or " ")
        self._line = at, at + len(plain)
        self._mentions += [Mention(at + start, at + end, id) for start, end, id in found]
        if _LEFT_OVER.search(plain):
            raise ValueError(f"a mark is left in {plain!r}")

    def _fact(self, line: str) -> Fact:
        words = iter(line.lstrip("! ").split())
        subject, relation, target = (next(words, "") for _ in range(_SHORTEST))
        if not target:
            raise ValueError("a fact needs a subject, a relation and an object")
        if relation not in RELATIONS:
            raise ValueError(f"unknown relation {relation!r}")
        dates: dict[str, str] = {}
        flags = set()
        for word in words:
            if word in ROLES:
                dates[word] = next(words, "")
            elif word in FLAGS:
                flags.add(word)
            else:
                raise ValueError(f"what is {word!r}?")
        known = {mention.id for mention in self._mentions} | ({WRITER} if self._author else set())
        for one in (subject, target, *dates.values()):
            if one not in known:
                raise ValueError(f"{one!r} is not marked in this or an earlier line")
        return Fact(
            subject,
            relation,
            target,
            *self._line,
            tuple(dates.items()),
            frozenset(flags),
            line.startswith("!"),
        )


def _marked(line: str) -> tuple[str, list[tuple[int, int, str]]]:
    """Return a line without its marks, and what was marked; other brackets stay."""
    opened: list[int] = []
    marks: list[tuple[int, int, str]] = []
    dropped: set[int] = set()
    for place, sign in enumerate(line):
        if sign == "[":
            opened.append(place)
        elif sign == "]" and opened:
            start = opened.pop()
            if found := _ID.search(line, start, place):
                marks.append((start, found.start(), found[1]))
                dropped.update((start, *range(found.start(), place + 1)))
    kept = [place not in dropped for place in range(len(line))]
    plain = "".join(sign for sign, keep in zip(line, kept, strict=True) if keep)
    return plain, [(sum(kept[:start]), sum(kept[:end]), id) for start, end, id in marks]


def _report(texts: list[Text]) -> Iterator[str]:
    """Yield what the texts hold, in numbers."""
    for text in texts:
        if not text.facts:
            yield f"{text.where}: no facts"
    facts = [fact for text in texts for fact in text.facts]
    counts = Counter(fact.relation for fact in facts if not fact.denied)
    words = sum(len(text.text.split()) for text in texts)
    yield (
        f"{len(texts)} texts, {words} words, {counts.total()} facts, "
        f"{len(facts) - counts.total()} traps"
    )
    yield ", ".join(f"{relation} {count}" for relation, count in counts.most_common())
    yield "never used: " + (", ".join(sorted(set(RELATIONS) - set(counts))) or "none")


def main(arguments: list[str] | None = None) -> int:
    """Name the mistakes of files, and count what they hold."""
    parser = argparse.ArgumentParser(prog="python -m training.annotated", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    texts, mistakes = read(parser.parse_args(arguments).files)
    sys.stdout.write("\n".join((*mistakes, *_report(texts))) + "\n")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
