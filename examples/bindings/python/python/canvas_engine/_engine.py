"""Engines, and the conversations of models with them."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import cast

from . import _native
from ._errors import CanvasError
from ._json import ask, given
from ._types import DocumentJson, EditedJson, Fields, JsonObject, Provider, Toolset


@dataclass(frozen=True)
class Document:
    """The current text of a canvas."""

    markdown: str
    revision_id: str
    epoch: int
    is_locked: bool


@dataclass(frozen=True)
class Edited:
    """The result of a person's edit.

    If others changed the document since its base, ``moved`` is true, and ``merged`` lists the lines that have the words of
    both.
    """

    revision_id: str
    epoch: int
    moved: bool
    merged: tuple[JsonObject, ...]


@dataclass(frozen=True, eq=False)
class Reply:
    """The reply to a model's call. A refusal is a reply with a code, which the model may correct."""

    body: JsonObject

    @property
    def ok(self) -> bool:
        """Whether the call succeeded."""
        return self.body.get("ok") is True

    @property
    def code(self) -> str | None:
        """The code of a refusal."""
        return self._of_error("code")

    @property
    def message(self) -> str | None:
        """One sentence about a refusal, with the next step."""
        return self._of_error("message")

    @property
    def text(self) -> str:
        """The reply as the content of a tool result, in as few tokens as JSON allows."""
        return json.dumps(self.body, ensure_ascii=False, separators=(",", ":"))

    def _of_error(self, name: str) -> str | None:
        error = self.body.get("error")
        value = error.get(name) if isinstance(error, dict) else None
        return value if isinstance(value, str) else None


class Engine:
    """Keeps canvases in memory or in an SQLite file.

    ``clock`` returns the seconds since 1970. Close an engine, or use it in a ``with`` statement. Threads may share it.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._native = _native.Engine()
        self._clock = clock

    @classmethod
    def memory(cls, *, clock: Callable[[], float] = time.time) -> Engine:
        """Creates an engine whose canvases end with it."""
        return cls(clock=clock)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, clock: Callable[[], float] = time.time) -> Engine:
        """Opens the canvases of an SQLite file, which is created if it is missing."""
        engine = cls(clock=clock)
        engine.call("store.open", {"kind": "sqlite", "path": os.fspath(path)})
        return engine

    def close(self) -> None:
        """Frees the engine. Later calls raise ``CLOSED``."""
        self._native.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(self, op: str, fields: Fields | None = None) -> JsonObject:
        """Sends any operation of the JSON interface, and returns its result. The field ``now`` comes from the clock."""
        return ask(self._native, op, {"now": int(self._clock() * 1000), **(fields or {})})

    def create(self, canvas: str, markdown: str = "", *, person: str | None = None) -> str:
        """Creates a canvas with a document, and returns its revision id."""
        made = self.call("canvas.create", given({"canvas": canvas, "markdown": markdown, "person": person}))
        return str(made["revision_id"])

    def document(self, canvas: str) -> Document:
        """Reads the document of a canvas."""
        text = cast("DocumentJson", self.call("canvas.text", {"canvas": canvas}))
        return Document(text["markdown"], text["revision_id"], text["canvas_epoch"], text["locked"])

    def edit(self, canvas: str, markdown: str, *, base: str | None, person: str | None = None) -> Edited:
        """Makes a person's edit: the whole text, and the revision that it was written on.

        Changes that others made since the base are kept. An edit of the same place is refused. Without a base, the text
        replaces whatever is there.
        """
        fields = given({"canvas": canvas, "markdown": markdown, "base_revision_id": base, "person": person})
        done = cast("EditedJson", self.call("user.edit", fields))
        return Edited(done["revision_id"], done["canvas_epoch"], done["moved"], tuple(done["merged"]))

    def join(self, canvas: str, conversation: str = "main", *, toolset: Toolset = "document") -> Session:
        """Lets a model work on a canvas in a conversation."""
        return Session(self, canvas, conversation, toolset)


class Session:
    """A conversation of a model about a canvas. At the end of a ``with`` statement, it returns its lease."""

    def __init__(self, engine: Engine, canvas: str, conversation: str, toolset: Toolset) -> None:
        self.canvas = canvas
        self.conversation = conversation
        self.toolset = toolset
        self._engine = engine
        self._lease: str | None = None

    def tools(self, provider: Provider) -> list[JsonObject]:
        """Returns the tools as the provider's SDK takes them."""
        tools = self._engine.call("provider.tools", {"provider": provider, "toolset": self.toolset})["tools"]
        return cast("list[JsonObject]", tools)

    def call(self, name: str, arguments: str | Fields, *, call_id: str | None = None) -> Reply:
        """Runs a tool call of the model.

        ``arguments`` are an object, or its JSON as some SDKs have it. If the model's arguments cannot be read, the reply says
        so. A call that changes the canvas and has the id of an earlier one gets the reply of that one, so pass the
        provider's id to retry safely.
        """
        try:
            body = self._run(name, _object(arguments), call_id or str(uuid.uuid4()))
        except CanvasError as error:
            if error.code != "INVALID_ARGUMENTS":
                raise
            body = {"ok": False, "error": {"code": error.code, "message": error.message, "retryable": False}}
        reply = Reply(body)
        self._note_lease(name, reply)
        return reply

    def message(self, *, person: str | None = None) -> str | None:
        """Notes a message of the user, which ends the turn before.

        Returns a text about the user's own changes, to put before the message, or ``None`` if there is nothing to tell.
        """
        fields = {"canvas": self.canvas, "session": self.conversation, "person": person}
        hidden = self._engine.call("user.message", given(fields))["hidden_message"]
        return hidden if isinstance(hidden, str) else None

    def close(self) -> None:
        """Returns the lease if the model holds one."""
        if self._lease is not None:
            self.call("canvas_check_in", {"lease_id": self._lease})

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except CanvasError as fault:
            # A closed engine has no lease, and that of another process is not ours.
            if error is None and fault.code not in ("CLOSED", "FORKED"):
                raise

    def _run(self, name: str, arguments: Fields, call_id: str) -> JsonObject:
        fields: dict[str, object] = {"canvas": self.canvas, "session": self.conversation, "call_id": call_id}
        fields.update(name=name, arguments=arguments)
        if self.toolset == "extended":
            fields["toolset"] = "extended"
        return self._engine.call("tool.call", fields)

    def _note_lease(self, name: str, reply: Reply) -> None:
        error = reply.body.get("error")
        lease = (error if isinstance(error, dict) else reply.body).get("lease_id")
        if name == "canvas_check_in":
            self._lease = None
        elif isinstance(lease, str):
            self._lease = lease


def _object(arguments: str | Fields) -> Fields:
    if isinstance(arguments, Mapping):
        return arguments
    try:
        value: object = json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise CanvasError("INVALID_ARGUMENTS", f"the arguments are no JSON ({error}): send the call again") from error
    if not isinstance(value, dict):
        raise CanvasError("INVALID_ARGUMENTS", "the arguments are no JSON object: send the call again")
    return cast("Fields", value)
