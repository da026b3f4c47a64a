"""Errors as answers: the library's own sentence, and the status that says whose doing it is."""

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from graphrag.display.visible import visible
from graphrag.errors import (
    ExtractionError,
    GraphRAGError,
    InputError,
    MissingExtraError,
    PolicyError,
    StoreError,
)
from graphrag.serve.outputs import ProblemOutput
from graphrag.serve.service import OverloadedError, UnexpectedError

MEDIA_TYPE = "application/problem+json"
# The first kind that fits.
_STATUSES: tuple[tuple[type[GraphRAGError], int, str], ...] = (
    (UnexpectedError, 500, "Internal Error"),
    (OverloadedError, 503, "Service Unavailable"),
    (InputError, 422, "Unprocessable"),
    (PolicyError, 403, "Forbidden"),
    (ExtractionError, 502, "Extraction Failed"),
    (StoreError, 503, "Store Unavailable"),
    (MissingExtraError, 501, "Not Installed"),
    (GraphRAGError, 500, "Internal Error"),
)


class HTTPProblem(GraphRAGError):
    """A request that is wrong as HTTP, whatever it asks for."""

    def __init__(self, status: int, title: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.title = status, title


def problem(
    status: int, title: str, detail: str, *, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a problem as an answer (RFC 9457)."""
    body = ProblemOutput(title=title, status=status, detail=visible(detail))
    # A detail may repeat what was asked, where half a surrogate pair may stand.
    text = body.model_dump_json()
    return Response(text, status, dict(headers or {}), media_type=MEDIA_TYPE)


def problem_of(error: GraphRAGError) -> Response:
    """Return an error of the library as an answer."""
    if isinstance(error, HTTPProblem):
        return problem(error.status, error.title, str(error))
    status, title = next(
        (status, title) for kind, status, title in _STATUSES if isinstance(error, kind)
    )
    return problem(status, title, str(error))


async def not_there(request: Request, error: Exception) -> Response:
    """Answer for a route or method that is not there."""
    assert isinstance(error, HTTPException)
    detail = {404: "there is nothing here: see /openapi.json"}.get(error.status_code, error.detail)
    return problem(error.status_code, error.detail, detail, headers=error.headers)
