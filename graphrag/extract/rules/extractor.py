"""Read episodes by rules on a parse: no language model, no network, no key.

Precision comes before recall: a wrong fact costs more than a missing one, so whatever is asked,
wished, supposed, denied or unclear in its pronouns gives no claim.

Speaker turns in a text: ``name: words`` on a line, with where the words stand.

A text's sentences to claims, one after the other, in one scene.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import anyio.to_thread

from graphrag.extract.rules.clauses import clauses
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.renames import note_former
from graphrag.extract.rules.roles import (
    COPULAS,
    OPENING,
    read_copula,
    read_nouns,
    read_pair,
    read_status,
)
from graphrag.extract.rules.scene import SPEECH, Scene, is_inside, quoted
from graphrag.extract.rules.structure import read_structure
from graphrag.extract.rules.verbs import read_verb
from graphrag.local.parser import SCRIPT, parse
from graphrag.model.extraction import Extraction
from graphrag.model.values import Episode
from graphrag.names.key import name_key
from graphrag.ontology.types import UNTYPED
from graphrag.protocols import ExtractionContext
from graphrag.text.markdown import prose_of

_TURN = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,40}\][ \t]*)?"  # "[10:02] "
    r"(?P<speaker>[^\W\d_][\w .'’-]{0,40}?)[ \t]*:[ \t]+(?P<words>\S.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says; ``start`` is where the words begin in the text."""

    speaker: str
    words: str
    start: int
    line_start: int


def turns(text: str) -> list[Turn]:
    """Return the turns of a text; lines without a speaker continue the turn before them."""
    found = list(_TURN.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)][: len(found)]
    return [
        Turn(
            match["speaker"].strip(),
            text[match.start("words") : end].rstrip(),
            match.start("words"),
            match.start(),
        )
        for match, end in zip(found, ends, strict=True)
    ]


if TYPE_CHECKING:
    from spacy.tokens import Span

_PERSONAL = SPEECH | {"think", "know", "believe", "feel", "laugh", "smile", "walk"}
"""Verbs whose subject is somebody."""


@dataclass(slots=True)
class Reader:
    """Reads one text's sentences."""

    scene: Scene
    reference: datetime
    prefix: str = ""
    """Put before each sentence to make it readable alone: ``Caroline: ``."""
    corrects: bool = False

    def read(self, sentence: "Span", offset: int) -> Iterator[Draft]:
        """Yield the claims of a sentence whose paragraph starts at ``offset``.

        Of quoted words only what speakers say of themselves counts.
        """
        quoted = is_inside(sentence.start_char, sentence.end_char, self.scene.quotes)
        for draft in self._stated(sentence, offset):
            if not quoted or draft.subject is self.scene.voice:
                yield draft

    def _stated(self, sentence: "Span", offset: int) -> Iterator[Draft]:
        line = Line(sentence, offset, self.scene, self.reference, self.prefix, self.corrects)
        note_former(line)
        stated = list(clauses(sentence))
        for clause in stated:
            if clause.lemma in _PERSONAL and not clause.passive:
                for subject in clause.subjects:
                    name = line.name(subject) if subject.pos_ == "PROPN" else None
                    if name is not None:
                        name.votes["person"] += 2
        for clause in stated:
            yield from read_pair(clause, line)
            if clause.lemma in COPULAS and not clause.arguments.get("dobj"):
                yield from read_copula(clause, line)
            elif clause.lemma in OPENING and not clause.arguments.get("dobj"):
                yield from read_status(clause, line)
            else:
                yield from read_verb(clause, line)
        yield from read_nouns(line)


_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|[Oo]ur)\b")
_CORRECTION = re.compile(r"^\W*(?:correction|erratum|clarification)\b", re.IGNORECASE)


class RulesExtractor:
    """Extract by rules: JSON from its structure, text and messages from a spaCy parse."""

    looks_at_graph = False
    """It reads texts alone, so that a batch may read ahead of what is stored."""

    def __repr__(self) -> str:
        """Show that there is nothing to configure."""
        return "RulesExtractor()"

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return what the episode states; parsing happens in a thread.

        Raises:
            MissingExtraError: if the text needs spaCy and it is not installed.
        """
        return await anyio.to_thread.run_sync(_extract, context)


def _extract(context: ExtractionContext) -> Extraction:
    episode = context.episode
    if episode.source == "json":
        return read_structure(episode.content, episode.valid_at)
    if episode.source == "message" and (said := turns(episode.content)):
        return _messages(said, episode, context.previous)
    return _prose(episode)


def _prose(episode: Episode) -> Extraction:
    scene, prose = Scene(speaker=episode.author or ""), prose_of(episode.content)
    reader = Reader(scene, episode.valid_at, corrects=bool(_CORRECTION.match(prose.text)))
    drafts: list[Draft] = []
    titles: list[Name] = []
    for offset, doc in parse(prose.text, borders=prose.borders, items=prose.items):
        scene.quotes, before = quoted(doc.text), set(scene.names)
        for sentence in doc.sents:
            own = episode.author and _FIRST_PERSON.search(sentence.text)
            reader.prefix = f"{episode.author}: " if own else ""
            drafts += reader.read(sentence, offset)
        if offset in prose.headings:
            titles += [name for key, name in scene.names.items() if key not in before]
    for match in SCRIPT.finditer(episode.content):
        name = scene.names.get(name_key(match["name"]))
        if name is not None:
            name.aliases.append(match["alias"].strip())
    used = {id(end) for draft in drafts for end in (draft.subject, draft.object)}
    # Who only writes is not spoken of; "Paper" above a paragraph is no thing called Paper.
    silent = {id(name) for name in titles if name.entity_type == UNTYPED} | {id(scene.speaker)}
    names = (name for name in scene.names.values() if id(name) in used or id(name) not in silent)
    return _finished(names, drafts)


def _messages(said: list[Turn], episode: Episode, previous: tuple[Episode, ...]) -> Extraction:
    speakers = list(dict.fromkeys(turn.speaker for turn in said))
    known = list(speakers)
    for other in previous:
        if other.source == "message":
            known += [turn.speaker for turn in turns(other.content)]
    known = list(dict.fromkeys(known))
    names: list[Name] = []
    drafts: list[Draft] = []
    for turn in said:
        others = [name for name in known if name != turn.speaker]
        scene = Scene(speaker=turn.speaker, addressee=others[0] if len(others) == 1 else "")
        reader = Reader(scene, episode.valid_at, prefix=f"{turn.speaker}: ")
        for offset, doc in parse(turn.words):
            for sentence in doc.sents:
                drafts += reader.read(sentence, turn.start + offset)
        for name in scene.names.values():
            if name is scene.speaker:
                name.start, name.end = turn.line_start, turn.line_start + len(turn.speaker)
        names += scene.names.values()
    return _finished(names, drafts)


def _finished(names: Iterable[Name], drafts: list[Draft]) -> Extraction:
    names = list(names)
    used = {id(draft.subject) for draft in drafts} | {id(draft.object) for draft in drafts}
    mentions = [name.mention() for name in names if name.named or id(name) in used]
    claims = dict.fromkeys(draft.finished() for draft in drafts)
    return Extraction(tuple(dict.fromkeys(mentions)), tuple(claims))
