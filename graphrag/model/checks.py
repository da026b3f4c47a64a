"""Values that callers pass, one by one: text that can be encoded, numbers that are finite."""

import json
import math
from collections.abc import Mapping
from numbers import Integral, Real
from types import NoneType

from graphrag.errors import InputError
from graphrag.model.values import JSON

LONGEST = 100_000
"""Characters of a text argument: thirty pages. What is longer is the content of an episode."""
DEEPEST = 32
"""Levels of a value that is stored as JSON: the engine decodes some sixty of a whole request."""
_LEAST, _MOST = -(2**63), 2**63 - 1
_SHOWN = 60


def shown(value: object) -> str:
    """Show any value in an error, in a few words; nothing of the value's own is asked for them."""
    if isinstance(value, bool | float | NoneType):
        return repr(value)
    if isinstance(value, int):
        bits = value.bit_length()
        return f"a number of {bits} bits" if bits > 128 else repr(int(value))
    if isinstance(value, str):
        text = str.__str__(value)
        return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}... ({len(text):,} long)"
    if isinstance(value, list | tuple | set | frozenset | dict):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a value of type {type(value).__name__}"


def printable(text: str) -> str:
    """Return words of others as they may be stored and printed: what is no character is escaped."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def checked_text(what: str, value: str, *, longest: int = LONGEST) -> str:
    """Return a text as Python's own.

    Raises:
        InputError: if it is no text, too long, or holds half of a surrogate pair.
    """
    if not isinstance(value, str):
        raise InputError(f"{what} {shown(value)}: give text")
    text = str.__str__(value)
    if len(text) > longest:
        raise InputError(f"{what} has {len(text):,} characters: at most {longest:,}")
    return _encodable(what, text)


def checked_name(what: str, value: str) -> str:
    """Return the text of a name, a relation or a source as Python's own.

    Raises:
        InputError: if it is no text, too long, or holds NUL or half of a surrogate pair.
    """
    text = checked_text(what, value)
    if "\0" in text:
        raise InputError(f"{what} {shown(text)} holds NUL at {text.index(chr(0))}: leave it out")
    return text


def _encodable(what: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{what} {shown(text)} holds half of a surrogate pair at {error.start}, which is no "
            "character"
        ) from None
    return text


def checked_json(what: str, value: JSON, *, deepest: int = DEEPEST) -> JSON:
    """Return a value as JSON has it: text, finite numbers, True, False, None, lists, mappings.

    Raises:
        InputError: if it is none, a number has more than 64 bits, or it is nested too deep.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _encodable(what, str.__str__(value))
    if isinstance(value, Integral):
        return whole(what, int(value))
    if isinstance(value, Real):
        return finite(what, float(value))
    if deepest == 0 and isinstance(value, Mapping | list | tuple):
        raise InputError(f"{what} is nested too deep, or in itself: store it as text")
    if isinstance(value, Mapping):
        return {
            checked_name(f"a key of {what}", key): checked_json(
                f"{what}[{shown(key)}]", item, deepest=deepest - 1
            )
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [checked_json(what, item, deepest=deepest - 1) for item in value]
    raise InputError(
        f"{what} holds {shown(value)}, which is no JSON: give text, numbers, True, False, None, "
        "lists and mappings"
    )


def checked_attributes(attributes: Mapping[str, JSON], of: str) -> dict[str, JSON]:
    """Return attributes that JSON can carry.

    Raises:
        InputError: if they are none.
    """
    if not isinstance(attributes, Mapping) or not all(isinstance(key, str) for key in attributes):
        raise InputError(f"attributes of {of} are no mapping from names to values")
    checked: dict[str, JSON] = checked_json(f"attributes of {of}", attributes)
    return checked


def parsed_json(what: str, text: str | bytes) -> JSON:
    """Return what a JSON text says.

    Raises:
        InputError: if it is none, nested too deep, or has numbers of thousands of digits.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError(f"{what} is nested too deep to be read") from None
    except ValueError as error:  # also what is no UTF-8, and what Python refuses to count
        raise InputError(f"{what} is no JSON: {error}") from None


def whole(name: str, value: int) -> int:
    """Return a whole number within the 64 bits of the database."""
    number = int(value)
    if not _LEAST <= number <= _MOST:
        raise InputError(f"{name} is {shown(number)}: at most 64 bits are stored")
    return number


def finite(name: str, value: float) -> float:
    """Return a finite number."""
    if isinstance(value, Integral):
        return float(whole(name, int(value)))
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{name} is {number!r}: give a finite number")
    return number
