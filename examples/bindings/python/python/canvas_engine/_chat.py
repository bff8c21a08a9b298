"""Chats in the form of the providers' own SDKs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ._errors import CanvasError
from ._types import DecodedJson, EncodedJson, JsonObject, Provider

if TYPE_CHECKING:
    from ._engine import Engine
    from ._session import Reply, Session


@dataclass(frozen=True)
class Call:
    """A call of the model with its reply. A call that came incomplete has none: the model is told to make it again."""

    id: str
    name: str
    reply: Reply | None


@dataclass(frozen=True)
class Answer:
    """An answer of the model: its text without its reasoning, its calls, and why it ended."""

    text: str
    calls: tuple[Call, ...]
    finish: str

    @property
    def is_last(self) -> bool:
        """Whether the model waits for nothing, so that the user is next."""
        return not self.calls


class Chat:
    """A chat with a model of one provider. Send ``request()`` with the SDK, and pass what comes back to ``answer()``.

    ``losses`` lists what the last request could not express in the provider's form.
    """

    def __init__(self, engine: Engine, session: Session, provider: Provider, model: str, system: str) -> None:
        self.session = session
        self.provider: Provider = provider
        self.model = model
        self.system = system
        self.losses: list[JsonObject] = []
        self._engine = engine
        self._events: list[object] = []

    @property
    def events(self) -> list[JsonObject]:
        """The history in a form that no provider owns. As JSON, it can be stored and given to another chat."""
        return cast("list[JsonObject]", json.loads(json.dumps(self._events)))

    def user(self, text: str, *, person: str | None = None) -> None:
        """Adds a message of the user, which ends the turn before. The model is told what people changed meanwhile."""
        hidden = self.session.message(person=person)
        for content in (hidden, text):
            if content:
                self._events.append({"role": "user", "type": "text", "content": content})

    def request(self) -> JsonObject:
        """Returns the body of the next request: keyword arguments of the calls of Anthropic's, OpenAI's and Ollama's SDKs."""
        fields = {"provider": self.provider, "model": self.model, "system": self.system, "events": self._events}
        fields["toolset"] = self.session.toolset
        encoded = cast("EncodedJson", self._engine.call("provider.request", fields))
        self.losses = encoded["losses"]
        return encoded["body"]

    def answer(self, response: object) -> Answer:
        """Reads an answer of the SDK, an object of its own or a mapping, and runs the calls in it."""
        fields = {"provider": self.provider, "body": _body(response)}
        decoded = cast("DecodedJson", self._engine.call("provider.decode", fields))
        self._events.extend(decoded["events"])
        calls: list[Call] = []
        for call in decoded["calls"]:
            reply = None
            if call["arguments"] is not None:
                reply = self.session.call(call["name"], call["arguments"], call_id=call["id"])
                self._events.append(
                    {
                        "role": "tool",
                        "type": "tool_result",
                        "call_id": call["id"],
                        "tool_name": call["name"],
                        "tool_result": reply.body,
                    }
                )
            calls.append(Call(call["id"], call["name"], reply))
        return Answer(decoded["text"], tuple(calls), decoded["finish"])


def _body(response: object) -> Mapping[str, object]:
    if isinstance(response, Mapping):
        return cast("Mapping[str, object]", response)
    # SDKs of OpenAI and Anthropic have the first, and those with models of pydantic the second.
    for name, options in (("to_dict", {"mode": "json"}), ("model_dump", {"mode": "json", "by_alias": True})):
        dump = getattr(response, name, None)
        if callable(dump):
            return cast("Callable[..., Mapping[str, object]]", dump)(**options)
    raise CanvasError("INVALID_ARGUMENTS", "the response is neither a mapping nor an object of an SDK: pass its JSON")
