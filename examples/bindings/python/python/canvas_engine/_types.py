"""JSON values, and the shapes of arguments and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ForwardRef, Literal, TypeAlias, TypedDict, Union

if TYPE_CHECKING:
    from . import types as types

    Json: TypeAlias = Union["dict[str, Json]", "list[Json]", str, int, float, bool, None]
else:

    class _Types:
        """The module ``types``, imported when somebody reads a type at run time. Its hundreds of classes take long."""

        def __getattr__(self, name):
            from importlib import import_module

            return getattr(import_module("canvas_engine.types"), name)

    types = _Types()
    # They name the module because others read them too.
    _RECURSIVE = (ForwardRef(name, module=__name__) for name in ("dict[str, Json]", "list[Json]"))
    Json = Union[(*_RECURSIVE, str, int, float, bool, None)]

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
    actor: types.Actor
    author: types.Actor | None
    kind: str
    summary: str
    edits: int


class _Changes(TypedDict, total=False):
    undone: list[types.HistoryEntry]
    redone: list[types.HistoryEntry]
    kept: list[types.KeptChange]


class MovedJson(_Changes):
    revision_id: str
    canvas_epoch: int


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


class HostTool(TypedDict, total=False):
    """A tool of the host, with its answer: a ``result``, an ``error``, or ``hold``."""

    schema: JsonObject
    description: str
    sinks: dict[str, types.Sink]
    readOnly: bool
    version: str
    result: Json
    error: JsonObject
    hold: bool


class SurfaceTool(TypedDict):
    """A call that reached the host."""

    tool: str
    args: Json


class RunJob(TypedDict):
    """A job that ran. ``outcome`` is ``finished``, ``pending`` or the code of an error."""

    canvasId: str
    jobId: str
    actionId: str
    outcome: str


class CallOfStep(TypedDict):
    """A call of a replay."""

    step: str
    tool: str
    params: Json


class RecipeData(TypedDict, total=False):
    """The data of a component. If they are not fresh, ``reason`` and ``message`` say why."""

    status: types.DataStatus
    data: Json
    asOf: int
    reason: types.DriftCode
    message: str


class StaleData(TypedDict, total=False):
    """A component or a place of the state whose data a replay could not refresh."""

    component: str
    state: str
    status: types.DataStatus
    reason: types.DriftCode
    message: str


class SurfaceReplyJson(TypedDict):
    result: Json
    events: list[types.SurfaceEvent]
    audit: list[types.AuditRecord]
    calls: list[SurfaceTool]


class PolledJson(TypedDict):
    ran: list[RunJob]
    events: list[types.SurfaceEvent]
    audit: list[types.AuditRecord]
    calls: list[SurfaceTool]
    nextDue: int | None


class _Content(TypedDict, total=False):
    text: str
    base64: str


class FileJson(_Content):
    mediaType: str


class RecordedJson(TypedDict):
    recipe: types.RecipeSpec
    nonRefreshable: list[types.NonRefreshable]


class _Unfinished(TypedDict, total=False):
    revision: int
    pending: list[str]


class ReplayedJson(_Unfinished):
    runId: str
    now: int
    calls: list[CallOfStep]
    patch: list[types.JsonPatchOperation]
    refreshed: list[str]
    stale: list[StaleData]
    events: list[types.CanvasEvent | types.SurfaceEvent]
    escalation: types.Escalation | None


class RerunJson(TypedDict):
    calls: list[CallOfStep]
    patch: list[types.JsonPatchOperation]
    data: Json
