"""A fact that a person moved to other ends or another relation, against the declared types."""

import logging
from dataclasses import replace

from graphrag.errors import InputError
from graphrag.extraction import Claim, Extraction, Mention
from graphrag.models import Fact
from graphrag.ontology.ontology import Ontology
from graphrag.relations import FREE, Relations

_LOG = logging.getLogger("graphrag")


def fitted_by_hand(
    fact: Fact, types: tuple[str, str], ontology: Ontology, relations: Relations
) -> Fact:
    """Return a fact between entities of these types as it may be stored.

    Raises:
        InputError: if the ontology refuses it.
    """
    subject, object_ = Mention(fact.subject, types[0]), Mention(fact.object, types[1])
    claim = Claim(subject, fact.relation, object_, fact.fact, 0, 0)
    checked, violations = ontology.check(Extraction(claims=(claim,)))
    if out := [str(violation) for violation in violations if not violation.kept]:
        raise InputError(f"the ontology refuses it: {'; '.join(out)}")
    for violation in violations:
        _LOG.warning("ontology of group %r: %s", fact.group_id, violation)
    attributes = {name: value for name, value in fact.attributes.items() if name != FREE}
    marked = {name: value for name, value in checked.claims[0].attributes.items() if name == FREE}
    fact = replace(fact, attributes=attributes | marked)
    straight = relations.straight(fact.relation)
    if straight is None:
        return fact
    return replace(
        fact,
        subject_id=fact.object_id,
        subject=fact.object,
        relation=straight,
        object_id=fact.subject_id,
        object=fact.subject,
    )
