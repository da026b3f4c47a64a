"""Successions: who takes the place of somebody leads from then on what that one leads."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.extraction import Claim, Mention
from graphrag.names.key import name_key
from graphrag.names.words import LEADING
from graphrag.ontology.relations import Relations
from graphrag.resolve.mentions import Resolution
from graphrag.temporal.moment import to_micros

_POST, _ROLE = "leads", "has_role"


@dataclass(frozen=True, slots=True)
class Successions:
    """The claims of a text, and what the group knew before it."""

    claims: Collection[Claim]
    resolution: Resolution
    index: GroupIndex
    relations: Relations
    at: datetime
    """The time of the text."""

    def posts(self) -> Iterator[Claim]:
        """Yield that a successor leads the one thing that the predecessor leads until then."""
        posts = [claim for claim in self.claims if claim.relation == _POST and not claim.ends]
        leading = {claim.subject for claim in posts}
        for claim in self.claims:
            undated = claim.kind == "was" or (claim.kind == "event" and claim.valid_at is None)
            if claim.relation != "succeeds" or claim.object is None or undated:
                continue
            if claim.subject in leading or not self._takes_the_lead(claim.subject):
                continue
            led = self._led_by(claim.object, to_micros(claim.valid_at or self.at, BEGINNING))
            if len(led) == 1:
                post = self._mention(led.pop(), claim)
                leads = replace(claim, relation=_POST, object=post, kind="state")
                yield replace(
                    leads,
                    subject=claim.object,
                    valid_at=None,
                    invalid_at=claim.valid_at,
                    invalid_precision=claim.valid_precision,
                    ends=True,
                    attributes={},
                )
                yield leads

    def _takes_the_lead(self, successor: Mention) -> bool:
        """Tell whether what the text says that a successor becomes, if it does, is such a post."""
        titles = [
            {*name_key(claim.object.name).split()}
            for claim in self.claims
            if (claim.subject, claim.relation) == (successor, _ROLE) and claim.object
        ]
        return not titles or any(LEADING & words for words in titles)

    def _led_by(self, predecessor: Mention, moment: int) -> set[str]:
        """Return what somebody leads at a moment, by the group and by the text."""
        entity_of, facts = self.resolution.entity_of, self.index.facts
        leader, led = entity_of.get(predecessor, ""), set[str]()
        for name in self.relations.same(_POST) if leader in self.index.entities.row_of else ():
            for row in self.index.rows_at(leader, name):
                stands = facts["retracted"][row] == FOREVER and not facts["pending"][row]
                _, subject, object_ = self.relations.line(name, *self.index.ends_of(row))
                if stands and subject == leader:
                    holds = facts["valid"][row] <= moment < facts["invalid"][row]
                    led |= {object_} if holds else set()
        for claim in self.claims:
            goes_on = claim.relation == _POST and not claim.ends and claim.invalid_at is None
            if goes_on and claim.object and entity_of.get(claim.subject) == leader:
                led.add(entity_of.get(claim.object, ""))
        return led

    def _mention(self, entity: str, claim: Claim) -> Mention:
        """Return a mention of an entity that the text need not name."""
        for mention, id_ in self.resolution.entity_of.items():
            if id_ == entity:
                return mention
        mention = Mention(self.index.entity_name(entity), start=claim.start, end=claim.start)
        self.resolution.entity_of[mention] = entity
        return mention
