"""Where the graph is and how to get in; the only place that reads the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

DEFAULT_STORE = "surrealkv://./graph-store"


@dataclass(frozen=True, slots=True)
class Settings:
    """A store and the way in."""

    store: str = DEFAULT_STORE
    """``surrealkv://PATH``, ``mem://``, ``ws://``, ``wss://``, ``http://`` or ``https://``."""
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    namespace: str = "graphrag"
    database: str = "graphrag"
    llm_model: str | None = None
    """Name of a language model; None extracts by rules."""
    llm_base_url: str | None = None
    """An OpenAI-compatible endpoint; None is OpenAI's own."""
    llm_api_key: str | None = field(default=None, repr=False)

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Read ``SURREAL_GRAPHRAG_STORE``, ``SURREAL_USER`` and ``SURREAL_PASSWORD``.

        For a language model: ``SURREAL_GRAPHRAG_LLM`` (its name), ``OPENAI_BASE_URL`` and
        ``OPENAI_API_KEY``.

        Args:
            environment: Default: the environment of this process.
        """
        values = os.environ if environment is None else environment
        return cls(
            store=values.get("SURREAL_GRAPHRAG_STORE") or DEFAULT_STORE,
            user=values.get("SURREAL_USER") or None,
            password=values.get("SURREAL_PASSWORD") or None,
            llm_model=values.get("SURREAL_GRAPHRAG_LLM") or None,
            llm_base_url=values.get("OPENAI_BASE_URL") or None,
            llm_api_key=values.get("OPENAI_API_KEY") or None,
        )
