"""Rule-based extraction: every reader on each sentence of a parse, without a model, network or key.

Precision before recall: questions, wishes, suppositions, denials and unclear pronouns give no
claim. The genre (letter, conversation, prose) decides who "I" is.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import anyio.to_thread

from graphrag.extract.rules import speakers, truth
from graphrag.extract.rules.clauses import clauses
from graphrag.extract.rules.clauses import denials as denied_clauses
from graphrag.extract.rules.kin import read_kin, read_pair
from graphrag.extract.rules.name import CandidateClaim, Name, finished
from graphrag.extract.rules.offices import read_offices
from graphrag.extract.rules.renames import note_former
from graphrag.extract.rules.scene import Discourse
from graphrag.extract.rules.sentence import Sentence
from graphrag.extract.rules.speakers import is_inside, letter_of, quoted, speaker_of
from graphrag.extract.rules.structure import read_structure
from graphrag.extract.rules.verbs import read_verb
from graphrag.local.parser import SCRIPT, parse, parse_ahead
from graphrag.model.extraction import Extraction
from graphrag.model.values import Episode
from graphrag.names.key import name_key
from graphrag.ontology.types import UNTYPED
from graphrag.protocols import ExtractionContext
from graphrag.text.markdown import prose_of

if TYPE_CHECKING:
    from spacy.tokens import Span


@dataclass(slots=True)
class Reader:
    """Reads one text's sentences."""

    scene: Discourse
    reference: datetime
    prefix: str = ""
    """Put before each sentence to make it readable alone: ``Caroline: ``."""
    corrects: bool = False
    taken_back: list[int] = field(default_factory=list)
    """Where ``scratch that,`` and its like ended."""
    drafts: list[CandidateClaim] = field(default_factory=list)
    """What was read so far."""
    dropped: list[str] = field(default_factory=list)
    """What is said and not read."""

    def read(self, sentence: "Span", offset: int) -> None:
        """Read the claims of a sentence whose paragraph starts at ``offset``.

        Quoted words state nothing.
        """
        quoted = is_inside(sentence.start_char, sentence.end_char, self.scene.quotes)
        drafts = list(self._stated(sentence, offset))
        self.drafts += [] if quoted else drafts

    def _stated(self, sentence: "Span", offset: int) -> Iterator[CandidateClaim]:
        start = offset + sentence.start_char
        corrects = self.corrects or any(abs(start - end) <= _NEAR for end in self.taken_back)
        line = Sentence(sentence, offset, self.scene, self.reference, self.prefix, corrects)
        if truth.is_unreal(sentence.text):
            return
        if truth.calls_off(sentence.text):
            self.dropped.append(f"{sentence.text!r}: {_OFF}")
        note_former(line)
        stated = list(clauses(sentence))
        for clause in stated:
            for subject in clause.subjects:
                if subject.pos_ == "PRON":
                    line.name(subject)  # "he": who that is counts even where nothing is read of him
        for clause in stated:
            clause.subjects = [
                member for word in clause.subjects for member in self.scene.members(word)
            ]
        yield from read_kin(line, stated)
        yield from read_offices(stated, line)
        for clause in stated:
            yield from read_pair(clause, line)
            yield from read_verb(clause, line)
        if any(denied_clauses(sentence)):
            self.dropped.append(f"{sentence.text!r}: {_NEVER}")


FIRST_PERSON = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|[Oo]ur)\b")
_OFF = "which plan is off or put off is not read: change it by edit.retract or edit.correct"
_NEVER = "what never was so is not read: take it back by edit.retract"
_NEAR = 20
"""Characters between the end of such words and the start of their sentence, either way."""


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

    async def prepare_texts(self, texts: Sequence[str]) -> None:
        """Parse texts together that will be read soon."""
        await anyio.to_thread.run_sync(parse_ahead, texts)


def _extract(context: ExtractionContext) -> Extraction:
    episode = context.episode
    if episode.source == "json":
        return read_structure(episode.content, episode.valid_at)
    said = speakers.turns(episode.content, episode.author)
    if said and (episode.source == "message" or speakers.is_dialogue(episode.content, said)):
        return _messages(said, episode, context.previous)
    read = _prose(episode)
    return replace(read, claims=()) if speakers.advises(episode.author) else read


def _prose(episode: Episode) -> Extraction:
    letter = letter_of(episode.content)
    author = episode.author or letter.author or speaker_of(letter.text)
    scene = Discourse(speaker=author, addressee=letter.addressee)
    prose = prose_of(letter.text)
    words, taken_back = truth.without_denials(prose.text)
    reader = Reader(scene, episode.valid_at, corrects=truth.is_correction(prose.text))
    reader.taken_back = taken_back
    titles, unsigned = list[Name](), 0
    for offset, doc in parse(words, borders=prose.borders, items=prose.items):
        scene.quotes, before = quoted(doc.text), set(scene.names)
        for sentence in doc.sents:
            own = author and FIRST_PERSON.search(sentence.text)
            reader.prefix = f"{author}: " if own else ""
            unsigned += not author and speakers.is_of_writer(sentence, scene.quotes)
            reader.read(sentence, offset)
        if offset in prose.headings:
            titles += [name for key, name in scene.names.items() if key not in before]
    for match in SCRIPT.finditer(episode.content):
        if (name := scene.names.get(name_key(match["name"]))) is not None:
            name.aliases.append(match["alias"].strip())
    used = {id(end) for draft in reader.drafts for end in (draft.subject, draft.object)}
    # Who only writes is not spoken of; "Paper" above a paragraph is no thing called Paper.
    silent = {id(name) for name in titles if name.entity_type == UNTYPED} - used
    silent |= {id(scene.speaker), id(scene.addressee)} - used
    names = (name for name in scene.names.values() if id(name) not in silent)
    read = finished(names, reader.drafts)
    return replace(read, dropped=(*speakers.unsaid(unsigned), *reader.dropped))


def _messages(
    said: list[speakers.Turn], episode: Episode, previous: tuple[Episode, ...]
) -> Extraction:
    known = list(dict.fromkeys(turn.speaker for turn in said))
    for other in previous:
        if other.source == "message":
            known += [turn.speaker for turn in speakers.turns(other.content, other.author)]
    known = list(dict.fromkeys(known))
    names, drafts = list[Name](), list[CandidateClaim]()
    dropped = list[str]()
    for turn in said:
        others = [name for name in known if name not in ("", turn.speaker)]
        scene = Discourse(speaker=turn.speaker, addressee=others[0] if len(others) == 1 else "")
        prefix = f"{turn.speaker}: " if turn.speaker else ""
        reader = Reader(scene, episode.valid_at, prefix=prefix)
        prose = prose_of(turn.words)
        words, taken_back = truth.without_denials(prose.text)
        reader.taken_back = [turn.start + end for end in taken_back]
        for offset, doc in parse(words, borders=prose.borders, items=prose.items):
            scene.quotes = quoted(doc.text)
            for sentence in doc.sents:
                reader.read(sentence, turn.start + offset)
        # What an assistant says is kept as text and for its names.
        if not speakers.advises(turn.speaker):
            drafts += reader.drafts
            dropped += reader.dropped
        for name in scene.names.values():
            if name is scene.speaker:
                name.start, name.end = turn.line_start, turn.line_start + len(turn.speaker)
        names += scene.names.values()
    return replace(finished(names, drafts), dropped=tuple(dropped))
