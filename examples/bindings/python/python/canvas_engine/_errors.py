"""Errors of the host. What a model may correct is a reply, not an exception."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ._types import JsonObject

if TYPE_CHECKING:
    from ._codes import Code, Reason


class CanvasError(Exception):
    """An operation was refused.

    ``code`` is stable, ``message`` says what to do next, and ``details`` has the other fields of the refusal.
    """

    def __init__(self, code: Code, message: str, details: JsonObject | None = None) -> None:
        super().__init__(code, message, details)
        self.code: Code = code
        self.message = message
        self.details: JsonObject = details or {}

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return self.details.get("retryable") is True

    @property
    def place(self) -> str | None:
        """The place of the fault in the arguments, as a JSON Pointer."""
        place = self.details.get("place")
        return place if isinstance(place, str) else None


class PatchRejected(CanvasError):
    """A patch does not apply. ``conflicts`` has each hunk that does not fit, with its reason and the lines there now."""

    @property
    def reason(self) -> Reason:
        """The reason of the first conflict."""
        return cast("Reason", self.details.get("reason", ""))

    @property
    def conflicts(self) -> list[JsonObject]:
        """The hunks that do not fit."""
        return _objects(self.details.get("conflicts"))


class StaleEdit(CanvasError):
    """A person's edit does not fit what others changed since its base.

    Nothing is lost: ``markdown`` is the person's text, and ``revision_id`` is the document's revision, the base of another try.
    """

    @property
    def markdown(self) -> str:
        """The text of the refused edit."""
        return str(self.details["markdown"])

    @property
    def revision_id(self) -> str:
        """The current revision."""
        return str(self.details["revision_id"])

    @property
    def changes(self) -> JsonObject | None:
        """The changes since the base, as a diff, if its text is known."""
        changes = self.details.get("changes")
        return changes if isinstance(changes, dict) else None


class AddressError(CanvasError):
    """An address leads to no place, or to several. ``candidates`` has places that it may have meant."""

    @property
    def candidates(self) -> list[JsonObject]:
        """Sections by ``path`` and ``heading_line``, or a ``line``, ``name`` or ``column``."""
        return _objects(self.details.get("candidates"))


_OF_ADDRESSES = frozenset(
    ("ADDRESS_AMBIGUOUS", "ADDRESS_NOT_FOUND", "COLUMN_NOT_FOUND", "KEY_NOT_FOUND", "ROW_NOT_FOUND", "TABLE_NOT_FOUND")
)


def error_of(error: JsonObject) -> CanvasError:
    details = {name: value for name, value in error.items() if name not in ("code", "message")}
    code, message = cast("Code", error["code"]), str(error["message"])
    kind = CanvasError
    if code == "PATCH_REJECTED":
        kind = StaleEdit if details.get("reason") == "STALE_BASE" and "markdown" in details else PatchRejected
    elif code in _OF_ADDRESSES:
        kind = AddressError
    return kind(code, message, details)


def _objects(values: object) -> list[JsonObject]:
    listed = cast("list[object]", values) if isinstance(values, list) else []
    return [cast("JsonObject", value) for value in listed if isinstance(value, dict)]
