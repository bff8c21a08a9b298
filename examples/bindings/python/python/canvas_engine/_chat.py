"""Chats in the form of the providers' own SDKs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ._errors import CanvasError
from ._json import given
from ._reply import Reply
from ._tools import Tool, by_name, declare, names
from ._types import CallJson, DecodedJson, EncodedJson, Json, JsonObject, Provider

if TYPE_CHECKING:
    from ._engine import Engine
    from ._session import Session


@dataclass(frozen=True)
class Call:
    """A call of the model with its reply. A call that came incomplete has none: the model is told to make it again.

    ``error`` is the exception of a tool of the host.
    """

    id: str
    name: str
    reply: Reply | None
    error: Exception | None = None


@dataclass(frozen=True)
class Answer:
    """An answer of the model: its text without its reasoning, its calls, and why it ended in the provider's own word.

    If a limit cut it short, it has no more text either, so look at ``finish`` before you show it as complete.
    """

    text: str
    calls: tuple[Call, ...]
    finish: str

    @property
    def is_last(self) -> bool:
        """Whether the user is next, because the model waits for no result and no pause of its provider."""
        return not self.calls and self.finish != "pause_turn"


class Chat:
    """A chat with a model of one provider. Send ``request()`` with the SDK, and pass what comes back to ``answer()``.

    ``losses`` lists what the last request could not express in the provider's form.
    """

    def __init__(
        self,
        engine: Engine,
        session: Session,
        provider: Provider,
        model: str,
        system: str,
        events: Sequence[JsonObject],
        tools: Sequence[Tool] = (),
    ) -> None:
        self.session = session
        self.provider: Provider = provider
        self.model = model
        self.system = system
        self.losses: list[JsonObject] = []
        self._engine = engine
        self._events: list[object] = list(events)
        self._tools = by_name(tools, tuple(names(cast("Json", session.tools(provider)))) if tools else ())
        #: What tools of the host have done in an answer that was interrupted, by the ids of their calls.
        self._done: dict[str, tuple[Reply, Exception | None]] = {}
        #: That of the last message, which no earlier turn of this conversation has.
        self._epoch: int | None = None

    @property
    def events(self) -> list[JsonObject]:
        """The history in a form that no provider owns. As JSON, it can be stored and given to another chat as ``events``."""
        return cast("list[JsonObject]", json.loads(json.dumps(self._events)))

    def user(self, text: str, *, person: str | None = None) -> None:
        """Adds a message of the user, which ends the turn before. The model is told what people changed meanwhile."""
        fields = {"canvas": self.session.canvas, "session": self.session.conversation, "person": person}
        noted = self._engine.call("user.message", given(fields))
        self._epoch = cast("int", noted["canvas_epoch"])
        for content in (noted["hidden_message"], text):
            if content:
                self._events.append({"role": "user", "type": "text", "content": content})

    def request(self) -> JsonObject:
        """Returns the body of the next request: keyword arguments of the calls of Anthropic's, OpenAI's and Ollama's SDKs."""
        fields = {"provider": self.provider, "model": self.model, "system": self.system, "events": self._events}
        fields["toolset"] = self.session.toolset
        encoded = cast("EncodedJson", self._engine.call("provider.request", fields))
        self.losses = encoded["losses"]
        declare(self.provider, tuple(self._tools.values()), encoded["body"])
        return encoded["body"]

    def answer(self, response: object) -> Answer:
        """Reads an answer of the SDK, an object of its own or a mapping, and runs the calls in it.

        If this raises, call it again with the same answer: calls that ran before are not repeated.
        """
        fields = {"provider": self.provider, "body": _body(response)}
        decoded = cast("DecodedJson", self._engine.call("provider.decode", fields))
        events: list[object] = list(decoded["events"])
        # Some providers begin their ids again with each answer, and some have none.
        if self._epoch is None:
            self._epoch = self._engine.document(self.session.canvas).epoch
        answer = hashlib.sha256(json.dumps([self._epoch, self._events, events]).encode()).hexdigest()[:32]
        calls: list[Call] = []
        for number, call in enumerate(decoded["calls"]):
            reply, error = None, None
            if call["arguments"] is not None:
                reply, error = self._run(call, call["arguments"], f"{answer}-{number}")
                events.append(
                    {
                        "role": "tool",
                        "type": "tool_result",
                        "call_id": call["id"],
                        "tool_name": call["name"],
                        "tool_result": reply.body,
                    }
                )
            calls.append(Call(call["id"], call["name"], reply, error))
        self._events.extend(events)
        self._done.clear()
        return Answer(decoded["text"], tuple(calls), decoded["finish"])

    def _run(self, call: CallJson, arguments: JsonObject, call_id: str) -> tuple[Reply, Exception | None]:
        tool = self._tools.get(call["name"])
        if tool is None:
            return self.session.call(call["name"], arguments, call_id=call_id), None
        # The engine remembers calls of its own tools. Nobody else remembers these.
        if call_id not in self._done:
            self._done[call_id] = tool.run(arguments)
        return self._done[call_id]


def _body(response: object) -> Mapping[str, object]:
    if isinstance(response, Mapping):
        return cast("Mapping[str, object]", response)
    # SDKs of OpenAI and Anthropic have the first, and those with models of pydantic the second.
    for name, options in (("to_dict", {"mode": "json"}), ("model_dump", {"mode": "json", "by_alias": True})):
        dump = getattr(response, name, None)
        if callable(dump):
            return cast("Callable[..., Mapping[str, object]]", dump)(**options)
    raise CanvasError("INVALID_ARGUMENTS", "the response is neither a mapping nor an object of an SDK: pass its JSON")
