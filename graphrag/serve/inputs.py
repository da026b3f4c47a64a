"""Input types of the verbs: arguments of a tool, and bodies of requests.

Field descriptions are for models and for readers of the OpenAPI description. Validation is strict:
an unknown argument is an error, and so is "5" for 5.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from graphrag.graph import GraphRAG
from graphrag.model.checks import shown
from graphrag.view.view import View

Scope = Literal["facts", "entities", "episodes", "communities"]
Moment = Annotated[str, Field(min_length=1, max_length=200)]
Name = Annotated[str, Field(min_length=1, max_length=500)]
Line = Annotated[str, Field(max_length=1000)]
UNKNOWN = "unknown"  # in the place of a date: there is none

_DATE = '"2024-03-05", "March 2024", "2024-03-05T10:00:00Z", "last month"'
_ENTITY = "An entity: its name, an alias, or its id."


class Input(BaseModel):
    """Base of the arguments of a verb."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @property
    def only_reads(self) -> bool:
        """Tell whether this call of a writing verb only reads."""
        return False


class Viewed(Input):
    """Base of the arguments of a read: its moments."""

    valid_at: Moment | None = Field(
        None, description=f"World time: facts that held then. Default: now. Such as {_DATE}."
    )
    known_at: Moment | None = Field(
        None, description="System time: only data stored by then. Default: now."
    )

    def view(self, graph: GraphRAG, *, history: bool = False) -> View:
        """Return a graph as of these moments."""
        return graph.at(valid_at=self.valid_at, known_at=self.known_at, history=history)


class StatedFact(Input):
    """One fact, given by its parts."""

    subject: Name = Field(description="The subject, by name.")
    relation: Name = Field(description='A verb in lower case: "works_at", "lives_in", "likes".')
    object: Name = Field(description="The object, by name.")
    valid_at: Moment | None = Field(None, description=f"Start. Such as {_DATE}.")
    invalid_at: Moment | None = Field(
        None, description="End: the first moment at which it no longer holds."
    )
    subject_type: Name | None = Field(None, description='"person", "organization", "place", ...')
    object_type: Name | None = Field(None, description="As subject_type.")
    confidence: float = Field(1.0, ge=0, le=1, description="Low ones wait for review.")


class RememberInput(Input):
    """Arguments of ``remember``: a text or one fact."""

    content: Annotated[str, Field(min_length=1, max_length=1_000_000)] | dict[str, Any] | None = (
        Field(
            None,
            description='What was said or written, word for word: text, "name: words" lines, or a '
            "JSON object. Facts are extracted from it.",
        )
    )
    fact: StatedFact | None = Field(
        None, description="Instead of content: one fact that you know exactly."
    )
    reference_time: Moment | None = Field(
        None, description="When it was said; relative dates count from it. Default: now."
    )
    name: Line = Field("", description="Title.")
    source: Line = Field("", description="Origin, such as an app or a document.")
    saga: Name | None = Field(None, description="The conversation, case or book it belongs to.")
    key: Name | None = Field(
        None, description="Your own id: the same key again changes nothing (safe to retry)."
    )
    author: Name | None = Field(None, description='Name of the author, whom "I" means.')
    wait: bool = Field(
        True, description="False returns once the text is stored; facts are extracted later."
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> "RememberInput":
        if (self.content is None) == (self.fact is None):
            raise ValueError("give either content or fact")
        return self


class SearchInput(Viewed):
    """Arguments of ``search``."""

    query: str = Field(min_length=1, max_length=10_000, description="A question or a few words.")
    limit: int = Field(10, ge=1, le=100, description="Maximum hits in each scope.")
    scopes: list[Scope] | None = Field(
        None, min_length=1, max_length=4, description="Scopes to search. Default: all."
    )
    history: bool = Field(False, description="Include ended and retracted facts.")
    where: str | None = Field(
        None,
        min_length=1,
        max_length=2000,
        description='A filter: "relation == works_at and valid_at < 2022".',
    )
    saga: Name | None = Field(None, description="Only this conversation.")


class AskInput(Viewed):
    """Arguments of ``ask``: a question."""

    question: str = Field(
        min_length=1, max_length=2000, description="With full names. Without a model: in English."
    )


class AnswerInput(AskInput):
    """Arguments of ``answer``: a question."""

    question: str = Field(min_length=1, max_length=2000, description="In any language.")
    max_tokens: int = Field(2000, ge=50, le=32_000, description="Token limit for the model.")


class EntityInput(Viewed):
    """Arguments of ``entity``."""

    entity: Name = Field(description=_ENTITY)
    facts: int = Field(25, ge=0, le=200, description="Maximum current facts, newest first.")


class TimelineInput(Viewed):
    """Arguments of ``timeline``."""

    entity: Name = Field(description=_ENTITY)
    limit: int = Field(100, ge=1, le=1000, description="Maximum facts, the latest ones.")


class ChangesInput(Viewed):
    """Arguments of ``changes``: two moments."""

    since: Moment = Field(description=f"Start of the period. Such as {_DATE}.")
    until: Moment | None = Field(None, description="End of the period. Default: now.")
    axis: Literal["system", "world"] = Field(
        "system",
        description="system: facts learned, closed, corrected or retracted in this memory. "
        "world: facts that began or ended.",
    )
    limit: int = Field(100, ge=1, le=1000, description="Maximum changes, the latest ones.")


class PathInput(Viewed):
    """Arguments of ``path``: two entities."""

    start: Name = Field(description=_ENTITY)
    end: Name = Field(description=_ENTITY)
    max_depth: int = Field(4, ge=1, le=10, description="Maximum facts in a path.")
    number: int = Field(1, ge=1, le=10, description="Maximum paths, the shortest first.")


class ContextInput(Viewed):
    """Arguments of ``context``: the subject and size of a text for a prompt."""

    question: str = Field(min_length=1, max_length=10_000, description="Question or topic.")
    max_tokens: int = Field(2000, ge=50, le=32_000, description="What the text may take.")
    format: Literal["text", "xml", "json"] = Field("text", description="Format of the text.")
    saga: Name | None = Field(None, description="Only this conversation.")


class CorrectInput(Input):
    """Arguments of ``correct``: the changes to a fact."""

    fact: Name = Field(description="Id of a fact, as other tools return it.")
    action: Literal["change", "end", "retract"] = Field(
        description="change: correct its parts. end: it was true until invalid_at. "
        "retract: it was never true."
    )
    subject: Name | None = Field(None, description="New subject, if different.")
    relation: Name | None = Field(None, description="New relation, if different.")
    object: Name | None = Field(None, description="New object, if different.")
    text: Line | None = Field(None, description="New sentence, if different.")
    valid_at: Moment | None = Field(
        None, description=f'New start, if different; "{UNKNOWN}" for none.'
    )
    invalid_at: Moment | None = Field(
        None, description=f'New end, if different; "{UNKNOWN}" if it still holds.'
    )
    reason: Line = Field("", description="Why, for the log.")


class ForgetInput(Input):
    """Arguments of ``forget``."""

    entity: Name = Field(description=_ENTITY)
    confirm: Name | None = Field(
        None,
        description="Exact name of the entity, to erase it permanently. Without it nothing is "
        "erased and the result lists what would be.",
    )
    keep_episodes: bool = Field(
        False, description="Erase the entity and its facts, but keep the texts."
    )

    @property
    def only_reads(self) -> bool:
        """Return True if nothing is to be erased yet."""
        return self.confirm is None


class ReviewInput(Input):
    """Arguments of ``review``."""

    action: Literal["list", "confirm", "reject"] = Field(
        "list", description="list: show pending facts. confirm or reject: decide on one fact."
    )
    fact: Name | None = Field(None, description="The id of the fact to confirm or reject.")
    reason: Line = Field("", description="Why, for the log.")
    limit: int = Field(20, ge=1, le=200, description="Maximum facts, the oldest first.")

    @property
    def only_reads(self) -> bool:
        """Tell whether nothing is decided."""
        return self.action == "list"

    @model_validator(mode="after")
    def _a_fact_to_decide_about(self) -> "ReviewInput":
        if (self.action == "list") != (self.fact is None):
            raise ValueError("confirm and reject take the id of a fact, list takes none")
        return self


class CommunitiesInput(Viewed):
    """Arguments of ``communities``: a name, a level, or a question about the whole graph."""

    question: str | None = Field(
        None,
        min_length=1,
        max_length=10_000,
        description="A question about the whole graph; returns context for a prompt.",
    )
    community: Name | None = Field(None, description="Show one, by name or id.")
    level: int | None = Field(None, ge=0, le=50, description="Only this level; 0: coarsest.")
    limit: int = Field(20, ge=1, le=200, description="Maximum communities, members and facts.")
    max_tokens: int = Field(2000, ge=50, le=32_000, description="What the text may take.")


class CommunitiesOverTimeInput(Viewed):
    """Arguments of ``communities_over_time``: slices of world time, and limits."""

    every: Literal["month", "quarter", "year", "decade"] = Field(
        "year", description="Slice length; the last slice ends at valid_at. At most 240 slices."
    )
    start: Moment | None = Field(None, description="Start of the first slice. Default: first fact.")
    resolution: float | None = Field(
        None, gt=0, le=1e6, description="A value such as 0.2 finds smaller communities."
    )
    limit: int = Field(20, ge=1, le=200, description="Maximum communities, the largest.")
    events: int = Field(50, ge=0, le=1000, description="Maximum events, the latest.")
    details: bool = Field(False, description="Include members of each slice and their moves.")


def sentence(error: ValidationError, model: type[BaseModel]) -> str:
    """Return in one sentence the errors in arguments of this model."""
    parts = []
    unknown = False
    for detail in error.errors(include_url=False):
        place = ".".join(str(step) for step in detail["loc"])
        if detail["type"] == "missing":
            parts.append(f"{place} is missing")
        elif detail["type"] == "extra_forbidden":
            parts.append(f"there is no argument {place!r}")
            unknown = unknown or len(detail["loc"]) == 1
        elif detail["type"] == "value_error":
            parts.append(str(detail["ctx"]["error"]))
        else:
            what = detail["msg"][:1].lower() + detail["msg"][1:]
            parts.append(f"{place} {shown(detail['input'])}: {what}" if place else what)
    if unknown:
        parts.append(f"it takes {', '.join(model.model_fields) or 'none'}")
    return "; ".join(dict.fromkeys(parts))
