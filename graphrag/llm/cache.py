"""Answers kept in a folder: one file for each question, so that nothing is asked twice.

A file is written beside its place and moved there in one step, so that threads and processes may
share a folder and a crash leaves no half answer. Whatever cannot be read counts as not there.
"""

import asyncio
import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from graphrag.errors import LLMError
from graphrag.model.values import JSON
from graphrag.protocols import Message

_LOG = logging.getLogger("graphrag")


class AnswerCache:
    """Valid answers by the hash of model, messages and schema."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def __repr__(self) -> str:
        """Show the folder."""
        return f"AnswerCache({str(self.folder)!r})"

    def key(self, model: str, messages: Sequence[Message], schema: Mapping[str, JSON]) -> str:
        """Return the name of a question."""
        question = [model, [[message.role, message.content] for message in messages], schema]
        written = json.dumps(question, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(written.encode()).hexdigest()

    async def get(self, key: str) -> str | None:
        """Return the answer kept for a question, as JSON text."""
        return await asyncio.to_thread(self._read, key)

    async def put(self, key: str, answer: str) -> None:
        """Keep an answer.

        Raises:
            LLMError: if the folder cannot be written to.
        """
        try:
            await asyncio.to_thread(self._write, key, answer)
        except OSError as error:
            raise LLMError(
                f"an answer cannot be kept in {self.folder}: {error}. Name a folder that can be "
                "written to, or none"
            ) from error

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _read(self, key: str) -> str | None:
        path = self._path(key)
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            _LOG.warning("the cached answer %s cannot be read and is asked again: %s", path, error)
            return None

    def _write(self, key: str, answer: str) -> None:
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".draft")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(answer)
            Path(draft).replace(path)
        except OSError:
            Path(draft).unlink(missing_ok=True)
            raise
