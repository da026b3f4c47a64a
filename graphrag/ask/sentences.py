"""The sentences of an answer: copied from the sources, or written by a model and checked.

Copied is a sentence that has, or whose fact has, an entity of the question and at least half of its
other words, or is as near in meaning as the best hits; every name of the question must occur in it
or its sources. A written one is believed as what a model extracts is: its quote must stand in a
source that it cites, its names and numbers around that quote, and what it denies be denied there.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Final

from graphrag.ask.answer import DENIAL, Sentence, standing_of
from graphrag.ask.names import CALENDAR
from graphrag.ask.prompts import WrittenSentence
from graphrag.ask.wording import stem_of
from graphrag.display.cards import lifetime, triple
from graphrag.extract.llm.grounds import PRONOUNS, Ground, around, locate, orders, unsupported
from graphrag.model.values import Fact
from graphrag.names.key import name_key
from graphrag.search.results import Results
from graphrag.text.split import split_sentences
from graphrag.text.tokens import STOP_WORDS, tokenize

UNANSWERED: Final = "the search results do not answer the question"
_WORD: Final = re.compile(r"[^\W_]+")
_MOST, _SENTENCE = 3, 300
"""Sentences of an answer, and characters of one that is copied from an episode."""
_ENOUGH: Final = 0.5
"""Of the words of a question beside its names."""
_NEAR: Final = 0.7
"""``Hit.relevance`` from which on half of all hits are right: see docs/search.md."""
_NO_NAMES: Final = STOP_WORDS | CALENDAR | frozenset("mr mrs ms miss dr prof".split())
_BEGINNING: Final = re.compile(r"(?:^|[?!]|[^\W_]{4}\.)\W*$")
"""Before the first word of a sentence, whose capital tells nothing."""


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question: of names, and all but those of entities.

    ``written`` is what it writes as a name, with capitals; ``known`` are the names of each entity
    of the graph that it names.
    """

    names: frozenset[str]
    others: frozenset[str]
    written: tuple[str, ...]
    known: tuple[Sequence[str], ...]

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

    def borne(self, said: str, *contents: str) -> set[str]:
        """Return the written names that stand in what is said, or in one of its sources."""
        words = _stems(said)
        same = (names for names in self.known if any(_stems(name) <= words for name in names))
        texts = (*contents, *map(" ".join, same))
        return {n for n in self.written if _stems(n) <= words or any(_has(t, n) for t in texts)}


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


def _grounds(sentence: Sentence, results: Results, numbers: Mapping[str, int]) -> Iterator[str]:
    """Yield what a sentence and its facts say, and the texts that it cites."""
    facts = (f"{triple(fact)} {fact.text}" for fact in sentence.facts)
    yield " ".join((sentence.text, sentence.quote, *facts))
    for episode in (*results.passages, *(hit.item for hit in results.episodes)):
        if numbers.get(episode.id) in sentence.citations:
            yield episode.content


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


_MARK: Final = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")
_SHORT_NAME: Final = re.compile(r"(?<=[^\W_] )[^\W\d_a-zà-ÿ][^\W\d_]{1,2}\b")
"""Within a sentence, of two or three letters: longer ones are looked at with all words."""
_LONGEST: Final = 1000
"""Characters of a sentence or a quote that are read: a page in one sentence cannot be checked."""
_LEAST: Final = 3
"""Letters of a word of a name that tells whose it is."""


@dataclass(frozen=True)
class Source:
    """What a number stands for: the text of an episode, and the facts shown that rest on it."""

    content: str
    facts: tuple[Fact, ...] = ()

    @cached_property
    def lines(self) -> str:
        """Return the facts as the model was shown them."""
        return "\n".join(f"{triple(fact)} ({lifetime(fact)}): {fact.text}" for fact in self.facts)

    def ground(self, quote: str) -> str | None:
        """Return the words around a quote, None if it does not stand here."""
        if place := locate(quote, self.content):
            return around(self.content, *place)
        return self.lines if locate(quote, self.lines) else None

    def commands(self, quote: str) -> bool:
        """Tell whether a quote stands in what gives orders to its reader."""
        start, end = locate(quote, self.content) or (0, 0)
        return any(first < end and start < last for first, last in orders(self.content))


Named = Callable[[str], Iterable[Sequence[str]]]
"""What a text names of the graph: all names of each entity."""


def believed(
    written: WrittenSentence,
    sources: Mapping[int, Source],
    question: str,
    named: Named,
    *,
    now: datetime,
) -> Sentence:
    """Return a sentence with the sources that bear it out, or with its ``problem``."""
    if max(len(written.text), len(written.quote)) > _LONGEST:
        problem = f"it or its quote is longer than {_LONGEST} characters"
        return Sentence(written.text[:_LONGEST], problem=problem)
    text, quote = _MARK.sub("", written.text).strip(), written.quote.strip()
    cited = [number for number in dict.fromkeys(written.sources) if number in sources]
    if not cited:
        numbers = ", ".join(map(str, written.sources))
        problem = f"there is no source [{numbers}]" if numbers else "it cites nothing"
        return Sentence(text, problem=problem)
    if not quote:
        quote = text  # as good as one, if it is a copy
    grounds = {number: sources[number].ground(quote) for number in cited}
    bearing = tuple(number for number in cited if grounds[number] is not None)
    if not bearing:
        return Sentence(text, tuple(cited), quote, problem="no source that it cites says its quote")
    if any(sources[number].commands(quote) for number in bearing):
        return Sentence(text, bearing, quote, problem="its source gives orders to who reads it")
    facts = _repeated(text, quote, [sources[number] for number in bearing])
    given = [ground for ground in grounds.values() if ground]
    ground = Ground((*given, *(sources[number].lines for number in bearing)))
    whole = Ground(part for n in bearing for part in (sources[n].content, sources[n].lines))
    strange = [names[0] for names in named(text) if not any(map(whole.bears, names))]
    strange += [word for word in _SHORT_NAME.findall(text) if not whole.has(name_key(word))]
    strange += _somebody_else(text, whole, [sources[n] for n in bearing])
    asked = " ".join(word for word in question.split() if word.islower())
    times = [now, *(end for fact in facts for end in (fact.valid_at, fact.invalid_at) if end)]
    dates = (f"{time.day} {time.month} {time.year} {time:%Y-%m-%d}" for time in times)
    wrong = ", ".join(strange) or unsupported(text, ground, (asked, *dates))
    if wrong:
        return Sentence(text, bearing, quote, facts, problem=f"no source says: {wrong}")
    standing = standing_of(facts, now)
    denied = bool(DENIAL.search(text)) != bool(DENIAL.search(quote))
    opposite = denied and standing in ("holds", "said")
    problem = "its quote says the opposite" if opposite else ""
    return Sentence(text, bearing, quote, facts, standing, problem)


def _repeated(text: str, quote: str, sources: Iterable[Source]) -> tuple[Fact, ...]:
    """Return the facts of these sources whose ends a sentence names; one may be in the quote."""
    said, both = Ground((text,)), Ground((text, quote))
    facts = {fact.id: fact for source in sources for fact in source.facts}
    return tuple(
        fact
        for fact in facts.values()
        if (_names(fact.object, said) and _names(fact.subject, both))
        or (_names(fact.subject, said) and _names(fact.object, both))
    )


def _somebody_else(text: str, ground: Ground, sources: Iterable[Source]) -> list[str]:
    """Return the name with which a sentence begins, if it takes the place of that of a fact."""
    words = [word.strip(".,;:!?'’\"") for word in text.split()]
    said = Ground((text,))
    facts = (fact for source in sources for fact in source.facts)
    ends = (_names(fact.object, said) + _names(fact.subject, said) for fact in facts)
    if max(ends, default=0) != 1 or not PRONOUNS.isdisjoint(map(str.casefold, words)):
        return []
    known = words[0].casefold() in STOP_WORDS or ground.has(name_key(words[0]))
    return [] if known or not words[0] else words[:1]


def _names(name: str, ground: Ground) -> bool:
    words = [word for word in name_key(name).split() if len(word) >= _LEAST] or [name_key(name)]
    return any(map(ground.has, words))
