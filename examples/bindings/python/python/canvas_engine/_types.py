"""JSON values, and the shapes of arguments and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict, Union

if TYPE_CHECKING:
    from .types import Actor, HistoryEntry, KeptChange

Json: TypeAlias = Union["dict[str, Json]", "list[Json]", str, int, float, bool, None]
JsonObject: TypeAlias = dict[str, Json]
#: Anything that ``json.dumps`` writes as an object.
Fields: TypeAlias = Mapping[str, object]

Mode: TypeAlias = Literal["strict", "anchored"]
Provider: TypeAlias = Literal[
    "anthropic", "openai-responses", "openai-chat", "ollama", "gemini", "gemini-interactions", "bedrock-converse"
]
Toolset: TypeAlias = Literal["document", "extended", "board", "surface", "recipe", "all"]


class RepairJson(TypedDict):
    hunk: int
    kind: str


class LinesJson(TypedDict):
    start_line: int
    end_line: int


class SectionJson(TypedDict):
    path: list[str]
    level: int
    heading_line: int
    start_line: int
    end_line: int


class PlaceJson(TypedDict):
    start_line: int
    end_line: int
    text: str


class MatchJson(TypedDict):
    line: int
    text: str
    clipped: bool


class FoundJson(TypedDict):
    matches: list[MatchJson]
    truncated: bool


class PositionJson(TypedDict):
    byte: int
    scalar: int
    utf16: int
    line: int
    scalar_column: int


class RestructuredJson(TypedDict):
    text: str
    spans: list[LinesJson]
    reverse: str


class EffectJson(TypedDict):
    code: str
    line: int
    detail: str


class SpanJson(TypedDict):
    kind: Literal["keep", "insert", "delete"]
    text: str


class DocumentJson(TypedDict):
    markdown: str
    revision_id: str
    canvas_epoch: int
    locked: bool


class EditedJson(TypedDict):
    revision_id: str
    canvas_epoch: int
    moved: bool
    merged: list[JsonObject]


class ChangeJson(TypedDict):
    change: int
    revision: int
    at: int
    actor: Actor
    author: Actor | None
    kind: str
    summary: str
    edits: int


class MovedJson(TypedDict, total=False):
    revision_id: str
    canvas_epoch: int
    undone: list[HistoryEntry]
    redone: list[HistoryEntry]
    kept: list[KeptChange]


class DecidedJson(TypedDict):
    accepted: list[str]
    rejected: list[str]
    stale: list[str]
    revision_id: str
    markdown: str


class EncodedJson(TypedDict):
    body: JsonObject
    losses: list[JsonObject]


class CallJson(TypedDict):
    id: str
    name: str
    arguments: JsonObject | None


class DecodedJson(TypedDict):
    events: list[JsonObject]
    calls: list[CallJson]
    text: str
    finish: str
