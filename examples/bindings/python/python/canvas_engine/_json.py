"""Requests to the native engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from . import _native
from ._errors import CanvasError, error_of
from ._types import Fields, JsonObject

if TYPE_CHECKING:
    from ._codes import Code

T = TypeVar("T")
LONE_SURROGATE = "the text has a lone surrogate: replace it"

_UNUSABLE: dict[Code, str] = {
    "CLOSED": "the engine is closed: open another one",
    "FORKED": "the engine belongs to the process before a fork: open one in this process",
    "REENTRANT": "a store called the engine that it serves, which waits for it: call another engine",
    "INTERNAL": "the engine has a bug, and may have made a part of the change: look at the canvas",
}


def ask(native: _native.Engine, op: str, fields: Fields) -> JsonObject:
    """Sends a request, and returns its result."""
    try:
        request = json.dumps({**fields, "op": op}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise CanvasError("INVALID_ARGUMENTS", f"the arguments are no JSON: {error}") from error
    # A store may ask another engine while it serves this one.
    outer = _native.swap_fault(None)
    try:
        answer = usable(lambda: native.call(request))
    except UnicodeEncodeError as error:
        raise CanvasError("INVALID_ARGUMENTS", LONE_SURROGATE) from error
    finally:
        fault = _native.swap_fault(outer)
    if fault is not None and not isinstance(fault, Exception):
        # Such as a KeyboardInterrupt in a store, whatever became of the call.
        raise fault
    reply = cast("JsonObject", json.loads(answer))
    if reply["ok"] is not True:
        refusal = error_of(cast("JsonObject", reply["error"]))
        raise refusal from (fault if refusal.code.startswith("STORE_") else None)
    return cast("JsonObject", reply["result"])


def usable(call: Callable[[], T]) -> T:
    """Makes a native call, and raises the errors of an engine that cannot be used."""
    try:
        return call()
    except RuntimeError as error:
        code = cast("Code", str(error))
        if code not in _UNUSABLE:
            raise
        raise CanvasError(code, _UNUSABLE[code]) from None


def given(fields: Fields) -> Fields:
    """Leaves out the fields that are ``None``."""
    return {name: value for name, value in fields.items() if value is not None}


#: Levels of JSON. The engine reads 128, with those of a request.
_MAX_DEPTH = 100


def check_json(value: object, depth: int = 0) -> None:
    """Refuses JSON that the engine does not read."""
    if depth > _MAX_DEPTH:
        raise CanvasError("INVALID_ARGUMENTS", f"JSON with more than {_MAX_DEPTH} levels: send fewer")
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise CanvasError("INVALID_ARGUMENTS", "an integer has more than 64 bits: send it as a string")
    if isinstance(value, Mapping):
        for one in cast("Mapping[object, object]", value).values():
            check_json(one, depth + 1)
    elif isinstance(value, (list, tuple)):
        for one in cast("Sequence[object]", value):
            check_json(one, depth + 1)
