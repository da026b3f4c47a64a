"""A relation in a filter, or along which ``within`` goes, means its inverse, too.

Facts are stored one way: "Acme employs Ann" as "Ann works_at Acme". Who asks for ``employs`` means
these.
"""

from dataclasses import replace

from graphrag.ontology.relations import Relations
from graphrag.search.filters.tree import Compare, Every, Filter, Not, Some
from graphrag.search.request import Request
from graphrag.search.within import Within


def with_inverses(request: Request, relations: Relations) -> Request:
    """Return the request with every relation that it names joined by those that say the same."""
    where, within = request.where, request.within
    if where is not None and where.names("relation"):
        request = replace(request, where=_both_ways(where, relations))
    if isinstance(within, Within) and within.relations is not None:
        names = (same for name in within.relations for same in relations.same(name))
        request = replace(request, within=replace(within, relations=tuple(dict.fromkeys(names))))
    return request


def _both_ways(where: Filter, relations: Relations) -> Filter:
    match where:
        case Compare("relation", "==" | "in" as op, value):
            asked = (value,) if op == "==" else value
            names = dict.fromkeys(same for name in asked for same in relations.same(name))
            return where if len(names) == len(asked) else Compare("relation", "in", tuple(names))
        case Compare("relation", "!=", value) if len(others := relations.same(value)) > 1:
            return Every(tuple(Compare("relation", "!=", name) for name in others))
        case Every(parts):
            return Every(tuple(_both_ways(part, relations) for part in parts))
        case Some(parts):
            return Some(tuple(_both_ways(part, relations) for part in parts))
        case Not(part):
            return Not(_both_ways(part, relations))
    return where
