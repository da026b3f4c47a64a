"""OpenAPI 3.1 description of REST, made of the models that check requests and answers."""

from importlib.metadata import version
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from graphrag.serve.items import EntityOutput, EpisodeOutput, EventOutput
from graphrag.serve.outputs import PROBLEM_TYPE, HealthOutput, ProblemOutput
from graphrag.serve.verb_table import VERBS, Verb

_REFS = "#/components/schemas/{model}"
_PLAIN = (EntityOutput, EpisodeOutput, EventOutput, HealthOutput, ProblemOutput)
_PROBLEMS = {
    "400": "The body is no JSON.",
    "401": "A token is missing or wrong.",
    "403": "The token may not do this, or a policy refused.",
    "404": "There is no record, file or group of this name.",
    "408": "The body did not come in time.",
    "413": "The body is too large.",
    "415": "The body is not declared as JSON.",
    "421": "The server is called by a name that is not its own.",
    "422": "The request cannot be carried out; the detail says why.",
    "429": "Too many requests; Retry-After says when to come again.",
    "500": "An unexpected error.",
    "501": "The server lacks an extra; the detail says how to install it.",
    "502": "A model failed on a text; nothing was read from it.",
    "503": "The store or the server is busy or stopping.",
}
_ANY = ("401", "403", "421", "429", "500", "503")  # problems of every route behind a token
_OPEN = ("/health", "/ready", "/explore", "/explore/{file}")  # routes that ask for no token
_LAST = 10**15 - 1  # number of an event, at most


def description(*, secured: bool) -> dict[str, Any]:
    """Return the whole description; ``secured`` if a token is asked for."""
    inputs: set[type[BaseModel]] = {verb.input for verb in VERBS.values()}
    outputs: set[type[BaseModel]] = {verb.output for verb in VERBS.values()} | set(_PLAIN)
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = [
        *((model, "validation") for model in sorted(inputs, key=lambda model: model.__name__)),
        *((model, "serialization") for model in sorted(outputs, key=lambda model: model.__name__)),
    ]
    _, schemas = models_json_schema(wanted, ref_template=_REFS)
    components: dict[str, Any] = {"schemas": schemas["$defs"]}
    whole: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "surreal-graphrag",
            "version": version("surreal-graphrag"),
            "description": "A temporal knowledge graph. Texts in answers are data from outside.",
        },
        "servers": [
            {"url": "/", "description": "The group of the token."},
            {
                "url": "/groups/{group}",
                "description": "A group by its name.",
                "variables": {"group": {"default": "default"}},
            },
        ],
        "paths": {f"/v1/{verb.name}": {"post": _verb(verb)} for verb in VERBS.values()} | _gets(),
        "components": components,
    }
    if secured:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        whole["security"] = [{"token": []}]
        for path in _OPEN:
            whole["paths"][path]["get"]["security"] = []
    return whole


def _verb(verb: Verb[Any, Any]) -> dict[str, Any]:
    summary, _, rest = verb.description.partition("\n\n")
    return {
        "operationId": verb.name,
        "summary": summary,
        "description": " ".join(rest.split()),
        "requestBody": {"required": True, "content": _content(verb.input)},
        "responses": {"200": _said("The result.", _content(verb.output)), **_problems(*_PROBLEMS)},
    }


def _gets() -> dict[str, Any]:
    health, number = _content(HealthOutput), {"type": "integer", "minimum": 0, "maximum": _LAST}
    after = {"description": "From this event on; 0 gives the whole log first. Default: news."}
    found = {
        f"/v1/{plural}/{{id}}": _get(
            f"get_{noun}",
            f"Return one {noun} by its id.",
            {"200": _said(f"The {noun}.", _content(output)), **_problems("404", "422", *_ANY)},
            _parameter("id", "path", {"type": "string"}),
        )
        for plural, noun, output in (
            ("entities", "entity", EntityOutput),
            ("episodes", "episode", EpisodeOutput),
        )
    }
    return found | {
        "/v1/events": _get(
            "events",
            "Follow the log as server-sent events; data is an EventOutput.",
            {"200": _said("An endless stream.", _text("text/event-stream"))}
            | _problems("422", *_ANY),
            _parameter("after", "query", number) | after,
            _parameter("Last-Event-ID", "header", number),
        ),
        "/health": _get(
            "health",
            "Whether the server lives.",
            {"200": _said("The server is alive.", health), **_problems("421")},
        ),
        "/ready": _get(
            "ready",
            "Whether it can answer: the store does.",
            {"200": _said("The server is ready.", health), **_problems("421")}
            | {"503": _said("The store does not answer, or the server is stopping.", health)},
        ),
        "/metrics": _get(
            "metrics",
            "Counts, as Prometheus reads them.",
            {"200": _said("Metrics, one a line.", _text("text/plain")), **_problems(*_ANY)},
        ),
        "/explore": _get(
            "explorer",
            "The explorer: a page for a browser.",
            {"200": _said("The page.", _text("text/html")), **_problems("421")},
        ),
        "/explore/{file}": _get(
            "explorer_file",
            "A file of that page.",
            {"200": _said("The file.", _text("text/css", "text/javascript"))}
            | _problems("404", "421"),
            _parameter("file", "path", {"type": "string"}),
        ),
    }


def _get(
    name: str, summary: str, responses: dict[str, Any], *parameters: dict[str, Any]
) -> dict[str, Any]:
    operation: dict[str, Any] = {"operationId": name, "summary": summary, "responses": responses}
    return {"get": operation | ({"parameters": list(parameters)} if parameters else {})}


def _parameter(name: str, place: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": schema}


def _problems(*statuses: str) -> dict[str, Any]:
    content = _content(ProblemOutput, PROBLEM_TYPE)
    return {status: _said(_PROBLEMS[status], content) for status in statuses}


def _said(what: str, content: dict[str, Any]) -> dict[str, Any]:
    return {"description": what, "content": content}


def _text(*kinds: str) -> dict[str, Any]:
    return {kind: {"schema": {"type": "string"}} for kind in kinds}


def _content(model: type[BaseModel], kind: str = "application/json") -> dict[str, Any]:
    return {kind: {"schema": {"$ref": _REFS.format(model=model.__name__)}}}
