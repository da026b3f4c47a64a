"""JSON schemas as short as they can be: a model reads those of every tool before each question."""

from typing import Any


def arguments(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of arguments, the required ones first; what may be null may be left out."""
    short: dict[str, Any] = _without(schema, "title")
    short.pop("description", None)
    for part in (short, *short.get("$defs", {}).values()):
        required, given = part.get("required", []), part.get("properties", {})
        order = [*required, *(name for name in given if name not in required)]
        part["properties"] = {name: _present(given[name]) for name in order}
    return short


def result(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a result, without what its names say as well."""
    short: dict[str, Any] = _without(schema, "title", "description")
    return short


def _present(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an optional argument that is given."""
    if schema.get("default", ...) is not None:
        return schema
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    kinds = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
    return {**(kinds[0] if len(kinds) == 1 else {"anyOf": kinds}), **rest}


def _without(schema: Any, *keys: str) -> Any:
    """Return a schema without some of its words; a property may have such a name."""
    if isinstance(schema, list):
        return [_without(one, *keys) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _without(one, *keys) for name, one in value.items()}
        if key in ("properties", "$defs")
        else _without(value, *keys)
        for key, value in schema.items()
        if key not in keys
    }
