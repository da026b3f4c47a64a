"""OpenTelemetry tracer: a span for each step, named by the semantic conventions for memories.

The application configures provider and exporter; without one, a span costs a few microseconds and
is discarded. Spans carry counts, tokens and cost. They carry no text, name or error message unless
you enable that. Status of the conventions:
https://github.com/open-telemetry/semantic-conventions-genai (operations on memories).
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import Token
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from graphrag.errors import InputError, MissingExtraError
from graphrag.llm.spending import SPENDING, Spending
from graphrag.model.extraction import Price, Usage
from graphrag.protocols import Figures, Note, Step

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer, TracerProvider

_OPERATIONS: Final[Mapping[Step, str]] = MappingProxyType(  # what the conventions have a name for
    {"ingest": "upsert_memory", "search": "search_memory"}
)
_TEXTS: Final[Mapping[Step, str]] = MappingProxyType(
    {"ingest": "gen_ai.memory.records", "search": "gen_ai.memory.query.text"}
)
_RECORD: Final = "episode"
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

    def span(self, step: Step, *, group: str, text: str = "") -> AbstractContextManager[Note]:
        """Return the span of a step; an error is recorded by its type only."""
        operation = _OPERATIONS.get(step)
        attributes = {"graphrag.step": step, "gen_ai.memory.store.id": group}
        if operation is not None:
            attributes["gen_ai.operation.name"] = operation
        if self._text and text:
            attributes[_TEXTS.get(step, f"graphrag.{step}.text")] = text
        return _OpenSpan(self._tracer, operation or f"graphrag.{step}", attributes, self.price)


@dataclass(slots=True, eq=False)
class _OpenSpan:
    """An entered span. No generator and one write of attributes: every step makes one."""

    _tracer: "Tracer"
    _name: str
    _attributes: Mapping[str, str]
    _price: Price | None
    _span: "Span" = field(init=False)
    _token: "Token[Context] | None" = field(init=False, default=None)
    _before: "Token[Spending | None]" = field(init=False)
    _spent: Spending = field(init=False)
    _figures: dict[str, str | int | float | bool] = field(init=False)

    def __enter__(self) -> Note:
        from opentelemetry import context, trace

        self._span = self._tracer.start_span(self._name, attributes=self._attributes)
        if not self._span.is_recording():
            return _ignore
        self._figures = {}
        self._spent = Spending(outer=SPENDING.get())
        self._before = SPENDING.set(self._spent)
        self._token = context.attach(trace.set_span_in_context(self._span))
        return self._note

    def _note(self, figures: Figures) -> None:
        for name, value in figures.items():
            key = "gen_ai.memory.record.id" if name == _RECORD else f"graphrag.{name}"
            self._figures[key] = value

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._token is None:
            return
        from opentelemetry import context
        from opentelemetry.trace import StatusCode

        context.detach(self._token)
        SPENDING.reset(self._before)
        figures, usage = self._figures, self._spent.usage
        if usage != _NOTHING:
            figures["gen_ai.usage.input_tokens"] = usage.prompt_tokens
            figures["gen_ai.usage.output_tokens"] = usage.completion_tokens
            figures["graphrag.llm.calls"] = usage.calls
            figures["graphrag.llm.cached"] = usage.cached
            if self._price is not None:
                figures["graphrag.cost"] = self._price.of(usage)
        if error is not None:
            figures["error.type"] = type(error).__qualname__
            self._span.set_status(StatusCode.ERROR)
        self._span.set_attributes(figures)
        self._span.end()


def _ignore(figures: Figures) -> None:
    """Take figures of a span that nobody records."""
