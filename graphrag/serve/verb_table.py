"""The verbs that a graph serves: those of agents and REST, and those of REST alone."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

from pydantic import ValidationError

from graphrag.errors import InputError, PolicyError
from graphrag.serve import curating as curate
from graphrag.serve import curation, inputs, outputs
from graphrag.serve import reading as read
from graphrag.serve import writing as write
from graphrag.serve.call import Call
from graphrag.serve.inputs import Input, sentence
from graphrag.serve.items import EventOutput, Output

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


_EDITS: Final[tuple[Verb[Any, Any], ...]] = (
    Verb(curate.merge, curation.MergeInput, EventOutput),
    Verb(curate.keep_apart, curation.KeepApartInput, EventOutput),
    Verb(curate.split, curation.SplitInput, curation.SplitOutput),
    Verb(curate.revert, curation.RevertInput, EventOutput),
)
_EXPLORING: Final[tuple[Verb[Any, Any], ...]] = (
    Verb(curate.atlas, curation.AtlasInput, curation.AtlasOutput),
    Verb(curate.candidates, curation.CandidatesInput, curation.CandidatesOutput),
    Verb(curate.log, curation.LogInput, curation.LogOutput),
    *(replace(verb, writes=True, destructive=True, idempotent=False) for verb in _EDITS),
)
"""What the explorer asks for."""

_TALKING: Final[tuple[Verb[Any, Any], ...]] = (
    Verb(
        write.remember,
        inputs.RememberInput,
        outputs.RememberOutput,
        writes=True,
        idempotent=False,
    ),
    Verb(read.search, inputs.SearchInput, outputs.SearchOutput),
    Verb(read.ask, inputs.AskInput, outputs.AskOutput),
    Verb(read.answer, inputs.AnswerInput, outputs.AnswerOutput, tool=False),
    Verb(read.entity, inputs.EntityInput, outputs.KnownEntityOutput),
    Verb(read.timeline, inputs.TimelineInput, outputs.TimelineOutput),
    Verb(read.changes, inputs.ChangesInput, outputs.ChangesOutput),
    Verb(read.path, inputs.PathInput, outputs.PathOutput),
    Verb(read.context, inputs.ContextInput, outputs.ContextOutput),
    Verb(
        write.correct,
        inputs.CorrectInput,
        outputs.CorrectOutput,
        writes=True,
        destructive=True,
        idempotent=False,
    ),
    Verb(
        write.forget,
        inputs.ForgetInput,
        outputs.ForgetOutput,
        writes=True,
        destructive=True,
    ),
    Verb(
        write.review,
        inputs.ReviewInput,
        outputs.ReviewOutput,
        writes=True,
        destructive=True,
        idempotent=False,
    ),
    Verb(read.communities, inputs.CommunitiesInput, outputs.CommunitiesOutput),
    Verb(
        read.communities_over_time,
        inputs.CommunitiesOverTimeInput,
        outputs.CommunitiesOverTimeOutput,
    ),
)
"""What agents and other programs ask for."""

_ALONE = tuple(replace(verb, tool=False) for verb in _EXPLORING)
VERBS: Final[Mapping[str, Verb[Any, Any]]] = MappingProxyType(
    {verb.name: verb for verb in (*_TALKING, *_ALONE)}
)
"""Routes, and those of them that agents have as tools."""
