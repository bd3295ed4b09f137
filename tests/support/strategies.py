"""Hypothesis strategies for events and for what foreign code might hand us."""

import types
import typing
from typing import Any, Literal

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from msgspec import UNSET, UnsetType

from nbharness.events import EVENT_CLASSES, Event

# The machine that runs this may be busy: no deadline for one example.
thorough = settings(deadline=None, max_examples=100)

tame_text = st.text(max_size=12)
wild_text = st.text(st.characters(exclude_categories=()), max_size=12)
"""Also halves of surrogate pairs."""

_few_ids = st.sampled_from(["", "a", "b"])
_small_ints = st.integers(-(2**53), 2**53)
_finite = st.floats(allow_nan=False, allow_infinity=False)


def json_values(text: st.SearchStrategy[str] = tame_text, numbers: st.SearchStrategy[Any] = _finite) -> Any:
    """Anything that JSON can say."""
    return st.recursive(
        st.none() | st.booleans() | _small_ints | numbers | text,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
        max_leaves=6,
    )


class Hostile:
    """An object whose every method fails."""

    def _fail(self, *_args: object) -> Any:
        raise RuntimeError("hostile")

    __str__ = __repr__ = __bool__ = __eq__ = __iter__ = __len__ = __getitem__ = __float__ = __int__ = _fail
    __hash__ = object.__hash__


def foreign_values() -> Any:
    """Anything at all: JSON with broken text and endless numbers, and Python objects that are no JSON."""
    odd = st.sampled_from(
        [Hostile(), object(), b"bytes", 10**400, float("nan"), float("inf"), {1, 2}, (1, "2"), Exception]
    )
    made = st.builds(Hostile) | st.builds(ValueError, wild_text) | st.builds(lambda value: {1: value, None: value}, odd)
    return json_values(wild_text, st.floats()) | odd | made


def _for_type(kind: Any, text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """A strategy for the type of a field."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in {typing.Union, types.UnionType}:
        return st.one_of(*(_for_type(arg, text) for arg in args))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is list:
        return st.lists(_for_type(args[0], text), max_size=3)
    if origin is dict:
        return st.dictionaries(text, _for_type(args[1], text), max_size=3)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind, text)
    simple: dict[Any, st.SearchStrategy[Any]] = {
        Any: json_values(text),
        UnsetType: st.just(UNSET),
        type(None): st.none(),
        bool: st.booleans(),
        int: _small_ints,
        float: _finite,
        str: text,
    }
    return simple[kind]


def _struct(cls: type[msgspec.Struct], text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(cls)
    fields = {
        # Few ids, so that events belong together now and then.
        field.name: _few_ids | st.just(UNSET)
        if _is_optional_id(field)
        else _few_ids
        if field.name == "id"
        else _for_type(hints[field.name], text)
        for field in msgspec.structs.fields(cls)
    }
    return st.builds(cls, **fields)


def _is_optional_id(field: msgspec.structs.FieldInfo) -> bool:
    return field.name.endswith("id") and not field.required


def events(text: st.SearchStrategy[str] = tame_text) -> st.SearchStrategy[Event]:
    """Any event that we define."""
    return st.one_of(*(_struct(cls, text) for cls in EVENT_CLASSES.values()))
