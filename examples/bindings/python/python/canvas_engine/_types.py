"""JSON values, and the shapes of arguments and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, TypedDict, Union

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
