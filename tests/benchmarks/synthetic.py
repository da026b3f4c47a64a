"""A made-up group with the shape of a real one, the same on every machine for one seed.

Vectors are clustered topics in a low-dimensional subspace plus noise, like those of a sentence
model: uniformly random ones would all be equally far apart. Words follow Zipf's law, and a few
entities have very many facts while most have few.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import numpy as np

from graphrag.model.ids import new_id
from graphrag.model.values import DEFAULT_GROUP, Entity, Episode, Fact, Span
from graphrag.names.key import name_key
from graphrag.protocols import Matrix
from tests.benchmarks.prepared import DIMENSION, Query

Item = TypeVar("Item")

GROUP = DEFAULT_GROUP
MIDDLE = datetime(2020, 7, 1, tzinfo=UTC)
"""A moment at which about half of the facts have begun and a part of those has ended."""

_TOPICS, _SUBSPACE = 200, 48
_VOCABULARY = 30_000
_RELATIONS = 40
_ENTITY_SHARE = 0.3
_FACTS_PER_EPISODE = 10
_START = datetime(2015, 1, 1, tzinfo=UTC)
_DAYS = 4000
_SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]


Batch = list[tuple[Entity | Episode | Fact, Matrix]]
"""Values with their vectors, as many as one transaction takes."""


class Synthetic:
    """A generator of batches and of queries about them."""

    def __init__(self, facts: int, *, batch: int = 500, seed: int = 7) -> None:
        self.facts = facts
        self.group = GROUP
        """To which what is made next belongs."""
        self._batch = batch
        self._random = np.random.default_rng(seed)
        self._words = _vocabulary(self._random)
        # From rank 11: the commonest words of a language are stop words, which no index sees.
        self._zipf = np.cumsum(1 / np.arange(11, _VOCABULARY + 11) ** 1.05)
        self._topics = self._random.standard_normal((_TOPICS, _SUBSPACE)).astype(np.float32)
        basis = np.linalg.qr(self._random.standard_normal((DIMENSION, _SUBSPACE)))[0]
        self._basis = basis.T.astype(np.float32)
        self._entities: list[Entity] = []
        self._asked: Batch = []

    def entities(self) -> list[Batch]:
        """Make the entities: three for ten facts."""
        self._entities = [self._entity(place) for place in range(int(self.facts * _ENTITY_SHARE))]
        return [self._embedded(some) for some in batched(self._entities, self._batch)]

    def facts_with_episodes(self) -> list[Batch]:
        """Make the facts between those entities, each batch with the episodes that state them."""
        batches = []
        for first in range(0, self.facts, self._batch):
            facts, episodes = self._told(min(self._batch, self.facts - first))
            stated = self._embedded(facts)
            self._asked += stated[:: max(1, len(stated) // 20)]
            batches.append(self._embedded(episodes) + stated)
        return batches

    def queries(self, count: int) -> list[Query]:
        """Return questions about facts already made; every second one names an entity."""
        queries = []
        for number in range(count):
            fact, vector = self._asked[int(self._random.integers(len(self._asked)))]
            assert isinstance(fact, Fact)
            words = list(self._random.permutation(fact.text.rstrip(".").split())[:5])
            if number % 2:
                words.insert(0, fact.subject)
            queries.append(Query(f"where {' '.join(words)}?", self.near(vector)))
        return queries

    def near(self, vector: Matrix) -> Matrix:
        """Return the vector of a question about a text."""
        noise = self._random.standard_normal(DIMENSION).astype(np.float32) * 0.02
        return np.asarray(_unit((vector + noise)[np.newaxis])[0])

    def vectors(self, count: int) -> Matrix:
        """Make the unit vectors of so many texts."""
        topic = self._topics[self._random.integers(0, _TOPICS, count)]
        inner = topic + 0.6 * self._random.standard_normal((count, _SUBSPACE)).astype(np.float32)
        noise = self._random.standard_normal((count, DIMENSION)).astype(np.float32)
        return _unit(inner @ self._basis + 0.15 * noise)

    def _embedded(self, values: Sequence[Entity | Episode | Fact]) -> Batch:
        return list(zip(values, self.vectors(len(values)), strict=True))

    def _told(self, count: int) -> tuple[list[Fact], list[Episode]]:
        facts: list[Fact] = []
        episodes = []
        for some in batched(range(count), _FACTS_PER_EPISODE):
            sentences = [self._sentence() for _ in some]
            day = _START + timedelta(days=int(self._random.integers(_DAYS)))
            content = "\n".join(sentences)
            episode = Episode(new_id(), self.group, day, "", content, "text", day, new_id())
            episodes.append(episode)
            place = 0
            for sentence in sentences:
                facts.append(
                    self._fact(sentence, Span(episode.id, place, place + len(sentence)), day)
                )
                place += len(sentence) + 1
        return facts, episodes

    def _entity(self, place: int) -> Entity:
        name = f"{' '.join(self._some_words(2)).title()} {place}"
        return Entity(new_id(), self.group, _START, name, name_key(name), "thing")

    def _fact(self, sentence: str, span: Span, valid_at: datetime) -> Fact:
        subject, object_ = self._ends()
        ends = self._random.random() < 0.4
        return Fact(
            id=new_id(),
            group_id=self.group,
            created_at=valid_at,
            subject_id=subject.id,
            object_id=object_.id,
            subject=subject.name,
            relation=f"relation_{int(_RELATIONS * self._random.random() ** 2)}",
            object=object_.name,
            text=sentence,
            valid_at=valid_at,
            invalid_at=valid_at + timedelta(self._random.exponential(700)) if ends else None,
            reference_time=valid_at,
            sources=(span,),
        )

    def _ends(self) -> tuple[Entity, Entity]:
        # The square of a uniform number: the chance of the n-th entity falls with its square root.
        places = (len(self._entities) * self._random.random(2) ** 2).astype(int)
        if places[0] == places[1]:
            places[1] = (places[1] + 1) % len(self._entities)
        return self._entities[places[0]], self._entities[places[1]]

    def _sentence(self) -> str:
        return " ".join(self._some_words(int(self._random.integers(8, 21)))) + "."

    def _some_words(self, count: int) -> list[str]:
        drawn = np.searchsorted(self._zipf, self._random.random(count) * self._zipf[-1])
        return [self._words[place] for place in drawn]


def batched(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Yield slices of at most ``size`` items; ``itertools.batched`` needs Python 3.12."""
    return (items[first : first + size] for first in range(0, len(items), size))


def _vocabulary(random: np.random.Generator) -> list[str]:
    """Return distinct words of two to four syllables, the commonest first."""
    words: dict[str, None] = {}
    while len(words) < _VOCABULARY:
        parts = random.integers(0, len(_SYLLABLES), int(random.integers(2, 5)))
        words["".join(_SYLLABLES[part] for part in parts)] = None
    return list(words)


def _unit(vectors: Matrix) -> Matrix:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / norms, dtype=np.float32)
