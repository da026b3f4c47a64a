"""Extractive answers: the source sentences that answer a question, without a model.

A sentence qualifies if it, or its fact, has an entity of the question and at least half of the
other words, or is as near in meaning as the best hits. Every name in the question must occur in it
or its sources; negated questions get no answer.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from graphrag.ask.answer import DENIAL, Sentence, standing_of
from graphrag.ask.names import CALENDAR
from graphrag.ask.wording import stem_of
from graphrag.display.cards import triple
from graphrag.search.results import Results
from graphrag.text.split import split_sentences
from graphrag.text.tokens import STOP_WORDS, tokenize

UNANSWERED: Final = "the search results do not answer the question"
_WORD: Final = re.compile(r"[^\W_]+")
_MOST: Final = 3
"""Sentences of an answer."""
_ENOUGH: Final = 0.5
"""Of the words of a question beside its names."""
_NEAR: Final = 0.7
"""``Hit.relevance`` from which on half of all hits are right: see docs/search.md."""
_SENTENCE: Final = 300
"""Characters of a sentence of an episode, at most."""
_NO_NAMES: Final = STOP_WORDS | CALENDAR | frozenset("mr mrs ms miss dr prof".split())
_BEGINNING: Final = re.compile(r"(?:^|[?!]|[^\W_]{4}\.)\W*$")
"""Before the first word of a sentence, whose capital tells nothing."""


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question."""

    names: frozenset[str]
    """Of the entities that it names, and of whatever else it writes as a name."""
    others: frozenset[str]
    """All but those of the entities."""
    written: tuple[str, ...]
    """What it writes as a name: with capitals."""
    known: tuple[Sequence[str], ...]
    """The names of each entity of the graph that it names."""

    @classmethod
    def of(cls, question: str, known: Iterable[Sequence[str]]) -> "QuestionWords":
        """Read a question that names these entities."""
        words, known, written = _stems(question), tuple(known), tuple(_written(question))
        names = _stems(" ".join(name for called in known for name in called)) & words
        return cls(names | _stems(" ".join(written)), words - names, written, known)

    def share(self, text: str) -> float:
        """Return the share of the words beside names that a text has; 0 if it names nobody."""
        words = _stems(text)
        if not self.names & words and (self.names or not self.others):
            return 0.0
        return len(self.others & words) / len(self.others) if self.others else 1.0

    def borne(self, said: str, contents: Sequence[str]) -> set[str]:
        """Return the written names that stand in what is said, or in one of its sources."""
        words = _stems(said)
        same = [
            " ".join(names) for names in self.known if any(_stems(name) <= words for name in names)
        ]
        sources = [*contents, *same]
        return {
            name
            for name in self.written
            if _stems(name) <= words or any(_has(source, name) for source in sources)
        }


def _written(question: str) -> Iterator[str]:
    """Return what a question writes with capitals: "Bob Peters"; word by word if it all is."""
    words = list(_WORD.finditer(question))
    loud = not any(word.group().islower() for word in words)
    end, name = -1, ""
    for word in words:
        text, start = word.group(), word.start()
        capital = len(text) > 1 and text.isalpha() and text[0].isupper()
        plain = text.casefold() in _NO_NAMES or _BEGINNING.search(question, 0, start) is not None
        if name and (loud or not capital or plain or question[end:start] not in (" ", "-")):
            yield name
            name = ""
        if capital and not plain:
            name, end = f"{name} {text}".strip(), word.end()
    if name:
        yield name


def _has(source: str, name: str) -> bool:
    """Tell whether the words of a name stand in a text, one behind the other."""
    if len(stems := _stems(name)) == 1:
        return stems <= _stems(source)
    said, looked = (" ".join(map(str.casefold, _WORD.findall(text))) for text in (source, name))
    return f" {looked} " in f" {said} "


def _stems(text: str) -> frozenset[str]:
    """Return what the words of a text share with their other forms: "left" with "leave"."""
    return frozenset(stem_of(word) for word in _WORD.findall(text) if tokenize(word))


def extract(
    results: Results, names: Iterable[Sequence[str]], numbers: Mapping[str, int], *, now: datetime
) -> tuple[tuple[Sentence, ...], str]:
    """Return the sentences that answer, what holds before what is over, best first; or why none.

    ``names`` are those of each entity that the question names; ``numbers`` those of the sources, by
    the ids of episodes, or of facts that none states.
    """
    if denial := DENIAL.search(results.query):
        return (), f"without a model a question that denies is not understood: {denial.group()!r}"
    wanted = QuestionWords.of(results.query, names)
    found = [*_of_facts(results, wanted, numbers, now)]
    found = found or [*_of_episodes(results, wanted, numbers)]
    if wanted.written:
        all_ = Sentence("", tuple(numbers.values()), facts=tuple(hit.item for hit in results.facts))
        chosen = [sentence for sentence, _ in found] or [all_]
        borne = [wanted.borne(*_grounds(sentence, results, numbers)) for sentence in chosen]
        stated = set().union(*borne)
        if lacking := [name for name in wanted.written if name not in stated]:
            return (), f"the search results do not mention {', '.join(dict.fromkeys(lacking))}"
        found = [sentence for sentence, has in zip(found, borne, strict=False) if has]
    found.sort(key=lambda pair: (pair[0].standing == "ended", -pair[1]))
    said: dict[str, Sentence] = {}
    for sentence, _ in found:
        if (same := said.get(sentence.text)) is None:
            said[sentence.text] = sentence
        elif sentence.facts:  # several facts of one sentence
            facts = (*same.facts, *sentence.facts)
            said[sentence.text] = replace(same, facts=facts, standing=standing_of(facts, now))
    return tuple(said.values())[:_MOST], "" if said else UNANSWERED


def _grounds(
    sentence: Sentence, results: Results, numbers: Mapping[str, int]
) -> tuple[str, list[str]]:
    """Return what a sentence and its facts say, and the texts that it cites."""
    facts = (f"{triple(fact)} {fact.text}" for fact in sentence.facts)
    episodes = (*results.passages, *(hit.item for hit in results.episodes))
    contents = {episode.id: episode.content for episode in episodes}
    cited = [text for id_, text in contents.items() if numbers.get(id_) in sentence.citations]
    return " ".join((sentence.text, sentence.quote, *facts)), cited


def _of_facts(
    results: Results, wanted: QuestionWords, numbers: Mapping[str, int], now: datetime
) -> Iterator[tuple[Sentence, float]]:
    records = {passage.id for passage in results.passages if passage.source == "json"}
    for hit in results.facts:
        fact = hit.item
        quote = results.source_of(fact) or ""
        # A record is nothing to read, and tells what its other facts say too.
        prose = "" if records.intersection(fact.episodes) else quote
        share = wanted.share(f"{triple(fact)} {fact.text} {prose}")
        answers = any(why.method == "answer" for why in hit.why)
        if share >= _ENOUGH or (share > 0 and hit.relevance >= _NEAR) or answers:
            sources = [id_ for id_ in (*fact.episodes, fact.id) if id_ in numbers]
            cited = tuple(dict.fromkeys(numbers[id_] for id_ in sources))
            text, standing = prose or f"{triple(fact)}.", standing_of((fact,), now)
            yield Sentence(text, cited, quote, (fact,), standing), share


def _of_episodes(
    results: Results, wanted: QuestionWords, numbers: Mapping[str, int]
) -> Iterator[tuple[Sentence, float]]:
    stated = {id_ for hit in results.facts for id_ in hit.item.episodes}
    for hit in results.episodes:
        if hit.item.source == "json" and hit.item.id in stated:
            continue  # its facts say it better, or do not answer
        sentences = split_sentences(hit.item.content, longest=_SENTENCE)
        best = max(sentences, key=wanted.share, default="")
        if best and hit.item.id in numbers and (share := wanted.share(best)) >= _ENOUGH:
            yield Sentence(best, (numbers[hit.item.id],), best), share
