"""Argument checks of public methods against their own signatures (``@checked``).

Arguments are refused before any read or write: text must be encodable, numbers finite and within 64
bits. Equivalents of Python's types (numpy numbers, subclasses of str) are converted. ``Any`` and
rows of streams are not checked; JSON goes through ``checked_json``.
"""

import ast
import builtins
import functools
import inspect
import os
import sys
from collections.abc import AsyncIterable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from importlib import import_module
from importlib.util import find_spec
from numbers import Integral, Real
from os import PathLike
from types import FunctionType, ModuleType, NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from graphrag.errors import InputError, QueryError
from graphrag.model.checks import checked_text, finite, shown, whole

Checked = TypeVar("Checked", bound=Callable[..., Any])
Named = TypeVar("Named", bound=type)


@dataclass(frozen=True, slots=True)
class Kind:
    """One thing that an argument may be."""

    wanted: str  # as an error names it
    fits: Callable[[Any], bool]
    read: Callable[[str, Any], Any]  # value of an argument of this name, or InputError


Kinds = tuple[Kind, ...]  # each thing that an argument may be; none if that is anything


def checked(
    error: type[InputError] = InputError,
    *,
    reads: type | None = None,
    door: str | None = None,
    around: Callable[..., Any] | None = None,
    but: Collection[str] = (),
) -> Callable[[Checked], Checked]:
    """Make a function, or a class's public methods with those it inherits, check their arguments.

    An argument that does not fit its annotation raises ``error``, and ``QueryError`` in a method
    that ``reads`` has too. ``around`` awaits the asynchronous methods of ``reads``, or all if it is
    not given, except those named in ``but``. ``door`` is as in ``named``.
    """

    def decorate(target: Checked) -> Checked:
        if not isinstance(target, type):
            return cast(Checked, _checking(target, error))
        named(door)(target)
        for name in dir(target):
            member = inspect.getattr_static(target, name)
            if name.startswith("_"):
                continue
            raised = QueryError if hasattr(reads, name) else error
            awaits = None if name in but or not hasattr(reads or target, name) else around
            if isinstance(member, FunctionType):
                setattr(target, name, _checking(member, raised, awaits))
            elif isinstance(member, classmethod):
                setattr(target, name, classmethod(_checking(member.__func__, raised)))
        return target

    return decorate


def named(door: str | None = None) -> Callable[[Named], Named]:
    """Make the public methods of a class, inherited ones too, bear its name, or that of its door.

    A door is how users come by an object of the class, such as ``graph.load``. Otherwise Python
    says of a missing argument which of our base classes has the method.
    """

    def decorate(target: Named) -> Named:
        for name in dir(target):
            member = inspect.getattr_static(target, name)
            if not name.startswith("_") and isinstance(member, FunctionType):
                plain = cast(FunctionType, inspect.unwrap(member))
                own = FunctionType(
                    plain.__code__, plain.__globals__, name, plain.__defaults__, plain.__closure__
                )
                own.__kwdefaults__ = plain.__kwdefaults__
                functools.update_wrapper(own, plain)
                own.__qualname__ = f"{door or target.__name__}.{name}"
                setattr(target, name, own)
        return target

    return decorate


def _checking(
    method: Callable[..., Any], error: type[InputError], around: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    # Asked for at the first call: most programs call few of the methods.
    asked = functools.cache(functools.partial(_kinds_of, method))

    def read(args: Sequence[Any], given: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        kinds = asked()
        pairs = zip(kinds, args, strict=False)
        try:
            placed = [_read(name, value, kinds[name]) for name, value in pairs]
            named = {name: _read(name, value, kinds.get(name, ())) for name, value in given.items()}
        except InputError as refusal:
            raise error(str(refusal)) from None
        return [*placed, *args[len(placed) :]], named  # too many or unknown: Python says so

    @functools.wraps(method)
    def calling(*args: Any, **given: Any) -> Any:
        placed, named = read(args, given)
        return method(*placed, **named)

    @functools.wraps(method)
    async def waiting(*args: Any, **given: Any) -> Any:
        placed, named = read(args, given)
        call = functools.partial(method, *placed, **named)
        if around is None:
            return await call()
        call().close()  # Python refuses missing arguments here, before anything is looked at
        return await around(placed[0], call)

    return waiting if inspect.iscoroutinefunction(method) else calling


def _kinds_of(method: Callable[..., Any]) -> dict[str, Kinds]:
    names = _Names(sys.modules[method.__module__])
    return {
        name: () if parameter.annotation is parameter.empty else _kinds(parameter.annotation)
        for name, parameter in inspect.signature(
            method, eval_str=True, locals=names
        ).parameters.items()
    }


class _Names(dict[str, Any]):
    """Names in a module's annotations; what it imports for them alone is imported when needed.

    Importing all of it at the first call would load half of the package.
    """

    def __init__(self, module: ModuleType) -> None:
        super().__init__({**vars(builtins), **vars(module)})
        self._module = module

    @functools.cached_property
    def _late(self) -> dict[str, tuple[str, str]]:
        """Module and name of everything that the module imports, by its name here."""
        return {
            alias.asname or alias.name: (node.module, alias.name)
            for node in ast.walk(ast.parse(inspect.getsource(self._module)))
            if isinstance(node, ast.ImportFrom) and node.module is not None
            for alias in node.names
        }

    def __missing__(self, name: str) -> Any:
        module, imported = self._late[name]
        if find_spec(module.partition(".")[0]) is None:
            return Any
        return getattr(import_module(module), imported)


def _read(name: str, value: Any, kinds: Kinds) -> Any:
    for kind in kinds:
        if kind.fits(value):
            return kind.read(name, value)
    if not kinds:
        return value
    wanted = " or ".join(dict.fromkeys(kind.wanted for kind in kinds))
    raise InputError(f"{name} {shown(value)}: give {wanted}")


def _kinds(annotation: Any, *, stream: bool = False) -> Kinds:
    """Return what an annotation allows; in a union with others an iterable is a ``stream``."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        each = [_kinds(member, stream=True) for member in inner]
        if any(get_origin(kind) is PathLike for kind in inner):  # text beside it is a path
            each = [(_PATH,) if kind is str else _kinds(kind, stream=True) for kind in inner]
        return tuple(kind for kinds in each for kind in kinds) if all(each) else ()
    if origin is Literal:
        read = functools.partial(_choice, inner)
        return (_instance(f"one of {', '.join(map(str, inner))}", str, read=read),)
    if origin is Annotated:  # a whole number of a range
        bounded = functools.partial(_bounded, inner[1])
        return (_instance("a whole number", Integral, but=(bool,), read=bounded),)
    if origin is Mapping:
        return (_mapping(*map(_kinds, inner)),)
    if origin is Sequence or (origin is Iterable and not stream):
        return (_listing(_kinds(inner[0])),)
    if origin in (Iterable, AsyncIterable):
        return (_instance("rows", origin, but=(str, bytes, Mapping)),)
    if origin is Callable:
        return (Kind("a function", callable, _as_it_is),)
    if isinstance(origin, type):  # PathLike[str]
        annotation = origin
    if annotation is Any or not isinstance(annotation, type):
        return ()
    if annotation in _LEAVES:
        return (_LEAVES[annotation],)
    if getattr(annotation, "_is_protocol", False):
        return (_protocol(annotation),)
    return (_instance(annotation.__name__, annotation),)


def _mapping(keys: Kinds, values: Kinds) -> Kind:
    def read(name: str, given: Mapping[Any, Any]) -> dict[Any, Any]:
        return {
            _read(f"a key of {name}", key, keys): _read(f"{name}[{shown(key)}]", value, values)
            for key, value in given.items()
        }

    return Kind("a mapping", lambda value: isinstance(value, Mapping), read)


def _listing(items: Kinds) -> Kind:
    def read(name: str, given: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(_read(f"{name}[{place}]", item, items) for place, item in enumerate(given))

    return _instance("a list", Iterable, but=(str, bytes, Mapping), read=read)


def _choice(options: Sequence[str], name: str, value: str) -> str:
    text = checked_text(name, value)
    if text not in options:
        raise InputError(f"{name} {shown(text)}: choose from {', '.join(options)}")
    return text


def _bounded(bounds: range, name: str, value: int) -> int:
    number = whole(name, value)
    if number not in bounds:
        raise InputError(f"{name} {number}: give {bounds.start} to {bounds.stop - 1}")
    return number


def _as_it_is(_: str, value: Any) -> Any:
    return value


def _instance(
    wanted: str,
    of: type,
    *,
    but: tuple[type, ...] = (),
    read: Callable[[str, Any], Any] = _as_it_is,
) -> Kind:
    return Kind(wanted, lambda value: isinstance(value, of) and not isinstance(value, but), read)


def _protocol(of: type) -> Kind:
    """Return the kind of objects that have the methods of a protocol."""
    methods = [
        name
        for name, member in vars(of).items()
        if isinstance(member, FunctionType | property) and not name.startswith("__")
    ]
    return Kind(
        of.__name__,
        lambda value: not isinstance(value, type) and all(hasattr(value, name) for name in methods),
        _as_it_is,
    )


def _path(name: str, value: str) -> str:
    # A name that is no UTF-8 has halves of surrogate pairs in it.
    with suppress(UnicodeEncodeError):
        checked_text(name, os.fsencode(value).decode(errors="replace"))
        return str.__str__(value)
    return checked_text(name, value)


_PATH = _instance("text", str, read=_path)
_LEAVES: Mapping[type, Kind] = {
    NoneType: _instance("None", NoneType),
    str: _instance("text", str, read=checked_text),
    int: _instance("a whole number", Integral, but=(bool,), read=whole),
    float: _instance("a number", Real, but=(bool,), read=finite),
    bool: _instance("True or False", bool),
    datetime: _instance("datetime", datetime),
    date: _instance("date", date),
}
"""What an argument of each plain type may be, and how it becomes that type."""
