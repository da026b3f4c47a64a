"""The bridge to pydantic-ai, with its own doubles of models."""

import pytest
from pydantic import BaseModel
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from graphrag import (
    Budget,
    BudgetExceededError,
    LLMError,
    Message,
    MissingExtraError,
    PydanticAILLM,
    Usage,
)
from graphrag.llm.chat import is_busy


class Town(BaseModel):
    name: str


QUESTION = [Message("system", "Answer."), Message("user", "Which town?")]
GHENT = '{"name": "Ghent"}'


def says(*texts, seen=None):
    left = list(texts)

    def function(messages, info):
        if seen is not None:
            seen.append((messages, info))
        said = left.pop(0)
        if isinstance(said, Exception):
            raise said
        return ModelResponse([TextPart(said)])

    return PydanticAILLM(FunctionModel(function))


async def test_the_shape_goes_the_native_way_not_as_a_tool():
    seen = []
    llm = says(GHENT, seen=seen)
    assert await llm.complete(QUESTION, answer=Town) == Town(name="Ghent")
    ((messages, info),) = seen
    shape = info.model_request_parameters
    assert shape.output_mode == "native"
    assert shape.output_object.json_schema["additionalProperties"] is False
    assert info.function_tools == info.output_tools == []
    assert [message.parts[0].content for message in messages] == ["Answer.", "Which town?"]


async def test_a_model_without_native_output_gets_the_shape_in_words():
    seen = []
    llm = says(GHENT, seen=seen)
    llm._model.profile["supports_json_schema_output"] = False
    assert await llm.complete(QUESTION, answer=Town) == Town(name="Ghent")
    ((messages, info),) = seen
    assert '"additionalProperties"' in messages[0].parts[0].content
    assert info.model_request_parameters.output_mode == "text"


async def test_a_wrong_shape_is_repaired():
    llm = says("well", GHENT)
    assert await llm.complete(QUESTION, answer=Town) == Town(name="Ghent")
    assert (llm.usage.calls, llm.usage.repairs) == (2, 1)


async def test_a_busy_provider_is_asked_again_and_a_refusal_is_not():
    llm = says(ModelHTTPError(503, "m"), GHENT)
    llm._backoff = 0.01
    assert await llm.complete(QUESTION, answer=Town) == Town(name="Ghent")
    with pytest.raises(LLMError, match="HTTP 401"):
        await says(ModelHTTPError(401, "m", body="key sk-123")).complete(QUESTION, answer=Town)


async def test_a_provider_without_money_is_not_asked_again():
    broke = ModelHTTPError(429, "m", provider_error_code="insufficient_quota")
    with pytest.raises(LLMError, match="HTTP 429"):
        await says(broke).complete(QUESTION, answer=Town)


@pytest.mark.parametrize("status", [400, 401, 404, 408, 409, 422, 425, 429, 500, 503, 529])
def test_busy_statuses_are_asked_again(status):
    assert is_busy(status) == (status in (408, 409, 425, 429) or status >= 500)
    assert not is_busy(status, "insufficient_quota")


async def test_the_test_model_of_pydantic_ai_works_too(tmp_path):
    for expected in (1, 0):
        llm = PydanticAILLM(TestModel(custom_output_text=GHENT), cache=tmp_path)
        assert await llm.complete(QUESTION, answer=Town) == Town(name="Ghent")
        assert llm.usage.calls == expected
    assert llm.usage == Usage(cached=1)
    assert repr(llm) == "PydanticAILLM('test:test')"


async def test_the_budget_holds():
    llm = PydanticAILLM(TestModel(custom_output_text=GHENT), budget=Budget(calls=0))
    with pytest.raises(BudgetExceededError):
        await llm.complete(QUESTION, answer=Town)


def test_without_the_extra_the_error_names_the_command(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pydantic_ai.models", None)
    with pytest.raises(MissingExtraError, match=r"surreal-graphrag\[pydantic-ai\]"):
        PydanticAILLM("test")
