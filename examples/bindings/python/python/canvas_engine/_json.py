"""Requests to the native engine."""

from __future__ import annotations

import json
from typing import Protocol

from ._errors import CanvasError, error_of
from ._types import Json, JsonObject


LONE_SURROGATE = "the text has a lone surrogate: replace it"


class Native(Protocol):
    """What answers requests."""

    def call(self, request: str) -> str: ...


def ask(native: Native, op: str, fields: JsonObject) -> JsonObject:
    """Sends a request, and returns its result. Fields that are ``None`` are left out."""
    request = {"op": op, **{name: value for name, value in fields.items() if value is not None}}
    try:
        answer = native.call(json.dumps(request, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
    except UnicodeEncodeError as error:
        raise CanvasError("INVALID_ARGUMENTS", LONE_SURROGATE) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise CanvasError("INVALID_ARGUMENTS", f"the arguments are no JSON: {error}") from error
    except RuntimeError as error:
        raise _unusable(str(error)) from None
    reply: JsonObject = json.loads(answer)
    if reply["ok"] is not True:
        refusal = reply["error"]
        assert isinstance(refusal, dict)
        raise error_of(refusal)
    result = reply["result"]
    assert isinstance(result, dict)
    return result


def _unusable(code: str) -> Exception:
    if code == "FORKED":
        return CanvasError(code, "the engine belongs to the process before a fork: open one in this process")
    return CanvasError(code, "the engine is closed: open another one")
