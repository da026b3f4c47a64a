"""Inputs of the verbs: the arguments of a tool, and the body of a request.

Each field says to a model, or to a person who reads the OpenAPI description, what it means. Nothing
is guessed: an argument that a verb does not have is an error, and so is "5" for 5.
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
UNKNOWN = "unknown"
"""In the place of a date: there is none."""

_DATE = '"2024-03-05", "March 2024", "2024-03-05T10:00:00Z", "last month"'
_ENTITY = "An entity: its name, an alias, or its id."


class Input(BaseModel):
    """The arguments of a verb."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @property
    def only_reads(self) -> bool:
        """Tell whether a verb that writes is only asked what it would do, or decide about."""
        return False


class Viewed(Input):
    """The arguments of a read: as of which moments."""

    valid_at: Moment | None = Field(
        None, description=f"World time: what was true then. Default: now. Such as {_DATE}."
    )
    known_at: Moment | None = Field(
        None, description="System time: what this memory knew by then. Default: now."
    )

    def view(self, graph: GraphRAG, *, history: bool = False) -> View:
        """Return a graph as of these moments."""
        return graph.at(valid_at=self.valid_at, known_at=self.known_at, history=history)


class StatedFact(Input):
    """One fact, told directly."""

    subject: Name = Field(description="Who or what it is about.")
    relation: Name = Field(description='A verb in lower case: "works_at", "lives_in", "likes".')
    object: Name = Field(description="The other entity.")
    valid_at: Moment | None = Field(None, description=f"Since when. Such as {_DATE}.")
    invalid_at: Moment | None = Field(None, description="Until when (the first moment not).")
    subject_type: Name | None = Field(None, description='"person", "organization", "place", ...')
    object_type: Name | None = Field(None, description="As subject_type.")
    confidence: float = Field(1.0, ge=0, le=1, description="Unsure facts wait for review.")


class RememberInput(Input):
    """Arguments of ``remember``: a text or one fact."""

    content: Annotated[str, Field(min_length=1, max_length=1_000_000)] | dict[str, Any] | None = (
        Field(
            None,
            description='What was said or written, word for word: text, "name: words" lines, or a '
            "JSON object. Facts are read from it.",
        )
    )
    fact: StatedFact | None = Field(
        None, description="Instead of content: one fact that you know exactly."
    )
    reference_time: Moment | None = Field(
        None, description="When it was said; relative dates count from it. Default: now."
    )
    name: Line = Field("", description="Its title.")
    source: Line = Field("", description="Where it comes from, such as an app or a document.")
    saga: Name | None = Field(None, description="The conversation, case or book it belongs to.")
    key: Name | None = Field(
        None, description="Your own id of it: the same key again changes nothing (safe to retry)."
    )
    author: Name | None = Field(None, description='Whom "I" means in the text.')
    wait: bool = Field(
        True, description="False returns once the text is stored; its facts are read later."
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> "RememberInput":
        if (self.content is None) == (self.fact is None):
            raise ValueError("give either content or fact")
        return self


class SearchInput(Viewed):
    """A question to be searched for."""

    query: str = Field(min_length=1, max_length=10_000, description="A question or a few words.")
    limit: int = Field(10, ge=1, le=100, description="Hits of each scope at most.")
    scopes: list[Scope] | None = Field(
        None, min_length=1, max_length=4, description="What to search. Default: everything."
    )
    history: bool = Field(False, description="Facts of every time, ended and retracted ones too.")
    where: str | None = Field(
        None,
        min_length=1,
        max_length=2000,
        description='A filter: "relation == works_at and valid_at < 2022".',
    )
    saga: Name | None = Field(None, description="Only what was told in this conversation.")


class AskInput(Viewed):
    """A question to be answered."""

    question: str = Field(
        min_length=1, max_length=2000, description="In English, with the names as they are known."
    )


class AnswerInput(AskInput):
    """A question to be answered with sources."""

    question: str = Field(min_length=1, max_length=2000, description="In any language.")
    max_tokens: int = Field(2000, ge=50, le=32_000, description="What a model may be shown.")


class EntityInput(Viewed):
    """Arguments of ``entity``."""

    entity: Name = Field(description=_ENTITY)
    facts: int = Field(25, ge=0, le=200, description="Facts that hold, at most, newest first.")


class TimelineInput(Viewed):
    """Arguments of ``timeline``."""

    entity: Name = Field(description=_ENTITY)
    limit: int = Field(100, ge=1, le=1000, description="Facts at most, the latest ones.")


class ChangesInput(Viewed):
    """Arguments of ``changes``: two moments."""

    since: Moment = Field(description=f"The earlier moment. Such as {_DATE}.")
    until: Moment | None = Field(None, description="The later one. Default: now.")
    axis: Literal["system", "world"] = Field(
        "system",
        description="system: what this memory learned, closed, corrected or took back. "
        "world: what began and ended, by what is known.",
    )
    limit: int = Field(100, ge=1, le=1000, description="Changes at most, the latest ones.")


class PathInput(Viewed):
    """Arguments of ``path``: two entities."""

    start: Name = Field(description=_ENTITY)
    end: Name = Field(description=_ENTITY)
    max_depth: int = Field(4, ge=1, le=10, description="Facts in a chain at most.")
    number: int = Field(1, ge=1, le=10, description="Chains at most, the shortest first.")


class ContextInput(Viewed):
    """Arguments of ``context``: the subject and size of a text for a prompt."""

    question: str = Field(min_length=1, max_length=10_000, description="What it is for.")
    max_tokens: int = Field(2000, ge=50, le=32_000, description="What the text may take.")
    format: Literal["text", "xml", "json"] = Field("text", description="How it is written.")
    saga: Name | None = Field(None, description="Only what was told in this conversation.")


class CorrectInput(Input):
    """Arguments of ``correct``: the changes to a fact."""

    fact: Name = Field(description="The id of a fact, as other tools return it.")
    action: Literal["change", "end", "retract"] = Field(
        description="change: it should read otherwise. end: it was true until invalid_at. "
        "retract: it was never true."
    )
    subject: Name | None = Field(None, description="The right subject, if another.")
    relation: Name | None = Field(None, description="The right relation, if another.")
    object: Name | None = Field(None, description="The right object, if another.")
    text: Line | None = Field(None, description="The right sentence, if another.")
    valid_at: Moment | None = Field(
        None, description=f'The right start, if another; "{UNKNOWN}" for none.'
    )
    invalid_at: Moment | None = Field(
        None, description=f'The right end, if another; "{UNKNOWN}" if it still holds.'
    )
    reason: Line = Field("", description="Why, for the log.")


class ForgetInput(Input):
    """Arguments of ``forget``."""

    entity: Name = Field(description=_ENTITY)
    confirm: Name | None = Field(
        None,
        description="Its exact name, to erase for good. Without it nothing is erased and the "
        "result says what would be.",
    )
    keep_episodes: bool = Field(
        False, description="Erase the entity and its facts, but let the texts stay as they are."
    )

    @property
    def only_reads(self) -> bool:
        """Return True if nothing is to be erased yet."""
        return self.confirm is None


class ReviewInput(Input):
    """Arguments of ``review``."""

    action: Literal["list", "confirm", "reject"] = Field(
        "list", description="list: what waits. confirm or reject: decide about one fact."
    )
    fact: Name | None = Field(None, description="The id of the fact to confirm or reject.")
    reason: Line = Field("", description="Why, for the log.")
    limit: int = Field(20, ge=1, le=200, description="Facts listed at most, the oldest first.")

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
    """Arguments of ``communities``: one, a level, or a question about all."""

    question: str | None = Field(
        None,
        min_length=1,
        max_length=10_000,
        description="A question about the whole, answered by a text for a prompt.",
    )
    community: Name | None = Field(None, description="Show one: its name or id.")
    level: int | None = Field(None, ge=0, le=50, description="Only of this level; 0: coarsest.")
    limit: int = Field(20, ge=1, le=200, description="Communities, members and facts at most.")
    max_tokens: int = Field(2000, ge=50, le=32_000, description="What the text may take.")


class CommunitiesOverTimeInput(Viewed):
    """Arguments of ``communities_over_time``: slices of world time, and limits."""

    every: Literal["month", "quarter", "year", "decade"] = Field(
        "year", description="How long a slice is; the last one ends at valid_at. At most 240."
    )
    start: Moment | None = Field(None, description="Of the first slice. Default: first fact.")
    resolution: float | None = Field(
        None, gt=0, le=1e6, description="Such as 0.2, for communities too small to be seen without."
    )
    limit: int = Field(20, ge=1, le=200, description="Communities at most, the largest.")
    events: int = Field(50, ge=0, le=1000, description="Events at most, the latest.")
    details: bool = Field(False, description="Also who was in which when, and who went where.")


def sentence(error: ValidationError, model: type[BaseModel]) -> str:
    """Say in one sentence what is wrong with the arguments of this model."""
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
