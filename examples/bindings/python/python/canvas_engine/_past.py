"""Earlier texts of a canvas, the writers of its lines, and named versions."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from ._json import given
from ._types import Fields, JsonObject, types

# Those of `typing` lack what libraries that read types at run time need.
if sys.version_info >= (3, 12):
    from typing import TypeAlias, TypedDict
else:
    from typing_extensions import TypeAlias, TypedDict

if TYPE_CHECKING:
    from ._engine import Engine


class VersionAt(TypedDict):
    """Names a version by its label."""

    version: str


#: A revision number, a revision id, or ``{"version": label}``.
At: TypeAlias = int | str | VersionAt


class WordSpan(TypedDict):
    """A piece of a difference by words."""

    kind: types.SpanKind
    text: str


@dataclass(frozen=True)
class PastText:
    """The document of a revision. ``revision_id`` names the revision that wrote it."""

    markdown: str
    revision_id: str


@dataclass(frozen=True)
class Diff:
    """The difference between two documents, as a unified diff and by words, with all that made or wrote a change."""

    patch: str
    words: tuple[WordSpan, ...]
    actors: tuple[types.Actor, ...]


@dataclass(frozen=True)
class BlamedLines:
    """Lines that one change wrote last. The fields of the change are ``None`` if its history is not kept."""

    start_line: int
    end_line: int
    change: int | None
    revision: int | None
    at: int | None
    actor: types.Actor | None
    author: types.Actor | None


@dataclass(frozen=True)
class Version:
    """A revision with a label. ``at`` is the time in milliseconds. An erased version has no text any more."""

    label: str
    revision: int
    revision_id: str
    at: int
    actor: types.Actor
    note: str | None = None
    erased: bool = False


class _BlamedJson(TypedDict):
    start_line: int
    end_line: int
    change: int | None
    revision: int | None
    at: int | None
    actor: types.Actor | None
    author: types.Actor | None


class _Optional(TypedDict, total=False):
    note: str
    erased: bool


class _VersionJson(_Optional):
    label: str
    revision: int
    revision_id: str
    at: int
    actor: types.Actor


class Past:
    """The past of one canvas."""

    def __init__(self, engine: Engine, canvas: str) -> None:
        self.canvas = canvas
        self._engine = engine

    def text(self, at: At) -> PastText:
        """Reads the document of a revision or version. Raises ``REVISION_NOT_KEPT`` if the history does not reach it."""
        result = self._call("history.text_at", **_named(at))
        return PastText(cast("str", result["markdown"]), cast("str", result["revision_id"]))

    def diff(self, start: At, end: At) -> Diff:
        """Compares the documents of two revisions or versions."""
        fields = cast("Fields", {"canvas": self.canvas, "from": start, "to": end})
        result = self._engine.call("history.diff", fields)
        words, actors = cast("list[WordSpan]", result["words"]), cast("list[types.Actor]", result["actors"])
        return Diff(cast("str", result["patch"]), tuple(words), tuple(actors))

    def blame(self, start_line: int | None = None, end_line: int | None = None) -> tuple[BlamedLines, ...]:
        """Tells who last wrote each line, from 1, in runs without gaps."""
        result = self._call("history.blame", start_line=start_line, end_line=end_line)
        return tuple(BlamedLines(**run) for run in cast("list[_BlamedJson]", result["runs"]))

    def versions(self) -> tuple[Version, ...]:
        """Lists the versions, oldest first."""
        return _versions(self._call("version.list"))

    def name(
        self, label: str, *, revision: int | str | None = None, note: str | None = None, person: str | None = None
    ) -> Version:
        """Gives the current revision a label, or an earlier one. Nothing that the version needs is collected."""
        result = self._call("version.create", label=label, revision=revision, note=note, person=person)
        return Version(**cast("_VersionJson", result["version"]))

    def rename(self, label: str, to: str, *, person: str | None = None) -> tuple[Version, ...]:
        """Gives a version another label."""
        return _versions(self._call("version.rename", label=label, to=to, person=person))

    def remove(self, label: str, *, person: str | None = None) -> tuple[Version, ...]:
        """Removes a version, and lists those that are left."""
        return _versions(self._call("version.remove", label=label, person=person))

    def restore(self, at: At, *, faces: Sequence[types.Face] = ("document",), person: str | None = None) -> str:
        """Makes the document or other faces of an earlier revision the current ones, as one change that can be undone.

        Returns the revision id of the document.
        """
        result = self._call("version.restore", faces=list(faces), person=person, **_named(at))
        return cast("str", result["revision_id"])

    def _call(self, operation: str, **fields: object) -> JsonObject:
        return self._engine.call(operation, given(cast("Fields", {"canvas": self.canvas, **fields})))


def _named(at: At) -> dict[Literal["revision", "version"], int | str]:
    return {"version": at["version"]} if isinstance(at, Mapping) else {"revision": at}


def _versions(result: JsonObject) -> tuple[Version, ...]:
    return tuple(Version(**row) for row in cast("list[_VersionJson]", result["versions"]))
