"""Settings: the location of the store and the credentials; the only reader of the environment."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

DEFAULT_STORE = "surrealkv://./graph-store"
_PATHS = ("mem", "surrealkv")  # schemes of URLs that name a folder, whose name may be anything


def shown_url(url: str) -> str:
    """Return a URL without user, password and query.

    It is split, not parsed: of a malformed URL, such as a password with a slash, more is hidden.
    """
    scheme, mark, rest = url.partition("://")
    if scheme in _PATHS:
        return url
    bare = (rest if mark else url).rpartition("@")[2].partition("?")[0].partition("#")[0]
    return f"{scheme}{mark}{bare}" if mark else bare


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """Location, credentials and models of a graph, for the command line and the server."""

    store: str = DEFAULT_STORE
    """URL: ``surrealkv://PATH``, ``mem://``, ``ws://``, ``wss://``, ``http://`` or ``https://``."""
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    store_token: str | None = field(default=None, repr=False)
    """SurrealDB access token, in place of user and password."""
    namespace: str = "graphrag"
    database: str = "graphrag"
    group: str | None = None
    """Group of the store; None is the default group."""
    embedder: str | None = None
    """Name or path of a sentence-transformers model; None is the built-in one."""
    llm_model: str | None = None
    """Name of a language model; None extracts with rules and a small local network."""
    llm_base_url: str | None = None
    """URL of an OpenAI-compatible endpoint; None is OpenAI itself."""
    llm_api_key: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    """Token that clients of ``serve`` must send; None requires none."""
    workers: int = 0
    """Number of background tasks that extract queued episodes; 0 for commands, which exit."""

    @property
    def access(self) -> dict[str, Any]:
        """Return credentials and database as arguments of ``GraphRAG.open``."""
        names = ("user", "password", "namespace", "database")
        return {"token": self.store_token} | {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        shown = {item.name: getattr(self, item.name) for item in fields(self) if item.repr}
        shown["store"] = shown_url(self.store)
        if self.llm_base_url is not None:
            shown["llm_base_url"] = shown_url(self.llm_base_url)
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    @classmethod
    def from_env(
        cls,
        environment: Mapping[str, str] | None = None,
        *,
        files: Sequence[Mapping[str, Any]] = (),
    ) -> "Settings":
        """Read ``SURREAL_GRAPHRAG_STORE``, ``SURREAL_USER`` and the other ``VARIABLES``.

        Args:
            environment: Variables by name; default: the environment of this process.
            files: Settings by field name for unset variables; the first file with a value counts.
        """
        values = os.environ if environment is None else environment
        found: dict[str, Any] = {name: values.get(of) for name, of in VARIABLES.items()}
        for file in files:
            found |= {name: value for name, value in file.items() if not found.get(name)}
        return cls(**{name: value for name, value in found.items() if value})


VARIABLES = {
    "store": "SURREAL_GRAPHRAG_STORE",
    "user": "SURREAL_USER",
    "password": "SURREAL_PASSWORD",
    "store_token": "SURREAL_TOKEN",
    "group": "SURREAL_GRAPHRAG_GROUP",
    "embedder": "SURREAL_GRAPHRAG_EMBEDDER",
    "llm_model": "SURREAL_GRAPHRAG_LLM",
    "llm_base_url": "OPENAI_BASE_URL",
    "llm_api_key": "OPENAI_API_KEY",
    "token": "SURREAL_GRAPHRAG_TOKEN",
}
"""Environment variable of each setting."""
