"""What a server counts, in the text format of Prometheus.

A writer of its own: the format is a page long, and a registry of the process would mix the counts
of two graphs. No label names a group, a token or anything that was said.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds; the buckets that Prometheus has by default."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(slots=True)
class _Histogram:
    """How many durations fell below each bound."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(_BOUNDS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(_BOUNDS, seconds)] += 1
        self.total += seconds


@dataclass(slots=True)
class Metrics:
    """Counts since the server started."""

    answers: Counter[int] = field(default_factory=Counter)
    """HTTP answers by status."""
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Calls by verb and outcome, whichever door they came through."""
    durations: defaultdict[str, _Histogram] = field(default_factory=lambda: defaultdict(_Histogram))
    running: int = 0
    """Calls that are worked on."""
    streams: int = 0

    def called(self, verb: str, outcome: str, seconds: float) -> None:
        """Count a call of a verb."""
        self.calls[verb, outcome] += 1
        self.durations[verb].add(seconds)

    def text(self) -> str:
        """Return everything as Prometheus reads it."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from _head("build_info", "gauge", "The version of the library.")
        yield f'graphrag_build_info{{version="{version("surreal-graphrag")}"}} 1'
        yield from _head("http_answers_total", "counter", "Answers over HTTP, by status.")
        for status, count in sorted(self.answers.items()):
            yield f'graphrag_http_answers_total{{status="{status}"}} {count}'
        yield from _head("calls_total", "counter", "Calls of a verb, as tools and by REST.")
        for (verb, outcome), count in sorted(self.calls.items()):
            yield f'graphrag_calls_total{{verb="{verb}",outcome="{outcome}"}} {count}'
        yield from _head("call_seconds", "histogram", "How long calls of a verb took.")
        for verb, histogram in sorted(self.durations.items()):
            below = 0
            for bound, count in zip((*_BOUNDS, "+Inf"), histogram.counts, strict=True):
                below += count
                yield f'graphrag_call_seconds_bucket{{verb="{verb}",le="{bound}"}} {below}'
            yield f'graphrag_call_seconds_sum{{verb="{verb}"}} {histogram.total:.6f}'
            yield f'graphrag_call_seconds_count{{verb="{verb}"}} {below}'
        yield from _head("calls_running", "gauge", "Calls that are worked on.")
        yield f"graphrag_calls_running {self.running}"
        yield from _head("streams_open", "gauge", "Open streams of events.")
        yield f"graphrag_streams_open {self.streams}"


def _head(name: str, kind: str, what: str) -> Iterator[str]:
    yield f"# HELP graphrag_{name} {what}"
    yield f"# TYPE graphrag_{name} {kind}"
