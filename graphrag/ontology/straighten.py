"""Claims as they are stored: stated from one end, and with what they say of life and death."""

from dataclasses import replace
from typing import Final

from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.ontology.relations import Relations

VITAL: Final = "vital_status"
"""Who has it is dead."""
_DEAD: Final = frozenset({"dead", "deceased", "passed away"})


def straightened(extraction: Extraction, relations: Relations) -> Extraction:
    """Return an extraction whose inverse claims are stated from the other end.

    "Acme employs Ann" becomes "Ann works_at Acme", with the same sentence. An inverse end that
    names no object stays as it is: there is no subject that it could have. The status of a person
    who is dead becomes their ``vital_status``, which ends more than other states do.
    """
    claims = tuple(_straight(claim, relations) for claim in extraction.claims)
    return extraction if claims == extraction.claims else replace(extraction, claims=claims)


def stored_as(relation: str, of: Mention, object_: Mention, relations: Relations) -> str:
    """Return the relation that says what a status does: that of a dead person ends much."""
    if VITAL not in relations:
        return relation
    dead = object_.name.casefold() in _DEAD
    if relation == VITAL:
        return VITAL if dead else "has_status"  # "alive" ends nothing
    status = dead and relations.canonical(relation)[0] == "has_status"
    return VITAL if status and of.entity_type == "person" else relation


def _straight(claim: Claim, relations: Relations) -> Claim:
    if claim.object is None:
        return claim
    relation = stored_as(claim.relation, claim.subject, claim.object, relations)
    straight = relations.straight(relation)
    if straight is None:
        return claim if relation == claim.relation else replace(claim, relation=relation)
    return replace(claim, subject=claim.object, relation=straight, object=claim.subject)
