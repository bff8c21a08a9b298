"""Replies to calls of models."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ._types import JsonObject


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
