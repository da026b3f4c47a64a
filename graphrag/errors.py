"""The errors that this library raises, all subclasses of ``GraphRAGError``.

- ``InputError``, an argument: ``TimeError``, ``EpisodeError``, ``QueryError`` and its
  ``UnknownGroupError``.
- ``StoreError``, the database: ``StoreURLError``, ``StoreDiskError``, ``StoreLockedError``,
  ``StoreCorruptError``, ``StoreUnreachableError``, ``StoreAuthError``, ``StoreVersionError``,
  ``EmbedderMismatchError``, ``StoreProfileError``, ``StoreIndexError``, ``StoreClosedError``,
  ``TransactionError``.
- ``PolicyError``, ``EmbeddingError``, ``MissingExtraError``.
- ``ExtractionError``, an extractor or model: ``LLMError`` and its
  ``InvalidAnswerError`` and ``BudgetExceededError``.

A message names the problem, the object concerned and the next step, and never shows a secret.
"""


class GraphRAGError(Exception):
    """Base class of every error that graphrag raises."""


class InputError(GraphRAGError, ValueError):
    """An argument is not valid; nothing was written."""


class TimeError(InputError):
    """A value cannot be read as an exact moment in time."""


class EpisodeError(InputError):
    """An episode is empty, binary or malformed."""


class QueryError(InputError):
    """An argument of a search or read is not valid."""


class UnknownGroupError(QueryError):
    """There is no group of this name. The message does not reveal the names of other groups."""

    def __init__(self, group: str) -> None:
        super().__init__(f"there is no group {group!r}: groups().list() shows those there are")
        self.group = group


class StoreError(GraphRAGError):
    """The database refused an operation or failed."""


class StoreURLError(StoreError, ValueError):
    """The URL of the store is malformed, contradicts the credentials or cannot be opened."""


class StoreDiskError(StoreError):
    """The disk of a store is full, not writable or faulty."""


class StoreLockedError(StoreError):
    """Another process, or another graph of this process, has the store open."""


class StoreCorruptError(StoreError):
    """The files of an embedded store are damaged."""


class StoreUnreachableError(StoreError):
    """No server answers at the URL, or the connection was lost."""


class StoreAuthError(StoreError):
    """The server rejected the credentials, or the user lacks a permission."""


class StoreVersionError(StoreError):
    """The store was written by a newer version of this library, or its server is too old."""


class EmbedderMismatchError(StoreError):
    """The vectors of the store are from another embedder or have another dimension."""


class StoreProfileError(StoreError):
    """The operation does not fit the index profile of the store."""


class StoreIndexError(StoreError):
    """An index of the engine profile is missing, or does not agree with its table."""


class StoreClosedError(StoreError):
    """The graph is not open."""


class TransactionError(StoreError):
    """A transaction failed and was rolled back."""


class PolicyError(GraphRAGError):
    """The write policy or a built-in invariant refused a write; nothing was written."""


class EmbeddingError(GraphRAGError):
    """The embedder failed or returned an invalid vector; nothing was written."""


class ExtractionError(GraphRAGError):
    """An extractor or a model failed on an episode."""


class LLMError(ExtractionError):
    """A language model was not reachable or gave no valid answer."""


class InvalidAnswerError(LLMError):
    """A language model gave no answer of the requested shape, asked again as well."""


class BudgetExceededError(LLMError):
    """The budget of calls or tokens does not allow another request."""


class MissingExtraError(GraphRAGError, ImportError):
    """An optional dependency is not installed; the message names the pip command."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an extra: pip install 'surreal-graphrag[{extra}]'")
        self.extra = extra
