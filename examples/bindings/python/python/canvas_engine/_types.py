"""JSON values, and the shapes of results."""

from __future__ import annotations

from typing import TypeAlias, TypedDict, Union

Json: TypeAlias = Union["dict[str, Json]", "list[Json]", str, int, float, bool, None]
JsonObject: TypeAlias = dict[str, Json]


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


class PositionJson(TypedDict):
    byte: int
    scalar: int
    utf16: int
    line: int
    scalar_column: int
