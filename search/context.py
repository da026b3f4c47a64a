"""Context: search results as a block of text for a prompt, dated, cited, within a budget."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from graphrag.display.cards import entity_title, episode_title, lifetime, triple
from graphrag.display.visible import escape, flatten, visible
from graphrag.errors import QueryError
from graphrag.model.values import Community, Entity, Episode, Fact
from graphrag.text.split import count_tokens, split_passages

if TYPE_CHECKING:
    from graphrag.search.results import Hit, Results

    _AnyHit: TypeAlias = Hit[Fact] | Hit[Episode] | Hit[Entity] | Hit[Community]

ContextFormat = Literal["text", "xml", "json"]


_EXCERPT = 800
"""Characters of an episode that is shown whole."""
_HEADS = {"facts": "Facts", "excerpts": "Excerpts", "entities": "About", "communities": "Groups"}
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class Citation:
    """An episode that a context cites."""

    number: int
    """Number in the text, from 1."""
    episode_id: str
    name: str
    """Name of the episode; without a name, the beginning of its text in quotes."""
    valid_at: datetime
    """Reference time: when the content was said or written."""
    fact_ids: tuple[str, ...] = ()
    """Ids of the facts in the text that it states."""


@dataclass(frozen=True, slots=True)
class Context:
    """A block of text for a prompt; ``str()`` returns the text."""

    text: str
    citations: tuple[Citation, ...]
    """The sources that the numbers in the text refer to."""
    tokens: int
    """Number of tokens of the text, according to ``count``."""
    left_out: int
    """Number of hits that exceeded the budget or added nothing new."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class _Item:
    kind: Literal["facts", "excerpts", "entities", "communities"]
    title: str
    words: str = ""
    """Of the source, for people to check; may be left out."""
    valid: str = ""
    sources: tuple[str, ...] = ()
    """Ids of episodes, or where facts were told without one."""
    fact_id: str = ""


@dataclass(frozen=True, slots=True)
class _Source:
    name: str
    valid_at: datetime
    episode_id: str = ""

    def __str__(self) -> str:
        return f"{_day(self.valid_at)}, {self.name}"


_Sources: TypeAlias = dict[str, _Source]


def assemble(
    results: Results,
    *,
    max_tokens: int,
    format: ContextFormat,
    count: Callable[[str], int] = count_tokens,
    direct: bool = False,
) -> Context:
    """Put the best hits of all scopes into a text of at most ``max_tokens``.

    Scopes take turns by relevance, so the order inside each stays. A fact without room for its
    quote is shown without, an excerpt is an episode's part that shares most words with the query.
    With ``direct`` facts that no episode states have a number, too: of where they were told.
    """
    if format not in get_args(ContextFormat):
        raise QueryError(f"format {format!r}: choose text, xml or json")
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
        raise QueryError(f"max_tokens {max_tokens!r}: give at least 1 token")
    episodes = {
        episode.id: episode
        for episode in (*results.passages, *(hit.item for hit in results.episodes))
    }
    sources = {id_: _Source(episode_title(e), e.valid_at, id_) for id_, e in episodes.items()}
    told = {_place(hit.item): hit.item for hit in results.facts if direct and not hit.item.sources}
    sources |= {place: _Source(place, fact.created_at) for place, fact in told.items()}
    render = {"text": _text, "xml": _xml, "json": _json}[format]
    shown: list[_Item] = []
    text, left_out, numbers = "", 0, dict[str, int]()
    for item in _ordered(results, sources):
        for version in _versions(item, shown):
            longer = [*shown, version]
            cited = numbered(id_ for each in longer for id_ in each.sources)
            rendered = render(longer, cited, sources)
            if count(rendered) <= max_tokens:
                shown.append(version)
                text, numbers = rendered, cited
                break
        else:
            left_out += 1
    citations = tuple(
        Citation(
            number,
            (source := sources[id_]).episode_id,
            source.name,
            source.valid_at,
            tuple(item.fact_id for item in shown if item.fact_id and id_ in item.sources),
        )
        for id_, number in numbers.items()
    )
    return Context(text, citations, count(text), left_out)


def _place(fact: Fact) -> str:
    """Return where a fact was told that no episode states."""
    return flatten(", ".join(fact.provenance)) or "added directly"


def _ordered(results: Results, sources: _Sources) -> Iterator[_Item]:
    """Yield every hit, scopes merged by the relevance of their next one."""
    scopes: list[list[_AnyHit]] = [
        list(hits)
        for hits in (results.facts, results.episodes, results.entities, results.communities)
    ]
    while any(scopes):
        best = max(filter(None, scopes), key=lambda hits: hits[0].relevance)
        yield _item(best.pop(0), results, sources)


def _item(hit: _AnyHit, results: Results, sources: _Sources) -> _Item:
    match hit.item:
        case Fact() as fact:
            known = tuple(id_ for id_ in (*fact.episodes, _place(fact)) if id_ in sources)
            words = results.source_of(fact) or ""
            return _Item("facts", triple(fact), words, lifetime(fact), known, fact.id)
        case Episode() as episode:
            words = excerpt(episode, results.query)
            title = flatten(episode.name)
            return _Item("excerpts", title, words, _day(episode.valid_at), (episode.id,))
        case Entity() as entity:
            return _Item("entities", entity_title(entity), entity.summary)
        case Community() as community:
            return _Item("communities", flatten(community.name), community.summary)


def _versions(item: _Item, shown: Sequence[_Item]) -> Iterator[_Item]:
    """Yield an item as it may be shown, the fullest first; nothing if it says nothing new."""
    if item.kind in ("entities", "communities"):
        if item.words:
            yield item
        return
    is_fact = item.kind == "facts"
    same = (each for each in shown if (each.kind, each.title) == (item.kind, item.title))
    if any(each.valid == item.valid and (is_fact or each.words == item.words) for each in same):
        return
    if not any(item.words and item.words in each.words for each in shown):
        yield item
    if is_fact:
        yield replace(item, words="")


def excerpt(episode: Episode, query: str) -> str:
    """Return an episode's text, of a long one the passage that shares most words with the query."""
    if len(episode.content) <= _EXCERPT:
        return episode.content.strip()
    asked = _words(query)

    def shared(span: tuple[int, int]) -> tuple[int, int]:
        return len(asked & _words(episode.content[slice(*span)])), -span[0]

    start, end = max(split_passages(episode.content), key=shared)
    before, after = "… " if start else "", " …" if end < len(episode.content) else ""
    return f"{before}{episode.content[start:end].strip()}{after}"


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def numbered(cited: Iterable[str]) -> dict[str, int]:
    """Return the number of each source, in order of first use."""
    return {id_: number for number, id_ in enumerate(dict.fromkeys(cited), start=1)}


def _text(items: Sequence[_Item], numbers: Mapping[str, int], sources: _Sources) -> str:
    lines: list[str] = []
    for kind, head in _HEADS.items():
        if block := [_line(item, numbers) for item in items if item.kind == kind]:
            lines += [f"{head}:", *block]
    excerpted = {id_ for item in items if item.kind == "excerpts" for id_ in item.sources}
    if cited := [id_ for id_ in numbers if id_ not in excerpted]:
        lines += ["Sources:", *(f"[{numbers[id_]}] {sources[id_]}" for id_ in cited)]
    return visible("\n".join(lines))


def _line(item: _Item, numbers: Mapping[str, int]) -> str:
    marks = "".join(f" [{numbers[id_]}]" for id_ in item.sources)
    if item.kind == "facts":
        quote = f": “{item.words}”" if item.words else ""
        return f"- {item.title} ({item.valid}){marks}{quote}"
    title = ", ".join(filter(None, (item.valid, item.title)))
    return f"-{marks} {title}: {item.words}"


def _xml(items: Sequence[_Item], numbers: Mapping[str, int], sources: _Sources) -> str:
    tags = {"facts": "fact", "excerpts": "excerpt", "entities": "entity", "communities": "group"}
    lines = []
    for kind, tag in tags.items():
        for item in (item for item in items if item.kind == kind):
            cited = ",".join(str(numbers[id_]) for id_ in item.sources)
            given = {"valid": item.valid, "sources": cited}
            if kind != "facts":
                given = {"name": item.title, "date": item.valid, "source": cited}
            attributes = "".join(f' {key}="{escape(text)}"' for key, text in given.items() if text)
            parts = (item.title, item.words) if kind == "facts" else (item.words,)
            body = ": ".join(filter(None, parts))
            lines.append(f"<{tag}{attributes}>{escape(body, quote=False)}</{tag}>")
    lines += [
        f'<source number="{number}">{escape(str(sources[id_]), quote=False)}</source>'
        for id_, number in numbers.items()
    ]
    return "\n".join(("<context>", *lines, "</context>")) if lines else ""


def _json(items: Sequence[_Item], numbers: Mapping[str, int], sources: _Sources) -> str:
    found: dict[str, list[dict[str, object]]] = {}
    for item in items:
        given = {
            "fact" if item.kind == "facts" else "name": item.title,
            "valid" if item.kind == "facts" else "date": item.valid,
            "quote" if item.kind == "facts" else "text": item.words,
            "sources": [numbers[id_] for id_ in item.sources],
        }
        shown: dict[str, object] = {key: value for key, value in given.items() if value}
        found.setdefault(item.kind, []).append(shown)
    if not found:
        return ""
    cited = [
        {"number": number, "name": sources[id_].name, "date": _day(sources[id_].valid_at)}
        for id_, number in numbers.items()
    ]
    return visible(json.dumps({**found, "sources": cited}, ensure_ascii=False))


def _day(moment: datetime) -> str:
    return moment.date().isoformat()
