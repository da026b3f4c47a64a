"""OpenTelemetry tracer: a span for each step, named by the semantic conventions for memories.

The application configures provider and exporter; without one, a span costs a few microseconds and
is discarded. Spans carry counts, tokens and cost. They carry no text, name or error message unless
you enable that. Status of the conventions:
https://github.com/open-telemetry/semantic-conventions-genai (operations on memories).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from graphrag.errors import InputError, MissingExtraError
from graphrag.llm.spending import SPENDING, Spending
from graphrag.model.extraction import Price, Usage
from graphrag.protocols import Figures, Note, Step

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

_OPERATIONS: Final[Mapping[Step, str]] = MappingProxyType(  # what the conventions have a name for
    {"ingest": "upsert_memory", "search": "search_memory"}
)
_TEXTS: Final[Mapping[Step, str]] = MappingProxyType(
    {"ingest": "gen_ai.memory.records", "search": "gen_ai.memory.query.text"}
)
_RECORD, _RECORD_ID = "episode", "gen_ai.memory.record.id"
_NOTHING: Final = Usage()


class OpenTelemetryTracer:
    """Tracer that emits a span per step: ``GraphRAG.open(url, tracer=OpenTelemetryTracer())``."""

    def __init__(
        self,
        provider: "TracerProvider | None" = None,
        *,
        text: bool = False,
        price: Price | None = None,
    ) -> None:
        """Configure the tracer.

        Args:
            provider: Tracer provider; default: the global one of the application.
            text: Whether spans contain texts and questions; consider who reads them.
            price: Price of the language model, for ``graphrag.cost``.

        Raises:
            MissingExtraError: if the extra ``telemetry`` is not installed.
        """
        try:
            from opentelemetry import trace
        except ImportError as error:
            raise MissingExtraError("OpenTelemetryTracer", "telemetry") from error
        if not isinstance(text, bool):
            raise InputError(f"text {text!r}: True or False")
        self._tracer = trace.get_tracer("graphrag", tracer_provider=provider)
        self._text = text
        self.price = price

    @contextmanager
    def span(self, step: Step, *, group: str, text: str = "") -> Iterator[Note]:
        """Open the span of a step; an error is recorded by its type only."""
        from opentelemetry import context, trace

        operation = _OPERATIONS.get(step)
        attributes = {"graphrag.step": step, "gen_ai.memory.store.id": group}
        if operation is not None:
            attributes["gen_ai.operation.name"] = operation
        if self._text and text:
            attributes[_TEXTS.get(step, f"graphrag.{step}.text")] = text
        span = self._tracer.start_span(operation or f"graphrag.{step}", attributes=attributes)
        if not span.is_recording():
            yield lambda _: None
            return
        figures: dict[str, str | int | float | bool] = {}  # one write of attributes is quicker

        def note(given: Figures) -> None:
            names = {name: f"graphrag.{name}" for name in given} | {_RECORD: _RECORD_ID}
            figures.update((names[name], value) for name, value in given.items())

        spent = Spending(outer=SPENDING.get())
        before = SPENDING.set(spent)
        token = context.attach(trace.set_span_in_context(span))
        try:
            yield note
        except BaseException as error:
            figures["error.type"] = type(error).__qualname__
            span.set_status(trace.StatusCode.ERROR)
            raise
        finally:
            context.detach(token)
            SPENDING.reset(before)
            span.set_attributes({**figures, **self._usage(spent.usage)})
            span.end()

    def _usage(self, usage: Usage) -> dict[str, int | float]:
        if usage == _NOTHING:
            return {}
        cost = {} if self.price is None else {"graphrag.cost": self.price.of(usage)}
        return {
            "gen_ai.usage.input_tokens": usage.prompt_tokens,
            "gen_ai.usage.output_tokens": usage.completion_tokens,
            "graphrag.llm.calls": usage.calls,
            "graphrag.llm.cached": usage.cached,
            **cost,
        }
