"""Conversations of models with a canvas."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal, cast

from ._chat import Chat
from ._errors import CanvasError
from ._json import check_json, given
from ._reply import Reply
from ._tools import Tool
from ._types import Fields, JsonObject, Provider, Toolset

if TYPE_CHECKING:
    from ._engine import Engine


@dataclass(frozen=True)
class TurnEnd:
    """The end of a turn.

    ``hidden`` is a text for the model about the user's own changes meanwhile, if there are any. ``promoted`` tells whether
    the draft became the artefact.
    """

    hidden: str | None
    promoted: bool


class Session:
    """A conversation of a model about a canvas. At the end of a ``with`` statement, it returns its lease."""

    def __init__(self, engine: Engine, canvas: str, conversation: str, toolset: Toolset) -> None:
        self.canvas = canvas
        self.conversation = conversation
        self.toolset = toolset
        self._engine = engine

    def prompt(self) -> str:
        """Returns the part of a system prompt that explains the tools."""
        return str(self._engine.call("tool.prompt", {"toolset": self.toolset})["prompt"])

    def tools(self, provider: Provider) -> list[JsonObject]:
        """Returns the tools as the provider's SDK takes them."""
        tools = self._engine.call("provider.tools", {"provider": provider, "toolset": self.toolset})["tools"]
        return cast("list[JsonObject]", tools)

    def call(self, name: str, arguments: str | Fields, *, call_id: str | None = None) -> Reply:
        """Runs a tool call of the model.

        ``arguments`` are an object, or its JSON as some SDKs have it. If the model's arguments cannot be read, the reply says
        so. A call that changes the canvas and has the id of an earlier one gets the reply of that one, so a retry with
        an id is safe. Some providers begin their ids again with each answer, so put the number of the answer before them.
        """
        try:
            body = self._run(name, _object(arguments), call_id or str(uuid.uuid4()))
        except CanvasError as error:
            if error.code != "INVALID_ARGUMENTS":
                raise
            refusal: JsonObject = {"code": error.code, "message": error.message, "retryable": False}
            return Reply({"ok": False, "error": refusal})
        return Reply(body)

    def chat(
        self,
        provider: Provider,
        model: str,
        *,
        system: str = "",
        events: Sequence[JsonObject] = (),
        tools: Sequence[Tool] = (),
    ) -> Chat:
        """Begins a chat with a model, whose requests and answers have the form of the provider's SDK.

        The system prompt is ``system`` and then the one of the tools. ``events`` are those of a chat to go on with, which may
        be one with another provider. ``tools`` are functions of the host that the model may call too.
        """
        prompt = "\n\n".join(filter(None, (system, self.prompt())))
        return Chat(self._engine, self, provider, model, prompt, events, tools)

    def message(self, *, person: str | None = None, selection: Fields | None = None) -> str | None:
        """Notes a message of the user, which ends the turn before.

        Returns a text about the user's own changes, to put before the message, or ``None`` if there is nothing to tell.
        """
        fields = self._of(person=person, selection=selection)
        hidden = self._engine.call("user.message", given(fields))["hidden_message"]
        return hidden if isinstance(hidden, str) else None

    def end(self) -> TurnEnd:
        """Ends the turn of the model, which can write again after the next message."""
        ended = self._engine.call("turn.end", self._of())
        hidden = ended["hidden_message"]
        return TurnEnd(hidden if isinstance(hidden, str) else None, ended["promoted"] is True)

    def cancel(self, *, person: str | None = None) -> int:
        """Stops the turn of the model on behalf of the user, and returns the new epoch.

        Calls under way are refused as ``STALE_EPOCH``.
        """
        return cast("int", self._engine.call("user.cancel", given(self._of(person=person)))["canvas_epoch"])

    def mode(self, mode: Literal["direct", "propose"]) -> None:
        """Sets whether edits of the model change the document or wait for a decision."""
        self._engine.call("session.mode", self._of(mode=mode))

    def close(self) -> None:
        """Returns the lease if the model holds one, and forgets what it has seen."""
        self._engine.call("session.close", self._of())

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except CanvasError as fault:
            # A closed engine has no lease, and that of another process is not ours.
            if error is None and fault.code not in ("CLOSED", "FORKED", "CANVAS_NOT_FOUND"):
                raise

    def _of(self, **fields: object) -> dict[str, object]:
        return {"canvas": self.canvas, "session": self.conversation, **fields}

    def _run(self, name: str, arguments: Fields, call_id: str) -> JsonObject:
        # A model may call only the tools that it was given.
        fields = self._of(call_id=call_id, name=name, arguments=arguments, toolset=self.toolset, strict=True)
        return self._engine.call("tool.call", fields)


def _object(arguments: str | Fields) -> Fields:
    value: object = arguments
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments or "{}")
        except (ValueError, RecursionError) as error:
            raise CanvasError("INVALID_ARGUMENTS", f"the arguments are no JSON ({error}): send the call again") from error
    if not isinstance(value, Mapping):
        raise CanvasError("INVALID_ARGUMENTS", "the arguments are no JSON object: send the call again")
    check_json(cast("object", value))
    return cast("Fields", value)
