"""Functions on plain text. They need no engine, and may be called from any thread and process."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from . import _native
from ._errors import CanvasError
from ._json import LONE_SURROGATE, ask
from ._types import (
    EffectJson,
    Fields,
    FoundJson,
    Json,
    JsonObject,
    Mode,
    PlaceJson,
    PositionJson,
    RestructuredJson,
    SectionJson,
    SpanJson,
)


@dataclass(frozen=True)
class Lines:
    """Lines of a text, counted from 1, both ends included."""

    start_line: int
    end_line: int


@dataclass(frozen=True)
class Repair:
    """A slip in the form of a patch that was repaired. Hunks count from 1, and 0 is the patch as a whole."""

    hunk: int
    kind: str


@dataclass(frozen=True)
class Applied:
    """The result of a patch.

    ``spans`` are the changed lines of ``text``, and ``inverse`` is the patch that leads back.
    """

    text: str
    hunks: int
    summary: str
    spans: tuple[Lines, ...]
    repairs: tuple[Repair, ...]
    inverse: str


@dataclass(frozen=True)
class Canonical:
    """JSON in its canonical form, and its hash."""

    text: str
    hash: str


@dataclass(frozen=True)
class Section:
    """A heading with the lines of its section."""

    path: tuple[str, ...]
    level: int
    heading_line: int
    start_line: int
    end_line: int


@dataclass(frozen=True)
class Place:
    """The lines that an address leads to, and their text."""

    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True)
class Match:
    """A line that a search found. A long line is clipped."""

    line: int
    text: str
    clipped: bool


@dataclass(frozen=True)
class Found:
    """The matches of a search. If there are too many, ``truncated`` is true and the last ones are left out."""

    matches: tuple[Match, ...]
    truncated: bool


@dataclass(frozen=True)
class Position:
    """A position in a text. Lines count from 1, everything else from 0. Python's own index is ``scalar``."""

    byte: int
    scalar: int
    utf16: int
    line: int
    scalar_column: int


@dataclass(frozen=True)
class Restructured:
    """The result of a structured edit, like that of a patch: changed lines of ``text``, and the patch that leads back."""

    text: str
    spans: tuple[Lines, ...]
    inverse: str


@dataclass(frozen=True)
class Span:
    """A piece of a change: text to keep, insert or delete."""

    kind: Literal["keep", "insert", "delete"]
    text: str


@dataclass(frozen=True)
class Effect:
    """Something that a change of a text does elsewhere in it, such as a link that leads nowhere now, at a line after it."""

    code: str
    line: int
    detail: str


def apply(text: str, patch: str, *, mode: Mode = "strict") -> Applied:
    """Applies a unified diff to a text, all hunks or none.

    In the mode ``anchored``, a hunk may also have moved if its lines occur once. Raises :class:`PatchRejected` if a hunk
    does not fit.
    """
    if mode not in ("strict", "anchored"):
        raise CanvasError("INVALID_ARGUMENTS", f"there is no mode {mode!r}: pass strict or anchored")
    try:
        applied = _native.apply_patch(text, patch, mode == "anchored")
    except UnicodeEncodeError as error:
        raise CanvasError("INVALID_ARGUMENTS", LONE_SURROGATE) from error
    if applied is None:
        _ask("patch.apply", {"text": text, "patch": patch, "mode": mode})
        raise CanvasError("INTERNAL", "the patch was refused and then applied: report this bug")
    after, hunks, summary, spans, repairs, inverse = applied
    lines = tuple(Lines(start, end) for start, end in spans)
    return Applied(after, hunks, summary, lines, tuple(Repair(hunk, kind) for hunk, kind in repairs), inverse)


def build(before: str, after: str, *, context: int = 3) -> str:
    """Builds the patch that leads from one text to the other. It is empty if they are equal."""
    if not 0 <= context <= 1_000_000:
        raise CanvasError("INVALID_ARGUMENTS", f"there are no {context} lines of context: pass 0 or more")
    try:
        return _native.build_patch(before, after, context)
    except UnicodeEncodeError as error:
        raise CanvasError("INVALID_ARGUMENTS", LONE_SURROGATE) from error


def outline(text: str) -> list[Section]:
    """Lists the sections of a Markdown text, in document order."""
    found = cast("list[SectionJson]", _ask("markdown.outline", {"text": text})["sections"])
    return [Section(tuple(one["path"]), one["level"], one["heading_line"], one["start_line"], one["end_line"]) for one in found]


def resolve(text: str, address: Fields) -> Place:
    """Finds the place that an address names, such as ``{"section": ["Install", "Linux"], "item": 1}``.

    Raises :class:`AddressError` with candidates if there is no such place, or several.
    """
    found = _ask("markdown.resolve", {"text": text, "address": address})
    return Place(**cast("PlaceJson", found))


def grep(text: str, query: str, *, regex: bool = False) -> Found:
    """Finds the lines that contain a query. A regular expression has Rust's syntax."""
    found = cast("FoundJson", _ask("text.grep", {"text": text, "query": query, "regex": regex}))
    return Found(tuple(Match(**match) for match in found["matches"]), found["truncated"])


def positions(text: str, at: Sequence[Fields]) -> list[Position]:
    """Converts offsets: ``{"byte": n}``, ``{"scalar": n}``, ``{"utf16": n}`` or ``{"line": n, "scalar_column": n}``.

    Raises :class:`CanvasError` with the code ``POSITION_INVALID`` if the text has no such position, or if it is inside a
    character.
    """
    found = _ask("text.positions", {"text": text, "at": list(at)})
    return [Position(**position) for position in cast("list[PositionJson]", found["positions"])]


def edit_structure(text: str, edit: Fields, *, protected: Sequence[Fields] = ()) -> Restructured:
    """Makes an edit by address, such as ``{"item": {"section": ["Tasks"], "item": 2, "check": True}}``.

    The edits are ``move``, ``delete``, ``shift``, ``rename``, ``table``, ``front_matter``, ``item``, ``renumber`` and
    ``replace_all``. Raises :class:`CanvasError` if the edit would change anything else, or a ``protected`` address.
    """
    fields: dict[str, object] = {"text": text, "edit": edit}
    if protected:
        fields["protected"] = list(protected)
    done = cast("RestructuredJson", _ask("structure.apply", fields))
    spans = tuple(Lines(span["start_line"], span["end_line"]) for span in done["spans"])
    return Restructured(done["text"], spans, done["reverse"])


def effects(before: str, after: str) -> list[Effect]:
    """Lists links, footnotes and tables that a change breaks, and anchors that it changes."""
    found = cast("list[EffectJson]", _ask("markdown.effects", {"before": before, "after": after})["effects"])
    return [Effect(**effect) for effect in found]


def redline(before: str, after: str) -> list[Span]:
    """Shows a change by words, as pieces to keep, insert or delete."""
    spans = cast("list[SpanJson]", _ask("text.redline", {"before": before, "after": after})["spans"])
    return [Span(**span) for span in spans]


def eval_date(expression: str, *, at: float, timezone: str = "UTC") -> str:
    """Evaluates a time expression such as ``now-7d/d`` at a time in seconds since 1970."""
    fields = {"expr": expression, "timezone": timezone, "now": int(at * 1000)}
    return str(_ask("date.eval", fields)["value"])


def apply_operations(value: Json, operations: Sequence[Fields], *, at: float = 0.0, timezone: str = "UTC") -> Json:
    """Applies operations of recipes, such as ``{"op": "limit", "count": 3}``, to JSON."""
    fields = {"value": value, "ops": list(operations), "timezone": timezone, "now": int(at * 1000)}
    return _ask("ops.apply", fields)["value"]


def canonical(value: Json) -> Canonical:
    """Writes JSON in its canonical form, in which equal values have equal texts."""
    done = _ask("json.canonical", {"value": value})
    return Canonical(str(done["text"]), str(done["hash"]))


class _Local(threading.local):
    """An engine for each thread, so that threads do not wait for each other. It is made for the first call."""

    #: The id of the process that made it.
    process = 0
    engine: _native.Engine

    def renew(self) -> None:
        self.process = os.getpid()
        self.engine = _native.Engine()


_local = _Local()


def _ask(op: str, fields: Fields) -> JsonObject:
    if _local.process != os.getpid():
        _local.renew()
    return ask(_local.engine, op, fields)
