"""Values that callers pass: text that can be encoded, finite numbers, vectors of length 1."""

import json
import math
from collections.abc import Mapping
from numbers import Integral, Real
from types import NoneType
from typing import TYPE_CHECKING

from graphrag.errors import InputError, QueryError
from graphrag.model.values import JSON

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST = 100_000  # characters of a text argument: thirty pages; what is longer is an episode
DEEPEST = 32  # levels of a JSON value: the engine decodes some sixty of a whole request
_LEAST, _MOST = -(2**63), 2**63 - 1
_SHOWN = 60
_UNIT = 1e-6  # a length so near to 1 is 1: what was scaled once is left as it is, to the last bit


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
    """Return a text as Python's own; one too long, or with half a surrogate pair, is refused."""
    if not isinstance(value, str):
        raise InputError(f"{what} {shown(value)}: give text")
    text = str.__str__(value)
    if len(text) > longest:
        raise InputError(f"{what} has {len(text):,} characters: at most {longest:,}")
    return _encodable(what, text)


def checked_number(what: str, value: int, *, least: int, most: int | None = None) -> None:
    """Refuse what is no number, too small or too large."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        wanted = f"at least {least}" if most is None else f"{least} to {most}"
        raise QueryError(f"{what} {value!r}: give {wanted}")


def checked_name(what: str, value: str) -> str:
    """Return the text of a name, a relation or a source, which may hold no NUL."""
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
    """Return a value as JSON has it: text, finite numbers, True, False, None, lists, mappings."""
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
    """Return attributes as JSON can carry them."""
    if not isinstance(attributes, Mapping) or not all(isinstance(key, str) for key in attributes):
        raise InputError(f"attributes of {of} are no mapping from names to values")
    checked: dict[str, JSON] = checked_json(f"attributes of {of}", attributes)
    return checked


def parsed_json(what: str, text: str | bytes) -> JSON:
    """Return what a JSON text says, or raise ``InputError`` that names ``what``."""
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


class BadVectorError(ValueError):
    """What was given is no vector; ``row`` is the first bad one of several, None for all."""

    def __init__(self, what: str, row: int | None = None) -> None:
        super().__init__(what)
        self.row = row


def unit_vectors(given: object, shape: tuple[int, ...]) -> "NDArray[np.float32]":
    """Return what a model, a user or a file gave as vectors of length 1, in a new array.

    The one rule for every vector on its way to the store: any direction is taken, of numbers of any
    size and type, and only that is kept. The numbers of a vector are along the last axis. Raises
    ``BadVectorError`` for another shape, and for what is not finite or nothing but zeros.
    """
    import numpy as np  # the command line starts without it

    try:
        array = np.asarray(given)
    except (TypeError, ValueError, RuntimeError) as error:  # uneven rows, an array on a GPU
        raise BadVectorError(f"is no array that numpy can read ({error})") from None
    if array.dtype.kind not in "fiu" and array.size:
        raise BadVectorError(f"is no array of numbers but {type(given).__name__} of {array.dtype}")
    if array.shape != shape:
        raise BadVectorError(f"has shape {array.shape}")
    # One vector is surely of length 1 in a third of the time that all rules take; a table gives
    # three to a row. A sum of a few thousand squares as float32 is off by less than half of _UNIT;
    # vdot warns of nothing, and what is not finite is not near 1.
    single = array.size == shape[-1] and array.dtype == np.float32
    if single and abs(np.vdot(array, array) - 1) <= _UNIT:
        return array.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        rows = array.astype(np.float64).reshape(-1, shape[-1])
        if array.dtype == np.float32 and array.size:  # most are right as they come
            off = np.abs(np.sqrt(np.einsum("ij,ij->i", rows, rows)) - 1).max()
            if off <= _UNIT:
                return array.copy()
    # By the largest number first: squares of large ones are infinite, those of small ones zero.
    largest = np.abs(rows).max(axis=1)
    bad = np.flatnonzero(~(np.isfinite(largest) & (largest > 0)))
    if bad.size:
        row = int(bad[0])
        raise BadVectorError("is all zeros" if largest[row] == 0 else "is not finite", row)
    scaled = rows / largest[:, np.newaxis]
    norms = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    with np.errstate(over="ignore"):
        is_unit = np.abs(norms * largest - 1) <= _UNIT
    units = np.where(is_unit[:, np.newaxis], rows, scaled / norms[:, np.newaxis])
    return units.astype(np.float32).reshape(shape)
