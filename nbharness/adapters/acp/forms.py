"""An agent's form (``elicitation/create``) as questions, and the answers as the form wants them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from nbharness.adapters.acp.values import mapping, mappings, text_of
from nbharness.events import Question, QuestionOption

__all__ = ["content_of", "questions_of"]

_CUSTOM = "_custom"
"""Ends the name of a field that takes an answer in words instead of one of the field before."""


def questions_of(params: object) -> list[Question]:
    """Return the questions of a form, one a field; a field for an answer in words belongs to its question."""
    message = text_of(mapping(params).get("message"))
    properties = _properties(params)
    asked = [(name, field) for name, field in properties.items() if not _is_custom(name, properties)]
    return [
        Question(
            id=name,
            text=text_of(field.get("description"))
            or (message if len(asked) == 1 else text_of(field.get("title")) or name),
            header=text_of(field.get("title")) or UNSET,
            options=_options(field),
            multiple=field.get("type") == "array",
            free_text=not _options(field) or name + _CUSTOM in properties,
            secret=field.get("format") == "password",
        )
        for name, field in asked
    ]


def content_of(params: object, answers: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return answers as the content of the form."""
    properties = _properties(params)
    content: dict[str, Any] = {}
    for name, given in answers.items():
        field = properties.get(name)
        if field is None or not given:
            continue
        known = {option.label for option in _options(field)}
        if name + _CUSTOM in properties and not known.issuperset(given):
            content[name + _CUSTOM] = ", ".join(given)
        else:
            content[name] = _value(field, given)
    return content


def _text(name: str, field: Mapping[str, Any], message: str) -> str:
    return text_of(field.get("description")) or message or text_of(field.get("title")) or name


def _properties(params: object) -> dict[str, dict[str, Any]]:
    fields = mapping(mapping(mapping(params).get("requestedSchema")).get("properties"))
    return {name: field for name, field in fields.items() if isinstance(field, dict)}


def _is_custom(name: str, properties: Mapping[str, object]) -> bool:
    return name.endswith(_CUSTOM) and name.removesuffix(_CUSTOM) in properties


def _options(field: Mapping[str, Any]) -> list[QuestionOption]:
    if field.get("type") == "boolean":
        return [QuestionOption(label="yes"), QuestionOption(label="no")]
    source = mapping(field.get("items")) or field
    titled = [*mappings(source.get("oneOf")), *mappings(source.get("anyOf"))]
    if titled:
        return [_option(item) for item in titled if isinstance(item.get("const"), str)]
    plain = source.get("enum")
    return [QuestionOption(label=item) for item in plain if isinstance(item, str)] if isinstance(plain, list) else []


def _option(item: Mapping[str, Any]) -> QuestionOption:
    title = text_of(item.get("title"))
    return QuestionOption(label=item["const"], description=title if title not in ("", item["const"]) else UNSET)


def _value(field: Mapping[str, Any], given: list[str]) -> Any:
    match field.get("type"):
        case "array":
            return given
        case "boolean":
            return given[0] == "yes"
        case "integer" | "number":
            return _number(given[0])
        case _:
            return ", ".join(given)


def _number(text: str) -> float | int | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
