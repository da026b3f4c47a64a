"""One sentence being read: its names, its times, and claims with its words."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.rules.draft import Draft
from graphrag.rules.lifetime import times_of
from graphrag.rules.name import Name
from graphrag.rules.scene import Scene
from graphrag.temporal.phrase import Period

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


@dataclass(slots=True)
class Line:
    """A sentence in its scene."""

    sentence: "Span"
    offset: int
    """Where its paragraph starts in the episode."""
    scene: Scene
    reference: datetime
    prefix: str = ""
    """Put before the sentence to make it readable alone: ``Caroline: ``."""
    corrects: bool = False
    times: list[tuple["Token", Period]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Note the names and the times of the sentence."""
        self.scene.enter(self.sentence, self.offset)
        self.times = times_of(self.sentence, self.reference)

    def name(self, token: "Token") -> Name | None:
        """Return what a word stands for, or None if that is not clear."""
        return self.scene.name_of(token, self.offset)

    def periods(self, *owners: "Token") -> list[Period]:
        """Return the times that belong to one of these words."""
        return [period for owner, period in self.times if owner in owners]

    def draft(
        self,
        one: Name,
        relation: str,
        other: Name,
        life: tuple[datetime | None, datetime | None] = (None, None),
        *,
        ends: bool = False,
    ) -> Draft:
        """Return a claim of this sentence."""
        start, end = life
        if start is not None and end is not None and start >= end:
            start = None
        return Draft(
            one,
            relation,
            other,
            self.prefix + " ".join(self.sentence.text.split()),
            self.offset + self.sentence.start_char,
            self.offset + self.sentence.end_char,
            None if ends else start,
            end,
            ends,
            self.corrects,
        )
