"""Ask any model that pydantic-ai knows: Anthropic, Gemini, Bedrock and the rest.

Structured output goes the provider's own way (the native mode of pydantic-ai, never a tool call,
which local servers answer badly); models without one get the schema in words. Everything around a
question is as for ``OpenAILLM``.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Union

from graphrag.errors import LLMError, MissingExtraError
from graphrag.llm.chat import BusyError, LLMQuestion, Reply, in_words, is_busy
from graphrag.llm.dialogue import Dialogue
from graphrag.llm.spending import Budget
from graphrag.protocols import Message

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import Model


class PydanticAILLM(Dialogue):
    """A model of pydantic-ai: an object, or a name such as ``anthropic:claude-sonnet-4-5``."""

    def __init__(
        self,
        model: Union["Model", str],
        *,
        timeout: float = 60.0,
        concurrency: int = 8,
        per_minute: int | None = None,
        retries: int = 4,
        cache: str | Path | None = None,
        budget: Budget | None = None,
    ) -> None:
        """Take the model; arguments as of ``OpenAILLM``, keys as pydantic-ai wants them.

        Raises:
            MissingExtraError: if the extra ``pydantic-ai`` is not installed.
        """
        try:
            from pydantic_ai.models import infer_model
        except ImportError as error:
            raise MissingExtraError("PydanticAILLM", "pydantic-ai") from error
        self._model = infer_model(model)
        super().__init__(
            f"{self._model.system}:{self._model.model_name}",
            timeout=timeout,
            concurrency=concurrency,
            per_minute=per_minute,
            retries=retries,
            cache=cache,
            budget=budget,
        )

    def __repr__(self) -> str:
        return f"PydanticAILLM({self.model!r})"

    async def _send(self, question: LLMQuestion) -> Reply:
        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError, UnexpectedModelBehavior
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition

        native = bool(self._model.profile.get("supports_json_schema_output", False))
        shape = OutputObjectDefinition(dict(question.schema), name=question.name, strict=True)
        try:
            response = await model_request(
                self._model,
                _history(question.messages if native else in_words(question)),
                model_request_parameters=ModelRequestParameters(
                    output_mode="native" if native else "text",
                    output_object=shape if native else None,
                    allow_text_output=True,
                ),
            )
        except ModelHTTPError as error:
            if is_busy(error.status_code, getattr(error, "provider_error_code", None)):
                raise BusyError(
                    f"HTTP {error.status_code}", wait=getattr(error, "retry_after", None)
                ) from None
            raise LLMError(
                f"the provider refused {self.model!r} with HTTP {error.status_code}: "
                "check the key, what it may do, and the name of the model"
            ) from None
        except (ModelAPIError, UnexpectedModelBehavior) as error:
            raise BusyError(type(error).__name__) from None
        return Reply(
            "".join(part.content for part in response.parts if part.part_kind == "text"),
            prompt_tokens=response.usage.input_tokens or None,
            completion_tokens=response.usage.output_tokens or None,
            cut_off=response.finish_reason == "length",
        )


def _history(messages: Sequence[Message]) -> "list[ModelMessage]":
    from pydantic_ai import messages as parts

    history: list[ModelMessage] = []
    for message in messages:
        if message.role == "assistant":
            history.append(parts.ModelResponse([parts.TextPart(message.content)]))
        elif message.role == "system":
            history.append(parts.ModelRequest([parts.SystemPromptPart(message.content)]))
        else:
            history.append(parts.ModelRequest([parts.UserPromptPart(message.content)]))
    return history
