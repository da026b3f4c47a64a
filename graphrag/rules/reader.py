"""A text's sentences to claims, one after the other, in one scene."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.rules.clauses import clauses
from graphrag.rules.draft import Draft
from graphrag.rules.line import Line
from graphrag.rules.quotes import SPEECH, is_inside
from graphrag.rules.roles import COPULAS, OPENING, read_copula, read_nouns, read_pair, read_status
from graphrag.rules.scene import Scene
from graphrag.rules.verbs import read_verb

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
