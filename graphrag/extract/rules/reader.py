"""The sentences of one text, read by every rule in order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.extract.rules import denials, truth
from graphrag.extract.rules.clauses import clauses
from graphrag.extract.rules.clauses import denials as denied_clauses
from graphrag.extract.rules.kin import read_kin, read_pair
from graphrag.extract.rules.lifetime import CANCELLED
from graphrag.extract.rules.line import Sentence
from graphrag.extract.rules.name import CandidateClaim
from graphrag.extract.rules.offices import read_offices
from graphrag.extract.rules.renames import note_former
from graphrag.extract.rules.scene import Discourse
from graphrag.extract.rules.speakers import SPEECH, is_inside
from graphrag.extract.rules.verbs import read_verb
from graphrag.local.parser import parse

if TYPE_CHECKING:
    from spacy.tokens import Span

_PERSONAL = SPEECH | {"think", "know", "believe", "feel", "laugh", "smile", "walk"}
"""Verbs whose subject is somebody."""


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
    denied: list[int] = field(default_factory=list)
    """Where what was said before is denied."""
    drafts: list[CandidateClaim] = field(default_factory=list)
    """What was read so far."""
    dropped: list[str] = field(default_factory=list)
    """What is said and not read."""

    def read(self, sentence: "Span", offset: int) -> None:
        """Read the claims of a sentence whose paragraph starts at ``offset``.

        Of quoted words only what speakers say of themselves counts.
        """
        quoted = is_inside(sentence.start_char, sentence.end_char, self.scene.quotes)
        own = FIRST_PERSON.search(sentence.text)
        for draft in self._stated(sentence, offset):
            if not quoted or (own and draft.subject is self.scene.voice):
                self.drafts.append(draft)

    def deny(self, text: str, offset: int) -> None:
        """Read what a text says was never so."""
        words = denials.denied_in(text)
        reader = Reader(self.scene, self.reference, self.prefix, self.corrects)
        for start, doc in parse(words) if words.strip() else ():
            for sentence in doc.sents:
                reader.read(sentence, offset + start)
        for draft in reader.drafts:
            place = slice(draft.start - offset, draft.end - offset)
            draft.text = self.prefix + " ".join(text[place].split())
            draft.life, draft.corrects = CANCELLED, True
        self.drafts[:0] = reader.drafts

    def _stated(self, sentence: "Span", offset: int) -> Iterator[CandidateClaim]:
        start = offset + sentence.start_char
        corrects = self.corrects or any(abs(start - end) <= _NEAR for end in self.taken_back)
        corrects |= any(start <= at < offset + sentence.end_char for at in self.denied)
        line = Sentence(sentence, offset, self.scene, self.reference, self.prefix, corrects)
        if truth.is_unreal(sentence.text):
            return
        if denials.calls_off(sentence.text):
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
        for clause in stated:
            if clause.lemma in _PERSONAL and not clause.passive:
                for subject in clause.subjects:
                    name = line.name(subject) if subject.pos_ == "PROPN" else None
                    if name is not None:
                        name.votes["person"] += 2
        yield from read_kin(line, stated)
        yield from read_offices(stated, line)
        for clause in stated:
            yield from read_pair(clause, line)
            yield from read_verb(clause, line)
        if not corrects and any(denied_clauses(sentence)):
            self.dropped.append(f"{sentence.text!r}: {_NEVER}")


FIRST_PERSON = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|[Oo]ur)\b")
_OFF = "which plan is off or put off is not read: change it by edit.retract or edit.correct"
_NEVER = "what never was so is not read: take it back by edit.retract"
_NEAR = 20
"""Characters between the end of such words and the start of their sentence, either way."""
