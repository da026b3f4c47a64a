"""Values as JSON: what ``--json`` prints."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphrag.model.values import Episode, Fact
from graphrag.text.quotes import stated_in

if TYPE_CHECKING:
    from graphrag.search.results import Hit, Results


def plain(value: Any) -> Any:
    """Return a value as JSON can carry it: dataclasses as objects, times in ISO 8601."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def fact_form(fact: Fact, episodes: Mapping[str, Episode]) -> dict[str, Any]:
    """Return a fact with the words of its sources."""
    sources = [
        {
            "episode_id": span.episode_id,
            "start": span.start,
            "end": span.end,
            "name": episode.name,
            "reference_time": episode.valid_at,
            "text": stated_in(episode, span),
        }
        if (episode := episodes.get(span.episode_id))
        else plain(span)
        for span in fact.sources
    ]
    form: dict[str, Any] = plain({**plain(fact), "sources": sources})
    return form


def results_form(results: "Results") -> dict[str, Any]:
    """Return everything a search found."""
    episodes = {episode.id: episode for episode in results.passages}
    return {
        "query": results.query,
        "facts": [_hit(hit) | {"fact": fact_form(hit.item, episodes)} for hit in results.facts],
        "entities": [_hit(hit) | {"entity": plain(hit.item)} for hit in results.entities],
        "episodes": [_hit(hit) | {"episode": plain(hit.item)} for hit in results.episodes],
        "communities": [_hit(hit) | {"community": plain(hit.item)} for hit in results.communities],
        **({"steps": plain(results.explanation.steps)} if results.explanation else {}),
    }


def _hit(hit: "Hit[Any]") -> dict[str, Any]:
    return {"score": hit.score, "relevance": hit.relevance, "why": plain(hit.why)}
