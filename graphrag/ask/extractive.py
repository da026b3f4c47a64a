"""The sentences that answer a question, as they stand in the sources: what is said without a model.

A sentence answers if it, or the fact that it states, names somebody of whom the question asks and
has at least half of its other words, the rare and the common alike. So a question in other words
has no answer here, unless its meaning is as near as that of the best hits: rather that than a
sentence about something else.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from graphrag.ask.cited import Sentence, standing_of
from graphrag.ask.senses import stem_of
from graphrag.display.cards import triple
from graphrag.model.values import Fact
from graphrag.search.results import Hit, Results
from graphrag.text.split import split_sentences
from graphrag.text.tokens import tokenize

_WORD: Final = re.compile(r"[^\W_]+")
_MOST: Final = 3
"""Sentences of an answer."""
_ENOUGH: Final = 0.5
"""Of the words of a question beside its names."""
_NEAR: Final = 0.7
"""``Hit.relevance`` from which on half of all hits are right: see docs/search.md."""
_SENTENCE: Final = 300
"""Characters of a sentence of an episode, at most."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The words of a question."""

    names: frozenset[str]
    """Of the entities that it names."""
    others: frozenset[str]

    @classmethod
    def of(cls, question: str, names: Iterable[str]) -> "Wanted":
        """Read a question that names these."""
        words = _stems(question)
        known = _stems(" ".join(names)) & words
        return cls(known, words - known)

    def share(self, text: str) -> float:
        """Return the share of the words beside names that a text has; 0 if it names nobody."""
        words = _stems(text)
        if self.names and not self.names & words:
            return 0.0
        return len(self.others & words) / len(self.others) if self.others else 1.0


def _stems(text: str) -> frozenset[str]:
    """Return what the words of a text share with their other forms: "left" with "leave"."""
    return frozenset(stem_of(word) for word in _WORD.findall(text) if tokenize(word))


def extract(
    results: Results,
    names: Sequence[str],
    numbers: Mapping[str, int],
    *,
    now: datetime,
) -> tuple[Sentence, ...]:
    """Return the sentences that answer, what holds before what is over, best first.

    Args:
        results: What was found.
        names: Of the entities that the question names.
        numbers: Of the sources, by the ids of episodes, or of facts that none states.
        now: The moment that is looked from.
    """
    wanted = Wanted.of(results.query, names)
    found = [*_of_facts(results, wanted, numbers, now)]
    found = found or [*_of_episodes(results, wanted, numbers)]
    found.sort(key=lambda one: (one[0].standing == "ended", -one[1]))
    said: dict[str, Sentence] = {}
    for sentence, _ in found:
        if (same := said.get(sentence.text)) is None:
            said[sentence.text] = sentence
        elif sentence.facts:  # several facts of one sentence
            facts = (*same.facts, *sentence.facts)
            said[sentence.text] = replace(same, facts=facts, standing=standing_of(facts, now))
    return tuple(said.values())[:_MOST]


def _of_facts(
    results: Results, wanted: Wanted, numbers: Mapping[str, int], now: datetime
) -> Iterator[tuple[Sentence, float]]:
    for hit in results.facts:
        fact = hit.item
        quote = results.source_of(fact) or ""
        share = wanted.share(f"{triple(fact)} {fact.text} {quote}")
        if share >= _ENOUGH or (share > 0 and hit.relevance >= _NEAR) or _answers(hit):
            sources = [id_ for id_ in (*fact.episodes, fact.id) if id_ in numbers]
            yield (
                Sentence(
                    quote or f"{triple(fact)}.",
                    tuple(dict.fromkeys(numbers[id_] for id_ in sources)),
                    quote,
                    (fact,),
                    standing_of((fact,), now),
                ),
                share,
            )


def _answers(hit: Hit[Fact]) -> bool:
    return any(why.method == "answer" for why in hit.why)


def _of_episodes(
    results: Results, wanted: Wanted, numbers: Mapping[str, int]
) -> Iterator[tuple[Sentence, float]]:
    for hit in results.episodes:
        sentences = split_sentences(hit.item.content, longest=_SENTENCE)
        best = max(sentences, key=wanted.share, default="")
        if best and hit.item.id in numbers and (share := wanted.share(best)) >= _ENOUGH:
            yield Sentence(best, (numbers[hit.item.id],), best), share
