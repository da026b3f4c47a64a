"""What tracing costs: processor time of calls of one graph with and without a tracer, in turn.

What is added is measured on the event loop's thread, where all spans are made, and compared with
the time of the whole process for a call without a tracer: models and database work beside the loop.
"""

import random
import statistics
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from graphrag import GraphRAG, Models, Tracer
from graphrag.integrations.opentelemetry import OpenTelemetryTracer
from graphrag.testing import HashEmbedder
from tests.benchmarks.report import Report, Section
from tests.conftest import PlainExtractor

PEOPLE = 200


async def measure(report: Report) -> None:
    """Measure with models that cost nothing, and with those of this machine."""
    plain = Models(embedder=HashEmbedder(), extractor=PlainExtractor())
    await _measure(report, "Models that cost nothing", plain, 200)
    await _measure(report, "Local models", Models(), 40)


async def _measure(report: Report, title: str, models: Models, calls: int) -> None:
    """Call each verb with every tracer, one after the other in an order of chance."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracers: Mapping[str, Tracer | None] = {
        "no tracer": None,
        "tracer, no provider": OpenTelemetryTracer(),
        "tracer and exporter in memory": OpenTelemetryTracer(provider),
    }
    async with GraphRAG.open("mem://", models=models) as graph:
        for at in range(PEOPLE):
            await graph.add_fact(f"Person{at}", "works_at", f"Firm{at % 7}", valid_at="2020")
        rows = []
        for name, call in _verbs(graph).items():
            spent, whole = await _spent(graph, tracers, call, calls)
            plain = spent["no tracer"]
            for tracing, times in spent.items():
                pairs = zip(times, plain, strict=True)
                more = statistics.median(own - other for own, other in pairs)
                rows.append(
                    {
                        "call": name,
                        "tracing": tracing,
                        "ms": 1000 * whole,
                        "more, µs": 1e6 * more,
                        "more, %": 100 * more / whole,
                    }
                )
            exporter.clear()
    notes = [f"medians of {calls} calls each, in turn; ms: of the process, without a tracer"]
    report.add(Section(f"{title}: processor time of a call", rows, notes))


def _verbs(graph: GraphRAG) -> dict[str, Callable[[int], Awaitable[object]]]:
    return {
        "search": lambda at: graph.search(f"Where does Person{at % PEOPLE} work?"),
        "answer": lambda at: graph.answer(f"Where does Person{at % PEOPLE} work, honestly?"),
        "add_fact": lambda at: graph.add_fact(f"Guest{at}", "works_at", f"Firm{at % 7}"),
        "add_episode": lambda at: graph.add_episode(
            f"Visitor{at} works_at Firm{at % 7} from 2020.", reference_time="2020-01-01"
        ),
    }


async def _spent(
    graph: GraphRAG,
    tracers: Mapping[str, Tracer | None],
    call: Callable[[int], Awaitable[object]],
    calls: int,
) -> tuple[dict[str, list[float]], float]:
    """Return the seconds of each call by tracer, and those of the process without one."""
    rng, spent, number = random.Random(3), defaultdict[str, list[float]](list), 0
    ingestion, whole = graph.handle.session, []
    for turn in range(calls + 5):  # the first ones load what they need
        for name in rng.sample(list(tracers), len(tracers)):
            # A graph keeps its tracer: here alone is it changed, so that all else is the same.
            object.__setattr__(ingestion, "tracer", tracers[name])
            number += 1
            loop, process = time.thread_time(), time.process_time()
            await call(number)
            if turn >= 5:
                spent[name].append(time.thread_time() - loop)
                if tracers[name] is None:
                    whole.append(time.process_time() - process)
    return {name: spent[name] for name in tracers}, statistics.median(whole)
