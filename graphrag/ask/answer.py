"""Answers: exact values with the facts behind them, and sentences with numbered sources.

An exact answer lists the steps of its evaluation; a cited one its sources and dropped sentences.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from graphrag.ask.query import Query
from graphrag.display.cards import fact_table, lifetime, triple
from graphrag.display.visible import escape, flatten
from graphrag.model.values import Entity, Fact
from graphrag.search.context import Citation
from graphrag.temporal.moment import utc_now

Standing = Literal["holds", "ended", "to come", "said"]
"""Status of a sentence at the moment of the view; ``said`` if no fact decides it."""
By = Literal["facts", "model", "texts", "nothing"]

NOT_THERE: Final = "not in the graph"
DENIAL: Final = re.compile(
    r"\b(?:not|cannot|never|no|none|nobody|nothing|neither|nor|without|nicht|kein\w*|nie|niemand|"
    r"jamais|aucune?|nunca|ningun\w*|non)\b|n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """An exact answer to a question; false if there is none."""

    question: str
    """The question; empty for a typed query."""
    query: Query | None = None
    """The typed query that was evaluated; None if the question was not understood."""
    values: tuple[str, ...] = ()
    """Names, numbers, ISO dates as precise as known, ``yes`` or ``no``; empty without an answer."""
    entities: tuple[Entity, ...] = ()
    """The entities that ``values`` name, in that order, if the answer consists of entities."""
    facts: tuple[Fact, ...] = ()
    """The facts that give the answer."""
    bounds: tuple[Fact, ...] = ()
    """The facts that limit the time of the answer, as in "before she moved to Rome"."""
    steps: tuple[str, ...] = ()
    """The steps of the evaluation, in order."""
    missing: str = ""
    """The reason why there is no answer; empty if there is one."""
    by: Literal["grammar", "model"] = "grammar"
    """Who read the question."""

    def __bool__(self) -> bool:
        return bool(self.values)

    def __repr__(self) -> str:
        what = ", ".join(map(repr, self.values)) or f"no answer: {flatten(self.missing)}"
        return f"Answer({what}; {len(self.facts)} facts)"

    def __str__(self) -> str:
        head = "; ".join(self.values) or f"no answer: {self.missing}"
        lines = [f"  {triple(fact)}, {lifetime(fact)}" for fact in self.facts]
        lines += [f"  by {triple(fact)}, {lifetime(fact)}" for fact in self.bounds]
        return "\n".join((flatten(head), *lines))

    @property
    def how(self) -> str:
        """Return in words how the question was understood and evaluated."""
        asked = self.question if self.query is None else self.query
        return "\n".join((f"asked: {asked}", *self.steps))

    def _repr_html_(self) -> str:
        facts = (*self.facts, *self.bounds)
        table = fact_table((), ((fact, "", ()) for fact in facts), now=utc_now())
        head = escape("; ".join(self.values) or f"no answer: {self.missing}")
        steps = "".join(f"<li>{escape(step)}</li>" for step in self.how.split("\n"))
        return f"<b>{head}</b>{table if facts else ''}<ol>{steps}</ol>"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer, with its evidence."""

    text: str
    citations: tuple[int, ...] = ()
    """Numbers of the sources that support it: see ``CitedAnswer.citations``."""
    quote: str = ""
    """Words of a source that support it."""
    facts: tuple[Fact, ...] = ()
    """The facts that it restates."""
    standing: Standing = "said"
    """``holds``, ``ended`` or ``to come``, according to its facts; ``said`` if it restates none."""
    problem: str = ""
    """The reason why it was dropped from the answer; empty if it was not."""

    def __str__(self) -> str:
        marks = "".join(f" [{number}]" for number in self.citations)
        return f"{flatten(self.text)}{marks}{self._aside}"

    @property
    def _aside(self) -> str:
        if self.standing not in ("ended", "to come"):
            return ""
        known = dict.fromkeys(map(lifetime, self.facts))
        times = "; ".join(time for time in known if time not in self.text)
        return f" ({self.standing}: {times})" if times else f" ({self.standing})"


@dataclass(frozen=True, slots=True, repr=False)
class CitedAnswer:
    """An answer with numbered sources; false if the graph does not answer the question."""

    question: str
    by: By = "nothing"
    """Origin: ``facts`` (the exact answer of ``ask``), ``model`` (written by the language model
    from the search results), ``texts`` (sentences of the sources), ``nothing`` (no answer)."""
    sentences: tuple[Sentence, ...] = ()
    """The sentences of the answer, in order; for ``facts`` one sentence for each fact."""
    citations: tuple[Citation, ...] = ()
    """The sources that the numbers refer to."""
    dropped: tuple[Sentence, ...] = ()
    """Sentences of the model that no source supports, each with its ``problem``."""
    exact: Answer | None = None
    """The result of ``ask``: an exact answer, or the reason why it has none."""
    missing: str = ""
    """The reason why there is no answer; empty if there is one."""
    complete: bool = True
    """False for an intermediate answer of a stream."""

    def __bool__(self) -> bool:
        return bool(self.sentences) or bool(self.exact)

    @property
    def text(self) -> str:
        """Return the values, or the sentences with citations like ``[1]``; else ``missing``."""
        if self.by == "facts" and self.exact is not None:
            return flatten("; ".join(self.exact.values))
        return " ".join(map(str, self.sentences)) or (self.missing if self.complete else "")

    def __repr__(self) -> str:
        return f"CitedAnswer({self.text[:80]!r}; by {self.by}, {len(self.citations)} sources)"

    def __str__(self) -> str:
        lines = [self.text]
        if self.by == "facts":
            lines += [f"  {sentence}" for sentence in self.sentences]
        lines += [f"dropped: {flatten(bad.text)} ({flatten(bad.problem)})" for bad in self.dropped]
        lines += [f"[{citation.number}] {_titled(citation)}" for citation in self.citations]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = f"<b>{escape(self.question)}</b>"
        if self.by == "facts" or not self:
            head += f"<p>{escape(self.text)}</p>"
        items = "".join(
            f'<li title="{escape(item.quote)}">{escape(str(item))}</li>' for item in self.sentences
        )
        wrong = "".join(
            f"<li><s>{escape(item.text)}</s> {escape(item.problem)}</li>" for item in self.dropped
        )
        sources = "".join(f"<li>{escape(_titled(citation))}</li>" for citation in self.citations)
        return (
            f"{head}<ul>{items}</ul>"
            + (f"<details><summary>dropped</summary><ul>{wrong}</ul></details>" if wrong else "")
            + (f"<ol>{sources}</ol>" if sources else "")
        )


def standing_of(facts: tuple[Fact, ...], now: datetime) -> Standing:
    """Return whether what some facts say holds at a moment; one that does is enough."""
    states: set[Standing] = {_state(fact, now) for fact in facts}
    ranked: tuple[Standing, ...] = ("holds", "to come", "ended")
    return next((state for state in ranked if state in states), "said")


def _state(fact: Fact, now: datetime) -> Standing:
    if fact.retracted_at is not None or fact.closed_as == "past":
        return "ended"
    if fact.valid_at is not None and fact.valid_at > now:
        return "to come"
    return "ended" if fact.invalid_at is not None and fact.invalid_at <= now else "holds"


def _titled(citation: Citation) -> str:
    return f"{citation.valid_at.date().isoformat()}, {citation.name}"
