"""The verbs that a graph serves: those of agents and REST, and those of REST alone."""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar, get_type_hints

from pydantic import ValidationError

from graphrag.errors import InputError, PolicyError
from graphrag.serve import curating as curate
from graphrag.serve import reading as read
from graphrag.serve import writing as write
from graphrag.serve.grants import Call
from graphrag.serve.inputs import Input, sentence
from graphrag.serve.items import Output

In = TypeVar("In", bound=Input)
Out = TypeVar("Out", bound=Output)


@dataclass(frozen=True, slots=True)
class Verb(Generic[In, Out]):
    """One thing that a graph can be asked to do."""

    run: Callable[[Call, In], Awaitable[Out]]
    input: type[In]
    output: type[Out]
    writes: bool = False
    destructive: bool = False
    """Whether it may take back or erase what is known."""
    idempotent: bool = True
    """Whether calling it again with the same arguments does nothing more."""
    tool: bool = True
    """Whether agents have it, too; they are models themselves, and choose among a few."""

    @property
    def name(self) -> str:
        """Return its name."""
        return self.run.__name__

    @property
    def description(self) -> str:
        """Return what it does, and when to use it."""
        return inspect.getdoc(self.run) or ""

    async def answer(self, call: Call, given: Mapping[str, Any]) -> Out:
        """Run it.

        Raises:
            InputError: if the arguments cannot be used.
            PolicyError: if the caller may only read.
        """
        if not isinstance(given, Mapping):
            raise InputError(f"{self.name} takes an object with its arguments")
        try:
            asked = self.input.model_validate(dict(given))
        except ValidationError as error:
            raise InputError(f"{self.name}: {sentence(error, self.input)}") from None
        if self.writes and not (call.grant.writes or asked.only_reads):
            raise PolicyError(f"{self.name} writes, and this token may only read")
        return await self.run(call, asked)


def verbs(
    *runs: Callable[[Call, Any], Awaitable[Output]],
    writes: bool = False,
    destructive: bool = False,
    idempotent: bool = True,
    tool: bool = True,
) -> Iterator[Verb[Any, Any]]:
    """Yield verbs of one kind; arguments and answer are those that their functions name."""
    for run in runs:
        types = get_type_hints(run)
        yield Verb(run, types["asked"], types["return"], writes, destructive, idempotent, tool)


VERBS: Final[Mapping[str, Verb[Any, Any]]] = MappingProxyType(
    {
        verb.name: verb
        for verb in (
            *verbs(write.remember, writes=True, idempotent=False),
            *verbs(read.search, read.ask),
            *verbs(read.answer, tool=False),
            *verbs(read.entity, read.timeline, read.changes, read.path, read.context),
            *verbs(write.correct, writes=True, destructive=True, idempotent=False),
            *verbs(write.forget, writes=True, destructive=True),
            *verbs(write.review, writes=True, destructive=True, idempotent=False),
            *verbs(read.communities, read.communities_over_time),
            *verbs(curate.atlas, curate.candidates, curate.log, tool=False),
            *verbs(
                curate.merge,
                curate.keep_apart,
                curate.split,
                curate.revert,
                writes=True,
                destructive=True,
                idempotent=False,
                tool=False,
            ),
        )
    }
)
"""Routes, and those of them that agents have as tools; the explorer asks for the others."""
