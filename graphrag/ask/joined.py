"""Two conditions beside each other: "while A and B", "after A but before B", "between A and B".

The words of what bounds a question are taken apart where both sides name something. What the second
leaves out, its subject or its verb, is that of the first.
"""

import re
from typing import Final

from graphrag.ask.asked import Link
from graphrag.ask.segments import LINK, LINK_NAMES, Tokens, place_of, shape_of, shape_slice

Condition = tuple[Link, Tokens]
_JOINS: Final = frozenset({"and", "but", "yet", ","})
_BETWEEN: Final = re.compile(
    r"(?:^|(?<= ))(?:(?:in|during|over) the (?:time|period|years|days) )?between (?=.*E)"
)
_FRONT: Final = re.compile(r" , (?=(?:(?:in|on|at|by|to|for|of|from|with) )?[a-z]+ )")


def conditions(link: Link, tokens: Tokens) -> list[Condition]:
    """Return the conditions of which the words behind a link are made."""
    tokens = _trimmed(tokens)
    shape = shape_of(tokens)
    for found in LINK.finditer(shape):
        at = place_of(shape, found.start())
        left, right = _trimmed(tokens[:at]), shape_slice(tokens, shape, found.end() + 1, len(shape))
        if at and tokens[at - 1].word in _JOINS and _named(left) and _named(right):
            kind = next(name for name in LINK_NAMES if found[name])
            return [(link, left), (kind, _whole(left, _trimmed(right)))]
    if link != "while":
        return [(link, tokens)]
    for at, token in enumerate(tokens):
        if token.word == "and" and (pair := _halves(tokens[:at], tokens[at + 1 :])):
            return [(link, pair[0]), (link, pair[1])]
    return [(link, tokens)]


def between_of(tokens: Tokens) -> tuple[Tokens, list[Condition]] | None:
    """Return what is asked of the time between two things, and these; None for another question."""
    shape = shape_of(tokens)
    found = _BETWEEN.search(shape)
    if found is None:
        return None
    rest, main = len(shape), shape_slice(tokens, shape, 0, max(0, found.start() - 1))
    if not found.start():
        front = _FRONT.search(shape, found.end())
        if front is None:
            return None
        rest, main = front.start(), shape_slice(tokens, shape, front.end(), len(shape))
    inside = _trimmed(shape_slice(tokens, shape, found.end(), rest))
    cuts = [
        at
        for at, token in enumerate(inside)
        if token.word == "and" and _named(inside[:at]) and _named(inside[at + 1 :])
    ]
    if not _named(main) or len(cuts) != 1:
        return None
    [cut] = cuts
    left, right = inside[:cut], inside[cut + 1 :]
    bare = not _said(left) and not _said(right)
    if bare and (len(_named(main)) > 1 or not _asks(main)):
        return None  # "did A mediate between B and C"
    return main, [("after", left), ("before", _whole(left, right))]


def _asks(main: Tokens) -> bool:
    return not {"who", "whom", "what", "which", "where"}.isdisjoint(token.word for token in main)


def _halves(left: Tokens, right: Tokens) -> tuple[Tokens, Tokens] | None:
    """Return the clauses on both sides of an "and", None if it joins no clauses."""
    left = left[1:] if left and left[0].word == "both" else left
    if not _named(left) or not _named(right):
        return None
    if _said(left):
        return left, _whole(left, right)
    if len(_named(left)) == 1 and right[0].named and len(_named(right)) > 1 and _said(right):
        return (*left, *right[1:]), right  # "A and B lived in C"
    return None


def _whole(left: Tokens, right: Tokens) -> Tokens:
    """Return a second clause with what it leaves out of the first."""
    named = _named(left)
    if _said(left) and not _said(right) and len(_named(right)) == 1:
        last = named[-1]  # "worked at B and C"
        return (*left[:last], *right)
    if left[0].named and right and not right[0].named and len(_named(right)) == 1 and _said(right):
        return (left[0], *right)  # "A worked at B and lived in C"
    return right


def _named(tokens: Tokens) -> list[int]:
    return [at for at, token in enumerate(tokens) if token.named is not None]


def _said(tokens: Tokens) -> bool:
    """Tell whether some words say something of a relation."""
    return any(token.says for token in tokens)


def _trimmed(tokens: Tokens) -> Tokens:
    while tokens and (tokens[-1].word in _JOINS or tokens[-1].word in ("?", ".", "!")):
        tokens = tokens[:-1]
    return tokens
