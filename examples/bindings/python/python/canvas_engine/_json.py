"""Requests to the native engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from . import _native
from ._errors import CanvasError, error_of
from ._types import Fields, JsonObject

if TYPE_CHECKING:
    from ._codes import Code

LONE_SURROGATE = "the text has a lone surrogate: replace it"

_UNUSABLE: dict[Code, str] = {
    "CLOSED": "the engine is closed: open another one",
    "FORKED": "the engine belongs to the process before a fork: open one in this process",
    "INTERNAL": "the engine has a bug, and may have made a part of the change: look at the canvas",
}


def ask(native: _native.Engine, op: str, fields: Fields) -> JsonObject:
    """Sends a request, and returns its result."""
    try:
        request = json.dumps({**fields, "op": op}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise CanvasError("INVALID_ARGUMENTS", f"the arguments are no JSON: {error}") from error
    try:
        answer = native.call(request)
    except UnicodeEncodeError as error:
        raise CanvasError("INVALID_ARGUMENTS", LONE_SURROGATE) from error
    except RuntimeError as error:
        code = cast("Code", str(error))
        if code not in _UNUSABLE:
            raise
        raise CanvasError(code, _UNUSABLE[code]) from None
    reply = cast("JsonObject", json.loads(answer))
    if reply["ok"] is not True:
        raise error_of(cast("JsonObject", reply["error"]))
    return cast("JsonObject", reply["result"])


def given(fields: Fields) -> Fields:
    """Leaves out the fields that are ``None``."""
    return {name: value for name, value in fields.items() if value is not None}
