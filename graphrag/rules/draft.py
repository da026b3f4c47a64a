"""A claim in the making: its names may still grow longer and change type while the text is read."""

from dataclasses import dataclass, field
from datetime import datetime

from graphrag.extraction import Claim
from graphrag.models import JSON
from graphrag.rules.name import Name


@dataclass(slots=True)
class Draft:
    """A claim whose ends are names of the scene."""

    subject: Name
    relation: str
    object: Name | None
    text: str
    start: int
    end: int
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    ends: bool = False
    corrects: bool = False
    confidence: float = 0.8
    attributes: dict[str, JSON] = field(default_factory=dict)

    def finished(self) -> Claim:
        """Return the claim with the names as the whole text has made them."""
        return Claim(
            subject=self.subject.mention(),
            relation=self.relation,
            object=None if self.object is None else self.object.mention(),
            text=self.text,
            start=self.start,
            end=self.end,
            valid_at=self.valid_at,
            invalid_at=self.invalid_at,
            ends=self.ends,
            corrects=self.corrects,
            confidence=self.confidence,
            attributes=self.attributes,
        )
