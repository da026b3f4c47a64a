"""English questions of time as structures: what is wanted, in which order, bounded by what.

Grammar, no wordings: the question word and its noun say what is wanted, connectives divide the
clauses, ordinals and superlatives order them. Which relation the words mean is left to the graph.
"""

import re
from dataclasses import replace
from typing import Final, Literal

from graphrag.ask.asked import Asked, Clause, Limits, Link, Order, Token, Unit, Wants
from graphrag.ask.choices import apart_of, choice_of
from graphrag.ask.joined import between_of, conditions
from graphrag.ask.qualify import AUXILIARIES, aged, qualified
from graphrag.ask.relatives import folded
from graphrag.ask.segments import Parts, Tokens, divided, known_in, shape_of, timed, without_frame
from graphrag.ask.senses import is_past
from graphrag.ask.succession import succession
from graphrag.ask.wants import elder, order_of, reworded, wants_of
from graphrag.search.query_time import Said

_NEXT: Final = re.compile(
    r"\b(?:immediately|right|just|directly|straight|next|subsequently|first|most recently|last|"
    r"preceding|previous|shortly|thereupon|then)\b"
)
_INDIRECT: Final = re.compile(
    r"when E\b(?!.* [,:] )(?!.*\b(?:who|whom|what|which|where|how|did)\b)"
)
_GAP: Final = re.compile(
    r"\b(?:vacant|vacancy|unoccupied|unfilled|empty|gap|interregnum|lapse|open)\b"
)


def parse(text: str, tokens: Tokens) -> Asked:
    """Return a question as a structure.

    Args:
        text: The question as asked.
        tokens: Its words, with names and times as one each.
    """
    known, words = known_in(without_frame(folded(tokens)))
    words, limits = qualified(_stripped(without_frame(words)))
    words, limits = elder(reworded(_stripped(words)), limits)
    if (rest := aged(words)) is not None:
        return _read(text, "age", None, rest, known, limits)
    if _INDIRECT.match(shape_of(words)):  # "do you know when A moved"
        words = (words[0], Token("did", "did"), *words[1:])
    wants, unit = wants_of(shape_of(words))
    if wants in ("entities", "whether") and (choice := choice_of(text, words, known)):
        return replace(choice, limits=limits)
    if wants == "how long" and not limits.ago and (apart := apart_of(words)):
        first, second = apart
        asked = Asked(text, wants, first, "while", second, apart=True, unit=unit, known=known)
        return replace(asked, limits=limits)
    return _read(text, wants, unit, words, known, limits)


_BETWEEN: Final = ("entities", "whether", "how many", "how often")


def _read(
    text: str, wants: Wants, unit: Unit | None, words: Tokens, known: Said | None, limits: Limits
) -> Asked:
    """Return a question of one clause or two."""
    parts = _both(wants, divided(words))
    also: tuple[tuple[Link, Clause], ...] = ()
    between = between_of(words) if wants in _BETWEEN else None
    if between is not None:
        main_words, ((first, one), (then, two)) = between
        parts, also = Parts(main_words, first, False, one), ((then, Clause(two, order_of(two))),)
    main, during = timed(parts.main)
    anchor, other = timed(parts.anchor)
    if parts.link is not None and not also:
        (_, anchor), *more = conditions(parts.link, anchor)
        also = tuple((link, Clause(some, order_of(some))) for link, some in more)
    if during is not None and other is not None:
        anchor, other = parts.anchor, None  # two times: one is left over
    asked = Asked(
        text,
        wants,
        Clause(main),
        parts.link,
        Clause(anchor, order_of(anchor)) if anchor else None,
        also,
        order=None if wants == "how long" else order_of(main, bounded=parts.link is not None),
        during=during or other,
        known=known,
        unit=unit,
        limits=limits,
    )
    return _present(_linked(asked, parts))


def _stripped(tokens: Tokens) -> Tokens:
    while tokens and tokens[0].word in (",", ":", "that", "-"):
        tokens = tokens[1:]
    while tokens and tokens[-1].word in ("?", ".", "!", ","):
        tokens = tokens[:-1]
    return tokens


def _linked(asked: Asked, parts: Parts) -> Asked:
    """Settle how the two clauses are linked: neighbors, all on one side, or a distance."""
    shape = shape_of(asked.main.tokens)
    then = re.search(
        r"\b(?:(before|after) (?:that|then|this|it)|beforehand|afterwards?|thereafter)$", shape
    )
    if asked.link == "while" and then is not None:
        side: Link = "before" if then.group().startswith("before") else "after"
        asked = replace(asked, link=side)
    if asked.during is not None and asked.link is None and asked.order is None:
        # "After 3 May, whom did A visit next?"
        half: dict[str, Literal["first", "last"]] = {"after": "first", "before": "last"}
        kind = half.get(asked.during.bound)
        if kind is not None and _NEXT.search(shape):
            asked = replace(asked, order=Order(kind))
    if asked.link in ("before", "after") and asked.wants in ("entities", "when", "whether"):
        near = parts.near or _NEXT.search(shape) is not None
        several = _several(asked.main.tokens)
        alone = asked.wants == "entities" and not several
        asked = replace(asked, neighbor=near or alone)
        if asked.neighbor and asked.order in (Order("first"), Order("last")):
            asked = replace(asked, order=None)
    if asked.wants == "how long" and asked.link in ("before", "after"):
        asked = replace(asked, apart=True)
    if asked.anchor is None and asked.wants == "entities":
        asked = succession(asked)
    return asked


def _both(wants: Wants, parts: Parts) -> Parts:
    """Divide "both A ... and B ..." of a question whether they held at one time."""
    has = [sum(token.named is not None for token in one) for one in (parts.main, parts.anchor)]
    if wants != "whether" or sorted(has) != [0, 4]:
        return parts
    tokens = parts.main if has[0] else parts.anchor
    places = [at for at, token in enumerate(tokens) if token.named is not None]
    for cut, token in enumerate(tokens):
        if token.word in ("and", "with") and places[1] < cut < places[2]:
            return Parts(tokens[:cut], "while", False, tokens[cut + 1 :])
    return parts


def _several(tokens: Tokens) -> bool:
    """Tell whether several things are asked for: "which offices", "list", "all"."""
    words = [token.word for token in tokens]
    if {"all", "list", "any", "every", "ever", "each"} & set(words):
        return True
    for place, word in enumerate(words[:-1]):
        if word in ("which", "what", "whose", "name"):
            left = (w for w in words[place + 1 :] if w not in ("other", "different", "the"))
            noun = next(left, "")
            return noun == "of" or _plural(noun)
    return False


def _plural(noun: str) -> bool:
    return noun in ("people", "men", "women", "children") or (
        len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
    )


def _present(asked: Asked) -> Asked:
    """Mark a question that asks of now: in the present tense, with no time and no order."""
    words = [token.word for token in asked.main.tokens]
    now = {"currently", "now", "still", "presently", "nowadays"} & set(words)
    bounded = (
        asked.during
        or asked.limits.ended
        or asked.limits.planned
        or asked.limits.lasting
        or asked.order
        or asked.link
        or asked.wants
        not in (
            "entities",
            "whether",
            "how many",
        )
    )
    if bounded:
        return asked
    if asked.wants == "how many" and not now:
        counted = re.search(r"(?:how many|number of) (.*)", shape_of(asked.main.tokens))
        words = counted.group(1).split() if counted else ["did"]
    verb = next((word for word in words if word in AUXILIARIES), None)
    if asked.wants == "how many" and not now and verb not in ("is", "are", "do", "does", "am"):
        return asked
    past = verb in ("did", "was", "were", "had", "has", "have", "would", "could")
    if not {"alumni", "alumnus", "ever", "known", "record", "recorded"}.isdisjoint(words) or (
        past and not now
    ):
        return asked
    if verb is None and not now and any(is_past(token.word) for token in asked.main.tokens):
        return asked
    return replace(asked, present=True)
