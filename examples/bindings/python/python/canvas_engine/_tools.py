"""Tools of the host, which a model gets beside those of its canvas."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from ._errors import CanvasError
from ._json import check_json
from ._reply import Reply
from ._types import Json, JsonObject, Provider

#: What all providers take.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Tool:
    """A function that a model may call.

    ``parameters`` is the JSON Schema of its arguments. The provider is told about it, and nobody else checks it.
    ``function`` takes the arguments and returns JSON. If it raises, the model gets the words of the exception with the code
    ``TOOL_FAILED``, or with that of a ``CanvasError``.
    """

    name: str
    description: str
    parameters: JsonObject
    function: Callable[[JsonObject], Json]

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            message = f"{self.name!r} is no name of a tool: use up to 64 letters, digits, _ and -, and no digit or - first"
            raise CanvasError("INVALID_ARGUMENTS", message)
        if inspect.iscoroutinefunction(self.function):
            raise CanvasError("INVALID_ARGUMENTS", f"the function of {self.name} is async: pass one that returns its result")

    def run(self, arguments: JsonObject) -> tuple[Reply, Exception | None]:
        """Calls the function. Returns the reply for the model, and the exception if there was one."""
        try:
            result = self.function(arguments)
            return Reply({"ok": True, "result": _copied(result)}), None
        except Exception as error:
            code, message, retryable = "TOOL_FAILED", f"{type(error).__name__}: {error}", False
            if isinstance(error, CanvasError):
                code, message, retryable = error.code, error.message, error.retryable
            message = message.encode("utf-8", "replace").decode()
            refusal: JsonObject = {"code": code, "message": message, "retryable": retryable}
            return Reply({"ok": False, "error": refusal}), error


def _copied(result: Json) -> Json:
    """Another reader of the result must not see later changes of it, and a provider must be able to read it."""
    copy = cast("Json", json.loads(json.dumps(result, ensure_ascii=False, allow_nan=False).encode()))
    try:
        check_json(copy)
    except CanvasError as error:
        raise ValueError(error.message) from error
    return copy


def by_name(tools: Sequence[Tool], taken: Sequence[str]) -> dict[str, Tool]:
    """Refuses a name that another tool has."""
    found: dict[str, Tool] = {}
    for tool in tools:
        if tool.name in found or tool.name in taken:
            raise CanvasError("INVALID_ARGUMENTS", f"another tool is named {tool.name}: choose another name")
        found[tool.name] = tool
    return found


def names(declared: Json) -> Iterator[str]:
    """Returns the names in tools that a provider's request declares."""
    if isinstance(declared, list):
        for one in declared:
            yield from names(one)
    elif isinstance(declared, dict):
        name = declared.get("name")
        if isinstance(name, str):
            yield name
        for field in ("function", "functionDeclarations", "toolSpec", "tools"):
            yield from names(declared.get(field))


def declare(provider: Provider, tools: Sequence[Tool], body: JsonObject) -> None:
    """Adds tools to the body of a request."""
    if not tools:
        return
    declared = [_declared(provider, tool) for tool in tools]
    if provider == "bedrock-converse":
        config = cast("dict[str, list[Json]]", body.setdefault("toolConfig", {"tools": []}))
        config["tools"].extend(declared)
    elif provider == "gemini":
        # A model may have all of its functions in one tool alone.
        groups = cast("list[dict[str, list[Json]]]", body.setdefault("tools", []))
        group = next((group for group in groups if "functionDeclarations" in group), None)
        if group is None:
            groups.append({"functionDeclarations": declared})
        else:
            group["functionDeclarations"].extend(declared)
    else:
        cast("list[Json]", body.setdefault("tools", [])).extend(declared)


def _declared(provider: Provider, tool: Tool) -> Json:
    named: JsonObject = {"name": tool.name, "description": tool.description}
    if provider == "anthropic":
        return {**named, "input_schema": tool.parameters}
    if provider == "bedrock-converse":
        return {"toolSpec": {**named, "inputSchema": {"json": tool.parameters}}}
    if provider == "gemini":
        return {**named, "parametersJsonSchema": tool.parameters}
    if provider == "openai-responses":
        return {"type": "function", **named, "parameters": tool.parameters, "strict": False}
    if provider == "gemini-interactions":
        return {"type": "function", **named, "parameters": tool.parameters}
    return {"type": "function", "function": {**named, "parameters": tool.parameters}}
