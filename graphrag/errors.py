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
    """Raised when an argument is not valid, before anything is written."""


class TimeError(InputError):
    """Raised when an argument, option or cell cannot be read as one exact moment in time."""


class EpisodeError(InputError):
    """Raised when an episode to add, or the file it comes from, is empty or malformed."""


class QueryError(InputError):
    """Raised when an argument of a search or read is not valid."""


class UnknownGroupError(QueryError):
    """Raised when there is no group of this name; the message does not name other groups."""

    def __init__(self, group: str) -> None:
        super().__init__(f"there is no group {group!r}: groups().list() shows those there are")
        self.group = group


class StoreError(GraphRAGError):
    """Raised when the database refuses an operation or fails; its subclasses say how."""


class StoreURLError(StoreError, ValueError):
    """Raised on opening if the URL is malformed or contradicts the credentials."""


class StoreDiskError(StoreError):
    """Raised on opening if the disk of a store is full, not writable or faulty."""


class StoreLockedError(StoreError):
    """Raised on opening if a process, this one included, has the store open already."""


class StoreCorruptError(StoreError):
    """Raised on opening or reading if files or events of a store are damaged."""


class StoreUnreachableError(StoreError):
    """Raised when no server answers at the URL, or the connection was lost."""


class StoreAuthError(StoreError):
    """Raised when the server rejects the credentials, or the user lacks a permission."""


class StoreVersionError(StoreError):
    """Raised on opening if the store is newer than this library, or its server too old."""


class EmbedderMismatchError(StoreError):
    """Raised on opening or copying if the vectors are of another embedder."""


class StoreProfileError(StoreError):
    """Raised when an operation does not fit the index profile of the store."""


class StoreIndexError(StoreError):
    """Raised by searches of the engine profile whose index is missing or out of date."""


class StoreClosedError(StoreError):
    """Raised by every call on a graph that was not opened, or was closed."""


class TransactionError(StoreError):
    """Raised when a write fails and is rolled back as a whole."""


class PolicyError(GraphRAGError):
    """Raised when the write policy, a right or an invariant forbids a write; it is not done."""


class EmbeddingError(GraphRAGError):
    """Raised when the embedder fails or returns an invalid vector; nothing is written."""


class ExtractionError(GraphRAGError):
    """Raised when an extractor, arbiter or model fails on an episode."""


class LLMError(ExtractionError):
    """Raised when a language model cannot be reached, or gives no valid answer when asked again."""


class InvalidAnswerError(LLMError):
    """A language model gave no answer of the requested shape, asked again as well."""


class BudgetExceededError(LLMError):
    """Raised before a request that the budget of calls or tokens does not allow."""


class MissingExtraError(GraphRAGError, ImportError):
    """Raised by what needs an optional dependency that is not installed; names the command."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an extra: pip install 'surreal-graphrag[{extra}]'")
        self.extra = extra
