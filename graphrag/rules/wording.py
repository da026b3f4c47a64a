"""The words of a fact that has none of its own, between its subject and its object."""

import re
from typing import Final

from graphrag.rules.links import RELATIONS

_IS: Final = frozenset(
    "married_to owned_by part_of member_of parent_of sibling_of friend_of".split()
)
_PART: Final = re.compile(r"\b(member|parent|sibling|friend) of")
_SAID: Final = {"located_in": "is in", "born_in": "was born in", "has_status": "has the status"}


def phrase(relation: str, *, over: bool = False) -> str:
    """Return the words between subject and object."""
    words = relation.replace("_", " ")
    if relation not in RELATIONS:
        return f"has {words}"
    words = _SAID.get(relation) or (f"is {words}" if relation in _IS else words)
    words = _PART.sub(r"a \1 of", words)
    if not over:
        return words
    return words.replace("is ", "is no longer ", 1) if words[:3] == "is " else f"no longer {words}"
