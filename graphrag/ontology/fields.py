"""The attributes of a type: which of those given are valid, and as what they are stored.

A text seldom gives all of them, so a missing one is no error, even if the model requires it.
Validators of a whole model therefore see None for what was not given.
"""

from collections.abc import Mapping
from copy import copy
from typing import Any, get_args

from pydantic import BaseModel, ValidationError, create_model

from graphrag.model.values import JSON
from graphrag.ontology.declare import Identifier


class Fields:
    """The attributes of one declared type."""

    def __init__(self, model: type[BaseModel]) -> None:
        self._model = _with_optional_fields(model)
        self._open = model.model_config.get("extra") == "allow"
        self.identifiers = tuple(
            name
            for name, info in model.model_fields.items()
            if any(map(_is_identifier, (*info.metadata, info.annotation)))
        )
        """Names of the fields that are marked ``Identifier``."""

    def check(self, given: Mapping[str, JSON]) -> tuple[dict[str, JSON], dict[str, str]]:
        """Return the valid attributes as JSON, and for each other one what is wrong with it."""
        left = {name: value for name, value in given.items() if value is not None}
        wrong: dict[str, str] = {}
        if not self._open:
            for name in [name for name in left if name not in self._model.model_fields]:
                wrong[name] = "it is not declared"
                del left[name]
        while left:
            try:
                valid = self._model.model_validate(left)
            except ValidationError as error:
                for detail in error.errors(include_url=False, include_input=False):
                    # A validator of the whole model blames no field: none is known to be right.
                    field = str(detail["loc"][0]) if detail["loc"] else ""
                    for name in [field] if field in left or field in wrong else list(left):
                        if name in left:
                            wrong[name] = f"{_shown(left.pop(name))}: {detail['msg']}"
            else:
                return valid.model_dump(mode="json", exclude_unset=True), wrong
        return {}, wrong


def _is_identifier(mark: object) -> bool:
    """Tell whether this is the mark, or an annotation that bears it: ``Annotated[…] | None``."""
    if mark is Identifier or isinstance(mark, Identifier):
        return True
    return any(map(_is_identifier, get_args(mark)))


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _with_optional_fields(model: type[BaseModel]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        optional = copy(info)
        optional.default, optional.default_factory = None, None
        optional.validate_default = False
        fields[name] = (info.annotation, optional)
    return create_model(model.__name__, __base__=model, **fields)
