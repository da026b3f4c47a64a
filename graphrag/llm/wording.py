"""The shape of an answer in words, for models whose server takes no JSON schema."""

import json

from graphrag.llm.dialogue import Question
from graphrag.protocols import Message


def in_words(question: Question) -> tuple[Message, ...]:
    """Return the messages with the schema added to the first."""
    first, *rest = question.messages
    schema = json.dumps(question.schema, ensure_ascii=False)
    asked = f"{first.content}\n\nAnswer with one JSON object of this JSON schema:\n{schema}"
    return (Message(first.role, asked), *rest)
