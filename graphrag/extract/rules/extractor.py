"""Read episodes by rules on a parse: no language model, no network, no key.

Precision comes before recall: a wrong fact costs more than a missing one, so whatever is asked,
wished, supposed, denied or unclear in its pronouns gives no claim.

A text is a letter, a conversation or plain prose: that tells who says "I", and what is no sentence.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import anyio.to_thread

from graphrag.extract.rules import denials, particulars, speakers, truth
from graphrag.extract.rules.affiliation import (
    CLAUSE_READERS,
    lines_of,
    read_beside,
    read_career,
    without_career,
)
from graphrag.extract.rules.aftermath import follow_up, inherited, read_known
from graphrag.extract.rules.cancelling import read_cancelling
from graphrag.extract.rules.clauses import Clause, clauses
from graphrag.extract.rules.complements import (
    read_affiliation,
    read_complement,
    read_having,
    read_place,
)
from graphrag.extract.rules.expiry import limit, read_expiry
from graphrag.extract.rules.figures import read_figures
from graphrag.extract.rules.kin import read_kin, read_pair
from graphrag.extract.rules.letter import letter_of, read_signature, speaker_of
from graphrag.extract.rules.lifetime import CANCELLED
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name, finished
from graphrag.extract.rules.notes import read_note, topic_of
from graphrag.extract.rules.offices import read_offices
from graphrag.extract.rules.phrasebook import read_constructions
from graphrag.extract.rules.phrases import Phrase
from graphrag.extract.rules.renames import note_former, without_names
from graphrag.extract.rules.scene import SPEECH, Scene, is_inside, quoted
from graphrag.extract.rules.slips import Slip, mend, mend_earlier, slip_of
from graphrag.extract.rules.states import COPULAS, read_status
from graphrag.extract.rules.structure import read_structure
from graphrag.extract.rules.verbs import read_verb
from graphrag.local.parser import SCRIPT, parse
from graphrag.model.extraction import Claim, Extraction
from graphrag.model.values import Episode
from graphrag.names.key import name_key
from graphrag.ontology.types import UNTYPED
from graphrag.protocols import ExtractionContext
from graphrag.text.markdown import prose_of

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
    taken_back: list[int] = field(default_factory=list)
    """Where ``scratch that,`` and its like ended."""
    denied: list[int] = field(default_factory=list)
    """Where what was said before is denied."""
    drafts: list[Draft] = field(default_factory=list)
    """What was read so far."""
    before: list[Draft] = field(default_factory=list)
    """What was read of the turns before."""
    slips: list[Slip] = field(default_factory=list)
    """What is put right that the text does not say."""
    of_known: list[Draft] = field(default_factory=list)
    """What is said only of what the graph knows."""
    unnamed: list[Claim] = field(default_factory=list)
    """What is called off, or put off, of plans that the text does not tell of."""

    def read(self, sentence: "Span", offset: int) -> None:
        """Read the claims of a sentence whose paragraph starts at ``offset``.

        Of quoted words only what speakers say of themselves counts.
        """
        quoted = is_inside(sentence.start_char, sentence.end_char, self.scene.quotes)
        own = _FIRST_PERSON.search(sentence.text)
        known = len(self.drafts)
        for draft in self._stated(sentence, offset):
            if not quoted or (own and draft.subject is self.scene.voice):
                (self.of_known if draft.of_known else self.drafts).append(draft)
        limit(self.drafts[known:], sentence, self.reference)

    def deny(self, text: str, offset: int) -> None:
        """Read what a text says was never so."""
        reader = Reader(self.scene, self.reference, self.prefix, self.corrects, before=self.before)
        for start, doc in parse(denials.denied_in(text)):
            for sentence in doc.sents:
                reader.read(sentence, offset + start)
        for draft in reader.drafts:
            draft.life, draft.corrects = CANCELLED, True
            place = slice(draft.start - offset, draft.end - offset)
            draft.text = self.prefix + " ".join(text[place].split())
        self.drafts[:0] = reader.drafts

    def _stated(self, sentence: "Span", offset: int) -> Iterator[Draft]:
        start = offset + sentence.start_char
        corrects = self.corrects or any(abs(start - end) <= _NEAR for end in self.taken_back)
        corrects |= any(start <= at < offset + sentence.end_char for at in self.denied)
        line = Line(sentence, offset, self.scene, self.reference, self.prefix, corrects)
        if truth.is_unreal(sentence.text):
            return
        note_former(line)
        slip = slip_of(line)
        if slip is not None and mend(slip, line, [*self.before, *self.of_known, *self.drafts]):
            return
        if slip is not None:
            self.slips.append(slip)
        stated = list(clauses(sentence))
        for clause in stated:
            there = self.scene.antecedents.there(clause.verb)
            if there is not None:
                clause.arguments.setdefault("at", []).append(there)
            clause.subjects = [one for word in clause.subjects for one in self.scene.members(word)]
        for clause in stated:
            if clause.lemma in _PERSONAL and not clause.passive:
                for subject in clause.subjects:
                    name = line.name(subject) if subject.pos_ == "PROPN" else None
                    if name is not None:
                        name.votes["person"] += 2
        yield from read_kin(line, stated)
        for clause in stated:
            for subject in clause.subjects:
                if subject.pos_ == "PRON":
                    line.name(subject)  # "he": who that is counts even where nothing is read of him
        yield from read_offices(stated, line)
        for clause in stated:
            yield from _read(clause, line)
            yield from read_cancelling(clause, line, self.drafts, self.unnamed)
        yield from read_place(line)
        yield from read_affiliation(line)
        yield from read_beside(line)
        yield from read_constructions(line, stated, self.drafts)
        yield from follow_up(stated, line, self.drafts)
        yield from read_known(stated, line, self.drafts)
        yield from read_figures(line, stated, self.drafts)


def _read(clause: Clause, line: Line) -> Iterator[Draft]:
    yield from read_pair(clause, line)
    yield from read_status(clause, line)
    yield from read_having(clause, line)
    yield from read_expiry(clause, line)
    for read in CLAUSE_READERS:
        yield from read(clause, line)
    if clause.lemma in COPULAS:
        yield from read_complement(clause, line)
    yield from read_verb(clause, line)


_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|[Oo]ur)\b")
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


def _extract(context: ExtractionContext) -> Extraction:
    episode = context.episode
    if episode.source == "json":
        return read_structure(episode.content, episode.valid_at)
    said = speakers.turns(episode.content)
    if said and (episode.source == "message" or speakers.is_dialogue(episode.content, said)):
        return _messages(said, episode, context.previous)
    read = _prose(episode, context.previous)
    return replace(read, claims=(), of_known=()) if speakers.advises(episode.author) else read


def _prose(episode: Episode, previous: tuple[Episode, ...]) -> Extraction:
    letter = letter_of(episode.content)
    topic = topic_of(letter.text)
    author = episode.author or letter.author or speaker_of(letter.text)
    scene = Scene(speaker=author, addressee=letter.addressee, text=episode)
    prose = prose_of(letter.text)
    named = without_names(prose.text, 0, scene, episode.valid_at)
    reader_text, taken_back, denied = denials.without_denials(named)
    reader = Reader(scene, episode.valid_at, corrects=denials.is_correction(prose.text))
    reader.taken_back, reader.denied = taken_back, denied
    titles, unsigned = list[Name](), 0
    scene.implied = scene.speaker
    if topic is not None and scene.implied is None:
        words, at = topic
        scene.implied = scene.add(Phrase(words, at, at + len(words), True, (("person", 2),)), 0)
    scene.body = particulars.body_of(prose.text, scene)
    reader.drafts += particulars.read_attendance(prose.text, scene)
    reader.drafts += read_signature(letter, episode.content, scene)
    reader.drafts += particulars.read_lifespans(prose.text, scene, episode.valid_at)
    career = list(read_career(prose.text, scene, episode.valid_at))
    reader.drafts += career
    lines = lines_of(reader_text) if career else frozenset()
    plain = without_career(reader_text) if career else reader_text
    for offset, doc in parse(plain, borders=prose.borders | lines, items=prose.items | lines):
        scene.quotes, before = quoted(doc.text), set(scene.names)
        reader.drafts += read_note(doc.text, offset, scene, reader.reference)
        reader.drafts += particulars.read_contacts(doc.text, offset, scene)
        for sentence in doc.sents:
            own = author and _FIRST_PERSON.search(sentence.text)
            reader.prefix = f"{author}: " if own else ""
            unsigned += not author and speakers.is_of_writer(sentence, scene.quotes)
            reader.read(sentence, offset)
        if offset in prose.headings:
            titles += [name for key, name in scene.names.items() if key not in before]
    reader.deny(named, 0)
    reader.drafts += inherited(reader.drafts)
    for match in SCRIPT.finditer(episode.content):
        if (name := scene.names.get(name_key(match["name"]))) is not None:
            name.aliases.append(match["alias"].strip())
    used = {id(end) for draft in reader.drafts for end in (draft.subject, draft.object)}
    used |= {id(one.subject) for one in reader.of_known}
    # Who only writes is not spoken of; "Paper" above a paragraph is no thing called Paper.
    silent = {id(name) for name in titles if name.entity_type == UNTYPED} - used
    silent |= {id(scene.speaker), id(scene.addressee)} - used
    names = (name for name in scene.names.values() if id(name) not in silent)
    reader.unnamed += mend_earlier(reader.slips, previous, _claims)
    read = finished(names, reader.drafts, reader.unnamed, reader.of_known)
    return replace(read, dropped=speakers.unsaid(unsigned))


def _claims(episode: Episode) -> Sequence[Claim]:
    return _extract(ExtractionContext(episode)).claims


def _messages(
    said: list[speakers.Turn], episode: Episode, previous: tuple[Episode, ...]
) -> Extraction:
    known = list(dict.fromkeys(turn.speaker for turn in said))
    for other in previous:
        if other.source == "message":
            known += [turn.speaker for turn in speakers.turns(other.content)]
    known = list(dict.fromkeys(known))
    names, drafts, of_known = list[Name](), list[Draft](), list[Draft]()
    slips, unnamed, asked = list[Slip](), list[Claim](), ""
    for turn in said:
        others = [name for name in known if name != turn.speaker]
        scene = Scene(speaker=turn.speaker, addressee=others[0] if len(others) == 1 else "")
        reader = Reader(scene, episode.valid_at, prefix=f"{turn.speaker}: ", slips=slips)
        reader.before, reader.unnamed = drafts, unnamed
        scene.implied = scene.about(asked) if asked not in ("", turn.speaker) else scene.speaker
        scene.asked = scene.implied if asked not in ("", turn.speaker) else None
        asked = ""
        prose = prose_of(turn.words)
        named = without_names(prose.text, turn.start, scene, episode.valid_at)
        words, taken_back, denied = denials.without_denials(named)
        reader.taken_back = [turn.start + end for end in taken_back]
        reader.denied = [turn.start + at for at in denied]
        for offset, doc in parse(words, borders=prose.borders, items=prose.items):
            scene.quotes = quoted(doc.text)
            at = turn.start + offset
            reader.drafts += read_note(doc.text, at, scene, reader.reference)
            reader.drafts += particulars.read_contacts(doc.text, at, scene)
            for sentence in doc.sents:
                reader.read(sentence, turn.start + offset)
                scene.implied = scene.speaker
                asked = truth.asked_about(sentence) or asked
        reader.deny(named, turn.start)
        # What an assistant says is kept as text and for its names.
        if not speakers.advises(turn.speaker):
            drafts += reader.drafts
            of_known += reader.of_known
        for name in scene.names.values():
            if name is scene.speaker:
                name.start, name.end = turn.line_start, turn.line_start + len(turn.speaker)
        names += scene.names.values()
    unnamed[:0] = mend_earlier(slips, previous, _claims)
    return finished(names, drafts, unnamed, of_known)
