"""The verbs of a graph or a view by their dotted names, those of its nouns among them."""

import inspect
from dataclasses import is_dataclass


def verbs(asked):
    """Return the public methods of a graph, open or not, as ``search`` and ``log.events``."""
    found = {}
    for name in dir(asked):
        if name.startswith("_"):
            continue
        member = getattr(asked, name)
        if inspect.ismethod(member):
            found[name] = member
        elif type(member).__module__.startswith("graphrag") and not is_dataclass(member):
            found |= {f"{name}.{verb}": method for verb, method in verbs(member).items()}
    return found


def parameters(method):
    """Return the parameters of a method by name."""
    return dict(inspect.signature(method).parameters)
