"""The description of REST: OpenAPI 3.1, made of the same models that check what comes and goes."""

from importlib.metadata import version
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from graphrag.serve.inputs import Input
from graphrag.serve.items import EntityOutput, EpisodeOutput, EventOutput, Output
from graphrag.serve.outputs import HealthOutput, ProblemOutput
from graphrag.serve.problems import MEDIA_TYPE
from graphrag.serve.verb_table import VERBS, Verb

_REFS = "#/components/schemas/{model}"
_PLAIN: tuple[type[Output], ...] = (
    EntityOutput,
    EpisodeOutput,
    EventOutput,
    HealthOutput,
    ProblemOutput,
)
_PROBLEMS = {
    "400": "The body is no JSON.",
    "401": "A token is missing or wrong.",
    "403": "The token may not do this, or a policy refused.",
    "408": "The body did not come in time.",
    "413": "The body is too large.",
    "415": "The body is not declared as JSON.",
    "421": "The server is called by a name that is not its own.",
    "422": "It cannot be done as asked; the detail says why.",
    "429": "Too many requests; Retry-After says when to come again.",
    "500": "Something unforeseen.",
    "501": "The server lacks an extra; the detail says how to install it.",
    "502": "A model failed on a text; nothing was read from it.",
    "503": "The store or the server is busy or stopping.",
}
_ANY = ("401", "403", "421", "429", "500", "503")


def description(*, secured: bool) -> dict[str, Any]:
    """Return the whole description.

    Args:
        secured: Whether a token is asked for.
    """
    inputs: set[type[Input]] = {verb.input for verb in VERBS.values()}
    outputs: set[type[Output]] = {verb.output for verb in VERBS.values()} | set(_PLAIN)
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = [
        *((model, "validation") for model in sorted(inputs, key=_name)),
        *((model, "serialization") for model in sorted(outputs, key=_name)),
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
        "paths": {
            **{f"/v1/{verb.name}": {"post": _verb(verb)} for verb in VERBS.values()},
            "/v1/entities/{id}": {"get": _record("entity", EntityOutput)},
            "/v1/episodes/{id}": {"get": _record("episode", EpisodeOutput)},
            "/v1/events": {"get": _events()},
            "/health": {"get": _state("health", "Whether the server lives.")},
            "/ready": {"get": _state("ready", "Whether it can answer: the store does.")},
            "/metrics": {"get": _text("metrics", "Counts, as Prometheus reads them.")},
            "/explore": {"get": _page("explorer", "The explorer: a page for a browser.")},
            "/explore/{file}": {"get": _page("explorer_file", "A file of that page.", "file")},
        },
        "components": components,
    }
    if secured:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        whole["security"] = [{"token": []}]
        for path in ("/health", "/ready", "/explore", "/explore/{file}"):
            whole["paths"][path]["get"]["security"] = []
    return whole


def _name(model: type[Input] | type[Output]) -> str:
    return model.__name__


def _verb(verb: Verb[Any, Any]) -> dict[str, Any]:
    summary, _, rest = verb.description.partition("\n\n")
    return {
        "operationId": verb.name,
        "summary": summary,
        "description": " ".join(rest.split()),
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ref(verb.input)}},
        },
        "responses": {"200": _json("It was done.", verb.output), **_problems(*_PROBLEMS)},
    }


def _record(name: str, output: type[Output]) -> dict[str, Any]:
    return {
        "operationId": f"get_{name}",
        "summary": f"Return one {name} by its id.",
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "responses": {
            "200": _json(f"The {name}.", output),
            **_problems("422", *_ANY),
            "404": _problem("There is none with this id."),
        },
    }


def _events() -> dict[str, Any]:
    number = {"type": "integer", "minimum": 0, "maximum": 10**15 - 1}
    stream = {"text/event-stream": {"schema": {"type": "string"}}}
    return {
        "operationId": "events",
        "summary": "Follow the log as server-sent events; data is an EventOutput.",
        "parameters": [
            {
                "name": "after",
                "in": "query",
                "required": False,
                "description": "From this event on; 0 gives the whole log first. Default: news.",
                "schema": number,
            },
            {"name": "Last-Event-ID", "in": "header", "required": False, "schema": number},
        ],
        "responses": {
            "200": {"description": "An endless stream.", "content": stream},
            **_problems("422", *_ANY),
        },
    }


def _state(name: str, summary: str) -> dict[str, Any]:
    responses = {"200": _json("It is.", HealthOutput), "421": _problem(_PROBLEMS["421"])}
    if name == "ready":
        responses["503"] = _json("It is not, or not any more.", HealthOutput)
    return {"operationId": name, "summary": summary, "responses": responses}


def _text(name: str, summary: str) -> dict[str, Any]:
    content = {"text/plain": {"schema": {"type": "string"}}}
    responses = {"200": {"description": "Lines.", "content": content}, **_problems(*_ANY)}
    return {"operationId": name, "summary": summary, "responses": responses}


def _page(name: str, summary: str, parameter: str = "") -> dict[str, Any]:
    """Describe a page or a file of it, which needs no token and has nothing of a graph."""
    place = {"name": parameter, "in": "path", "required": True, "schema": {"type": "string"}}
    kinds = ("text/html",) if not parameter else ("text/css", "text/javascript")
    content = {kind: {"schema": {"type": "string"}} for kind in kinds}
    responses = {"200": {"description": "It.", "content": content}, **_problems("421")}
    if not parameter:
        return {"operationId": name, "summary": summary, "responses": responses}
    responses["404"] = _problem("There is no such file.")
    return {
        "operationId": name,
        "summary": summary,
        "parameters": [place],
        "responses": responses,
    }


def _problems(*statuses: str) -> dict[str, Any]:
    return {status: _problem(_PROBLEMS[status]) for status in statuses}


def _problem(what: str) -> dict[str, Any]:
    return {"description": what, "content": {MEDIA_TYPE: {"schema": _ref(ProblemOutput)}}}


def _json(what: str, output: type[Output]) -> dict[str, Any]:
    return {"description": what, "content": {"application/json": {"schema": _ref(output)}}}


def _ref(model: type[Input] | type[Output]) -> dict[str, str]:
    return {"$ref": _REFS.format(model=model.__name__)}
