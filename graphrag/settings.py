"""Where the graph is and how to get in; the only place that reads the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

DEFAULT_STORE = "surrealkv://./graph-store"
_PATHS = ("mem", "surrealkv")
"""Schemes of URLs that name a folder, in which there may be any character."""


def shown_url(url: str) -> str:
    """Return a URL without what may be secret in it: user, password, query.

    Not parsed: of a URL with a mistake in it, such as a password with a slash, more is hidden.
    """
    scheme, mark, rest = url.partition("://")
    if scheme in _PATHS:
        return url
    bare = (rest if mark else url).rpartition("@")[2].partition("?")[0].partition("#")[0]
    return f"{scheme}{mark}{bare}" if mark else bare


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """A store and the way in."""

    store: str = DEFAULT_STORE
    """``surrealkv://PATH``, ``mem://``, ``ws://``, ``wss://``, ``http://`` or ``https://``."""
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    namespace: str = "graphrag"
    database: str = "graphrag"
    embedder: str | None = None
    """Name or path of a sentence-transformers model; None is the one that this version brings."""
    llm_model: str | None = None
    """Name of a language model; None extracts by rules."""
    llm_base_url: str | None = None
    """An OpenAI-compatible endpoint; None is OpenAI's own."""
    llm_api_key: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    """What a client of ``serve`` has to show; None asks for none."""
    workers: int = 0
    """Tasks that read queued episodes: a command answers and ends, a server goes on."""

    def __repr__(self) -> str:
        """Show everything but secrets."""
        shown = {item.name: getattr(self, item.name) for item in fields(self) if item.repr}
        shown["store"] = shown_url(self.store)
        if self.llm_base_url is not None:
            shown["llm_base_url"] = shown_url(self.llm_base_url)
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Read ``SURREAL_GRAPHRAG_STORE``, ``SURREAL_USER`` and ``SURREAL_PASSWORD``.

        For another embedder: ``SURREAL_GRAPHRAG_EMBEDDER``. For a language model:
        ``SURREAL_GRAPHRAG_LLM`` (its name), ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``.
        For clients of ``serve``: ``SURREAL_GRAPHRAG_TOKEN``.

        Args:
            environment: Default: the environment of this process.
        """
        values = os.environ if environment is None else environment
        return cls(
            store=values.get("SURREAL_GRAPHRAG_STORE") or DEFAULT_STORE,
            user=values.get("SURREAL_USER") or None,
            password=values.get("SURREAL_PASSWORD") or None,
            embedder=values.get("SURREAL_GRAPHRAG_EMBEDDER") or None,
            llm_model=values.get("SURREAL_GRAPHRAG_LLM") or None,
            llm_base_url=values.get("OPENAI_BASE_URL") or None,
            llm_api_key=values.get("OPENAI_API_KEY") or None,
            token=values.get("SURREAL_GRAPHRAG_TOKEN") or None,
        )
