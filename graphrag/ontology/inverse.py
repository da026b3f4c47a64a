"""One direction for facts that can be said from both ends."""

from dataclasses import replace

from graphrag.extraction import Claim, Extraction
from graphrag.relations import Relations


def straightened(extraction: Extraction, relations: Relations) -> Extraction:
    """Return an extraction whose inverse claims are told from the other end.

    "Acme employs Ann" becomes "Ann works_at Acme", with the same sentence. An inverse end that
    names no object stays as it is: there is no subject that it could have.
    """
    claims = tuple(_straight(claim, relations) for claim in extraction.claims)
    return extraction if claims == extraction.claims else replace(extraction, claims=claims)


def _straight(claim: Claim, relations: Relations) -> Claim:
    straight = relations.straight(claim.relation)
    if straight is None or claim.object is None:
        return claim
    return replace(claim, subject=claim.object, relation=straight, object=claim.subject)
