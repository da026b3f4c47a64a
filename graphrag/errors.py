"""Every error this library raises on purpose, in one tree under ``GraphRAGError``.

- ``InputError``, an argument: ``TimeError``, ``EpisodeError``, ``QueryError`` and its
  ``UnknownGroupError``.
- ``StoreError``, the database: ``StoreURLError``, ``StoreDiskError``, ``StoreLockedError``,
  ``StoreCorruptError``, ``StoreUnreachableError``, ``StoreAuthError``, ``StoreVersionError``,
  ``EmbedderMismatchError``, ``StoreProfileError``, ``StoreIndexError``, ``StoreClosedError``,
  ``TransactionError``.
- ``PolicyError``, ``EmbeddingError``, ``MissingExtraError``.
- ``ExtractionError``, an extractor or model: ``LLMError`` and its ``BudgetExceededError``.

A message says what happened, to which object, and what to do next. Secrets never appear in one.
"""


class GraphRAGError(Exception):
    """Root of every error raised by graphrag."""


class InputError(GraphRAGError, ValueError):
    """An argument cannot be used; nothing was written."""


class TimeError(InputError):
    """A value is not a moment in time that we can place exactly."""


class EpisodeError(InputError):
    """An episode is empty, binary or malformed."""


class QueryError(InputError):
    """A search cannot be run as asked."""


class UnknownGroupError(QueryError):
    """There is no group of this name; the message names no other, which may be somebody's."""

    def __init__(self, group: str) -> None:
        super().__init__(f"there is no group {group!r}: groups().list() shows those there are")
        self.group = group


class StoreError(GraphRAGError):
    """The database refused or failed."""


class StoreURLError(StoreError, ValueError):
    """The URL names no store that can be opened."""


class StoreDiskError(StoreError):
    """The disk of a store is full, cannot be written to, or fails."""


class StoreLockedError(StoreError):
    """Another process, or another graph in this one, has the store open."""


class StoreCorruptError(StoreError):
    """The files of an embedded store are damaged."""


class StoreUnreachableError(StoreError):
    """No server answers at the URL."""


class StoreAuthError(StoreError):
    """The server refused user, password or token, or something that a user may not do."""


class StoreVersionError(StoreError):
    """The store was written by a newer version of this library, or its server is too old."""


class EmbedderMismatchError(StoreError):
    """The store was built with another embedder, or with another dimension."""


class StoreProfileError(StoreError):
    """The store was made for the other index profile."""


class StoreIndexError(StoreError):
    """An index of the engine profile is missing, or does not agree with its table."""


class StoreClosedError(StoreError):
    """The graph is not open."""


class TransactionError(StoreError):
    """A transaction failed; nothing of it was written."""


class PolicyError(GraphRAGError):
    """The write policy, or an invariant that no policy lifts, refused; nothing was written."""


class EmbeddingError(GraphRAGError):
    """The embedder failed, or gave what is no vector; nothing was written."""


class ExtractionError(GraphRAGError):
    """An extractor or a model failed on an episode."""


class LLMError(ExtractionError):
    """A language model could not be asked, or gave no valid answer."""


class BudgetExceededError(LLMError):
    """The budget of calls or tokens does not allow another question."""


class MissingExtraError(GraphRAGError, ImportError):
    """An optional dependency is not installed; the message names the pip command."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an extra: pip install 'surreal-graphrag[{extra}]'")
        self.extra = extra
