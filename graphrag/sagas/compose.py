"""Saga summaries composed of the saga's own sentences, without a model.

The run is cut into one stretch per sentence. The best sentence of each scores by word frequency in
the saga (SumBasic) and by its entities and facts, weighted by their share of the saga; repetition
costs. The period, the people and the final state frame them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from graphrag.display.cards import lifetime, triple
from graphrag.display.lists import listed, some
from graphrag.model.values import CONCEPT, Entity, Episode, Fact
from graphrag.text.tokens import tokenize

LONGEST = 2000
"""Characters of a summary."""
_SENTENCES = 12
_NAMED = 4
_HOLDING = 4
_SHORT, _LONG = 30, 240
"""Characters of a sentence: a shorter one says too little, a longer one takes too much room."""
_BUSIEST = 60
"""Entities that sentences are looked through for."""
_STOP = (
    r"(?<=[.!?…。！？])(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\b[A-Z]\.)"
    r"[\"'”’)\]]*\s+(?=[^\W\d_a-z]|[\"'“‘(\d])"
)
_BORDERS = {
    "message": re.compile(rf"{_STOP}|\n+"),
    "text": re.compile(rf"{_STOP}|\n\s*\n|\n(?=\s*[-*#•])"),
}
"""Where a sentence ends: a message is one line, prose may be wrapped."""
_SPEAKER = re.compile(r"\s*[^\W\d_][\w .'’-]{0,40}: +(?=\S)")
_QUOTES = '"“”'


@dataclass(slots=True)
class _Sentence:
    """A sentence of an episode that may stand in the summary."""

    place: int
    """Number of its episode."""
    start: int
    text: str
    speaker: str = ""
    """Who says it, if that stands before an earlier sentence."""
    terms: frozenset[str] = frozenset()
    worth: float = 0.0
    """Of the entities that it names and the facts that it states."""
    score: float = 0.0
    """As it was when it was chosen."""
    until: datetime | None = None
    """When all that it states was over, if it came to its end since."""


@dataclass(slots=True)
class _Words:
    """How common each word still is: used once, it counts less."""

    counts: Counter[str]
    total: int
    used: Counter[str] = field(default_factory=Counter)

    def share(self, terms: Iterable[str]) -> float:
        """Return the mean commonness of some words, relative to the commonest."""
        found = [self.counts[term] / self.total / 4 ** self.used[term] for term in terms]
        return sum(found) / len(found) if found else 0.0


def composed(
    episodes: Sequence[Episode],
    entities: Sequence[Entity],
    facts: Sequence[Fact],
    holding: Sequence[Fact],
    taken: Sequence[Fact] = (),
) -> str:
    """Return a summary of episodes in their order.

    Args:
        episodes: In their order.
        entities: Those that they mention, those of the most episodes first.
        facts: Facts that they state and nobody took back, of all times.
        holding: Those of them that hold at the end.
        taken: Those that were never true: a sentence that says nothing else is left out.
    """
    if not episodes:
        return ""
    weight = _weights(entities, facts)
    sentences = [
        sentence
        for place, episode in enumerate(episodes)
        for sentence in _sentences(place, episode, facts)
    ]
    sentences = [
        sentence for sentence in sentences if not _untrue(sentence, episodes, facts, taken)
    ]
    _judge(sentences, episodes, entities, facts, weight)
    lines = [_head(episodes, entities, weight)]
    tail = _tail(holding, entities, weight)
    room = LONGEST - len(lines[0]) - len(tail) - 2
    said = _chosen(sentences, len(episodes))
    while sum(len(line) + 1 for line in _lines(said, episodes)) > room:
        # The beginning and the end of the saga stay as long as anything does.
        inner = said[1:-1] or said
        said.remove(min(inner, key=lambda sentence: sentence.score / len(sentence.text)))
    return "\n".join(filter(None, (*lines, *_lines(said, episodes), tail)))


def _lines(said: Sequence[_Sentence], episodes: Sequence[Episode]) -> list[str]:
    """Return one line for each episode, with its date."""
    lines: dict[int, str] = {}
    for sentence in said:
        if line := lines.get(sentence.place):
            speaker = "" if sentence.speaker.strip() in line else sentence.speaker
            lines[sentence.place] = f"{line} {speaker}{_shown(sentence)}"
        else:
            day = f"{episodes[sentence.place].valid_at:%Y-%m-%d}"
            lines[sentence.place] = f"{day}: {sentence.speaker}{_shown(sentence)}"
    return list(lines.values())


def _shown(one: _Sentence) -> str:
    """Return a sentence, and until when it was so if that is over."""
    return _tidy(one.text) if one.until is None else f"{_tidy(one.text)} (until {one.until.date()})"


def _weights(entities: Sequence[Entity], facts: Sequence[Fact]) -> Mapping[str, float]:
    """Return how much of the saga each entity is, from 0 to 1."""
    counts = Counter(end for fact in facts for end in (fact.subject_id, fact.object_id))
    for place, entity in enumerate(entities):
        counts[entity.id] += 2 if place < _NAMED else 0  # spoken of in the most episodes
    most = max(counts.values(), default=1)
    return {id_: count / most for id_, count in counts.items()}


def _head(
    episodes: Sequence[Episode], entities: Sequence[Entity], weight: Mapping[str, float]
) -> str:
    days = dict.fromkeys(f"{episode.valid_at:%Y-%m-%d}" for episode in (episodes[0], episodes[-1]))
    known = [entity for entity in entities if entity.entity_type != CONCEPT] or list(entities)
    central = sorted(known, key=lambda entity: -weight.get(entity.id, 0))[:_NAMED]
    about = f", about {listed([entity.name for entity in central])}" if central else ""
    return f"{some(len(episodes), 'episode')}, {' to '.join(days)}{about}."


def _tail(holding: Sequence[Fact], entities: Sequence[Entity], weight: Mapping[str, float]) -> str:
    concepts = {entity.id for entity in entities if entity.entity_type == CONCEPT}
    best = sorted(
        holding,
        key=lambda fact: (
            not concepts.isdisjoint((fact.subject_id, fact.object_id)),
            -_worth(fact, weight),
        ),
    )[:_HOLDING]
    order = sorted(best, key=lambda fact: (fact.valid_at is not None, fact.valid_at, fact.id))
    said = [f"{triple(fact)} ({lifetime(fact)})" for fact in order]
    while said and sum(map(len, said)) > LONGEST // 3:
        said.pop()
    return f"At the end: {'; '.join(said)}." if said else ""


def _worth(fact: Fact, weight: Mapping[str, float]) -> float:
    """Return how much of the saga a fact is: what it says of the hero's umbrella is little."""
    ends = weight.get(fact.subject_id, 0), weight.get(fact.object_id, 0)
    return 2 * min(ends) + max(ends) / 4


def _sentences(place: int, episode: Episode, facts: Sequence[Fact]) -> Iterator[_Sentence]:
    if episode.source == "json":  # a record does not read as sentences: its facts do
        for fact in facts:
            for span in fact.sources:
                if span.episode_id == episode.id:
                    yield _Sentence(place, span.start, triple(fact))
        return
    start, content, speaker = 0, episode.content, ""
    borders = _BORDERS["message" if episode.source == "message" else "text"]
    for border in (*borders.finditer(content), None):
        end = len(content) if border is None else border.start()
        # What closes a quotation stands before the space, inside the border.
        closing = "" if border is None else border.group().rstrip()
        text = content[start:end] + closing
        if text.strip():
            said = _SPEAKER.match(text) if episode.source == "message" else None
            speaker = said.group() if said else speaker
            led = "" if said else speaker
            yield _Sentence(place, start, text.strip(), led)
        start = len(content) if border is None else border.end()


def _judge(
    sentences: Sequence[_Sentence],
    episodes: Sequence[Episode],
    entities: Sequence[Entity],
    facts: Sequence[Fact],
    weight: Mapping[str, float],
) -> None:
    """Work out what each sentence is worth."""
    stated: dict[str, list[tuple[int, float, Fact]]] = {}
    for fact in facts:
        worth = _worth(fact, weight)
        for span in fact.sources:
            stated.setdefault(span.episode_id, []).append((span.start, worth, fact))
    busiest = sorted(entities, key=lambda entity: -weight.get(entity.id, 0))[:_BUSIEST]
    worth_of = {
        name: weight.get(entity.id, 0)
        for entity in busiest
        for name in (entity.name, *entity.aliases)
    }
    names = sorted((name for name in worth_of if len(name) > 1), key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)") if names else None
    for sentence in sentences:
        sentence.terms = frozenset(tokenize(sentence.text))
        end = sentence.start + len(sentence.text)
        says = []
        for start, worth, fact in stated.get(episodes[sentence.place].id, ()):
            if sentence.start <= start < end:
                sentence.worth += worth
                says.append(fact)
        ends = [fact.invalid_at for fact in says if fact.invalid_at is not None and _lapsed(fact)]
        if ends and len(ends) == len(says):
            sentence.until = max(ends)
        if pattern is not None:
            named = {found.group() for found in pattern.finditer(sentence.text)}
            sentence.worth += sum(worth_of[name] for name in named) / 2


def _lapsed(fact: Fact) -> bool:
    """Tell whether something that was said later ended it."""
    return fact.expired_at is not None and fact.closed_as in ("ended", "superseded")


def _untrue(
    one: _Sentence, episodes: Sequence[Episode], facts: Sequence[Fact], taken: Sequence[Fact]
) -> bool:
    """Tell whether all that a sentence states was taken back."""

    def states(some: Sequence[Fact]) -> bool:
        episode, end = episodes[one.place].id, one.start + len(one.text)
        return any(
            span.episode_id == episode and one.start <= span.start < end
            for fact in some
            for span in fact.sources
        )

    return bool(taken) and states(taken) and not states(facts)


def _chosen(sentences: Sequence[_Sentence], episodes: int) -> list[_Sentence]:
    """Return the most telling sentence of each stretch, in order."""
    counts = Counter(term for sentence in sentences for term in sentence.terms)
    words = _Words(counts, max(counts.values(), default=1))
    each = max(1, min(2, _SENTENCES // episodes))
    chosen = []
    for first, last in _stretches(episodes):
        inside = [sentence for sentence in sentences if first <= sentence.place < last]
        for _ in range(each):
            best = max(inside, key=lambda sentence: _score(sentence, words), default=None)
            if best is None or (score := _score(best, words)) <= 0:
                break
            best.score = score
            inside.remove(best)
            words.used.update(best.terms)
            chosen.append(best)
    return sorted(chosen, key=lambda sentence: (sentence.place, sentence.start))


def _stretches(episodes: int) -> list[tuple[int, int]]:
    """Cut a saga into parts of about equal size; how it begins and how it ends are two of them."""
    count = min(_SENTENCES, episodes)
    if count < 3:
        return [(number, number + 1) for number in range(count)]
    inner, parts = episodes - 2, count - 2
    cuts = [1 + inner * part // parts for part in range(parts + 1)]
    return [(0, 1), *pairwise(cuts), (episodes - 1, episodes)]


def _score(one: _Sentence, words: _Words) -> float:
    length = len(one.text)
    if length > 2 * _LONG or not one.terms:
        return 0.0
    fit = min(1.0, length / _SHORT, _LONG / length)
    if one.text.count('"') % 2 or one.text.count("“") != one.text.count("”"):
        fit /= 4  # a part of what somebody says
    elif one.text[0] in _QUOTES or one.text.endswith(("?", ":")):
        fit /= 2
    return fit * (words.share(one.terms) + one.worth / 4)


def _tidy(text: str) -> str:
    """Return a sentence on one line, with a full stop."""
    line = " ".join(text.split())
    return line if line[-1:] in ".!?…。！？" or line[-1:] in "\"'”’)" else f"{line}."
