"""Engines, and the conversations of models with them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from . import _native
from ._errors import CanvasError
from ._json import ask
from ._types import Json, JsonObject


@dataclass(frozen=True)
class Document:
    """The current text of a canvas."""

    markdown: str
    revision_id: str
    epoch: int
    is_locked: bool


@dataclass(frozen=True)
class Edited:
    """The result of a person's edit. If others changed the document since its base, ``moved`` is true."""

    revision_id: str
    epoch: int
    moved: bool
    merged: list[Json]


@dataclass(frozen=True)
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
        error = self.body.get("error")
        code = error.get("code") if isinstance(error, dict) else self.body.get("code")
        return code if isinstance(code, str) else None


class Engine:
    """Keeps canvases in memory or in an SQLite file, and is the only one that changes them.

    ``clock`` returns the seconds since 1970. Close an engine, or use it in a ``with`` statement.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._native = _native.Engine()
        self._clock = clock

    @classmethod
    def memory(cls, *, clock: Callable[[], float] = time.time) -> Engine:
        """Creates an engine whose canvases end with it."""
        return cls(clock=clock)

    @classmethod
    def open(cls, path: str, *, clock: Callable[[], float] = time.time) -> Engine:
        """Opens the canvases of an SQLite file, which is created if it is missing."""
        engine = cls(clock=clock)
        engine.call("store.open", kind="sqlite", path=path)
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

    def call(self, op: str, **fields: Json) -> JsonObject:
        """Sends any operation of the JSON interface, and returns its result."""
        return ask(self._native, op, fields)

    def create(self, canvas: str, markdown: str = "", *, person: str | None = None) -> str:
        """Creates a canvas with a document, and returns its revision id."""
        made = self.call("canvas.create", canvas=canvas, markdown=markdown, person=person, now=self._now())
        return str(made["revision_id"])

    def document(self, canvas: str) -> Document:
        """Reads the document of a canvas."""
        text = self.call("canvas.text", canvas=canvas)
        epoch = text["canvas_epoch"]
        assert isinstance(epoch, int)
        return Document(str(text["markdown"]), str(text["revision_id"]), epoch, text["locked"] is True)

    def edit(self, canvas: str, markdown: str, *, base: str | None = None, person: str | None = None) -> Edited:
        """Makes a person's edit: the whole text, and the revision that it was written on."""
        done = self.call(
            "user.edit", canvas=canvas, markdown=markdown, base_revision_id=base, person=person, now=self._now()
        )
        epoch, merged = done["canvas_epoch"], done["merged"]
        assert isinstance(epoch, int) and isinstance(merged, list)
        return Edited(str(done["revision_id"]), epoch, done["moved"] is True, merged)

    def join(self, canvas: str, conversation: str = "main", *, toolset: str = "document") -> Session:
        """Lets a model work on a canvas in a conversation."""
        return Session(self, canvas, conversation, toolset)

    def _now(self) -> int:
        return int(self._clock() * 1000)


class Session:
    """A conversation of a model about a canvas. At the end of a ``with`` statement, it returns its lease."""

    def __init__(self, engine: Engine, canvas: str, conversation: str, toolset: str) -> None:
        self._engine = engine
        self.canvas = canvas
        self.conversation = conversation
        self.toolset = toolset
        self._lease: str | None = None

    def tools(self, provider: str) -> list[Json]:
        """Returns the tools as the provider's SDK takes them."""
        tools = self._engine.call("provider.tools", provider=provider, toolset=self.toolset)["tools"]
        assert isinstance(tools, list)
        return tools

    def call(self, name: str, arguments: JsonObject, *, call_id: str | None = None) -> Reply:
        """Runs a tool call of the model. A call with the id of an earlier one gets the reply of that one."""
        reply = Reply(
            self._engine.call(
                "tool.call",
                canvas=self.canvas,
                session=self.conversation,
                call_id=call_id or str(uuid.uuid4()),
                name=name,
                arguments=arguments,
                toolset="extended" if self.toolset == "extended" else None,
                now=self._engine._now(),
            )
        )
        lease = reply.body.get("lease_id")
        if isinstance(lease, str):
            self._lease = None if name == "canvas_check_in" else lease
        return reply

    def message(self, *, person: str | None = None) -> str | None:
        """Notes a message of the user, which ends the turn before. Returns a text to put before it for the model."""
        said = self._engine.call(
            "user.message", canvas=self.canvas, session=self.conversation, person=person, now=self._engine._now()
        )
        hidden = said["hidden_message"]
        return hidden if isinstance(hidden, str) else None

    def close(self) -> None:
        """Returns the lease, if the model holds one."""
        if self._lease is not None:
            self.call("canvas_check_in", {"lease_id": self._lease})
            self._lease = None

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except CanvasError:
            # A closed engine has no lease.
            if error is None:
                raise
