"""A given fact against the ontology, and turned to the direction its relation is stored in."""

import logging
from dataclasses import replace

from graphrag.direct.given import SOURCE, End, GivenFact
from graphrag.errors import InputError
from graphrag.extraction import Claim, Extraction, Mention
from graphrag.index.group import GroupIndex
from graphrag.ingest import Ingestion
from graphrag.ontology.ontology import known_types

_LOG = logging.getLogger("graphrag")


def fitted(given: GivenFact, index: GroupIndex, ingestion: Ingestion) -> GivenFact:
    """Return a fact as it may be stored.

    Raises:
        InputError: if the ontology leaves out anything of it.
    """
    ids = index.entities.row_of
    if given.subject.mention.name in ids or given.object.mention.name in ids:
        given = replace(
            given, subject=_by_id(given.subject, index), object=_by_id(given.object, index)
        )
    if ingestion.ontology:
        given = _checked(given, index, ingestion)
    straight = ingestion.relations.straight(given.relation)
    return given if straight is None else given.turned(straight)


def fitted_entity(end: End, index: GroupIndex, ingestion: Ingestion) -> End:
    """Return an entity as it may be stored.

    Raises:
        InputError: if the ontology leaves out anything of it.
    """
    if not ingestion.ontology:
        return end
    found = _check(Extraction(mentions=(end.mention,)), index, ingestion, "")
    return replace(end, mention=found.mentions[0])


def _checked(given: GivenFact, index: GroupIndex, ingestion: Ingestion) -> GivenFact:
    source = {key: value for key, value in given.attributes.items() if key == SOURCE}
    claim = Claim(
        _typed(given.subject, index),
        given.relation,
        _typed(given.object, index),
        given.fact,
        0,
        0,
        attributes={key: value for key, value in given.attributes.items() if key != SOURCE},
    )
    [claim] = _check(Extraction(claims=(claim,)), index, ingestion, given.place).claims
    assert claim.object is not None, "an object was given"
    return replace(
        given,
        subject=replace(given.subject, mention=claim.subject),
        object=replace(given.object, mention=claim.object),
        attributes={**claim.attributes, **source},
    )


def _check(
    extraction: Extraction, index: GroupIndex, ingestion: Ingestion, place: str
) -> Extraction:
    types = known_types(index.entities_named, index.entity_type)
    checked, violations = ingestion.ontology.check(extraction, types)
    if out := [str(violation) for violation in violations if not violation.kept]:
        raise InputError(f"{place}the ontology refuses it: {'; '.join(out)}")
    for violation in violations:
        _LOG.warning("ontology of group %r: %s%s", index.group_id, place, violation)
    return checked


def _by_id(end: End, index: GroupIndex) -> End:
    """Return an end that is given by the id of an entity as that entity."""
    id_ = end.mention.name
    if end.id is not None or id_ not in index.entities.row_of:
        return end
    mention = replace(end.mention, name=index.entity_name(id_))
    return replace(end, id=id_, mention=mention)


def _typed(end: End, index: GroupIndex) -> Mention:
    if end.id is None or end.id not in index.entities.row_of:
        return end.mention
    return replace(end.mention, entity_type=index.entity_type(end.id))
